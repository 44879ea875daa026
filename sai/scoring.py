"""Scoring: fit decoders on one split, compare what they rebuild on another with and without messages.

Axes: B episodes, T timesteps, N agents, F scored columns of the state, S decoder seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray
from buffers.progress import Progress, silent
from buffers.schema import TaskSchema
from sai.decoder import CONDITIONS, Condition, field_mask, fit_decoder
from sai.estimates import Estimates, ratio_and_influence
from sai.indicator import Sums, indicator_sums
from sai.scorecard import Scorecard
from sai.tables import imbalance_table, parts_table, success_of, success_table
from sai.types import Episodes, MessageSet, SaiConfig

__all__ = ["estimates_of", "score", "unscorable"]

Float64Array = NDArray[np.float64]
Reasons = NDArray[np.object_]  # [N, F], "" where a cell is scored

MIN_STEPS = 50
"""A field that an agent lives to see in fewer steps of a split is not scored: its rate would be noise."""
RARE_CLASS = 0.01
"""A binary field whose rarer value has a smaller share is not scored: its balanced accuracy would be noise."""


def score(
    schema: TaskSchema,
    fit: Episodes,
    test: Episodes,
    fit_messages: MessageSet | None,
    test_messages: MessageSet | None,
    config: SaiConfig,
    fields: Sequence[int] | None = None,
    progress: Progress = silent,
) -> Scorecard:
    """Return the card of messages on `test`, with decoders fitted on `fit`. None: no protocol at all.

    `fields` are the state columns to look at, all by default. What is constant, hardly ever there, or known from one's
    own history anyway is left out of the means, and the table says so.
    """
    fit_messages = fit_messages or MessageSet.nothing(fit)
    test_messages = test_messages or MessageSet.nothing(test)
    columns = tuple(range(schema.state_dim)) if fields is None else tuple(fields)
    mask = field_mask(schema, test, columns)
    per_seed: list[dict[Condition, Sums]] = []
    stopped: list[str] = []
    groups: list[tuple[Condition, ...]] = [CONDITIONS]
    if fit_messages.full.shape[-1] == 0:
        groups = [("zero",)]
    elif config.separate_decoders:
        groups = [(condition,) for condition in CONDITIONS]
    for number in range(config.decoder_seeds):
        progress(number, config.decoder_seeds, "fitting decoders")
        found: dict[Condition, Sums] = {}
        for group in groups:
            only = group[0] if len(group) == 1 else None
            decoder = fit_decoder(schema, fit, fit_messages, columns, config, seed=number, only=only)
            stopped.append(decoder.stopped)
            for condition in group:
                predicted = decoder.predict(test, test_messages, condition)
                found[condition] = indicator_sums(schema, test, predicted, mask, columns, config)
        per_seed.append({condition: found.get(condition, found["zero"]) for condition in CONDITIONS})
    progress(config.decoder_seeds, config.decoder_seeds, "fitting decoders")

    reasons = unscorable(schema, fit, test, columns)
    known_alone = np.mean([success_of(found["empty"]) for found in per_seed], axis=0) > 1 - config.headroom
    reasons[(reasons == "") & known_alone] = "known from one's own history: no headroom"
    constant = squared_errors_of_constant(schema, fit, test, columns)
    scored = reasons == ""
    return Scorecard(
        table=success_table(schema, columns, per_seed, constant, reasons),
        parts=parts_table(schema, columns, per_seed),
        imbalance=imbalance_table(schema, columns, per_seed, scored),
        estimates={
            f"{name}_{condition}": estimates_of(
                schema, columns, [found[condition] for found in per_seed], scored, constant if name == "skill" else None
            )
            for condition in CONDITIONS
            for name in ("success", "skill")
        },
        message_dim=fit_messages.full.shape[-1],
        stopped=tuple(stopped),
    )


def unscorable(schema: TaskSchema, fit: Episodes, test: Episodes, columns: tuple[int, ...]) -> Reasons:
    """Return why an agent's knowledge of a field cannot be scored, `[N, F]`; "" where it can."""
    reasons = np.full((schema.n_agents, len(columns)), "", dtype=object)
    for episodes in (fit, test):
        mask = field_mask(schema, episodes, columns)
        steps = mask.sum(axis=(0, 1))
        for agent, place in np.ndindex(*reasons.shape):
            values = episodes.state[..., columns[place]][mask[:, :, agent, place]]
            if steps[agent, place] < MIN_STEPS:
                reasons[agent, place] = f"there in {steps[agent, place]} steps only"
            elif np.ptp(values) < 1e-6:
                reasons[agent, place] = "constant"
            elif schema.state_fields[columns[place]].kind == "binary":
                share = float((values > 0.5).mean())
                if min(share, 1 - share) < RARE_CLASS:
                    reasons[agent, place] = "nearly constant"
    return reasons


def squared_errors_of_constant(
    schema: TaskSchema, fit: Episodes, test: Episodes, columns: tuple[int, ...]
) -> Mapping[str, Float64Array]:
    """Return squared errors of two constants per episode, agent and field of `test`, each `[B, N, F]`.

    "fit" is the mean over the fit split's agents and steps, what a decoder without inputs would say; "own" the mean of
    the tested steps of this agent, which makes R².
    """
    mask = field_mask(schema, test, columns)
    values = _known(test, mask, columns)
    fit_mask = field_mask(schema, fit, columns)
    mean = _known(fit, fit_mask, columns).sum(axis=(0, 1, 2)) / np.maximum(fit_mask.sum(axis=(0, 1, 2)), 1)
    own = values.sum(axis=(0, 1)) / np.maximum(mask.sum(axis=(0, 1)), 1)
    return {
        name: np.where(mask, (values - constant) ** 2, 0).sum(axis=1)
        for name, constant in (("fit", mean), ("own", own))
    }


def _known(episodes: Episodes, mask: BoolArray, columns: tuple[int, ...]) -> Float64Array:
    return np.where(mask, episodes.state[:, :, None, list(columns)], 0).astype(np.float64)


def estimates_of(
    schema: TaskSchema,
    columns: tuple[int, ...],
    sums: Sequence[Sums],
    scored: BoolArray,
    constant: Mapping[str, Float64Array] | None = None,
) -> Estimates:
    """Return success of the scored cells `[N, F]`, or skill over the fit split's constant; `sums` by decoder seed."""
    means, influences = [], []
    for found in sums:
        if constant is None:
            ratio, influence = ratio_and_influence(found.success.sum(axis=1), found.weight.sum(axis=1))
        else:
            lost, influence = ratio_and_influence(found.error.sum(axis=1), constant["fit"])
            ratio, influence = 1 - lost, -influence
        means.append(ratio[scored])
        influences.append(influence[:, scored])
    cells = tuple(f"agent_{agent}/{schema.state_fields[columns[place]].name}" for agent, place in np.argwhere(scored))
    return Estimates(cells, np.array(means), np.mean(influences, axis=0).astype(np.float32))
