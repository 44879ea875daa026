"""Two bearings to the same Reaper from two known anchors: send bearings as unit vectors."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def unit(x: Array, y: Array) -> tuple[Array, Array]:
    """Unit vectors; zeros for no vector."""
    length = np.hypot(x, y)
    safe = np.where(length > 0, length, 1.0)
    return x / safe, y / safe


def send(own: Observation) -> dict[str, Array]:
    ux, uy = unit(own.group("enemy_*.relative_x"), own.group("enemy_*.relative_y"))
    return {"ux": ux, "uy": uy}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """How well the others' bearings agree with mine."""
    ux, uy = unit(own.group("enemy_*.relative_x"), own.group("enemy_*.relative_y"))
    agree = inbox["ux"] * ux[:, None, :] + inbox["uy"] * uy[:, None, :]
    return {"agree": agree.sum(axis=1), "ux": inbox["ux"].sum(axis=1), "uy": inbox["uy"].sum(axis=1)}
