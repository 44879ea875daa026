"""Overseer -> Roach reconnaissance with frame conversion.

Reasoning:
1. Only the Overseer reliably sees the Reapers.
2. Observations are egocentric, so raw offsets are useless to the Roaches.
3. If the Overseer also sees a Roach, it can express each Reaper in that Roach's frame.
4. If it does not, it can at least say *how many* Reapers there are and how they are spread.
"""

import numpy as np
from generated_protocols import Array, Inbox, Observation

NUM_ENEMIES = 4


def send(own: Observation) -> dict[str, Array]:
    is_overseer = own.is_role("overseer")  # [R] bool
    overseer_mask = is_overseer.astype(np.float32)

    enemy_distance = own.group("enemy_*.distance")  # [R, 4]
    enemy_visible = (enemy_distance > 0).astype(np.float32) * overseer_mask[:, None]
    visible_count = enemy_visible.sum(axis=1)  # [R]
    safe_count = np.maximum(visible_count, 1.0)

    mean_x = (own.group("enemy_*.relative_x") * enemy_visible).sum(axis=1) / safe_count
    mean_y = (own.group("enemy_*.relative_y") * enemy_visible).sum(axis=1) / safe_count
    spread = np.sqrt(
        (((own.group("enemy_*.relative_x") - mean_x[:, None]) ** 2) * enemy_visible).sum(axis=1) / safe_count
        + (((own.group("enemy_*.relative_y") - mean_y[:, None]) ** 2) * enemy_visible).sum(axis=1) / safe_count
    )

    can_convert = own.allies("visible") * overseer_mask[:, None] * (visible_count > 0)[:, None]  # [R, N]
    return {
        "count": visible_count / NUM_ENEMIES,
        "spread": spread,
        "can_convert": can_convert,
        "target_x": (mean_x[:, None] - own.allies("relative_x")) * can_convert,
        "target_y": (mean_y[:, None] - own.allies("relative_y")) * can_convert,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    can_convert = inbox.addressed("can_convert")  # [R, N]
    return {
        "count": inbox["count"].max(axis=1),
        "spread": inbox["spread"].max(axis=1),
        "target_known": can_convert.max(axis=1),
        "target_x": inbox.addressed("target_x").sum(axis=1),
        "target_y": inbox.addressed("target_y").sum(axis=1),
    }
