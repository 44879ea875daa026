"""Values for every prompt: a small task with all kinds of fields, and figures as a score gives them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from prompts import render
from protocol_designer.types import Dropped
from protocol_designer.validation import allowed_names

ACCEPTED = 'def send(own):\n    return {"sees": own["enemy_0.distance"] > 0}\n'
REQUEST = "# Pass 1: write the next module\n\nAdd what is missing.\n"


@dataclass(frozen=True)
class View:
    """A field as a prompt sees it."""

    name: str
    meaning: str
    unit: str = "1"
    scale: float = 1.0
    low: float = 0.0
    high: float = 1.0
    kind: str = "continuous"
    present_if: str = ""
    seen: dict[str, float] = field(default_factory=dict)


EXTENDED = [
    View(
        "enemy_0.distance",
        "distance to the enemy",
        "map units",
        9.0,
        present_if="enemy_0.distance",
        seen={"overseer": 0.452, "roach": 0.004},
    ),
    View(
        "enemy_0.relative_x",
        "how far east the enemy is",
        "map units",
        9.0,
        -1.0,
        1.0,
        present_if="enemy_0.distance",
        seen={"overseer": 0.45, "roach": 0.0},
    ),
    View("ally_0.visible", "1 when the agent in slot 0 is in sight", kind="binary", seen={"overseer": 0.5, "roach": 1}),
    View("own.health", "one's own health", "share of full health", seen={"overseer": 0.999, "roach": 0.8}),
    View("own.kills", "enemies killed so far", "enemies", high=4.0, kind="count", seen={"overseer": 0, "roach": 0.2}),
    View("last_action.stop", "1 when the previous action was 'stop'", kind="binary"),
]
STATE = [
    View("enemy_0.health", "health of the enemy", "hit points", 50.0),
    View("enemy_0.x", "how far east the enemy is", "map units", 32.0, -0.4375, 0.5, present_if="enemy_0.health"),
]


def _row(agent: int, name: str, full: float, empty: float) -> dict[str, Any]:
    role = "overseer" if agent == 0 else "roach"
    unit = {f.name: f.unit for f in STATE}[name]
    return {
        "agent": agent, "role": role, "field": name, "unit": unit, "kind": "continuous",
        "success_full": full, "success_full_ci": 0.012, "success_empty": empty, "success_empty_ci": 0.02,
        "rmse_full": 10 - 9 * full, "rmse_empty": 10 - 9 * empty, "skill_full_ci": 0.03, "skill_empty_ci": float("nan"),
        "skill_full": full - 0.1, "skill_empty": float("nan") if name == "enemy_0.health" else empty - 0.3,
    }  # fmt: skip


ROWS = [_row(0, "enemy_0.x", 0.95, 0.94), _row(1, "enemy_0.x", 0.61, 0.25), _row(1, "enemy_0.health", 0.314, 0.3)]
PARTS = [
    {
        "part": part,
        "agent": agent,
        "field": name,
        "success_full": 0.9 - 0.1 * agent * part,
        "success_full_ci": 0.01,
        "success_empty": 0.2,
        "success_empty_ci": 0.02,
    }
    for name in ("enemy_0.x", "enemy_0.health")
    for part in range(5)
    for agent in (0, 1)
]
IMBALANCE = [
    {
        "field": name,
        "variance_full": spread / 10,
        "spread_full": spread,
        "variance_empty": 0.05,
        "spread_empty": 0.6,
        "spread_full_ci": 0.01,
        "spread_empty_ci": 0.02,
    }
    for name, spread in (("enemy_0.health", 0.05), ("enemy_0.x", 0.34))
]
SYSTEM: dict[str, Any] = {
    "task": "1o_1r_vs_1r",
    "summary": "An Overseer has to tell a Roach where the enemy is.",
    "notes": ["backend: embedded simulator"],
    "agents": [(0, "overseer"), (1, "roach")],
    "episode_limit": 50,
    "window": 10,
    "extended": EXTENDED,
    "state": STATE,
    "allowed": allowed_names(),
    "max_bytes": 16_384,
    "max_loop_steps": 10_000,
    "max_message_width": None,
}
FIRST: dict[str, Any] = {
    "pass_index": 0,
    "criterion": "balance",
    "accepted": [],
    "dropped": [],
    "chosen": ["enemy_0.x"],
    "analysis": "",
    "analysed_in": 0,
    "max_message_width": None,
    "used_width": 0,
}
NEXT = {
    **FIRST,
    "pass_index": 1,
    "criterion": "recovery",
    "accepted": [ACCEPTED],
    "analysis": "Nobody tells the roach where.",
    "analysed_in": 1,
    "max_message_width": 8,
    "used_width": 2,
}
FIGURES: dict[str, Any] = {
    "criterion": "recovery",
    "gain": "+0.150 [+0.135, +0.164]",
    "rows": ROWS,
    "parts": PARTS,
    "imbalance": IMBALANCE,
    "sources": [{"field": "enemy_0.x", "agents": ["agent 0 (overseer)"]}],
}
RECOVERY, BALANCE = (render("_figures", **{**FIGURES, "criterion": name}).text for name in ("recovery", "balance"))
DROPPED = [Dropped(1, 'def send(own):\n    return {"again": own["enemy_0.distance"]}\n', "its gain is not above 0")]
ANALYSE: dict[str, Any] = {
    "pass_index": 1,
    "criterion": "recovery",
    "accepted": [ACCEPTED],
    "dropped": [],
    "chosen": ["enemy_0.x"],
    "used_width": 2,
    "figures": RECOVERY,
}
FOUND = (
    "part1.py:2:16: PD331 no observation field 'enemy_0.distanc'\n"
    "  2 |     x = own[\"enemy_0.distanc\"]\n    |             ^\n  hint: did you mean 'enemy_0.distance'?"
)
REPAIR: dict[str, Any] = {
    "pass_index": 1,
    "request": REQUEST,
    "source": 'def send(own):\n    x = own["enemy_0.distanc"]\n    return {"x": x}\n',
    "found": FOUND,
    "accepted": [ACCEPTED],
    "chosen": ["enemy_0.x"],
    "tries_left": 2,
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "system": ("system", SYSTEM),
    "system_with_budget": ("system", {**SYSTEM, "max_message_width": 12, "notes": []}),
    "choose_fields": ("choose_fields", {"limit": 20, "unknown": []}),
    "choose_fields_again": ("choose_fields", {"limit": 20, "unknown": ["enemy.x"]}),
    "write_part_0": ("write_part", FIRST),
    "write_part_1": ("write_part", NEXT),
    "write_part_2": (
        "write_part",
        {**NEXT, "pass_index": 2, "criterion": "balance", "max_message_width": None, "dropped": DROPPED},
    ),
    "write_part_fixed": ("write_part", {**NEXT, "criterion": "any"}),
    "analyse_1": ("analyse", ANALYSE),
    "analyse_2": ("analyse", {**ANALYSE, "pass_index": 2, "criterion": "balance", "figures": BALANCE}),
    "analyse_after_dropped": (
        "analyse",
        {**ANALYSE, "pass_index": 2, "criterion": "balance", "figures": BALANCE, "dropped": DROPPED},
    ),
    "analyse_fixed": ("analyse", {**ANALYSE, "criterion": "any"}),
    "repair": ("repair", REPAIR),
    "repair_no_module": ("repair", {**REPAIR, "source": "", "found": "PD480: no module", "tries_left": 0}),
}
