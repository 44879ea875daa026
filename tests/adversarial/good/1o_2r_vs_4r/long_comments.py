import numpy as np
from generated_protocols import Array, Inbox, Observation

# ---------------------------------------------------------------------------
# Reasoning
# ---------------------------------------------------------------------------
# 1. The Roaches cannot see the Reapers until it is too late.
# 2. The Overseer sees them, but it cannot attack.
# 3. Therefore the Overseer should tell the Roaches (a) whether it sees any
#    Reaper at all, (b) the direction, and (c) how strong they are in total.
# 4. A Roach that is being shot at should call for the other one.
# ---------------------------------------------------------------------------


# === Sender side ===========================================================
def send(own: Observation) -> dict[str, Array]:
    """Build the message (see the reasoning above)."""
    # --- visibility flags --------------------------------------------------
    seen = (own.group("enemy_*.distance") > 0).astype(np.float32)
    count = seen.sum(axis=1)
    # --- direction ---------------------------------------------------------
    dx = (own.group("enemy_*.relative_x") * seen).sum(axis=1) / np.maximum(count, 1.0)
    dy = (own.group("enemy_*.relative_y") * seen).sum(axis=1) / np.maximum(count, 1.0)
    # --- strength ----------------------------------------------------------
    strength = (own.group("enemy_*.health") * seen).sum(axis=1)
    # --- call for help -----------------------------------------------------
    health_before = own.past("own.health")[:, -2]
    under_fire = (own["own.health"] < health_before) & (own.age > 0)
    return {"count": count, "dx": dx, "dy": dy, "strength": strength, "help": under_fire}


# === Receiver side =========================================================
def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Keep the strongest report and every call for help."""
    strongest = inbox["strength"].argmax(axis=1)[:, None]
    return {
        "dx": np.take_along_axis(inbox["dx"], strongest, axis=1)[:, 0],
        "dy": np.take_along_axis(inbox["dy"], strongest, axis=1)[:, 0],
        "strength": inbox["strength"].max(axis=1),
        "help": inbox["help"],
    }
