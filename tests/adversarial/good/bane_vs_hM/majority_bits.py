import numpy as np
from generated_protocols import Array, Inbox, Observation

QUESTIONS = (
    "hydra in reach",
    "hydra in sight",
    "medivac in sight",
    "ally in sight",
    "healthy",
    "moved last step",
)


def answers(own: Observation) -> Array:
    """One bit per question, `[R, 6]`."""
    moved = (
        own["last_action.north"] + own["last_action.south"] + own["last_action.east"] + own["last_action.west"]
    )
    bits = [
        own["enemy_0.attackable"] > 0,
        own["enemy_0.distance"] > 0,
        own["enemy_1.distance"] > 0,
        (own["ally_0.visible"] + own["ally_1.visible"]) > 0,
        own["own.health"] > 0.5,
        moved > 0,
    ]
    assert len(bits) == len(QUESTIONS)
    return np.stack(bits, axis=1).astype(np.float32)


def send(own: Observation) -> dict[str, Array]:
    return {"bits": answers(own)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Majority over the whole team, oneself included, for each question."""
    mine = answers(own)
    yes = inbox["bits"].sum(axis=1) + mine
    voters = inbox.delivered.sum(axis=1) + 1
    majority = yes > 0.5 * voters[:, None]
    dissent = np.abs(mine - majority).sum(axis=1)
    return {"majority": majority, "dissent": dissent / len(QUESTIONS), "unanimous": (yes >= voters[:, None] - 0.5)}
