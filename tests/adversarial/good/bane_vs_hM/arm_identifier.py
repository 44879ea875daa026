"""Tell the team which arm of the T-shaped corridor an agent walks in.

In the west and east arm the ground is open to the east and west, in the stem it is open to the north and south; which
of the two arms it is follows from the way in which the agent walked first.
"""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def _walk_direction(own: Observation) -> tuple[Array, Array]:
    """Net steps over the window to the east and to the north."""
    net_east = (own.past("last_action.east") - own.past("last_action.west")).sum(axis=1)
    net_north = (own.past("last_action.north") - own.past("last_action.south")).sum(axis=1)
    return net_east, net_north


def send(own: Observation) -> dict[str, Array]:
    can_north, can_south = own["move.north"] > 0, own["move.south"] > 0
    can_east, can_west = own["move.east"] > 0, own["move.west"] > 0

    # Corridor orientation.
    horizontal = (can_east | can_west) & ~(can_north & can_south)
    vertical = (can_north | can_south) & ~(can_east & can_west)
    junction = (can_east & can_west) & (can_north | can_south)

    net_east, net_north = _walk_direction(own)
    from_west = horizontal & (net_east > 0)
    from_east = horizontal & (net_east < 0)
    from_south = vertical & (net_north > 0)

    return {
        "arm": np.stack([from_west, from_south, from_east, junction], axis=1).astype(np.float32),
        "progress": np.clip((np.abs(net_east) + np.abs(net_north)) / 10.0, 0.0, 1.0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    arm = inbox["arm"]            # [R, N, 4]
    progress = inbox["progress"]  # [R, N]
    # Weighted by progress, summed over the senders: one number for each arm.
    occupied = np.einsum("rns,rn->rs", arm, 0.1 + progress)
    return {"occupied": occupied, "at_junction": arm[:, :, 3].sum(axis=1) / 2.0}
