"""The tables of a score card, from sums over the steps of episodes. One list entry per decoder seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray
from buffers.schema import TaskSchema
from sai.decoder import CONDITIONS, Condition
from sai.estimates import half_width, ratio_and_influence
from sai.indicator import PARTS, Sums

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["imbalance_table", "parts_table", "success_of", "success_table"]

Float64Array = NDArray[np.float64]
PerSeed = Sequence[Mapping[Condition, Sums]]


_BY_CONDITION = ("chi_*", "success_*", "success_*_ci", "skill_*", "skill_*_ci", "r2_*", "rmse_*")


def _half_width(pairs: Sequence[tuple[Float64Array, Float64Array]]) -> Float64Array:
    """Return half of the 95 % interval of ratios, from numerators and denominators `[B, 5, N, F]` by decoder seed."""
    found = [ratio_and_influence(top.sum(axis=1), bottom.sum(axis=1)) for top, bottom in pairs]
    return half_width(np.array([ratio for ratio, _ in found]), np.mean([influence for _, influence in found], axis=0))


def success_of(sums: Sums) -> Float64Array:
    """Return the share of steps within the tolerance, `[N, F]`; NaN where a field never is."""
    return ratio_and_influence(sums.success.sum(axis=1), sums.weight.sum(axis=1))[0]


def success_table(
    schema: TaskSchema,
    columns: tuple[int, ...],
    per_seed: PerSeed,
    constant: Mapping[str, Float64Array],
    reasons: NDArray[np.object_],
) -> pd.DataFrame:
    """Return a row per agent and field: chi, success, skill and R² by condition, means over decoder seeds.

    `rmse_…` is the root mean squared error in the field's unit; `success_…_ci` and `skill_…_ci` are halves of 95 %
    intervals over episodes and decoder seeds.
    """
    import pandas as pd

    values: dict[str, Float64Array] = {}
    for condition in CONDITIONS:
        sums = [found[condition] for found in per_seed]
        total = np.maximum(sums[0].count.sum(axis=(0, 1)), 1)
        error = np.mean([s.error.sum(axis=(0, 1)) for s in sums], axis=0)
        there = sums[0].count.sum(axis=(0, 1)) > 0
        values[f"chi_{condition}"] = np.mean([s.chi.sum(axis=(0, 1)) for s in sums], axis=0) / total
        values[f"success_{condition}"] = np.mean([success_of(s) for s in sums], axis=0)
        values[f"success_{condition}_ci"] = _half_width([(s.success, s.weight) for s in sums])
        values[f"rmse_{condition}"] = np.sqrt(error / total) * np.array([schema.state_fields[c].scale for c in columns])
        constant_error = constant["fit"][:, None]  # [B, 1, N, F]: one part, the whole episode
        values[f"skill_{condition}_ci"] = _half_width(
            [(s.error.sum(axis=1, keepdims=True), constant_error) for s in sums]
        )
        for name, source in (("skill", "fit"), ("r2", "own")):
            spread = constant[source].sum(axis=0)
            values[f"{name}_{condition}"] = 1 - np.where(spread > 0, error / np.maximum(spread, 1e-12), np.nan)
        for name in _BY_CONDITION:
            key = name.replace("*", condition)
            values[key] = np.where(there, values[key], np.nan)
    values["headroom"] = 1 - values["success_empty"]
    names = [name.replace("*", c) for name in _BY_CONDITION for c in CONDITIONS]
    steps = per_seed[0]["full"].count.sum(axis=(0, 1))
    rows: list[dict[str, Any]] = []
    for agent, place in np.ndindex(*reasons.shape):
        field = schema.state_fields[columns[place]]
        rows.append(
            {
                "agent": agent,
                "role": schema.roles[agent],
                "field": field.name,
                "unit": field.unit,
                "kind": field.kind,
                "steps": int(steps[agent, place]),
                **{name: float(values[name][agent, place]) for name in (*names, "headroom")},
                "scored": not reasons[agent, place],
                "reason": reasons[agent, place],
            }
        )
    return pd.DataFrame(rows)


def parts_table(schema: TaskSchema, columns: tuple[int, ...], per_seed: PerSeed) -> pd.DataFrame:
    """Return success with messages and with an empty inbox by fifth of the episode, agent and field.

    `…_ci` are halves of 95 % intervals over episodes and decoder seeds.
    """
    import pandas as pd

    def by_part(condition: Condition) -> tuple[Float64Array, Float64Array]:
        sums = [found[condition] for found in per_seed]
        found = [ratio_and_influence(s.success, s.weight) for s in sums]
        ratios = np.array([ratio for ratio, _ in found])  # [S, 5, N, F]
        return ratios.mean(axis=0), half_width(ratios, np.mean([influence for _, influence in found], axis=0))

    (full, full_ci), (empty, empty_ci) = by_part("full"), by_part("empty")
    return pd.DataFrame(
        [
            {
                "part": part,
                "agent": agent,
                "field": schema.state_fields[column].name,
                "success_full": float(full[part, agent, place]),
                "success_full_ci": float(full_ci[part, agent, place]),
                "success_empty": float(empty[part, agent, place]),
                "success_empty_ci": float(empty_ci[part, agent, place]),
            }
            for part in range(PARTS)
            for agent in range(schema.n_agents)
            for place, column in enumerate(columns)
        ]
    )


def imbalance_table(schema: TaskSchema, columns: tuple[int, ...], per_seed: PerSeed, scored: BoolArray) -> pd.DataFrame:
    """Return, per field that is scored for any agent, how unequally the agents know it.

    `variance` is the variance over agents of their success less what sampling alone would make of it, at least 0;
    `spread` the best agent's success less the worst's, `spread_…_ci` half of its 95 % interval over episodes.
    """
    import pandas as pd

    rows = []
    for place in np.flatnonzero(scored.any(axis=0)):
        row: dict[str, Any] = {"field": schema.state_fields[columns[place]].name}
        for condition in ("full", "empty"):
            sums = [found[condition] for found in per_seed]
            success = np.sum([s.success[..., place].sum(axis=1) for s in sums], axis=0)
            weight = np.sum([s.weight[..., place].sum(axis=1) for s in sums], axis=0)
            ratio, influence = ratio_and_influence(success, weight)
            known = ~np.isnan(ratio)
            # a variance over k agents contains (1 - 1/k) of each one's own; what they share does not spread them
            own = influence[:, known] - influence[:, known].mean(axis=1, keepdims=True)
            row[f"variance_{condition}"] = max(0.0, float(ratio[known].var() - (own**2).sum(axis=0).mean()))
            row[f"spread_{condition}"] = float(np.ptp(ratio[known]))
            known_influence, rates = influence[:, known], ratio[known]
            apart = known_influence[:, rates.argmax()] - known_influence[:, rates.argmin()]
            row[f"spread_{condition}_ci"] = float(half_width(np.zeros((1,)), apart))
        rows.append(row)
    names = [f"{name}_{c}" for c in ("full", "empty") for name in ("variance", "spread")]
    return pd.DataFrame(rows, columns=["field", *names, "spread_full_ci", "spread_empty_ci"])
