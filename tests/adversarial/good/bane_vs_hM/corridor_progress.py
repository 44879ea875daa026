import numpy as np
from generated_protocols import Array, Inbox, Observation

# The map is 32 units wide and a step covers about 2 units, so an arm is walked in about 6 steps.
STEPS_PER_ARM = 6.0


def send(own: Observation) -> dict[str, Array]:
    """Estimate how far along its corridor each agent is.

    NOTE: ``own.past`` holds at most W steps, so this is a *lower bound* on the real progress for long walks.
    """
    moved = (
        own.past("last_action.north")
        + own.past("last_action.south")
        + own.past("last_action.east")
        + own.past("last_action.west")
    )
    walked = moved.sum(axis=1)
    # `age` is 0 at the first step: protect the division.
    activity = walked / np.maximum(own.age, 1)
    progress = np.minimum(walked / STEPS_PER_ARM, 1.0)
    see_enemy = (own.group("enemy_*.distance") > 0).any(axis=1)
    progress = np.where(see_enemy, 1.0, progress)  # whoever sees the enemy has arrived
    return {"progress": progress, "activity": np.minimum(activity, 1.0), "sees": see_enemy}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Progress of the slowest and of the fastest of the others, and who is the slowest."""
    progress = inbox["progress"]
    is_other = np.arange(own.n_agents)[None, :] != own.agent_id[:, None]
    slowest = np.where(is_other, progress, 2.0).argmin(axis=1)
    return {
        "slowest": np.where(is_other, progress, 2.0).min(axis=1),
        "fastest": np.where(is_other, progress, -1.0).max(axis=1),
        "slowest_id": np.eye(own.n_agents, dtype=np.float32)[slowest],
        "any_contact": inbox["sees"].max(axis=1),
    }
