"""Which of the two enemies is nearer, by how much, and is it the one that matters?"""
import numpy as np
from generated_protocols import Array, Inbox, Observation

HYDRA, MEDIVAC = 0, 1
FAR = 2.0


def send(own: Observation) -> dict[str, Array]:
    d = own.group("enemy_*.distance")                       # [R, 2]
    seen = d > 0
    effective = np.where(seen, d, FAR)
    margin = effective[:, MEDIVAC] - effective[:, HYDRA]    # positive: the Hydralisk is nearer
    only_hydra = seen[:, HYDRA] & ~seen[:, MEDIVAC]
    only_medivac = seen[:, MEDIVAC] & ~seen[:, HYDRA]
    both = seen[:, HYDRA] & seen[:, MEDIVAC]
    neither = ~(seen[:, HYDRA] | seen[:, MEDIVAC])
    state = np.stack([only_hydra, only_medivac, both, neither], axis=1)
    # sanity check: exactly one of the four holds
    state = state & (state.sum(axis=1, keepdims=True) == 1)
    # "neither" is silence
    state = state & ~neither[:, None]
    return {"state": state, "margin": np.where(both, np.clip(margin, -1, 1), 0.0)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    state = inbox["state"]
    margin = inbox["margin"]
    strongest = np.abs(margin).argmax(axis=1)
    return {
        "counts": state.sum(axis=1)[:, :3] / (own.n_agents - 1),
        "margin": np.take_along_axis(margin, strongest[:, None], axis=1).reshape(-1),
    }
