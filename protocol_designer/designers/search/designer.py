"""The search designer: proposes protocol parts from measured gains, without a language model."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buffers.schema import TaskSchema
from protocol_designer.designers.search.components import Component, binary_columns
from protocol_designer.designers.search.config import SearchConfig
from protocol_designer.designers.search.emit import write_part
from protocol_designer.designers.search.preparation import (
    candidates_of,
    part_weights,
    residuals_of,
    room_left,
    split_of,
    target_weights,
    thinned,
)
from protocol_designer.designers.search.regression import Bench, headroom
from protocol_designer.designers.search.selection import Chosen, Selection, keep, screen
from protocol_designer.designers.search.targets import Target, targets_of
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
        if brief.pass_index > 0:
            config = replace(config, min_gain=config.min_gain / 2)
        rng = np.random.default_rng(np.random.SeedSequence([brief.seed, brief.pass_index]))
        sizes = {"fit": config.fit_episodes, "select": config.select_episodes}
        splits = {
            name: split_of(
                brief,
                designer.data[name],
                count,
                rng,
                pooled=config.pooled_senders,
                run_parts=designer.run_parts,
            )
            for name, count in sizes.items()
        }
        varies = np.ptp(splits["fit"].state[splits["fit"].valid.any(axis=2)], axis=0) > 1e-6
        targets = targets_of(
            schema,
            [bool(v) for v in varies],
            opponent_weight=config.opponent_weight,
            plain_weight=config.plain_weight,
            relative_weight=config.relative_weight,
        )
        residuals = residuals_of(schema, config, splits, targets, rng)
        left = [headroom(r) for r in residuals]
        weights = target_weights(brief, config, targets, residuals, left)
        room = room_left(brief, splits["fit"])
        if sum(float(w.sum()) for w in weights) <= 0 or room < 1:
            return None
        components, of = candidates_of(schema, splits["fit"], brief.pass_index)
        binary = [binary_columns(schema, c) for c in components]
        scores = np.zeros(len(components))
        for one, weight in zip(residuals, weights, strict=True):
            scores += weight.sum() * screen(thinned(one, config, rng), components, weight.mean(axis=0), config.ridge)
        kept = keep(of, components, scores, binary, config)
        components, binary = [components[i] for i in kept], [binary[i] for i in kept]
        parts = part_weights(brief)
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
        return self.selection.run(self.room)

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
