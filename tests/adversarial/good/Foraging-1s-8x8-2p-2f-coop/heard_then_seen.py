import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Own displacement since the start (as far as the window reaches), and the food in sight."""
    south = (own.past("last_action.south") - own.past("last_action.north")).sum(axis=1)
    east = (own.past("last_action.east") - own.past("last_action.west")).sum(axis=1)
    complete = own.age < own.past("last_action.stay").shape[1] - 1  # the window still reaches back to the start
    food = own.group("cell_*.food_level").max(axis=1)
    return {"south": south / 7.0, "east": east / 7.0, "complete": complete, "food": food}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Integrate the other's displacement from what it said at each step, and compare with mine."""
    history = inbox.past("south")                      # [R, W, N]
    drift_south = np.gradient(history.sum(axis=2), axis=1)
    drift_east = np.gradient(inbox.past("east").sum(axis=2), axis=1)
    my_south = (own.past("last_action.south") - own.past("last_action.north")) / 7.0
    my_east = (own.past("last_action.east") - own.past("last_action.west")) / 7.0
    closing = -(drift_south * my_south + drift_east * my_east)
    return {
        "closing": closing.mean(axis=1),
        "south": inbox["south"].sum(axis=1),
        "east": inbox["east"].sum(axis=1),
        "complete": inbox["complete"].sum(axis=1),
        "food": inbox["food"].max(axis=1),
    }
