"""A little map of where I have been relative to now, from the steps of the window."""
import numpy as np
from generated_protocols import Array, Observation

SIZE = 5


def send(own: Observation) -> dict[str, Array]:
    dx = own.past("last_action.east") - own.past("last_action.west")
    dy = own.past("last_action.north") - own.past("last_action.south")
    x = np.cumsum(dx[:, ::-1], axis=1)
    y = np.cumsum(dy[:, ::-1], axis=1)
    column = np.clip(x + SIZE // 2, 0, SIZE - 1).astype(int)
    row = np.clip(y + SIZE // 2, 0, SIZE - 1).astype(int)
    index = row * SIZE + column
    visited = (index[:, :, None] == np.arange(SIZE * SIZE)).any(axis=1)
    return {"visited": visited}
