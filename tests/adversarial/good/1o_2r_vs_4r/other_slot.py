import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """What each ally would need to know about the *other* ally: its offset from here and its health.

    Slot s of an agent is the s-th other agent; the other slot is 1 - s.
    """
    offsets_x, offsets_y, healths, valid = [], [], [], []
    for slot in range(2):
        both = (own[f"ally_{slot}.visible"] > 0) & (own[f"ally_{1 - slot}.visible"] > 0)
        offsets_x.append(np.where(both, own[f"ally_{1 - slot}.relative_x"] - own[f"ally_{slot}.relative_x"], 0.0))
        offsets_y.append(np.where(both, own[f"ally_{1 - slot}.relative_y"] - own[f"ally_{slot}.relative_y"], 0.0))
        healths.append(np.where(both, own[f"ally_{1 - slot}.health"], 0.0))
        valid.append(both)

    # from slots to ids: agent 0 has (1, 2), agent 1 has (0, 2), agent 2 has (0, 1)
    first = np.where(own.agent_id == 0, 1, 0)
    second = np.where(own.agent_id == 2, 1, 2)
    ids = np.arange(own.n_agents)
    to_first = first[:, None] == ids
    to_second = second[:, None] == ids

    def_x = to_first * offsets_x[0][:, None] + to_second * offsets_x[1][:, None]
    def_y = to_first * offsets_y[0][:, None] + to_second * offsets_y[1][:, None]
    def_h = to_first * healths[0][:, None] + to_second * healths[1][:, None]
    def_v = to_first * valid[0][:, None] + to_second * valid[1][:, None]
    return {"x": def_x, "y": def_y, "health": def_h, "valid": def_v}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "third_x": inbox.addressed("x").sum(axis=1),
        "third_y": inbox.addressed("y").sum(axis=1),
        "third_health": inbox.addressed("health").max(axis=1),
        "valid": inbox.addressed("valid").sum(axis=1),
    }
