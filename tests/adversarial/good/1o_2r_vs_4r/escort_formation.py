"""Formation keeping for the two Roaches: where is the other one, and are we drifting apart?"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

IDEAL = 0.2  # share of the sight range
ROACHES = ("ally_0", "ally_1")


def partner_offset(own: Observation) -> tuple[Array, Array, Array]:
    """Offset of the other Roach, from the Roach's point of view; slots differ by agent, so use the type bits."""
    x = np.zeros_like(own["own.health"])
    y = np.zeros_like(own["own.health"])
    seen = np.zeros(own["own.health"].shape, dtype=bool)
    for slot in ROACHES:
        is_roach = (own[f"{slot}.type_0"] > 0) & (own[f"{slot}.visible"] > 0)
        # take the first Roach that is found: the Overseer sees two
        take = is_roach & ~seen
        x = np.where(take, own[f"{slot}.relative_x"], x)
        y = np.where(take, own[f"{slot}.relative_y"], y)
        seen = seen | is_roach
    return x, y, seen


def send(own: Observation) -> dict[str, Array]:
    x, y, seen = partner_offset(own)
    gap = np.hypot(x, y)
    too_far = seen & (gap > 2 * IDEAL)
    too_near = seen & (gap < 0.5 * IDEAL)
    return {
        "offset": np.stack([x, y], axis=1) * seen[:, None],
        "too_far": too_far,
        "too_near": too_near,
        "lost": (~seen) & own.is_role("roach") & (own["own.health"] > 0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "pull": (inbox["too_far"].sum(axis=1) - inbox["too_near"].sum(axis=1)),
        "lost": inbox["lost"].max(axis=1),
        "offset": -inbox["offset"][:, 1:].sum(axis=1),
    }
