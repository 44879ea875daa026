import numpy as np
from generated_protocols import Array, Inbox, Observation

UNSEEN = 1.5


def send(own: Observation) -> dict[str, Array]:
    """Closest and farthest visible Reaper, using the `where=` and `initial=` arguments of the reductions."""
    d = own.group("enemy_*.distance")
    seen = d > 0
    closest = np.min(d, axis=1, where=seen, initial=UNSEEN)
    farthest = np.max(d, axis=1, where=seen, initial=0.0)
    total_health = np.sum(own.group("enemy_*.health"), axis=1, where=seen, dtype=np.float64)
    return {"closest": closest, "farthest": farthest, "total_health": total_health / 4.0}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    heard = inbox.delivered
    return {
        "closest": inbox["closest"].min(axis=1, where=heard, initial=UNSEEN),
        "farthest": inbox["farthest"].max(axis=1, where=heard, initial=0.0),
        "total_health": inbox["total_health"].max(axis=1, where=heard, initial=0.0),
    }
