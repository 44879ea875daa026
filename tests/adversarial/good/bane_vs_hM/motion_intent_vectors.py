import numpy as np
from generated_protocols import Array, Inbox, Observation

# Unit vectors of the actions, (east, north). Order: no_op, stop, north, south, east, west, attack_0, attack_1.
ACTION_VECTORS = (
    (0.0, 0.0),
    (0.0, 0.0),
    (0.0, 1.0),
    (0.0, -1.0),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, 0.0),
    (0.0, 0.0),
)


def send(own: Observation) -> dict[str, Array]:
    """The velocity now (from the last action) and the mean velocity over the window."""
    vectors = np.array(ACTION_VECTORS, dtype=np.float32)  # [8, 2]
    last_action = own.group("last_action.*")  # [R, 8]
    velocity = last_action @ vectors  # [R, 2]
    history = own.past("last_action.*")  # [R, W, 8]
    mean_velocity = (history @ vectors).mean(axis=1)  # [R, 2]
    attacking = last_action[:, 6:].sum(axis=1)
    return {"velocity": velocity, "mean_velocity": mean_velocity, "attacking": attacking}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Relative velocity of each sender, which says whether we close in on each other."""
    vectors = np.array(ACTION_VECTORS, dtype=np.float32)
    my_velocity = own.group("last_action.*") @ vectors
    relative = inbox["velocity"] - my_velocity[:, None, :]
    relative = np.where(inbox.delivered[:, :, None], relative, 0.0)
    speed = np.linalg.norm(relative, axis=2)
    return {
        "relative": relative.reshape(relative.shape[0], -1),
        "speed": speed,
        "attacking": inbox["attacking"].sum(axis=1),
    }
