import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Overseer: number, nearest distance and mean health of Reapers. Roaches: health, targets in range, cooldown proxy."""
    overseer = own.is_role("overseer")
    roach = own.is_role("roach")

    distance = own.group("enemy_*.distance")
    seen = distance > 0
    n_seen = seen.sum(axis=1)
    nearest = np.where(seen, distance, np.inf).min(axis=1)
    nearest = np.where(np.isfinite(nearest), nearest, 0.0)
    mean_health = (own.group("enemy_*.health") * seen).sum(axis=1) / np.clip(n_seen, 1, None)

    # A unit that attacked in the last step is (probably) on cooldown.
    attacked = own.group("last_action.attack_enemy_*").sum(axis=1)

    eyes = np.stack([n_seen / 4.0, nearest, mean_health], axis=1) * overseer[:, None]
    arms = np.stack([own["own.health"], own.group("enemy_*.attackable").sum(axis=1) / 4.0, attacked], axis=1)
    arms = arms * roach[:, None]
    return {"eyes": eyes, "arms": arms}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """A Roach keeps the eyes and the other Roach's arms; the Overseer keeps both Roaches' arms, averaged."""
    is_roach = own.is_role("roach")
    eyes = inbox["eyes"].sum(axis=1)
    arms_sum = inbox["arms"].sum(axis=1)
    partner_count = np.where(is_roach, 1.0, 2.0)
    arms = arms_sum / partner_count[:, None]
    return {"eyes": eyes, "arms": arms}
