import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Whether I attacked last, and what I could attack now."""
    attacked = own["last_action.attack_enemy_0"] + own["last_action.attack_enemy_1"]
    can = own.group("enemy_*.attackable")
    return {"attacked": attacked, "can": can, "idle": own["last_action.stop"] + own["last_action.no_op"]}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Counts over the team."""
    heard = np.maximum(inbox.delivered.sum(axis=1), 1)
    return {
        "attacking": inbox["attacked"].sum(axis=1) / heard,
        "able": inbox["can"].sum(axis=1) / heard[:, None],
        "idle": inbox["idle"].mean(axis=1),
    }
