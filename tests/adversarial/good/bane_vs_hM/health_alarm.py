"""Health monitoring: levels, drops and a latched alarm."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

LOW, CRITICAL = 0.5, 0.25


def health_category(health: Array) -> Array:
    """0 = dead, 1 = critical, 2 = low, 3 = fine, as a float in [0, 1]."""
    conditions = [health <= 0.0, health < CRITICAL, health < LOW]
    choices = [0.0, 1.0 / 3.0, 2.0 / 3.0]
    return np.select(conditions, choices, default=1.0)


def send(own: Observation) -> dict[str, Array]:
    history = own.past("own.health")
    current = own["own.health"]
    # Only compare with steps that really happened.
    window = history.shape[1]
    valid = np.arange(window)[None, :] >= (window - 1 - own.age)[:, None]
    peak = np.max(np.where(valid, history, -np.inf), axis=1)
    drop = np.clip(peak - current, 0.0, 1.0)
    alarm = (drop > 0.1) | (current < CRITICAL)
    return {"category": health_category(current), "drop": drop, "alarm": alarm}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    alarm_now = inbox["alarm"].any(axis=1)
    alarm_before = inbox.past("alarm").max(axis=2).max(axis=1) > 0
    worst = np.where(inbox.delivered, inbox["category"], 1.0).min(axis=1)
    return {
        "alarm": np.where(alarm_now, 1.0, np.where(alarm_before, 0.5, 0.0)),
        "worst": worst,
        "total_drop": inbox["drop"].sum(axis=1),
    }
