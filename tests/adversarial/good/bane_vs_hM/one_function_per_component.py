"""Every component has its own little function; `send` only puts them together."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def component_ready(own: Observation) -> Array:
    """1 if the Hydralisk can be attacked right now."""
    return own["enemy_0.attackable"]


def component_lonely(own: Observation) -> Array:
    """1 if no other Baneling is in sight."""
    return 1.0 - np.clip(own.group("ally_*.visible").sum(axis=1), 0.0, 1.0)


def component_stuck(own: Observation) -> Array:
    """1 if the agent tried to walk in the last step into ground that is closed now."""
    tried = np.stack([own[f"last_action.{d}"] for d in ("north", "south", "east", "west")], axis=1)
    closed = 1.0 - own.group("move.*")
    return (tried * closed).sum(axis=1)


def component_waiting(own: Observation) -> Array:
    """Share of the window spent stopping."""
    return own.past("last_action.stop").mean(axis=1)


def send(own: Observation) -> dict[str, Array]:
    return {
        "ready": component_ready(own),
        "lonely": component_lonely(own),
        "stuck": component_stuck(own),
        "waiting": component_waiting(own),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    names = ("ready", "lonely", "stuck", "waiting")
    totals = [inbox[name].sum(axis=1) for name in names]
    return {"totals": np.stack(totals, axis=1)}
