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
    separate_receivers: int = 4
    """Teams up to this size are regressed agent by agent; larger ones role by role."""
    fit_episodes: int = 1200
    select_episodes: int = 600
    rows_per_regression: int = 9_000
    """Rows (episode, timestep, receiver) that a regression is fitted on; half of it on the select split."""
    screening_rows: int = 5_000
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
    min_gain: float = 0.004
    """Smallest gain that is worth a component in pass 0; later passes, which look for what is left, take half of it."""
    confidence_z: float = 1.96
    """Standard errors below the measured gain at which its lower bound stands (1.96: 95 %)."""
    shuffles: int = 3
    """Shuffled candidates that make the noise floor at each step."""
    opponent_weight: float = 4.0
    """Weight of a position that is not an agent's own: what a team has to find decides most tasks."""
    plain_weight: float = 0.5
    """Weight of a target that is no position, beside 1 for an agent's position."""
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
            "separate_receivers",
            "fit_episodes",
            "select_episodes",
            "rows_per_regression",
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
        for name in (
            "ridge",
            "min_headroom",
            "min_gain",
            "confidence_z",
            "opponent_weight",
            "plain_weight",
            "relative_weight",
            "rescore_seconds",
        ):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}, it must not be negative")
        if not self.own_ridges or min(self.own_ridges) < 0:
            raise ValueError(f"own_ridges are {self.own_ridges}, at least one is needed and none may be negative")
