import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Running records over the window.

    * the closest that the Hydralisk has been (1 where never seen)
    * the most allies that were in sight at once
    * whether the ground here is the most open of the window
    """
    distance = own.past("enemy_0.distance")
    distance_or_far = np.where(distance > 0, distance, 1.0)
    closest_so_far = np.minimum.accumulate(distance_or_far, axis=1)
    is_record_now = (closest_so_far[:, -1] < closest_so_far[:, -2]) & (own.age > 0)

    allies_in_sight = own.past("ally_*.visible").sum(axis=2)
    most_allies = np.maximum.accumulate(allies_in_sight, axis=1)[:, -1]

    openness = own.past("move.*").sum(axis=2)
    return {
        "closest": closest_so_far[:, -1],
        "record": is_record_now,
        "most_allies": most_allies / (own.n_agents - 1),
        "most_open": openness[:, -1] >= openness.max(axis=1),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    closest = np.where(inbox.delivered, inbox["closest"], 1.0)
    return {
        "closest": closest.min(axis=1),
        "second_closest": np.sort(closest, axis=1)[:, 1],
        "records": inbox["record"].sum(axis=1),
        "met": inbox["most_allies"].max(axis=1),
    }
