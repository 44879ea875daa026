"""Each sender gets a slot by distance in id from the receiver: the next one and the one after."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    return {"ground": own.group("move.*"), "hp": own["own.health"]}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    n = own.n_agents
    rows = np.arange(own.agent_id.shape[0])
    following = (own.agent_id + 1) % n
    after = (own.agent_id + 2) % n
    return {
        "next_ground": inbox["ground"][rows, following],
        "after_ground": inbox["ground"][rows, after],
        "next_hp": inbox["hp"][rows, following],
        "after_hp": inbox["hp"][rows, after],
    }
