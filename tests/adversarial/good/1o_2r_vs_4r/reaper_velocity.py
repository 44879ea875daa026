import numpy as np
from generated_protocols import Array, Inbox, Observation

ENEMY_COUNT = 4
MAX_SPEED = 1.0


def enemy_velocity(own: Observation, enemy: int) -> tuple[Array, Array, Array]:
    """Velocity of one Reaper relative to oneself from the last two steps; valid only if it was visible in both."""
    distance = own.past(f"enemy_{enemy}.distance")
    visible_now = distance[:, -1] > 0
    visible_before = distance[:, -2] > 0
    valid = visible_now & visible_before & (own.age >= 1)

    x = own.past(f"enemy_{enemy}.relative_x")
    y = own.past(f"enemy_{enemy}.relative_y")
    vx = np.where(valid, x[:, -1] - x[:, -2], 0.0)
    vy = np.where(valid, y[:, -1] - y[:, -2], 0.0)
    return np.clip(vx, -MAX_SPEED, MAX_SPEED), np.clip(vy, -MAX_SPEED, MAX_SPEED), valid


def send(own: Observation) -> dict[str, Array]:
    """Velocities of all Reapers in sight."""
    velocity_x, velocity_y, validity = [], [], []
    for enemy in range(ENEMY_COUNT):
        vx, vy, valid = enemy_velocity(own, enemy)
        velocity_x.append(vx)
        velocity_y.append(vy)
        validity.append(valid)
    return {
        "vx": np.stack(velocity_x, axis=1),
        "vy": np.stack(velocity_y, axis=1),
        "valid": np.stack(validity, axis=1),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Average over senders with a valid estimate, per Reaper."""
    valid = inbox["valid"]
    n = valid.sum(axis=1)
    vx = np.where(n > 0, (inbox["vx"] * valid).sum(axis=1) / np.maximum(n, 1), 0.0)
    vy = np.where(n > 0, (inbox["vy"] * valid).sum(axis=1) / np.maximum(n, 1), 0.0)
    return {"vx": vx, "vy": vy, "speed": np.sqrt(vx * vx + vy * vy), "known": n > 0}
