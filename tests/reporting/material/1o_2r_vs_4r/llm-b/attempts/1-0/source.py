import numpy as np
from generated_protocols import Array, Inbox, Observation

STEP = 0.2222  # a step of 2 map units in units of the sight range, 9


def send(own: Observation) -> dict[str, Array]:
    """A Roach: where the Overseer is from here, remembered over its own steps, and where the other Roach is."""
    roach = own.is_role("roach") * 1.0
    sees = own.past("ally_0.visible")  # [R, W]: slot 0 is the Overseer for both Roaches
    window = sees.shape[1]
    number = (np.arange(window) + 1)[None, :]
    latest = ((sees > 0) * number).max(axis=1)  # [R], 0 for never
    here = (sees > 0) & (number == latest[:, None])
    east = (own.past("last_action.east") - own.past("last_action.west")) * STEP
    north = (own.past("last_action.north") - own.past("last_action.south")) * STEP
    gone_x = np.flip(np.cumsum(np.flip(east, axis=1), axis=1), axis=1) - east
    gone_y = np.flip(np.cumsum(np.flip(north, axis=1), axis=1), axis=1) - north
    anchored = (latest > 0) * roach
    mate = own["ally_1.visible"] * roach
    return {
        "anchored": anchored,
        "freshness": latest / 10.0 * roach,
        "scout_x": ((own.past("ally_0.relative_x") - gone_x) * here).sum(axis=1) * anchored,
        "scout_y": ((own.past("ally_0.relative_y") - gone_y) * here).sum(axis=1) * anchored,
        "mate": mate,
        "mate_x": own["ally_1.relative_x"] * mate,
        "mate_y": own["ally_1.relative_y"] * mate,
        "net_x": east.sum(axis=1) * roach,
        "net_y": north.sum(axis=1) * roach,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep both Roaches' anchors and ways by sender, and how the Roaches stand to each other once."""
    anchors = np.stack(
        (
            inbox["anchored"],
            inbox["freshness"],
            inbox["scout_x"],
            inbox["scout_y"],
            inbox["net_x"],
            inbox["net_y"],
        ),
        axis=2,
    )  # [R, N, 6]
    mates = np.maximum(inbox["mate"].sum(axis=1), 1.0)
    return {
        "first": anchors[:, 1],
        "second": anchors[:, 2],
        "mates": inbox["mate"].max(axis=1),
        "mate_x": (inbox["mate_x"][:, 1] - inbox["mate_x"][:, 2]) / mates,
        "mate_y": (inbox["mate_y"][:, 1] - inbox["mate_y"][:, 2]) / mates,
    }
