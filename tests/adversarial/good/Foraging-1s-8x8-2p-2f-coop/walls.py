import numpy as np


def send(own):
    """Cells that nobody can enter: near the border they say where I am."""
    blocked = 1.0 - own.group("cell_*.accessible")
    west = blocked[:, [0, 3, 6]].min(axis=1)
    east = blocked[:, [2, 5, 8]].min(axis=1)
    north = blocked[:, [0, 1, 2]].min(axis=1)
    south = blocked[:, [6, 7, 8]].min(axis=1)
    return {"west": west, "east": east, "north": north, "south": south}
