"""The promises of the contract, tried on the rows that a part is really run on.

`send` and `receive` must be pure functions of each row: same input, same output; no row knows of another one; the input
is left alone; results are finite and always of the same width. A part that behaves on a few rows may cheat on many
(average over the batch, count its calls), so the checks run on every call whose results are scored, and on rows that
nobody can foresee.

Axes: R rows, N agents, W history window, k width.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, Float32Array, IntArray
from generated_protocols.contract import Inbox, Observation
from generated_protocols.diagnostics import Diagnostic
from generated_protocols.execution import Part

__all__ = ["TOLERANCE", "BrokenContractError", "CheckedPart", "agree"]

TOLERANCE = 1e-5
"""How far two results may differ that are the same but for the order of float32 additions, relative above 1."""

_ROWS_APART = "use axis=1 reductions; never reduce, sort or index over the first axis"


class BrokenContractError(Exception):
    """A part broke the contract; says how."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class _Call:
    """One call of `send` (no inbox) or `receive`: its input, from which other inputs can be made."""

    own: Observation
    inbox: Inbox | None

    @property
    def n_rows(self) -> int:
        return len(self.own.agent_id)

    def take(self, rows: IntArray) -> _Call:
        """The call on some of the rows, in that order."""
        return self._changed(lambda array: array[rows], self.own.agent_id[rows], self.own.age[rows])

    def poison(self, rows: BoolArray, donors: IntArray | None) -> _Call:
        """The call with what `rows` `[R]` saw and heard replaced: by NaN, or by what the `donors` `[R]` did."""

        def change(array: Float32Array) -> Float32Array:
            changed = np.array(array)
            if array.dtype == np.bool_:
                changed[rows] = False if donors is None else array[donors[rows]]
            else:
                changed[rows] = np.nan if donors is None else array[donors[rows]]
            return changed

        return self._changed(change, self.own.agent_id, self.own.age)

    def arrays(self) -> list[NDArray[Any]]:
        """What the part is handed without a copy, and could change."""
        held: list[NDArray[Any]] = [self.own._now, self.own.agent_id, self.own.age]
        return held if self.inbox is None else [*held, self.inbox.delivered, *self.inbox._received.values()]

    def _changed(self, change: Callable[..., Float32Array], agent_id: IntArray, age: IntArray) -> _Call:
        own, inbox = self.own, self.inbox
        other = Observation(own._schema, change(own._now), agent_id, age, lambda columns: change(own._window(columns)))
        if inbox is None:
            return _Call(other, None)
        received = {name: change(value) for name, value in inbox._received.items()}
        delivered: BoolArray = change(inbox.delivered)  # type: ignore[assignment]
        window = inbox._window
        heard = Inbox(received, inbox._widths, delivered, agent_id, lambda name: change(window(name)))
        return _Call(other, heard)


class CheckedPart(Part):
    """A part whose calls are checked while they are made, each of them, on rows drawn from `seed`.

    A call that breaks the contract raises `BrokenContractError`; what it raises itself passes through.
    """

    def __init__(self, source: str | bytes, number: int, seed: int) -> None:
        super().__init__(source, number)
        self._rng = np.random.default_rng([seed, number])
        self._widths: dict[str, dict[str, tuple[int, ...]]] = {}

    def send(self, own: Observation) -> dict[str, Float32Array]:
        """Return what goes on the air, checked."""
        return self._checked("send", _Call(own, None))

    def receive(self, own: Observation, inbox: Inbox) -> dict[str, Float32Array]:
        """Return what is kept, checked."""
        return self._checked("receive", _Call(own, inbox))

    def _checked(self, function: str, call: _Call) -> dict[str, Float32Array]:
        before = [array.copy() for array in call.arrays()]
        found = _run(self, call)
        if not all(_same_bits(*pair) for pair in zip(call.arrays(), before, strict=True)):
            self._broken("PD411", f"{function} changed its input", "compute new arrays; never write into these")
        for name, values in found.items():
            if not np.isfinite(values).all():
                bad = int((~np.isfinite(values.reshape(len(values), -1)).all(axis=1)).sum())
                self._broken(
                    "PD413",
                    f"{function}: component {name!r} is not finite in {bad} of {len(values)} rows",
                    "guard divisions and logarithms: np.where(d > 0, x / np.maximum(d, 1e-6), 0)",
                )
        self._same_widths(function, found)
        self._purity(function, call, found)
        self._rows(function, call, found)
        return found

    def _same_widths(self, function: str, found: Mapping[str, Float32Array]) -> None:
        now = {name: value.shape[1:] for name, value in found.items()}
        first = self._widths.setdefault(function, now)
        if list(now.items()) != list(first.items()):
            before, after = ({name: (w or (1,))[0] for name, w in widths.items()} for widths in (first, now))
            self._broken(
                "PD414",
                f"{function} changed its components from {before} to {after}",
                "names and widths must not depend on the values, nor on the number of rows",
            )

    def _purity(self, function: str, call: _Call, found: Mapping[str, Float32Array]) -> None:
        again = _run(self, call)
        if not _identical(found, again):
            self._broken(
                "PD412",
                f"{function} gave another result for the same input",
                "keep nothing between calls: no mutable defaults, no counters, no random numbers",
            )

    def _rows(self, function: str, call: _Call, found: Mapping[str, Float32Array]) -> None:
        """Poison, permute and split the rows of a call."""
        n = call.n_rows
        order = self._rng.permutation(n)
        one = np.zeros(n, dtype=bool)
        one[order[:1]] = True
        # each row is another's in one of the two runs: what depends on it shows, to the last bit
        half = self._rng.random(n) < 1 / 2
        for rows, donors in ((one, None), (half, order), (~half, order)):
            try:
                poisoned = _run(self, call.poison(rows, donors))
            except (ArithmeticError, IndexError, ValueError):
                # NaN as an index is an error of this check; another row's numbers are as good as any
                if donors is not None:
                    raise
                continue
            if not _identical(found, poisoned, ~rows):
                what = "no longer a number" if donors is None else "another"
                self._broken(
                    "PD415",
                    f"{function}: rows changed when the observation of other rows was {what}",
                    f"a row may use its own numbers only: {_ROWS_APART}",
                )
        permuted = _run(self, call.take(order))
        self._require(function, "PD416", "in another order", {k: v[order] for k, v in found.items()}, permuted)
        # a fresh copy of the part sees one row first: nothing can be left from the first call
        fresh = Part(self.source, self.number)
        cuts = sorted({0, min(1, n), int(self._rng.integers(n + 1)), n})
        pieces = [_run(fresh, call.take(np.arange(a, b))) for a, b in itertools.pairwise(cuts)]
        for piece in pieces:
            self._same_widths(function, piece)
        whole = {name: np.concatenate([piece[name] for piece in pieces]) for name in found}
        self._require(function, "PD417", "in several pieces", found, whole)

    def _require(
        self,
        function: str,
        code: str,
        how: str,
        found: Mapping[str, Float32Array],
        other: Mapping[str, Float32Array],
    ) -> None:
        self._same_widths(function, other)
        for name, values in found.items():
            if not agree(values, other[name]):
                worst = float(np.abs(values - other[name]).max())
                self._broken(
                    code,
                    f"{function}: component {name!r} differs by up to {worst:.3g} when the rows are given {how}",
                    f"a row's result must not depend on the other rows, nor on their number: {_ROWS_APART}",
                )

    def _broken(self, code: str, message: str, hint: str) -> None:
        raise BrokenContractError(Diagnostic(0, 0, code, message, hint, self.file))


def agree(values: Float32Array, others: Float32Array) -> bool:
    """Whether two results are the same up to `TOLERANCE`."""
    return bool((np.abs(values - others) <= TOLERANCE * (1 + np.abs(values))).all())


def _run(part: Part, call: _Call) -> dict[str, Float32Array]:
    """Run a part unchecked."""
    return Part.send(part, call.own) if call.inbox is None else Part.receive(part, call.own, call.inbox)


def _same_bits(array: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays hold the same bits, NaN included; ten times as fast as asking for equal NaN."""
    bits = np.dtype(f"u{array.dtype.itemsize}")
    return np.array_equal(array.view(bits), other.view(bits))


def _identical(
    found: Mapping[str, Float32Array], other: Mapping[str, Float32Array], rows: BoolArray | slice = slice(None)
) -> bool:
    if list(found) != list(other):
        return False
    return all(np.array_equal(found[name][rows], other[name][rows]) for name in found)
