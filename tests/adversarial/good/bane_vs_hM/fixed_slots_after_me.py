"""Ring order: keep the others in the order me+1, me+2, so that the learner can share weights between agents."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    return {
        "health": own["own.health"],
        "contact": np.any(own.group("enemy_*.distance") > 0, axis=1),
        "heading": np.stack(
            [
                own["last_action.east"] - own["last_action.west"],
                own["last_action.north"] - own["last_action.south"],
            ],
            axis=1,
        ),
    }


def _in_ring_order(values: Array, me: Array, n_agents: int) -> Array:
    """Reorder `[R, N, ...]` so that column 0 is the next agent after oneself; drops oneself."""
    order = (me[:, None] + 1 + np.arange(n_agents - 1)[None, :]) % n_agents
    if values.ndim == 2:
        return np.take_along_axis(values, order, axis=1)
    return np.take_along_axis(values, order[:, :, None], axis=1)


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    me, n = own.agent_id, own.n_agents
    heading = _in_ring_order(inbox["heading"], me, n)
    return {
        "health": _in_ring_order(inbox["health"], me, n),
        "contact": _in_ring_order(inbox["contact"], me, n),
        "heading": heading.reshape(heading.shape[0], 2 * (n - 1)),
    }
