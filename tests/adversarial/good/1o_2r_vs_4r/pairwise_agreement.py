import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Health of each Reaper as seen by the sender (0 if not visible), plus visibility."""
    visible = (own.group("enemy_*.distance") > 0.0).astype(np.float32)
    return {"visible": visible, "health": own.group("enemy_*.health") * visible}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Fuse the health reports, then measure how far the reports disagree.

    Disagreement should be zero: health is the same whoever looks. It is a cheap test of the channel.
    """
    visible = inbox["visible"]  # [R, N, 4]
    health = inbox["health"]  # [R, N, 4]
    my_visible = (own.group("enemy_*.distance") > 0.0).astype(np.float32)
    my_health = own.group("enemy_*.health") * my_visible

    # Append oneself as one more sender.
    all_visible = np.concatenate([visible, my_visible[:, np.newaxis, :]], axis=1)  # [R, N + 1, 4]
    all_health = np.concatenate([health, my_health[:, np.newaxis, :]], axis=1)

    n_reports = all_visible.sum(axis=1)
    fused = all_health.sum(axis=1) / np.maximum(n_reports, 1.0)
    deviation = np.abs(all_health - fused[:, np.newaxis, :]) * all_visible
    disagreement = deviation.max(axis=1)

    return {
        "fused": fused,
        "known": (n_reports > 0).astype(np.float32),
        "disagreement": disagreement,
    }
