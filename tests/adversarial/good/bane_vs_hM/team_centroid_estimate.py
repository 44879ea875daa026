from generated_protocols import Array, Inbox, Observation
import numpy as np


def centroid_of_visible(own: Observation) -> tuple[Array, Array, Array]:
    """Centroid of all visible Banelings (including oneself at the origin) in one's own frame."""
    visible = own.allies("visible")
    count = 1.0 + visible.sum(axis=1)
    cx = (own.allies("relative_x") * visible).sum(axis=1) / count
    cy = (own.allies("relative_y") * visible).sum(axis=1) / count
    return cx, cy, count


def send(own: Observation) -> dict[str, Array]:
    cx, cy, count = centroid_of_visible(own)
    visible = own.allies("visible")
    # The centroid in the frame of each receiver that I see.
    to_receiver_x = (cx[:, None] - own.allies("relative_x")) * visible
    to_receiver_y = (cy[:, None] - own.allies("relative_y")) * visible
    weight = visible * count[:, None] / float(own.n_agents)
    return {"x": to_receiver_x, "y": to_receiver_y, "weight": weight}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    weight = inbox.addressed("weight")
    my_x, my_y, my_count = centroid_of_visible(own)
    my_weight = my_count / float(own.n_agents)
    total = weight.sum(axis=1) + my_weight
    x = ((inbox.addressed("x") * weight).sum(axis=1) + my_x * my_weight) / total
    y = ((inbox.addressed("y") * weight).sum(axis=1) + my_y * my_weight) / total
    return {"centroid": np.stack([x, y], axis=1), "confidence": np.clip(total / own.n_agents, 0, 1)}
