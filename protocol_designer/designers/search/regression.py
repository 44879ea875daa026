"""Ridge regression of targets on received columns, after what the receiver knows by itself is taken out of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from buffers.episodes import BoolArray, Float32Array, IntArray
from protocol_designer.designers.search.components import Component
from protocol_designer.designers.search.rows import HISTORIES, Rows

__all__ = ["Bench", "Float64Array", "Key", "Residuals", "Side", "headroom", "partial_r2"]

Key = tuple[object, ...]
Float64Array = NDArray[np.float64]


@dataclass(frozen=True)
class Projection:
    """Takes a basis out of columns: centring, scaling and coefficients that were fitted on the fit split."""

    mean: Float32Array
    inverse_scale: Float32Array
    factor: Float64Array  # the inverse of the basis's ridged Gram matrix, [K, K]
    rows: int

    @classmethod
    def of(cls, basis: Float32Array, ridge: float) -> Projection:
        """Fit on a basis `[R, K]`; constant columns drop out."""
        mean = basis.mean(axis=0)
        spread = basis.std(axis=0)
        inverse = np.where(spread > 1e-6, 1 / np.maximum(spread, 1e-6), 0).astype(np.float32)
        scaled = (basis - mean) * inverse
        gram = (scaled.T @ scaled).astype(np.float64)
        gram[np.diag_indices_from(gram)] += max(ridge, 1e-6) * len(basis)
        return cls(mean, inverse, np.linalg.inv(gram), len(basis))

    def scaled(self, basis: Float32Array) -> Float32Array:
        """Return a basis in the units that were fitted."""
        return (basis - self.mean) * self.inverse_scale

    def coefficients(self, scaled: Float32Array, columns: Float32Array) -> Float32Array:
        """Return `[K, C]`, the ridge coefficients of centred columns `[R, C]` on the scaled basis."""
        return (self.factor @ (scaled.T @ columns).astype(np.float64)).astype(np.float32)


@dataclass
class Side:
    """One split's rows with targets taken down to what own history leaves open."""

    rows: Rows
    scaled: Float32Array  # [R, K]
    residuals: Float32Array  # [R, F], 0 where a target means nothing
    variance: Float64Array  # [F], of the targets themselves, on the fit split


@dataclass
class Residuals:
    """The rows of one receiver role on both splits, and the received columns that were computed so far."""

    fit: Side
    select: Side
    projection: Projection
    decay: float

    @classmethod
    def best_of(cls, fit: Rows, select: Rows, ridges: Sequence[float], decay: float) -> Residuals:
        """Return the residuals under the ridge that leaves least on the select rows: own history at its best."""
        return min(
            (cls.of(fit, select, ridge, decay) for ridge in ridges), key=lambda made: float(headroom(made).sum())
        )

    @classmethod
    def of(cls, fit: Rows, select: Rows, ridge: float, decay: float) -> Residuals:
        """Regress each target on the basis over the fit rows where it means something."""
        projection = Projection.of(fit.basis, ridge)
        scaled, scaled_select = projection.scaled(fit.basis), projection.scaled(select.basis)
        shape = (len(fit.targets), fit.targets.shape[1])
        left = np.zeros(shape, dtype=np.float32)
        left_select = np.zeros((len(select.targets), shape[1]), dtype=np.float32)
        variance = np.zeros(shape[1])
        for index in _groups(fit.present):
            here = fit.present[:, index[0]]
            if here.sum() < 20:
                continue
            own = projection if here.all() else Projection.of(fit.basis[here], ridge)
            mine = scaled if here.all() else own.scaled(fit.basis[here])
            values = fit.targets[np.ix_(here, index)]
            mean = values.mean(axis=0)
            coefficients = own.coefficients(mine, values - mean)
            left[np.ix_(here, index)] = values - mean - mine @ coefficients
            variance[index] = values.var(axis=0)
            there = select.present[:, index[0]]
            known = own.scaled(select.basis[there]) @ coefficients
            left_select[np.ix_(there, index)] = select.targets[np.ix_(there, index)] - mean - known
        return cls(
            Side(fit, scaled, left, variance), Side(select, scaled_select, left_select, variance), projection, decay
        )

    def take_out(self, columns: Float32Array, columns_select: Float32Array) -> tuple[Float32Array, Float32Array]:
        """Return the parts of received columns `[R, C]` that the basis does not explain, in fitted scale."""
        mean, spread = columns.mean(axis=0), columns.std(axis=0)
        scale = np.where(spread > 1e-6, 1 / np.maximum(spread, 1e-6), 0).astype(np.float32)
        columns, columns_select = (columns - mean) * scale, (columns_select - mean) * scale
        coefficients = self.projection.coefficients(self.fit.scaled, columns)
        return columns - self.fit.scaled @ coefficients, columns_select - self.select.scaled @ coefficients


def _groups(present: BoolArray) -> list[IntArray]:
    """Return the target indices that mean something on the same rows."""
    found: dict[bytes, list[int]] = {}
    for index in range(present.shape[1]):
        found.setdefault(np.packbits(present[:, index]).tobytes(), []).append(index)
    return [np.asarray(group) for group in found.values()]


@dataclass
class Bench:
    """Where sets of components are measured for the receivers of one role.

    Received columns enter once, by key; a set of components is then a set of column numbers, and its regression reads
    the Gram matrix alone. Errors are measured on the select rows themselves.
    """

    residuals: Residuals
    weights: Float64Array  # [receivers, F] of the select rows' receivers
    row_weights: tuple[Float32Array, Float32Array]  # fit, select
    ridge: float

    def __post_init__(self) -> None:
        self._number: dict[Key, int] = {}
        self._fit: list[Float32Array] = []
        self._select: list[Float32Array] = []
        rows = self.residuals.select.rows
        position = {receiver: index for index, receiver in enumerate(rows.receivers)}
        of_row = np.asarray([position[int(receiver)] for receiver in rows.receiver], dtype=np.int64)
        spread = select_variance(self.residuals.select)
        counted = rows.present * self.row_weights[1][:, None]
        totals = np.stack([counted[of_row == index].sum(axis=0) for index in range(len(rows.receivers))])
        share = np.where(totals > 0, self.weights / (np.maximum(totals, 1) * spread), 0.0)
        # [R, F]: what one squared error on a select row costs; sums over rows are shares of variance, weighted.
        self._cost = (share[of_row] * counted).astype(np.float32)
        self._episodes, self._of_episode = np.unique(rows.episode, return_inverse=True)

    @property
    def weight(self) -> float:
        """The sum of weights over receivers and targets."""
        return float(self.weights.sum())

    def add(self, components: Sequence[Component]) -> None:
        """Compute the received columns of components that are not on the bench yet."""
        for component in components:
            heard = dict(self.residuals.select.rows.hear(component, self.residuals.decay))
            for key, columns in self.residuals.fit.rows.hear(component, self.residuals.decay):
                if key not in self._number:
                    fit, select = self.residuals.take_out(columns, heard[key])
                    self._number[key] = len(self._fit)
                    self._fit.append(fit)
                    self._select.append(select)

    def close(self) -> None:
        """Compute the Gram matrices, once all components are on the bench."""
        self._columns = np.concatenate(self._fit, axis=1) if self._fit else np.zeros((0, 0), dtype=np.float32)
        self._columns_select = np.concatenate(self._select, axis=1) if self._select else self._columns
        self._fit, self._select = [], []
        if len(self._columns):
            weighted = self._columns * self.row_weights[0][:, None]
            self._gram = (self._columns.T @ weighted).astype(np.float64)
            self._cross = (weighted.T @ self.residuals.fit.residuals).astype(np.float64)

    def keys(self, component: Component) -> set[Key]:
        """Return the keys of a component's received columns, for the receivers of this bench."""
        listener = self.residuals.fit.rows.split.listener
        return {key for receiver in self.residuals.fit.rows.receivers for key in listener.keys(component, receiver)}

    def columns_of(self, components: Sequence[Component]) -> IntArray:
        """Return the column numbers of a set of components."""
        numbers = sorted({self._number[key] for c in components for key in self.keys(c)})
        return np.asarray([HISTORIES * number + k for number in numbers for k in range(HISTORIES)], dtype=np.int64)

    def error(
        self, columns: IntArray, shuffle: IntArray | None = None, shuffled: IntArray | None = None
    ) -> Float64Array:
        """Return each select episode's weighted squared error, `[B]`, given some received columns.

        Summed over episodes it is the weighted share of variance left. `shuffled` columns are read from other rows, by
        `shuffle` (an order of the fit rows): what has no meaning must not help.
        """
        left = self.residuals.select.residuals
        if len(columns):
            gram, cross = self._gram[np.ix_(columns, columns)], self._cross[columns]
            if shuffle is not None and shuffled is not None:
                gram, cross = self._shuffled(columns, shuffle, shuffled)
            total = self.row_weights[0].sum()
            ridged = gram + np.eye(len(columns)) * self.ridge * total
            coefficients = np.linalg.solve(ridged, cross).astype(np.float32)
            left = left - self._columns_select[:, columns] @ coefficients
        cost = (left * left * self._cost).sum(axis=1, dtype=np.float64)
        return np.bincount(self._of_episode, weights=cost, minlength=len(self._episodes)).astype(np.float64)

    def _shuffled(self, columns: IntArray, shuffle: IntArray, shuffled: IntArray) -> tuple[Float64Array, Float64Array]:
        values = self._columns[:, columns].copy()
        moved = np.isin(columns, shuffled)
        values[:, moved] = values[shuffle][:, moved]
        weighted = values * self.row_weights[0][:, None]
        return (values.T @ weighted).astype(np.float64), (weighted.T @ self.residuals.fit.residuals).astype(np.float64)

    def target_gains(self, columns: IntArray) -> Float64Array:
        """Return the share of each target's variance that columns win, `[receivers, F]`, on the select rows."""
        side = self.residuals.select
        coefficients = np.zeros((0, side.residuals.shape[1]), dtype=np.float32)
        if len(columns):
            ridged = self._gram[np.ix_(columns, columns)]
            ridged = ridged + np.eye(len(columns)) * self.ridge * self.row_weights[0].sum()
            coefficients = np.linalg.solve(ridged, self._cross[columns]).astype(np.float32)
        after = side.residuals - self._columns_select[:, columns] @ coefficients
        won = (side.residuals**2 - after**2) * side.rows.present
        spread = select_variance(side)
        gains = []
        for index, receiver in enumerate(side.rows.receivers):
            mine = side.rows.receiver == receiver
            gains.append(won[mine].sum(axis=0) / (np.maximum(side.rows.present[mine].sum(axis=0), 1) * spread[index]))
        return np.stack(gains).astype(np.float64)

    @property
    def episodes(self) -> IntArray:
        """The select episodes behind the entries of `error`."""
        return self._episodes


def select_variance(side: Side) -> Float64Array:
    """Return the variance of each target on the rows at which it means something, `[receivers, F]`.

    Not below a hundredth of its variance on the fit split: where a target hardly moves there is nothing to win.
    """
    found = []
    for receiver in side.rows.receivers:
        mine = side.rows.receiver == receiver
        present, values = side.rows.present[mine], side.rows.targets[mine].astype(np.float64)
        count = np.maximum(present.sum(axis=0), 1)
        mean = (values * present).sum(axis=0) / count
        found.append(((values - mean) ** 2 * present).sum(axis=0) / count)
    return np.maximum(np.stack(found), np.maximum(side.variance / 100, 1e-12))


def headroom(residuals: Residuals) -> Float64Array:
    """Return the share of each target's variance that own history leaves open on the select rows, `[receivers, F]`."""
    side = residuals.select
    spread = select_variance(side)
    found = []
    for index, receiver in enumerate(side.rows.receivers):
        mine = side.rows.receiver == receiver
        seen = side.rows.present[mine].sum(axis=0)
        share = (side.residuals[mine] ** 2).sum(axis=0) / (np.maximum(seen, 1) * spread[index])
        found.append(np.where((seen >= 20) & (side.variance > 1e-9), share, 0.0))
    return np.stack(found).astype(np.float64)


def partial_r2(residuals: Residuals, columns: Float32Array, cross: Float64Array, ridge: float) -> Float64Array:
    """Return the share of each target's variance that columns `[R, C]` win on the fit rows, `[F]`, less overfit."""
    rows = len(columns)
    gram = (columns.T @ columns).astype(np.float64)
    gram[np.diag_indices_from(gram)] += ridge * rows
    won = (cross * np.linalg.solve(gram, cross)).sum(axis=0)
    open_share = (residuals.fit.residuals**2).sum(axis=0)
    # Columns that mean nothing win about their number over the number of independent rows, taken as the episodes.
    chance = columns.shape[1] / max(len(np.unique(residuals.fit.rows.episode)), 1)
    total = residuals.fit.variance * np.maximum(residuals.fit.rows.present.sum(axis=0), 1)
    return np.clip(won - chance * open_share, 0, None) / np.maximum(total, 1e-12)
