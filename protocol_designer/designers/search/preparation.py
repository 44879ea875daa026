"""What one pass of the search reads: sampled rows, targets with their weights, and candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from protocol_designer.designers.search.candidates import Source, components_of, sources, varying_fields
from protocol_designer.designers.search.components import Column, Component
from protocol_designer.designers.search.config import SearchConfig
from protocol_designer.designers.search.regression import Float64Array, Residuals
from protocol_designer.designers.search.rows import PARTS, Rows, Split, sample_rows
from protocol_designer.designers.search.targets import Target, feedback_success
from protocol_designer.designers.search.types import EpisodeArrays, RunParts
from protocol_designer.types import Brief

__all__ = ["candidates_of", "part_weights", "residuals_of", "room_left", "split_of", "target_weights", "thinned"]


def split_of(
    brief: Brief,
    episodes: EpisodeArrays,
    count: int,
    rng: np.random.Generator,
    *,
    pooled: int,
    run_parts: RunParts | None,
) -> Split:
    """Draw episodes of one split, and compute what the accepted parts say in them."""
    schema, total = brief.schema, len(episodes.state)
    # Wide tasks take fewer episodes, so that a pass costs about the same.
    width = schema.n_agents * schema.extended_dim
    count = min(total, max(200, min(count, count * 600 // width)))
    picked = np.sort(rng.choice(total, size=count, replace=False))
    split = Split.of(schema, episodes, picked, brief.window, pooled)
    if not brief.accepted:
        return split
    run = run_parts or _run_validated(schema, brief.window)
    return replace(split, accepted=run(brief.accepted, split.listener.extended, split.valid))


def _run_validated(schema: TaskSchema, window: int) -> RunParts:
    def run(accepted: Sequence[str], extended: Float32Array, alive: BoolArray) -> Float32Array:
        from generated_protocols.protocol import Protocol
        from protocol_designer.validation import validate

        for part, source in enumerate(accepted):
            wrong = validate(source, schema=schema, part=part)
            if wrong:
                raise ValueError(f"accepted part {part} does not validate: {wrong[0]}")
        protocol = Protocol.from_sources(accepted, schema, window=window)
        return np.asarray(protocol.messages(extended, alive), dtype=np.float32)

    return run


def room_left(brief: Brief, split: Split) -> int:
    """Return the message width that the accepted parts leave; very many where there is no limit."""
    if brief.max_message_width is None:
        return 10**6
    return brief.max_message_width - (0 if split.accepted is None else split.accepted.shape[-1])


def residuals_of(
    schema: TaskSchema,
    config: SearchConfig,
    splits: Mapping[str, Split],
    targets: list[Target],
    rng: np.random.Generator,
) -> list[Residuals]:
    """Return rows and what own history leaves open, for each agent of a small team or each role of a large one."""
    found = []
    roles: Sequence[object] = ("",) * schema.n_agents if schema.roles_vary else schema.roles
    if schema.n_agents <= config.separate_receivers:
        roles = range(schema.n_agents)
    for role in dict.fromkeys(roles):
        agents = [agent for agent, of in enumerate(roles) if of == role]
        if len(agents) > config.receivers_per_role:
            agents = sorted(int(a) for a in rng.choice(agents, size=config.receivers_per_role, replace=False))
        rows: dict[str, Rows] = {}
        for name, count in (("fit", config.rows_per_regression), ("select", config.rows_per_regression // 2)):
            rows[name] = sample_rows(splits[name], tuple(agents), targets, count=count, decay=config.decay, rng=rng)
        found.append(Residuals.best_of(rows["fit"], rows["select"], config.own_ridges, config.decay))
    return found


def target_weights(
    brief: Brief,
    config: SearchConfig,
    targets: list[Target],
    residuals: Sequence[Residuals],
    left: Sequence[Float64Array],
) -> list[Float64Array]:
    """Return the weight of each (receiver, target), per receiver role; a role weighs as many agents as it has."""
    schema = brief.schema
    success = feedback_success(brief.feedback, schema.n_agents)
    best: dict[str, float] = {}
    for (_, name), rate in success.items():
        best[name] = max(best.get(name, 0.0), rate)
    found = []
    for one, share in zip(residuals, left, strict=True):
        weights = np.zeros_like(share)
        receivers = one.fit.rows.receivers
        role = schema.roles[receivers[0]]
        agents = schema.n_agents if schema.roles_vary else schema.roles.count(role)
        if schema.n_agents <= config.separate_receivers:
            agents = 1
        for row, receiver in enumerate(receivers):
            for index, target in enumerate(targets):
                field = schema.state_fields[target.column].name
                value = success.get((receiver, field))
                weight: float = 1.0
                if brief.pass_index >= 1 and success:
                    weight = 0.0 if value is None else 1 - value
                if brief.pass_index >= 2 and value is not None:
                    # A small share of what is left keeps fields alive that everybody knows equally badly.
                    weight = best[field] - value + 0.1 * (1 - value)
                weights[row, index] = weight * target.weight
        weights *= share >= config.min_headroom
        found.append(weights * agents / len(receivers))
    return found


def part_weights(brief: Brief) -> Float32Array:
    """Return a weight per part of the episode, mean 1: in pass 2 the parts in which fewer succeed count more."""
    parts = (brief.feedback or {}).get("parts") if brief.pass_index >= 2 else None
    missed = np.ones(PARTS, dtype=np.float32)
    rates = _part_rates(parts)
    if rates is not None:
        missed = np.clip(1 - rates, 0.05, None).astype(np.float32)
    return missed / missed.mean()


def _part_rates(parts: object) -> Float64Array | None:
    """Return the mean success per part from whatever nesting the score gives, or None where there are not five."""
    rows = list(parts.values()) if isinstance(parts, Mapping) else parts
    if not isinstance(rows, list | tuple) or len(rows) != PARTS:
        return None
    means = []
    for row in rows:
        numbers = list(_numbers(row))
        if not numbers:
            return None
        means.append(float(np.mean(numbers)))
    return np.asarray(means)


def _numbers(value: object) -> list[float]:
    if isinstance(value, bool | str):
        return []
    if isinstance(value, int | float):
        return [float(value)] if np.isfinite(value) else []
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [number for one in inner for number in _numbers(one)]


def candidates_of(schema: TaskSchema, split: Split, pass_index: int) -> tuple[list[Component], list[Source]]:
    """Return every component of a pass, and the source of each."""
    varying = [varying_fields(schema, split.listener.extended, agent) for agent in range(schema.n_agents)]
    anywhere: frozenset[str] = frozenset().union(*varying)

    def speaks(sender: int, column: Column) -> bool:
        return column.plus.name in varying[sender]

    found: list[Component] = []
    of: list[Source] = []
    for source in sources(schema, anywhere.__contains__, pass_index):
        made = components_of(schema, source, speaks)
        found += made
        of += [source] * len(made)
    return found, of


def thinned(residuals: Residuals, config: SearchConfig, rng: np.random.Generator) -> Residuals:
    """Return the fit side on fewer rows, for screening alone."""
    count = len(residuals.fit.residuals)
    if count <= config.screening_rows:
        index = np.arange(count)
    else:
        index = np.sort(rng.choice(count, size=config.screening_rows, replace=False))
    fit = residuals.fit
    thinned = replace(fit, rows=fit.rows.subset(index), scaled=fit.scaled[index], residuals=fit.residuals[index])
    nothing = replace(residuals.select, scaled=residuals.select.scaled[:0])
    return replace(residuals, fit=thinned, select=nothing)
