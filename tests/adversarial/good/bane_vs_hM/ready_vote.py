import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """I am ready when the Hydralisk is within reach."""
    ready = own["enemy_0.attackable"] > 0
    waiting = own.past("enemy_0.attackable").sum(axis=1) / 10.0
    return {"ready": ready, "waiting": waiting}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """How many are ready, whether all of us are, and who has been waiting longest."""
    count = inbox["ready"].sum(axis=1) + (own["enemy_0.attackable"] > 0)
    return {
        "count": count / own.n_agents,
        "all": count >= own.n_agents,
        "longest": inbox["waiting"].max(axis=1),
    }
