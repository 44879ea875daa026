import numpy as np
from generated_protocols import Array, Inbox, Observation


def damage_taken(history: Array, age: Array) -> Array:
    """Damage per step over the window, `[R, W - 1]`; regeneration counts as zero.

    The zero padding before the episode would look like healing, which is clipped away anyway.
    """
    loss = history[:, :-1] - history[:, 1:]
    window = loss.shape[1]
    real = np.arange(window)[None, :] >= window - age[:, None]
    return np.where(real, np.maximum(loss, 0.0), 0.0)


def send(own: Observation) -> dict[str, Array]:
    damage = damage_taken(own.past("own.health"), own.age)
    total = damage.sum(axis=1)
    recent = damage[:, -3:].sum(axis=1)
    hits = (damage > 1e-3).sum(axis=1)
    # where does it come from? the nearest attacker's direction
    attackers = own.group("enemy_*.attackable")
    n = np.maximum(attackers.sum(axis=1), 1.0)
    from_x = (own.group("enemy_*.relative_x") * attackers).sum(axis=1) / n
    from_y = (own.group("enemy_*.relative_y") * attackers).sum(axis=1) / n
    hurt = (recent > 0).astype(np.float32)
    return {
        "total": total,
        "recent": recent,
        "hits": hits / damage.shape[1],
        "from": np.stack([from_x, from_y], axis=1) * hurt[:, None],
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "total": inbox["total"],
        "recent_max": inbox["recent"].max(axis=1),
        "hits": inbox["hits"].sum(axis=1),
        "victim_from": inbox["from"][np.arange(own.agent_id.shape[0]), inbox["recent"].argmax(axis=1)],
    }
