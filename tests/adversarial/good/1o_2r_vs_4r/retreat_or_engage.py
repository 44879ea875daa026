# -----------------------------------------------------------------------------
#  Retreat / engage decision support
# -----------------------------------------------------------------------------
#  Roaches win a fight if their joint remaining health outweighs that of the
#  Reapers in sight. Nobody knows both, therefore: tell each other.
# -----------------------------------------------------------------------------
import numpy as np
from generated_protocols import Array, Inbox, Observation

ROACH_HP = 145.0
REAPER_HP = 50.0


# ----------------------------------------------------------------- helpers ---
def enemy_hit_points(own: Observation) -> Array:
    """Sum of the hit points of all visible Reapers."""
    visible = own.group("enemy_*.distance") > 0
    return np.where(visible, own.group("enemy_*.health"), 0.0).sum(axis=1) * REAPER_HP


def own_hit_points(own: Observation) -> Array:
    """Hit points of a Roach, 0 for the Overseer, which cannot fight."""
    return np.where(own.is_role("roach"), own["own.health"] * ROACH_HP, 0.0)


# ------------------------------------------------------------------ sender ---
def send(own: Observation) -> dict[str, Array]:
    return {
        "strength": own_hit_points(own) / ROACH_HP,
        "threat": enemy_hit_points(own) / (4 * REAPER_HP),
    }


# ---------------------------------------------------------------- receiver ---
def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    ours = inbox["strength"].sum(axis=1) * ROACH_HP + own_hit_points(own)
    # Two observers may see the same Reapers, so take the maximum, not the sum.
    theirs = np.maximum(inbox["threat"].max(axis=1) * 4 * REAPER_HP, enemy_hit_points(own))
    balance = (ours - theirs) / np.maximum(ours + theirs, 1.0)
    return {"balance": balance, "engage": balance > 0, "contact": theirs > 0}
