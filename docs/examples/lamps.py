"""Two agents, four lamps: the watcher sees which is lit, the walker has to go there. Only a message can tell it."""

import numpy as np
from gymnasium import spaces


class Lamps:
    possible_agents = ["watcher", "walker"]

    def __init__(self, limit=8):
        self.limit = limit
        self.agents = []

    def observation_space(self, agent):
        return spaces.Box(0, 1, (4,) if agent == "watcher" else (1,), np.float32)

    def action_space(self, agent):
        return spaces.Discrete(1 if agent == "watcher" else 3)

    def reset(self, seed=None, options=None):
        rng = np.random.default_rng(seed)
        self.agents, self.steps = list(self.possible_agents), 0
        self.lit, self.place = int(rng.integers(4)), int(rng.integers(4))
        return self._observe(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.steps += 1
        self.place = min(3, max(0, self.place + (0, -1, 1)[actions["walker"]]))
        over = self.steps == self.limit
        reward = (self.place == self.lit) / self.limit
        told = {agent: {} for agent in self.agents}
        result = self._observe(), dict.fromkeys(told, reward / 2), dict.fromkeys(told, False), dict.fromkeys(told, over)
        self.agents = [] if over else self.agents
        return (*result, told)

    def state(self):
        return np.array([self.lit / 3, self.place / 3], np.float32)

    def _observe(self):
        return {"watcher": np.eye(4, dtype=np.float32)[self.lit], "walker": np.array([self.place / 3], np.float32)}
