from generated_protocols import Array, Inbox, Observation
import numpy as np


def overseer_part(own: Observation) -> dict[str, Array]:
    """What only the Overseer says."""
    return {
        "ex": own.group("enemy_*.relative_x"),
        "ey": own.group("enemy_*.relative_y"),
    }


def roach_part(own: Observation) -> dict[str, Array]:
    """What only Roaches say."""
    return {"hp": own["own.health"], "moves": own.group("move.*")}


def send(own: Observation) -> dict[str, Array]:
    """Both roles in one message; each is silent about what the other says."""
    overseer = own.is_role("overseer")
    roach = own.is_role("roach")
    eyes, legs = overseer_part(own), roach_part(own)
    return {
        "ex": eyes["ex"] * overseer[:, None],
        "ey": eyes["ey"] * overseer[:, None],
        "hp": legs["hp"] * roach,
        "moves": legs["moves"] * roach[:, None],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Roaches keep the Overseer's eyes, the Overseer keeps the Roaches' legs."""
    roach = own.is_role("roach")[:, None]
    return {
        "ex": inbox["ex"].sum(axis=1) * roach,
        "ey": inbox["ey"].sum(axis=1) * roach,
        "hp": inbox["hp"][:, 1:],
        "moves": inbox["moves"][:, 1:].reshape(-1, 8),
    }
