"""Attractive potential of foods, repulsive of borders; sent as a force, received as a difference of forces."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

GAIN_FOOD: float = 1.0
GAIN_WALL: float = 0.3
SOUTH = np.array([-1, -1, -1, 0, 0, 0, 1, 1, 1], dtype=np.float32)
EAST = np.array([-1, 0, 1] * 3, dtype=np.float32)


def force(own: Observation) -> tuple[Array, Array]:
    """South and east component of the force on the agent."""
    food = own.group("cell_*.food_level")
    wall = 1.0 - own.group("cell_*.accessible")
    occupied = (own.group("cell_*.agent_level") > 0) | (food > 0)
    wall = wall * ~occupied
    distance = np.maximum(np.sqrt(SOUTH**2 + EAST**2), 1.0)
    charge = (GAIN_FOOD * food - GAIN_WALL * wall) / distance**2
    return (charge * SOUTH).sum(axis=1), (charge * EAST).sum(axis=1)


def send(own: Observation) -> dict[str, Array]:
    south, east = force(own)
    return {"force": np.stack([south, east], axis=1)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    south, east = force(own)
    theirs = inbox["force"].sum(axis=1)
    mine = np.stack([south, east], axis=1)
    return {"theirs": theirs, "difference": theirs - mine, "dot": (theirs * mine).sum(axis=1)}
