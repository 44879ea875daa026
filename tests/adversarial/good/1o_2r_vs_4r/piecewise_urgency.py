import numpy as np
from generated_protocols import Array, Inbox, Observation

BREAKS = (0.0, 0.15, 0.4, 0.7, 1.0)
LEVELS = (1.0, 1.0, 0.6, 0.2, 0.0)


def urgency(own: Observation) -> Array:
    """Piecewise linear in health, plus a bonus for each Reaper in range, capped at 1."""
    base = np.interp(own["own.health"], np.array(BREAKS), np.array(LEVELS))
    bonus = 0.1 * own.group("enemy_*.attackable").sum(axis=1)
    alive = own["own.health"] > 0
    return np.where(alive, np.minimum(base + bonus, 1.0), 0.0)


def send(own: Observation) -> dict[str, Array]:
    value = urgency(own)
    level = np.digitize(value, bins=[0.25, 0.5, 0.75])
    return {"urgency": value, "level": level / 3.0}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    value = inbox["urgency"]
    most_urgent = value.argmax(axis=1)
    is_me_more = urgency(own) > value.max(axis=1)
    whom = np.eye(own.n_agents)[most_urgent] * (~is_me_more & (value.max(axis=1) > 0))[:, None]
    return {"whom": whom, "urgency": value.max(axis=1), "level": inbox["level"].max(axis=1)}
