import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    past = own.past("enemy_*.distance")                 # [R, W, 4]
    halves = past.reshape(past.shape[0], 2, *(past.shape[1] // 2, 4))
    return {"early": halves[:, 0].max(axis=1), "late": halves[:, 1].max(axis=1)}
