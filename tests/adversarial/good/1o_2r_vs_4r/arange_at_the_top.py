import numpy as np
from generated_protocols import Array, Inbox, Observation

WINDOW = 10
STEPS = np.arange(WINDOW)
RAMP = np.linspace(0.1, 1.0, WINDOW)
IDENTITY = np.eye(4)


def send(own: Observation) -> dict[str, Array]:
    seen = own.past("enemy_*.distance") > 0             # [R, W, 4]
    last = np.where(seen, STEPS[None, :, None] + 1, 0).max(axis=1)
    weight = (seen * RAMP[None, :, None]).sum(axis=1) / RAMP.sum()
    freshest = IDENTITY[last.argmax(axis=1)] * (last.max(axis=1) > 0)[:, None]
    return {"last": last / WINDOW, "weight": weight, "freshest": freshest}
