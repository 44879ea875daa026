import numpy as np
from generated_protocols import Array, Inbox, Observation

WEIGHTS = (0.6, 0.3, 0.1)
TOTAL = sum(WEIGHTS)
HEAVIEST = WEIGHTS[0]
NAMES = [f"enemy_{i}.health" for i in range(4)]
DECAY = [0.9**k for k in range(10)]


def send(own: Observation) -> dict[str, Array]:
    health = np.stack([own[name] for name in NAMES], axis=1)
    smooth = own.past("own.health")[:, ::-1] @ np.array(DECAY) / sum(DECAY)
    return {"health": np.sort(health, axis=1)[:, ::-1][:, :3] * np.array(WEIGHTS) / TOTAL, "smooth": smooth * HEAVIEST}
