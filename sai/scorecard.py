"""A score: tables by agent and field, the gain of communication with its interval, and what pairing needs."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sai.estimates import Estimates
from sai.types import Interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Scorecard", "paired_difference"]

_MEASURES = ("chi", "success", "skill", "r2", "rmse", "headroom")
_TABLES = ("table", "parts", "imbalance")


@dataclass(frozen=True)
class Scorecard:
    """How well each agent knows each state field: with messages, with an empty inbox, and with the zero vector.

    `table` has one row per agent and field. `success` is the share of steps in which the error is within the field's
    tolerance (balanced accuracy for a binary field), `chi` the published indicator at alpha, `skill` 1 - MSE / MSE of
    the fit split's best constant, `r2` the same over this split's own mean of this agent's steps, `rmse` the typical
    error in the field's unit; each `_full`, `_empty`, `_zero`, and `_ci` halves of 95 % intervals. Rows that are not
    `scored` say why in `reason`. `parts` has success by fifth of the episode, `imbalance` the variance over agents less
    its sampling variance, and the distance from the best agent to the worst.
    `estimates` has success and skill of the scored cells, by condition: what intervals and pairing are made from.
    `stopped` says how each decoder's fitting ended: updates, patience, or (not repeatable) time.
    """

    table: pd.DataFrame
    parts: pd.DataFrame
    imbalance: pd.DataFrame
    estimates: Mapping[str, Estimates]
    message_dim: int
    stopped: tuple[str, ...] = ()

    @property
    def gain(self) -> Interval:
        """Mean success with messages less with an empty inbox, over the scored cells."""
        return self.estimates["success_full"].less(self.estimates["success_empty"])

    @property
    def skill_gain(self) -> Interval:
        """Mean skill with messages less with an empty inbox, over the scored cells."""
        return self.estimates["skill_full"].less(self.estimates["skill_empty"])

    def summary(self) -> dict[str, Any]:
        """Return the headline figures as plain JSON values: means over the scored cells, gains, imbalance."""
        scored = self.table[self.table.scored]
        chi = {f"chi_{c}": float(scored[f"chi_{c}"].mean()) if len(scored) else 0.0 for c in ("full", "empty", "zero")}
        imbalance = {
            name: float(self.imbalance[column].mean()) if len(self.imbalance) else 0.0
            for name, column in (("imbalance_full", "variance_full"), ("imbalance_empty", "variance_empty"))
        }
        return {
            **{name: known.mean for name, known in self.estimates.items()},
            **chi,
            "gain": vars(self.gain),
            "skill_gain": vars(self.skill_gain),
            **imbalance,
            "scored": sorted(set(scored.field)),
            "message_dim": self.message_dim,
            "stopped": list(self.stopped),
        }

    def save_csv(self, folder: Path) -> None:
        """Write the three tables as `table.csv`, `parts.csv` and `imbalance.csv` into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _TABLES:
            getattr(self, name).to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")

    def to_json(self) -> dict[str, Any]:
        """Return the card as plain JSON values."""
        return {
            **{name: json.loads(getattr(self, name).to_json(orient="split", double_precision=15)) for name in _TABLES},
            "estimates": {name: known.to_json() for name, known in self.estimates.items()},
            "message_dim": self.message_dim,
            "stopped": list(self.stopped),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Scorecard:
        """Read what `to_json` wrote."""
        import pandas as pd

        frames = {name: pd.read_json(io.StringIO(json.dumps(value[name])), orient="split") for name in _TABLES}
        table = frames["table"]
        # a column that is all null comes back without a type
        frames["table"] = table.astype({c: "float64" for c in map(str, table) if c.partition("_")[0] in _MEASURES})
        frames["table"]["reason"] = frames["table"]["reason"].fillna("")
        return cls(
            **frames,
            estimates={name: Estimates.from_json(known) for name, known in value["estimates"].items()},
            message_dim=int(value["message_dim"]),
            stopped=tuple(value["stopped"]),
        )


def paired_difference(a: Scorecard, b: Scorecard, name: str = "success_full") -> Interval:
    """Return `a` less `b` in success with messages (or another of `estimates`), over the cells that both score.

    Both cards must be of the same episodes, with the same number of decoder seeds.
    """
    return a.estimates[name].less(b.estimates[name])
