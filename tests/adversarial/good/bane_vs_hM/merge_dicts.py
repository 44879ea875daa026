"""Two sub-messages, one about the enemy and one about oneself, merged at the end."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def enemy_report(own: Observation) -> dict[str, Array]:
    visible = own.group("enemy_*.distance") > 0
    gap_x = own["enemy_0.relative_x"] - own["enemy_1.relative_x"]
    gap_y = own["enemy_0.relative_y"] - own["enemy_1.relative_y"]
    return {
        "hydra_seen": visible[:, 0],
        "medivac_seen": visible[:, 1],
        "gap": np.where(visible.all(axis=1), np.hypot(gap_x, gap_y), 0.0),
    }


def self_report(own: Observation) -> dict[str, Array]:
    return {"health": own["own.health"], "ready": own["enemy_0.attackable"]}


def send(own: Observation) -> dict[str, Array]:
    message = enemy_report(own)
    message.update(self_report(own))
    return message


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "seen": np.maximum(inbox["hydra_seen"], inbox["medivac_seen"]).max(axis=1),
        "gap": inbox["gap"].max(axis=1),
        "weakest": np.where(inbox.delivered, inbox["health"], 1.0).min(axis=1),
        "n_ready": inbox["ready"].sum(axis=1) + own["enemy_0.attackable"],
    }
