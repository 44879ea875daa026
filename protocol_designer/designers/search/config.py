"""Settings of the search designer."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SearchConfig"]


@dataclass(frozen=True)
class SearchConfig:
    """How much data the search reads, how much it may send, and when it stops.

    Gains are shares of a target's variance (a rise of R²), averaged over agents and targets by the pass's weights.
    """

    max_components: int = 6
    """Components of one part."""
    wide_message: int = 64
    """Message width above which a `receive` is written that keeps the speaking senders' entries alone."""
    pooled_senders: int = 4
    """A role with more agents than this is received as one mean over those heard, not one entry per sender."""
    receivers_per_role: int = 4
    """Agents of one role that stand for all of it as receivers."""
    fit_episodes: int = 1200
    select_episodes: int = 600
    rows_per_receiver_role: int = 15_000
    """Rows (episode, timestep, receiver) that regressions are fitted on, per receiver role; half of it on select."""
    screening_rows: int = 6_000
    kept_sources: int = 40
    """Sources that survive screening, each with its best `forms_per_source` forms."""
    forms_per_source: int = 2
    ridge: float = 1e-2
    """Ridge penalty on received columns, as a share of a standardised column's variance."""
    own_ridges: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0, 10.0)
    """Ridge penalties that are tried on a receiver's own history; the one that predicts best is taken."""
    decay: float = 0.8
    """Factor per step of the decayed means in the bases."""
    min_headroom: float = 0.05
    """Share of a target's variance that own history must leave open; below it, a target is left out."""
    min_gain: float = 0.002
    """Smallest gain that is worth a component."""
    confidence_z: float = 1.96
    """Standard errors below the measured gain at which its lower bound stands (1.96: 95 %)."""
    shuffles: int = 3
    """Shuffled candidates that make the noise floor at each step."""
    relative_weight: float = 1.0
    """Weight of a unit's position in the receiver's own frame, beside the state's own fields (0 leaves it out)."""
    rescored_sets: int = 5
    rescore_seconds: float = 120.0
    """Time after which no further set goes to the real decoder."""

    def __post_init__(self) -> None:
        for name in (
            "max_components",
            "wide_message",
            "pooled_senders",
            "receivers_per_role",
            "fit_episodes",
            "select_episodes",
            "rows_per_receiver_role",
            "screening_rows",
            "kept_sources",
            "forms_per_source",
            "shuffles",
            "rescored_sets",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, it must be at least 1")
        if not 0 < self.decay < 1:
            raise ValueError(f"decay is {self.decay}, it must lie between 0 and 1")
        for name in ("ridge", "min_headroom", "min_gain", "confidence_z", "relative_weight", "rescore_seconds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}, it must not be negative")
