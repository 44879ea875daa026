"""Are we in each other's way? Tell how crowded it is here, and whether my last step was blocked."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

MOVES = ("north", "south", "west", "east")
TARGETS = ("n1", "s1", "w1", "e1")


def was_blocked(own: Observation) -> Array:
    """The last move led nowhere: the cell that was aimed at was closed in the step before."""
    blocked = np.zeros(own.agent_id.shape, dtype=np.float32)
    for move, target in zip(MOVES, TARGETS):
        tried = own[f"last_action.{move}"]
        closed_before = 1.0 - own.past(f"cell_{target}.accessible")[:, -2]
        blocked += tried * closed_before
    return blocked * (own.age > 0)


def send(own: Observation) -> dict[str, Array]:
    accessible = own.group("cell_*.accessible")
    others = own.group("cell_*.agent_level").copy()
    others[:, 4] = 0.0  # not oneself
    return {
        "crowded": 1.0 - accessible.sum(axis=1) / 8.0,
        "blocked": was_blocked(own),
        "touching": (others > 0).any(axis=1),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    return {
        "crowded": inbox["crowded"].max(axis=1),
        "both_blocked": inbox["blocked"].max(axis=1) * was_blocked(own),
        "touching": inbox["touching"].max(axis=1),
    }
