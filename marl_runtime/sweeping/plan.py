"""What a sweep is: one entry for each run, and what its tables are to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from marl_runtime.run_index import run_hash
from marl_runtime.training_config import TrainConfig

__all__ = ["Contrast", "Entry", "ReportConfig", "SweepPlan", "Tuning", "labels_of"]


@dataclass(frozen=True)
class Entry:
    """One run of a sweep: `protocol` and `settings` are their names in the file, empty for none and for the default."""

    task: str
    method: str
    protocol: str
    settings: str
    seed: int
    config: TrainConfig

    @cached_property
    def hash(self) -> str:
        """What the run is found again by."""
        return run_hash(self.config)

    def __str__(self) -> str:
        named = [self.task, self.method, self.protocol, self.settings, f"seed {self.seed}"]
        return ", ".join(name for name in named if name)


def labels_of(entries: Sequence[Entry]) -> dict[tuple[str, str, str], str]:
    """Return (method, protocol, settings) → the name of that line in tables, as short as it can be told apart.

    The protocol is part of it where the method trains with several, the settings where the sweep has several.
    """
    keys = list(dict.fromkeys((entry.method, entry.protocol, entry.settings) for entry in entries))
    labels = {}
    for method, protocol, settings in keys:
        several = len({p for m, p, _ in keys if m == method}) > 1
        label = method + (f" · {protocol}" if several else "")
        labels[method, protocol, settings] = label + (f" · {settings}" if settings else "")
    return labels


@dataclass(frozen=True)
class Contrast:
    """A comparison that the file announces: the measure of line `of` less that of line `less`.

    With `above` it holds when the interval's lower bound is at least that; with `within` when the equivalence test at
    5 % says that the two differ by less.
    """

    of: str
    less: str
    above: float | None = None
    within: float | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if (self.above is None) == (self.within is None):
            raise ValueError(f"the contrast of {self.of!r} and {self.less!r} needs either 'above' or 'within'")
        if self.within is not None and self.within <= 0:
            raise ValueError(f"within {self.within} is not above 0")


@dataclass(frozen=True)
class ReportConfig:
    """What the tables say: the mean over the last evaluations, and the steps to `rate`, a level of the measure.

    A curve is at the rate when the mean of `rate_window` evaluations in a row is: one alone is too noisy. `reference`
    is the line that every other one is compared with, where there is one of that name.
    """

    measure: Literal["success", "return"] = "success"
    last_evaluations: int = 5
    rate: float = 0.5
    rate_window: int = 3
    reference: str = "qmix_state"
    contrasts: tuple[Contrast, ...] = ()

    def __post_init__(self) -> None:
        for name in ("last_evaluations", "rate_window"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)} is below 1")


@dataclass(frozen=True)
class Tuning:
    """How many settings were tried for every method before this sweep: the same number for all, by construction."""

    trials: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.trials is not None and self.trials < 0:
            raise ValueError(f"trials {self.trials} is below 0")

    def __str__(self) -> str:
        told = "tuning trials not recorded" if self.trials is None else f"{self.trials} tuning trials for every method"
        return f"{told} ({self.note})" if self.note else told


@dataclass(frozen=True)
class SweepPlan:
    """A sweep file that was read and checked; `entries` stand in the order in which they are to be trained."""

    name: str
    file: Path
    entries: tuple[Entry, ...]
    report: ReportConfig = field(default_factory=ReportConfig)
    tuning: Tuning = field(default_factory=Tuning)

    @cached_property
    def labels(self) -> dict[tuple[str, str, str], str]:
        """(method, protocol, settings) → the name of that line in tables."""
        return labels_of(self.entries)

    def label(self, entry: Entry) -> str:
        """Return the name of an entry's line in tables."""
        return self.labels[entry.method, entry.protocol, entry.settings]

    def folder(self, root: Path) -> Path:
        """Return where the sweep keeps its own state beside the runs under `root`."""
        return root / "sweeps" / self.name
