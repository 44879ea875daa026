"""Agent 0 leads, agent 1 follows: asymmetric roles without any negotiation.

The leader announces its heading; the follower announces only whether it keeps up. Using `agent_id` is fine here since
ids are fixed before the episode.
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

LEADER, FOLLOWER = 0, 1


def heading(own: Observation) -> Array:
    """`[R, 2]`: mean step over the last three steps, (south, east)."""
    south = own.past("last_action.south")[:, -3:] - own.past("last_action.north")[:, -3:]
    east = own.past("last_action.east")[:, -3:] - own.past("last_action.west")[:, -3:]
    return np.stack([south.mean(axis=1), east.mean(axis=1)], axis=1)


def send(own: Observation) -> dict[str, Array]:
    leads = own.agent_id == LEADER
    follows = own.agent_id == FOLLOWER
    sees_partner = np.delete(own.group("cell_*.agent_level"), 4, axis=1).max(axis=1) > 0
    idle = own.past("last_action.stay")[:, -3:].mean(axis=1)
    return {
        "heading": heading(own) * leads[:, None],
        "food": own.group("cell_*.food_level").max(axis=1) * leads,
        "keeps_up": sees_partner & follows,
        "idle": idle * follows,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    from_leader = inbox["heading"][:, LEADER]
    deviation = np.linalg.norm(from_leader - heading(own), axis=1)
    follows = own.agent_id == FOLLOWER
    return {
        "heading": from_leader,
        "food": inbox["food"][:, LEADER],
        "deviation": np.where(follows, deviation, 0.0),
        "keeps_up": inbox["keeps_up"][:, FOLLOWER],
        "idle": inbox["idle"][:, FOLLOWER],
    }
