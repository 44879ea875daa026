"""How good a protocol is: SAI on the select split, the acceptance of a part, and what the next pass is told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from buffers.errors import RejectedError
from buffers.progress import Progress, silent
from buffers.schema import TaskSchema
from protocol_designer.protocol_contract import ProtocolRun, Recorded
from protocol_designer.store import Store
from protocol_designer.types import Decision
from sai import MessageSet, SaiConfig, Scorecard, decide_part, score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ProtocolScore", "shuffled_feedback"]

SATISFIED_SUCCESS = 0.95
"""A pass is skipped when every scored agent and field is known this well (pass 1)."""
SATISFIED_SPREAD = 0.05
"""… or when the best agent is ahead of the worst by no more than this in every scored field (pass 2)."""

SOURCE_LEAD = 0.2
"""An agent whose success without messages is so far above the worst agent's is a source of that field."""


class ProtocolScore:
    """Scores runs of protocols; each set of sources is scored once, and remembered in the store.

    `shuffle`, where given, is the seed with which feedback is dealt out anew among agents and fields: a control.
    """

    def __init__(
        self,
        schema: TaskSchema,
        recorded: Mapping[str, Recorded],
        store: Store,
        config: SaiConfig,
        *,
        data_hash: str,
        fields: tuple[int, ...] | None = None,
        shuffle: int | None = None,
        progress: Progress = silent,
    ) -> None:
        self._schema, self._recorded, self._store, self._config = schema, recorded, store, config
        self._data_hash, self._progress = data_hash, progress
        self._fields, self._shuffle = fields, shuffle

    @property
    def fields(self) -> tuple[int, ...]:
        """The state columns that are scored: those given, else those with headroom before there is any protocol.

        Where there is none, `RejectedError`: no message could tell anybody anything.
        """
        if self._fields is None:
            table = self._card(None, "select", None).table
            scored = set(table[table.scored].field)
            fields = tuple(i for i, f in enumerate(self._schema.state_fields) if f.name in scored)
            if not fields:
                raise RejectedError(
                    f"task {self._schema.name!r}: every agent knows every state field without a message, so there is "
                    "nothing for a protocol to tell; if that is not so, gather more --episodes"
                )
            self._fields = fields
        return self._fields

    def card(self, run: ProtocolRun | None, split: str = "select") -> Scorecard:
        """Return the scorecard of a run, or of no protocol at all, on `split`, the decoder fitted on the fit split."""
        return self._card(run, split, self.fields)

    def _card(self, run: ProtocolRun | None, split: str, fields: tuple[int, ...] | None) -> Scorecard:
        value = self._store.cached(
            f"{'none' if run is None else f'parts{len(run.sources)}'}-{split}",
            self._key(run, split, fields),
            lambda: self._compute(run, split, fields).to_json(),
        )
        return Scorecard.from_json(value)

    def judge(self, before: ProtocolRun | None, after: ProtocolRun) -> Decision:
        """A part stays when the lower bound of its gain beats the best of five shuffled versions of it."""
        decision = decide_part(
            self._schema,
            self._recorded["fit"].episodes,
            self._recorded["select"].episodes,
            before=None if before is None else _pair(before),
            after=_pair(after),
            config=self._config,
            fields=self.fields,
        )
        return Decision(
            bool(decision.keep),
            decision.reason,
            {
                "gain": decision.gain.mean,
                "gain_low": decision.gain.low,
                "gain_high": decision.gain.high,
                "best_shuffled": decision.best_shuffled,
            },
        )

    def record(self, outcome: ProtocolRun, pass_index: int) -> Mapping[str, Any]:
        """Return the card's headline figures, the message's width and its bits; keep the tables as CSV."""
        card = self.card(outcome)
        card.save_csv(self._store.folder / "scores" / f"pass{pass_index}")
        return {
            "card": card.summary(),
            "message_dim": outcome.message_dim,
            "bits_per_step": outcome.bandwidth.total,
        }

    def satisfied(self, outcome: ProtocolRun | None, pass_index: int) -> bool:
        """Return whether there is nothing left to recover (pass 1) or to balance (pass 2)."""
        if pass_index == 0 or outcome is None:
            return False
        card = self.card(outcome)
        scored = card.table[card.table.scored]
        if scored.empty or bool((scored.success_full >= SATISFIED_SUCCESS).all()):
            return True
        return pass_index >= 2 and bool((card.imbalance.spread_full <= SATISFIED_SPREAD).all())

    def feedback(self, outcome: ProtocolRun | None, pass_index: int) -> Mapping[str, Any]:
        """Return success and skill per agent and field, with and without messages, and by part of the episode."""
        if pass_index == 0:
            return {}
        card = self.card(outcome)
        scored = card.table[card.table.scored]
        rows: list[dict[str, Any]] = [
            {name: _plain(row[name]) for name in _FEEDBACK_COLUMNS if name in row} for row in _records(scored)
        ]
        success: dict[int, dict[str, float]] = {}
        for row in rows:
            success.setdefault(int(row["agent"]), {})[str(row["field"])] = float(row["success_full"])
        parts: dict[int, dict[str, dict[str, float]]] = {}
        for row in _records(card.parts):
            agent = parts.setdefault(int(row["part"]), {}).setdefault(f"agent_{int(row['agent'])}", {})
            agent[str(row["field"])] = float(row["success_full"])
        feedback = {
            "success": success,
            "rows": rows,
            "parts": parts,
            "part_rows": [{key: _plain(value) for key, value in row.items()} for row in _records(card.parts)],
            "imbalance": [{key: _plain(value) for key, value in row.items()} for row in _records(card.imbalance)],
            "sources": _sources(card.table),
            "target_fields": sorted({str(row["field"]) for row in rows}),
            "summary": card.summary(),
        }
        return feedback if self._shuffle is None else shuffled_feedback(feedback, [self._shuffle, pass_index])

    def _compute(self, run: ProtocolRun | None, split: str, fields: tuple[int, ...] | None) -> Scorecard:
        return score(
            self._schema,
            self._recorded["fit"].episodes,
            self._recorded[split].episodes,
            None if run is None else run.messages["fit"],
            None if run is None else run.messages[split],
            self._config,
            fields=fields,
            progress=self._progress,
        )

    def _key(self, run: ProtocolRun | None, split: str, fields: tuple[int, ...] | None) -> str:
        known = [self._data_hash, split, run.key if run else "", fields, asdict(self._config)]
        return hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()


def _sources(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return who knows a field by itself so much better than somebody else that it should tell.

    Those who know it best are left out of the score, since they have nothing to gain; here they count.
    """
    found = []
    scored = set(table[table.scored].field)
    for field, rows in table[table.field.isin(scored) & table.success_empty.notna()].groupby("field", sort=False):
        alone = {int(row["agent"]): float(row["success_empty"]) for row in _records(rows)}
        agents = [agent for agent, success in alone.items() if success - min(alone.values()) >= SOURCE_LEAD]
        if agents:
            found.append({"field": str(field), "agents": agents, "alone": alone})
    return found


_LABELS = ("agent", "role", "field", "unit", "kind", "part")


def shuffled_feedback(feedback: Mapping[str, Any], seed: Sequence[int]) -> dict[str, Any]:
    """Return feedback whose figures were dealt out anew among its rows: the same numbers, in wrong places."""
    rng = np.random.default_rng([*seed, 0x5F])
    dealt = dict(feedback)
    for name in ("rows", "part_rows", "imbalance"):
        rows = list(feedback[name])
        others = [rows[place] for place in rng.permutation(len(rows))]
        dealt[name] = [
            {key: (row if key in _LABELS else other)[key] for key in row}
            for row, other in zip(rows, others, strict=True)
        ]
    fields = [row["field"] for row in feedback["sources"]]
    dealt["sources"] = [
        {**row, "field": fields[place]}
        for row, place in zip(feedback["sources"], rng.permutation(len(fields)), strict=True)
    ]
    return dealt


def _pair(run: ProtocolRun) -> tuple[MessageSet, MessageSet]:
    return run.messages["fit"], run.messages["select"]


_FEEDBACK_COLUMNS = (
    "agent", "role", "field", "unit", "kind", "success_full", "success_full_ci", "success_empty", "success_empty_ci",
    "success_zero", "rmse_full", "rmse_empty", "skill_full", "skill_full_ci", "skill_empty", "skill_empty_ci",
    "chi_full", "chi_empty",
)  # fmt: skip


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as Python's own."""
    return value.item() if hasattr(value, "item") else value
