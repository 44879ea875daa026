# Protocol: threat gradient
# ---------------------------------------------------------------
# Each agent computes a scalar potential from the Hydralisk (which
# shoots) and the Medivac (which heals, so it matters less), and
# the gradient of this potential with respect to its own position.
# ---------------------------------------------------------------
import numpy as np
from generated_protocols import Array, Inbox, Observation

WEIGHTS = {"enemy_0": 1.0, "enemy_1": 0.25}
LENGTH_SCALE = 0.5


def send(own: Observation) -> dict[str, Array]:
    potential = np.zeros_like(own["own.health"])
    gradient_x = np.zeros_like(potential)
    gradient_y = np.zeros_like(potential)
    for name, weight in WEIGHTS.items():
        distance = own[f"{name}.distance"]
        seen = (distance > 0).astype(np.float32)
        strength = weight * np.exp(-distance / LENGTH_SCALE) * seen
        potential = potential + strength
        # d/dx exp(-d/s) = -(1/s) * dx/d * exp(-d/s); towards the enemy the potential grows
        safe_distance = np.maximum(distance, 1e-3)
        gradient_x = gradient_x + strength * own[f"{name}.relative_x"] / (safe_distance * LENGTH_SCALE)
        gradient_y = gradient_y + strength * own[f"{name}.relative_y"] / (safe_distance * LENGTH_SCALE)
    limit = 10.0
    return {
        "potential": potential,
        "gradient": np.clip(np.column_stack([gradient_x, gradient_y]), -limit, limit),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "max_potential": inbox["potential"].max(axis=1),
        "total_gradient": np.tanh(inbox["gradient"].sum(axis=1)),
    }
