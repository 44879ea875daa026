import numpy as np
from generated_protocols import Array, Inbox, Observation

# bit layout (least significant first):
#   0      hydra visible
#   1      medivac visible
#   2-5    move flags
#   6-7    health quartile
HYDRA_BIT, MEDIVAC_BIT, MOVE_SHIFT, HEALTH_SHIFT = 0, 1, 2, 6
MAX_VALUE = 255.0


def send(own: Observation) -> dict[str, Array]:
    """Pack eight bits into one number in [0, 1]."""
    word = (own["enemy_0.distance"] > 0).astype(np.int32) << HYDRA_BIT
    word = word | ((own["enemy_1.distance"] > 0).astype(np.int32) << MEDIVAC_BIT)
    for position, name in enumerate(("move.north", "move.south", "move.east", "move.west")):
        word = word | ((own[name] > 0.5).astype(np.int32) << (MOVE_SHIFT + position))
    quartile = np.clip(np.ceil(own["own.health"] * 4) - 1, 0, 3).astype(np.int32)
    word = word | (quartile << HEALTH_SHIFT)
    return {"word": word / MAX_VALUE}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    word = np.rint(inbox["word"] * MAX_VALUE).astype(np.int32)
    hydra = (word >> HYDRA_BIT) & 1
    medivac = (word >> MEDIVAC_BIT) & 1
    quartile = (word >> HEALTH_SHIFT) & 0b11
    open_ground = np.stack([(word >> (MOVE_SHIFT + k)) & 1 for k in range(4)], axis=-1)
    return {
        "hydra": hydra,
        "medivac": medivac,
        "quartile": quartile / 3.0,
        "open_ground": open_ground.reshape(word.shape[0], -1),
    }
