"""Who stands where: Banelings tell the others their open ground and what they saw of the enemy."""
import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Open ground, the Hydralisk if it is in sight, and the Medivac likewise."""
    hydra = own["enemy_0.distance"] > 0
    medivac = own["enemy_1.distance"] > 0
    return {
        "ground": own.group("move.*"),
        "hydra": np.stack([hydra, own["enemy_0.relative_x"], own["enemy_0.relative_y"]], axis=1),
        "medivac": np.stack([medivac, own["enemy_1.relative_x"], own["enemy_1.relative_y"]], axis=1),
        "health": own["own.health"],
    }
