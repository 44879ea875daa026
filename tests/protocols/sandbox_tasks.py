"""A small task, recorded episodes of it, and honest parts, for the tests of the sandbox."""

from __future__ import annotations

import numpy as np

from buffers.episodes import BoolArray, Float32Array
from buffers.schema import Field, TaskSchema

N_AGENTS, ENTRIES = 3, 6
SCHEMA = TaskSchema(
    "toy",
    "three agents on a line",
    ("scout", "runner", "runner"),
    (
        Field("enemy_0.x", "where the enemy is", low=-1),
        *(Field(f"ally_{slot}.x", "where an ally is", low=-1) for slot in range(N_AGENTS - 1)),
        Field("own.health", "health"),
    ),
    (Field("enemy_0.x", "x", low=-1),),
    ("stay", "go"),
    ENTRIES - 1,
)

HONEST = """
import numpy as np
import math


def send(own):
    scout = own.is_role("scout")
    seen = own["enemy_0.x"] * scout
    past = own.past("enemy_0.x")
    return {"x": seen, "mean": past.mean(axis=1) * scout, "spread": np.std(past, axis=1) * math.sqrt(2.0),
            "allies": own.allies("x"), "old": own.age > 2}


def receive(own, inbox):
    near = inbox.addressed("allies")
    ranked = np.argsort(inbox["mean"], axis=1)
    best = np.take_along_axis(inbox["x"], ranked, axis=1)[:, -1]
    return {"x": inbox["x"].sum(axis=1), "best": best, "near": near.max(axis=1),
            "heard": inbox.past("x").sum(axis=(1, 2)), "came": inbox.delivered,
            "length": np.linalg.norm(own.group("ally_*.x"), axis=1)}
"""
DEFAULT_RECEIVE = """
def send(own):
    return {"health": own["own.health"], "both": own.group("ally_*.x")}
"""


def recorded(episodes: int, seed: int = 0) -> tuple[Float32Array, BoolArray]:
    rng = np.random.default_rng(seed)
    extended = rng.normal(size=(episodes, ENTRIES, N_AGENTS, SCHEMA.extended_dim)).astype(np.float32)
    extended[..., SCHEMA.obs_dim + SCHEMA.n_actions :] = np.eye(N_AGENTS, dtype=np.float32)
    return extended, rng.random((episodes, ENTRIES, N_AGENTS)) > 0.1
