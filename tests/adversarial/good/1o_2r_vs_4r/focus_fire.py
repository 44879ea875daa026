"""Agree on a target: everybody tells what it can hit, all shoot at the weakest that most can hit."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

N_ENEMIES = 4


def send(own: Observation) -> dict[str, Array]:
    """Who is in range, and how weak each is."""
    in_range = own.group("enemy_*.attackable") > 0
    weakness = (1.0 - own.group("enemy_*.health")) * (own.group("enemy_*.distance") > 0)
    last_target = np.stack([own[f"last_action.attack_enemy_{j}"] for j in range(N_ENEMIES)], axis=1)
    return {"in_range": in_range, "weakness": weakness, "last_target": last_target}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Votes for each enemy, one's own included, and the winner as one-hot."""
    mine = own.group("enemy_*.attackable") > 0
    votes = inbox["in_range"].sum(axis=1) + mine
    weakness = inbox["weakness"].max(axis=1)
    score = votes + 0.5 * weakness + 0.25 * inbox["last_target"].sum(axis=1)
    winner = np.eye(N_ENEMIES)[score.argmax(axis=1)] * (votes.max(axis=1) > 0)[:, None]
    return {"votes": votes, "winner": winner}
