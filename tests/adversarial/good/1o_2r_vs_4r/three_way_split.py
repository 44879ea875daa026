import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Split the enemy block into its parts instead of reading each field.

    The fields of `enemy_0` are, in order: attackable, distance, relative_x, relative_y, health, type_0, type_1.
    """
    blocks = []
    for enemy in range(4):
        block = own.group(f"enemy_{enemy}.*")          # [R, 7]
        flags, geometry, rest = np.split(block, [1, 4], axis=1)
        distance, dx, dy = np.split(geometry, 3, axis=1)
        present = (distance > 0).astype(np.float32)
        blocks.append(np.concatenate([flags, present, dx * present, dy * present, rest[:, :1]], axis=1))
    message = np.concatenate(blocks, axis=1)           # [R, 20]
    return {"enemies": message}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    enemies = inbox["enemies"].reshape(own.agent_id.shape[0], own.n_agents, 4, 5)
    present = enemies[..., 1:2]
    n = np.maximum(present.sum(axis=1), 1.0)
    flags = enemies[..., :2].max(axis=1)
    health = (enemies[..., 4:] * present).sum(axis=1) / n
    return {
        "flags": flags.reshape(flags.shape[0], 8),
        "health": health.reshape(-1, 4),
        "overseer_xy": enemies[:, 0, :, 2:4].reshape(-1, 8),
    }
