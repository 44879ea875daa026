"""A three-way handshake: 'I am here', 'I know that you are here', 'I know that we all are here'.

A message is sent from one's own history alone, so the second level uses what one *sees* of the others at the junction
rather than what one heard; the third level is built by the receiver.
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    here = (own["enemy_0.distance"] > 0).astype(np.float32)
    visible = own.allies("visible")                         # [R, N] by id
    number_seen = visible.sum(axis=1)
    see_all = (number_seen >= own.n_agents - 1).astype(np.float32)
    return {"here": here, "i_see_you": visible, "see_all": see_all}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    seen_by = inbox.addressed("i_see_you")                  # [R, N]
    i_see = own.allies("visible")                           # [R, N]
    mutual = np.minimum(seen_by, i_see)
    one_way = np.abs(seen_by - i_see)
    everyone_here = np.prod(np.where(np.eye(own.n_agents)[own.agent_id] > 0, 1.0, inbox["here"]), axis=1)
    return {
        "mutual": mutual.sum(axis=1),
        "one_way": one_way.sum(axis=1),
        "everyone_here": everyone_here * (own["enemy_0.distance"] > 0),
        "somebody_sees_all": inbox["see_all"].max(axis=1),
    }
