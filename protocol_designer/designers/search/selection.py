"""Which components earn their place: screening, greedy forward selection and backward drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from buffers.episodes import Float32Array
from protocol_designer.designers.search.candidates import Source
from protocol_designer.designers.search.components import Component
from protocol_designer.designers.search.config import SearchConfig
from protocol_designer.designers.search.regression import Bench, Float64Array, Key, Residuals, partial_r2

__all__ = ["Chosen", "Interval", "Selection", "bits", "keep", "price", "received_width", "said_by", "screen"]


@dataclass(frozen=True)
class Interval:
    """A gain with its bounds, clustered by episode."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Chosen:
    """A component, and the gain that it brought beyond those before it."""

    component: Component
    gain: Interval


def bits(component: Component, binary: bool) -> int:
    """Return bits per step and link: 1 for a flag, 32 for any other number."""
    return component.width * (1 if binary else 32)


def price(component: Component, binary: bool) -> float:
    """Return what a component costs: one unit for being there, one per number, little for a flag.

    Gain per bit alone would let thirty flags pass before one coordinate; a line that a person reads has a price too.
    """
    return 1 + bits(component, binary) / 32


def screen(
    residuals: Residuals,
    components: Sequence[Component],
    weights: Float64Array,
    ridge: float,
) -> Float64Array:
    """Return each component's partial R² for the receivers of one role, weighted `[F]`, on the fit rows."""
    rows = residuals.fit.rows
    cache: dict[Key, _Columns] = {}
    found = np.zeros(len(components))
    total = max(float(weights.sum()), 1e-12)
    for index, component in enumerate(components):
        keys = {key for receiver in rows.receivers for key in rows.split.listener.keys(component, receiver)}
        if not keys <= cache.keys():
            for key, columns in rows.hear(component, residuals.decay):
                if key not in cache:
                    left, _ = residuals.take_out(columns, columns[:0])
                    cache[key] = _Columns(left, (left.T @ residuals.fit.residuals).astype(np.float64))
        if not keys:
            continue
        ordered = [cache[key] for key in sorted(keys, key=repr)]
        columns = np.concatenate([entry.values for entry in ordered], axis=1)
        cross = np.concatenate([entry.cross for entry in ordered], axis=0)
        found[index] = (partial_r2(residuals, columns, cross, ridge) * weights).sum() / total
    return found


@dataclass(frozen=True)
class _Columns:
    """Residual columns of one key, `[R, 4]`, and their products with the residual targets, `[4, F]`."""

    values: Float32Array
    cross: Float64Array


@dataclass
class Selection:
    """Greedy forward selection over benches (one per receiver role), then backward drop."""

    benches: Sequence[Bench]
    candidates: Sequence[Component]
    binary: Sequence[bool]
    n_episodes: int
    config: SearchConfig
    rng: np.random.Generator
    runners_up: list[tuple[Component, ...]] = field(default_factory=list)

    def errors(self, components: Sequence[Component]) -> Float64Array:
        """Return each select episode's weighted error over all receivers, `[B]`: shares of variance in sum."""
        total = np.zeros(self.n_episodes)
        weight = sum(bench.weight for bench in self.benches)
        for bench in self.benches:
            total[bench.episodes] += bench.error(bench.columns_of(components))
        return total / max(weight, 1e-12)

    def gain(self, before: Float64Array, after: Float64Array) -> Interval:
        """Return the fall of error with its bounds over episodes."""
        won = before - after
        spread = float(won.std(ddof=1) * np.sqrt(len(won))) if len(won) > 1 else float("inf")
        mean = float(won.sum())
        return Interval(mean, mean - self.config.confidence_z * spread, mean + self.config.confidence_z * spread)

    def forward(self, fits: Sequence[Component], room: int) -> list[Component]:
        """Add the best gain for its price until nothing passes the floor. `room` is the message width that is left."""
        chosen: list[Component] = list(fits)
        current = self.errors(chosen)
        while True:
            ranked = self._ranked(chosen, current, room)
            if not ranked:
                return chosen
            best, after, gained = ranked[0]
            floor = max(self.noise_floor(chosen, current, [entry[0] for entry in ranked[: self.config.shuffles]]), 0.0)
            if gained.low <= floor or gained.mean < self.config.min_gain:
                return chosen
            self.runners_up += [(*chosen, entry[0]) for entry in ranked[1:3]]
            chosen.append(best)
            room -= received_width(best, self.config)
            current = after

    def _ranked(
        self, chosen: Sequence[Component], current: Float64Array, room: int
    ) -> list[tuple[Component, Float64Array, Interval]]:
        lines = sum(c.lines for c in chosen)
        tried: list[tuple[float, Component, Float64Array, Interval]] = []
        said = {key for c in chosen for key in said_by(c)}
        for component, binary in zip(self.candidates, self.binary, strict=True):
            if lines + component.lines > self.config.max_components or not said.isdisjoint(said_by(component)):
                continue
            if received_width(component, self.config) > room:
                continue
            after = self.errors([*chosen, component])
            gained = self.gain(current, after)
            if gained.mean >= self.config.min_gain and gained.low > 0:
                tried.append((gained.mean / price(component, binary), component, after, gained))
        tried.sort(key=lambda entry: (-entry[0], entry[1].name))
        return [entry[1:] for entry in tried]

    def noise_floor(self, chosen: Sequence[Component], current: Float64Array, best: Sequence[Component]) -> float:
        """Return the best gain of shuffled candidates: columns of other rows, fitted and measured alike."""
        floor = 0.0
        weight = sum(bench.weight for bench in self.benches)
        for component in best:
            total = np.zeros(self.n_episodes)
            for bench in self.benches:
                before = bench.columns_of(chosen)
                columns = bench.columns_of([*chosen, component])
                shuffled = np.setdiff1d(columns, before)
                rows = bench.residuals.fit.residuals.shape[0]
                # Rows stand in episode order: a shift breaks what belongs together and keeps how columns move in time.
                shift = np.roll(np.arange(rows), int(self.rng.integers(rows // 4, max(rows * 3 // 4, rows // 4 + 1))))
                total[bench.episodes] += bench.error(columns, shift, shuffled)
            floor = max(floor, float((current - total / max(weight, 1e-12)).sum()))
        return floor

    def run(self, room: int) -> list[Component]:
        """Return the set that stays: forward, merged and forward again while lines fall away, then backward."""
        chosen = self.forward([], room)
        while len(merged := self.merge(chosen, room)) < len(chosen):
            chosen = self.forward(merged, room - sum(received_width(c, self.config) for c in merged))
        return self.backward(chosen)

    def merge(self, chosen: Sequence[Component], room: int) -> list[Component]:
        """Replace two lines or more by one that says all they say, where that costs nothing and the widths allow it."""
        current = list(chosen)
        for whole in sorted(self.candidates, key=lambda c: (-len(c.columns), c.name)):
            inside = [c for c in current if c != whole and said_by(c) <= said_by(whole)]
            rest = [c for c in current if c not in inside]
            if len(inside) < 2 or not said_by(whole).isdisjoint({key for c in rest for key in said_by(c)}):
                continue
            swapped = [whole if c == inside[0] else c for c in current if c == inside[0] or c not in inside]
            fits = sum(received_width(c, self.config) for c in swapped) <= room
            if fits and self.errors(swapped).sum() <= self.errors(current).sum():
                current = swapped
        return current

    def backward(self, chosen: list[Component]) -> list[Component]:
        """Drop what costs less than one standard error (or less than the smallest gain) to leave out."""
        while chosen:
            full = self.errors(chosen)
            losses = []
            for index in range(len(chosen)):
                rest = [*chosen[:index], *chosen[index + 1 :]]
                lost = self.gain(self.errors(rest), full)
                error = (lost.mean - lost.low) / max(self.config.confidence_z, 1e-12)
                losses.append((lost.mean, lost.mean < max(error, self.config.min_gain / 2), index))
            _, droppable, index = min(losses)
            if not droppable:
                return chosen
            chosen = [*chosen[:index], *chosen[index + 1 :]]
        return chosen

    def measured(self, chosen: Sequence[Component]) -> list[Chosen]:
        """Return the components with the gain of each beyond those before it."""
        found = []
        current = self.errors([])
        for count, component in enumerate(chosen, start=1):
            after = self.errors(chosen[:count])
            found.append(Chosen(component, self.gain(current, after)))
            current = after
        return found


def said_by(component: Component) -> set[tuple[object, ...]]:
    """Return what a component says, column by column, so that nothing is said twice."""
    form = component.form
    return {(replace(c, seen=None), component.addressed, form, component.role) for c in component.columns}


def received_width(component: Component, config: SearchConfig) -> int:
    """Return the columns that a component takes in a narrow `receive`."""
    senders = len(component.senders)
    return component.width * (1 if senders > config.pooled_senders else senders)


def keep(
    source_of: Sequence[Source],
    components: Sequence[Component],
    scores: Float64Array,
    binary: Sequence[bool],
    config: SearchConfig,
) -> list[int]:
    """Return the indices of components that go on to selection: the best forms of the best sources, in their order."""
    worth = np.asarray([s / price(c, b) for s, c, b in zip(scores, components, binary, strict=True)])
    taken: dict[tuple[str, str], int] = {}
    kept: list[int] = []
    for index in np.argsort(-worth, kind="stable"):
        key = (source_of[index].name, components[index].role)
        if scores[index] <= 0 or (key not in taken and len(taken) >= config.kept_sources):
            continue
        if taken.get(key, 0) < config.forms_per_source:
            taken[key] = taken.get(key, 0) + 1
            kept.append(int(index))
    return sorted(kept)
