"""Integrate one's own steps over the window; others need them to extrapolate.

A step moves a unit by two map units, the sight range is nine: a step is 2/9 in the units of relative positions.
"""
import numpy as np
from generated_protocols import Array, Observation

STEP = 2.0 / 9.0


def send(own: Observation) -> dict[str, Array]:
    """Net displacement over the window and the last velocity."""
    east = own.past("last_action.east")
    west = own.past("last_action.west")
    north = own.past("last_action.north")
    south = own.past("last_action.south")
    vx = (east - west) * STEP
    vy = (north - south) * STEP
    return {
        "net": np.column_stack((vx.sum(axis=1), vy.sum(axis=1))),
        "now": np.column_stack((vx[:, -1], vy[:, -1])),
        "stood": (vx == 0).all(axis=1) & (vy == 0).all(axis=1),
    }
