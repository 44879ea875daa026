"""The search designer: proposes protocol parts from measured gains, without a language model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import TaskSchema
from protocol_designer.designers.search.candidates import Source, components_of, sources, varying_fields
from protocol_designer.designers.search.components import Column, Component, binary_columns
from protocol_designer.designers.search.config import SearchConfig
from protocol_designer.designers.search.emit import write_part
from protocol_designer.designers.search.regression import Bench, Float64Array, Residuals, headroom
from protocol_designer.designers.search.rows import PARTS, Rows, Split, sample_rows
from protocol_designer.designers.search.selection import Chosen, Selection, keep, screen
from protocol_designer.designers.search.targets import Target, feedback_success, targets_of
from protocol_designer.designers.search.types import EpisodeArrays, Rescore, RunParts
from protocol_designer.types import Brief, Proposal

__all__ = ["SearchDesigner"]

_AIMS = {
    0: "the mean over agents",
    1: "agents and fields that are still recovered badly count more",
    2: "agents that know less than the best one count more, and so do the parts of an episode that lag",
}


class SearchDesigner:
    """Reads the fit and select splits of a data set and writes the part that reveals most for its price.

    `rescore`, where given, judges the best sets with the real decoder. `run_parts` computes the messages of accepted
    parts; by default they are validated and loaded as training loads them.
    """

    name = "search"
    model = "ridge"

    def __init__(
        self,
        data: Mapping[str, EpisodeArrays],
        config: SearchConfig | None = None,
        *,
        rescore: Rescore | None = None,
        run_parts: RunParts | None = None,
    ) -> None:
        missing = sorted({"fit", "select"} - set(data))
        if missing:
            raise ValueError(f"the search needs the splits 'fit' and 'select'; missing: {', '.join(missing)}")
        self.data = data
        self.config = config or SearchConfig()
        self.rescore = rescore
        self.run_parts = run_parts

    def propose(self, brief: Brief) -> Proposal | None:
        """Return a part for this brief, or None when nothing beats the noise floor."""
        if brief.rejection is not None:
            # The same data would give the same text again.
            return None
        search = _Search.prepare(self, brief)
        if search is None:
            return None
        chosen = search.choose()
        if not chosen:
            return None
        chosen, rescored = self._rescored(brief, search, chosen)
        measured = search.selection.measured(chosen)
        source = search.write(brief, measured)
        return Proposal(source, {**search.notes(measured), "rescored": rescored})

    def _rescored(
        self, brief: Brief, search: _Search, chosen: list[Component]
    ) -> tuple[list[Component], list[dict[str, Any]]]:
        """Return the set that the real decoder likes best, and what it said of each."""
        if self.rescore is None:
            return chosen, []
        sets = search.best_sets(chosen)
        said: list[dict[str, Any]] = []
        best, best_score = chosen, -np.inf
        start = time.monotonic()
        for components in sets:
            if said and time.monotonic() - start > self.config.rescore_seconds:
                break
            source = search.write(brief, search.selection.measured(components))
            score = self.rescore([*brief.accepted, source])
            said.append({"components": [c.name for c in components], "gain": score})
            if score > best_score:
                best, best_score = list(components), score
        return best, said


@dataclass
class _Search:
    """One pass: the benches, the targets with their weights, and the selection over them."""

    schema: TaskSchema
    config: SearchConfig
    targets: list[Target]
    benches: list[Bench]
    selection: Selection
    room: int
    pass_index: int
    headroom: dict[str, float]

    @classmethod
    def prepare(cls, designer: SearchDesigner, brief: Brief) -> _Search | None:
        """Sample rows, take own history out of the targets, screen the candidates and compute the benches."""
        schema, config = brief.schema, designer.config
        rng = np.random.default_rng(np.random.SeedSequence([brief.seed, brief.pass_index]))
        sizes = {"fit": config.fit_episodes, "select": config.select_episodes}
        splits = {name: _split(designer, brief, designer.data[name], count, rng) for name, count in sizes.items()}
        varies = np.ptp(splits["fit"].state[splits["fit"].valid.any(axis=2)], axis=0) > 1e-6
        targets = targets_of(schema, [bool(v) for v in varies], relative=config.relative_weight > 0)
        residuals = _residuals(schema, config, splits, targets, rng)
        left = [headroom(r) for r in residuals]
        weights = _weights(brief, config, targets, residuals, left)
        room = _room(brief, splits["fit"])
        if sum(float(w.sum()) for w in weights) <= 0 or room < 1:
            return None
        components, of = _candidates(schema, splits["fit"], brief.pass_index)
        binary = [binary_columns(schema, c) for c in components]
        scores = np.zeros(len(components))
        for one, weight in zip(residuals, weights, strict=True):
            scores += weight.sum() * screen(_thinned(one, config, rng), components, weight.mean(axis=0), config.ridge)
        kept = keep(of, components, scores, binary, config)
        components, binary = [components[i] for i in kept], [binary[i] for i in kept]
        parts = _part_weights(brief)
        benches = []
        for one, weight in zip(residuals, weights, strict=True):
            row_weights = (parts[one.fit.rows.part], parts[one.select.rows.part])
            bench = Bench(one, weight, row_weights, config.ridge)
            bench.add(components)
            bench.close()
            benches.append(bench)
        episodes = len(splits["select"].state)
        selection = Selection(benches, components, binary, episodes, config, rng)
        best = {}
        for index, target in enumerate(targets):
            best[target.name] = max(float(h[:, index].max()) for h in left)
        return cls(schema, config, targets, benches, selection, room, brief.pass_index, best)

    def choose(self) -> list[Component]:
        """Return the components that earn their place."""
        return self.selection.backward(self.selection.forward([], self.room))

    def best_sets(self, chosen: list[Component]) -> list[tuple[Component, ...]]:
        """Return the chosen set, its prefixes and the runners-up, by error on the select split, five at most."""
        sets = {tuple(chosen): 0.0}
        prefixes = [tuple(chosen[:count]) for count in range(1, len(chosen))]
        for components in (*prefixes, *self.selection.runners_up):
            sets.setdefault(components, float(self.selection.errors(components).sum()))
        ordered = sorted(list(sets)[1:], key=lambda components: sets[components])
        return [tuple(chosen), *ordered][: self.config.rescored_sets]

    def write(self, brief: Brief, chosen: Sequence[Chosen]) -> str:
        """Return the source of the chosen components."""
        total = self.selection.gain(self.selection.errors([]), self.selection.errors([c.component for c in chosen]))
        limit = (
            self.config.wide_message if brief.max_message_width is None else min(self.config.wide_message, self.room)
        )
        named = ", ".join(name for name, _ in self._most_revealed(chosen)[:4])
        why = [
            f"Why: together these lines raise the share of variance that a linear decoder explains by {total.mean:.4f} "
            f"[{total.low:.4f}, {total.high:.4f}] on the select split, over what a receiver's own history tells; "
            f"{_AIMS[min(self.pass_index, 2)]}. They reveal most of: {named}.",
            "Each comment gives what its line adds to those above it, with 95 % bounds over episodes.",
        ]
        return write_part(
            self.schema, self.pass_index, chosen, pooled_senders=self.config.pooled_senders, wide=limit, why=why
        )

    def _most_revealed(self, chosen: Sequence[Chosen]) -> list[tuple[str, float]]:
        total, counted = np.zeros(len(self.targets)), np.zeros(len(self.targets))
        for bench in self.benches:
            gains = bench.target_gains(bench.columns_of([c.component for c in chosen]))
            total += (gains * (bench.weights > 0)).sum(axis=0)
            counted += (bench.weights > 0).sum(axis=0)
        total /= np.maximum(counted, 1)
        order = np.argsort(-total, kind="stable")
        return [(self.targets[i].name, float(total[i])) for i in order if total[i] > 0]

    def notes(self, chosen: Sequence[Chosen]) -> dict[str, Any]:
        """Return what is remembered of how the part came about, as plain JSON values."""
        revealed = self._most_revealed(chosen)
        fields = {f.name for f in self.schema.state_fields}
        return {
            "components": [
                {"name": c.component.name, "gain": c.gain.mean, "low": c.gain.low, "high": c.gain.high} for c in chosen
            ],
            "candidates": len(self.selection.candidates),
            "headroom": self.headroom,
            "revealed": dict(revealed),
            "target_fields": [name for name, value in revealed if name in fields and value >= self.config.min_gain],
        }


def _split(
    designer: SearchDesigner,
    brief: Brief,
    episodes: EpisodeArrays,
    count: int,
    rng: np.random.Generator,
) -> Split:
    schema, total = brief.schema, len(episodes.state)
    # Wide tasks take fewer episodes, so that a pass costs about the same.
    width = schema.n_agents * schema.extended_dim
    count = min(total, max(200, min(count, count * 600 // width)))
    picked = np.sort(rng.choice(total, size=count, replace=False))
    split = Split.of(schema, episodes, picked, brief.window, designer.config.pooled_senders)
    if not brief.accepted:
        return split
    run = designer.run_parts or _run_validated(schema, brief.window)
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


def _room(brief: Brief, split: Split) -> int:
    if brief.max_message_width is None:
        return 10**6
    return brief.max_message_width - (0 if split.accepted is None else split.accepted.shape[-1])


def _residuals(
    schema: TaskSchema,
    config: SearchConfig,
    splits: Mapping[str, Split],
    targets: list[Target],
    rng: np.random.Generator,
) -> list[Residuals]:
    found = []
    roles = ("",) * schema.n_agents if schema.roles_vary else schema.roles
    for role in dict.fromkeys(roles):
        agents = [agent for agent, of in enumerate(roles) if of == role]
        if len(agents) > config.receivers_per_role:
            agents = sorted(int(a) for a in rng.choice(agents, size=config.receivers_per_role, replace=False))
        rows: dict[str, Rows] = {}
        for name, count in (("fit", config.rows_per_receiver_role), ("select", config.rows_per_receiver_role // 2)):
            rows[name] = sample_rows(splits[name], tuple(agents), targets, count=count, decay=config.decay, rng=rng)
        found.append(Residuals.best_of(rows["fit"], rows["select"], config.own_ridges, config.decay))
    return found


def _weights(
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
                weights[row, index] = weight * (config.relative_weight if target.relative_to else 1.0)
        weights *= share >= config.min_headroom
        found.append(weights * agents / len(receivers))
    return found


def _part_weights(brief: Brief) -> Float32Array:
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


def _candidates(schema: TaskSchema, split: Split, pass_index: int) -> tuple[list[Component], list[Source]]:
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


def _thinned(residuals: Residuals, config: SearchConfig, rng: np.random.Generator) -> Residuals:
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
