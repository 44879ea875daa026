"""Whether a part of a protocol earns its place: it must beat versions of itself that cannot know anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buffers.episodes import Float32Array
from buffers.schema import TaskSchema
from sai.controls import from_other_episodes
from sai.decoder import field_mask, fit_decoder
from sai.estimates import Estimates
from sai.indicator import indicator_sums
from sai.scoring import estimates_of, unscorable
from sai.types import Episodes, Interval, MessageSet, SaiConfig

__all__ = ["PartDecision", "decide_part"]

Pair = tuple[MessageSet, MessageSet]  # of the fit split and of the test split


@dataclass(frozen=True)
class PartDecision:
    """Whether a part is kept: its gain in success over the protocol without it, and the best shuffled version's.

    `best_shuffled` is 0 where the gain settled the matter before any was needed.
    """

    keep: bool
    gain: Interval
    best_shuffled: float
    reason: str


def decide_part(
    schema: TaskSchema,
    fit: Episodes,
    test: Episodes,
    before: Pair | None,
    after: Pair,
    config: SaiConfig,
    *,
    fields: Sequence[int] | None = None,
) -> PartDecision:
    """Decide on the part whose messages are the last columns of `after`, those that `before` does not have.

    It stays when the lower 95 % bound of its gain in success on `test` is above 0 and above the best of five versions
    of it whose messages were taken from other episodes, in both splits. "Without it" means that the part is there and
    nothing is delivered to it: what it makes of a receiver's own history is no communication. All versions get decoders
    of the same small budget, fitted on the same episodes from the same seed; they differ in the part's columns alone.
    """
    index = np.sort(np.random.default_rng([config.seed, 0xDEC]).permutation(len(fit.state))[: config.decision_episodes])
    fit = fit.select(index)
    columns = tuple(range(schema.state_dim)) if fields is None else tuple(fields)
    scorable = unscorable(schema, fit, test, columns) == ""
    columns = tuple(column for column, known in zip(columns, scorable.any(axis=0), strict=True) if known)
    scorable = scorable[:, scorable.any(axis=0)]
    if not columns:
        return PartDecision(False, Interval(0.0, 0.0, 0.0), 0.0, "no state field can be scored")
    mask = field_mask(schema, test, columns)
    old = 0 if before is None else before[0].full.shape[-1]
    told = (after[0].full[index], after[1].full)
    alone = (after[0].empty[index], after[1].empty)

    def success(fit_full: Float32Array, test_full: Float32Array) -> Estimates:
        decoder = fit_decoder(
            schema,
            fit,
            MessageSet(fit_full, fit_full),
            columns,
            config,
            seed=0,
            updates=config.decision_updates,
            only="full",
        )
        predicted = decoder.predict(test, MessageSet(test_full, test_full), "full")
        return estimates_of(schema, columns, [indicator_sums(schema, test, predicted, mask, columns, config)], scorable)

    without = success(*(np.concatenate([a[..., :old], b[..., old:]], -1) for a, b in zip(told, alone, strict=True)))
    gain = success(*told).less(without)
    if gain.low <= 0:
        return PartDecision(False, gain, 0.0, f"its gain in success, {gain}, is not above 0")
    best = -np.inf
    for number in range(config.decision_shuffles):
        rng = np.random.default_rng([config.seed, 0xDEC, number])
        shuffled = [
            np.concatenate([full[..., :old], from_other_episodes(full[..., old:], episodes, rng)], -1)
            for full, episodes in zip(told, (fit, test), strict=True)
        ]
        best = max(best, success(*shuffled).less(without).mean)
        if gain.low <= best:
            return PartDecision(
                False, gain, best, f"its gain in success, {gain}, does not beat a shuffled version's, {best:+.3f}"
            )
    return PartDecision(
        True,
        gain,
        best,
        f"its gain in success, {gain}, beats the best of {config.decision_shuffles} shuffled, {best:+.3f}",
    )
