"""Play exported agents against the real environment, each in its own process, beside the joint policy they came from.

Axes: N agents, O observation, P payload, A actions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from buffers.episodes import Float32Array, IntArray
from buffers.errors import ResourceError, UsageError
from buffers.files import read_json_object
from buffers.progress import Progress, silent
from marl_runtime.environment import VectorEnvironment, episode_seeds
from marl_runtime.evaluation import load_actor
from marl_runtime.rollout import View
from marl_runtime.seeding import stream_seed
from marl_runtime.statistics import Estimate, mean_over_episodes, wilson
from marl_runtime.tasks import find_task

__all__ = ["AgentProcess", "AgentsPlayed", "play_agents"]


class AgentProcess:
    """One exported agent, asked over a pipe; that it is gone raises `ResourceError` with its last words."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        paths = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "marl_runtime.exporting.process", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout

    def await_ready(self) -> None:
        """Wait until the policy is loaded."""
        self._read()

    def order(self, **order: Any) -> None:
        """Send one order."""
        try:
            self._orders.write(json.dumps(order) + "\n")
            self._orders.flush()
        except OSError:
            self._fail()

    def answer(self) -> dict[str, Any]:
        """Return the answer to the last order."""
        return self._read()

    def _read(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            self._fail()
        return dict(json.loads(line))

    def _fail(self) -> None:
        assert self._process.stderr is not None
        said = self._process.stderr.read().strip().splitlines()
        status = self._process.wait()
        raise ResourceError(f"the agent of {self.folder} ended with status {status}: {said[-1] if said else 'no word'}")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class AgentsPlayed:
    """What came of it: `steps` are joint steps, `payloads` those that were sent.

    `disagreements` counts actions of living agents in which agent and joint policy differ, `utility_difference` is the
    greatest absolute difference of a utility; both None where the agents played alone.
    """

    episodes: int
    steps: int
    payloads: int
    success: Estimate
    returns: Estimate
    disagreements: int | None = None
    utility_difference: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**vars(self), "success": vars(self.success), "returns": vars(self.returns)}


def play_agents(
    folder: Path, episodes: int = 100, *, seed: int = 0, run: Path | None = None, progress: Progress = silent
) -> AgentsPlayed:
    """Play greedy episodes of the export in `folder`, one at a time: those that `evaluate` plays with the same seed.

    With `run`, its joint policy sees the same episodes and is compared at every step; the agents act.
    """
    places = sorted((folder / "agents").glob("*/policy.json"), key=lambda file: int(file.parent.name))
    if not places:
        raise UsageError(f"{folder} is no export: it has no agents/0/policy.json; make one with design-protocol export")
    told = [read_json_object(file) for file in places]
    task = find_task(str(told[0]["task"]))
    if len(places) != task.schema.n_agents:
        raise UsageError(f"{folder} has {len(places)} agents, task {task.name!r} has {task.schema.n_agents}")
    joint = None if run is None else _Joint(run, str(told[0]["checkpoint"]))
    environment = task.environment(1, testing=True)
    root = stream_seed(seed, "evaluation")
    with _agents([file.parent for file in places]) as agents:
        try:
            played = [
                _episode(environment, agents, int(episode_seeds(root, number, 1)[0]), joint)
                for number in _shown(episodes, progress)
            ]
        finally:
            environment.close()
    return AgentsPlayed(
        episodes,
        sum(one.steps for one in played),
        sum(one.payloads for one in played),
        wilson(sum(one.success for one in played), episodes),
        mean_over_episodes(np.array([one.total for one in played])),
        None if joint is None else joint.disagreements,
        None if joint is None else joint.difference,
    )


@contextmanager
def _agents(folders: list[Path]) -> Iterator[list[AgentProcess]]:
    with ExitStack() as stack:
        agents = [stack.enter_context(AgentProcess(folder)) for folder in folders]
        for agent in agents:
            agent.await_ready()
        yield agents


def _shown(episodes: int, progress: Progress) -> Iterator[int]:
    for number in range(episodes):
        yield number
        progress(number + 1, episodes, "agents playing, a process each")


@dataclass
class _Played:
    success: bool = False
    total: float = 0.0
    steps: int = 0
    payloads: int = 0


def _episode(environment: VectorEnvironment, agents: list[AgentProcess], seed: int, joint: _Joint | None) -> _Played:
    environment.reset(np.ones(1, dtype=bool), np.array([seed]))
    for agent in agents:
        agent.order(reset=True)
    for agent in agents:
        agent.answer()
    if joint is not None:
        joint.begin(environment)
    found = _Played()
    while True:
        actions, utilities, sent = _step(environment, agents)
        found.payloads += sent
        if joint is not None:
            joint.compare(environment, actions, utilities)
        result = environment.step(actions)
        found.steps += 1
        found.total += float(result.rewards[0])
        found.success |= bool(result.success[0])
        if result.terminated[0] or result.truncated[0]:
            return found


def _step(environment: VectorEnvironment, agents: list[AgentProcess]) -> tuple[IntArray, Float32Array, int]:
    """Let every agent see, send, hear and choose; return actions `[1, N]`, utilities `[N, A]`, and payloads sent."""
    alive = environment.alive[0]
    for number, agent in enumerate(agents):
        agent.order(sees=environment.obs[0, number].tolist(), alive=bool(alive[number]))
    payloads: Mapping[int, list[float]] = {
        number: said
        for number, agent in enumerate(agents)
        if (said := agent.answer().get("sends")) is not None and alive[number]
    }
    for number, agent in enumerate(agents):
        heard = {str(sender): payload for sender, payload in payloads.items() if sender != number}
        available = environment.avail_actions[0, number].tolist()
        agent.order(hears=heard if alive[number] else {}, available=available)
    answers = [agent.answer() for agent in agents]
    actions = np.array([[answer["does"] for answer in answers]])
    return actions, np.array([answer["utilities"] for answer in answers], dtype=np.float32), len(payloads)


class _Joint:
    """The policy as training and `evaluate` run it: one forward of all agents, one step of the whole protocol."""

    def __init__(self, run: Path, checkpoint: str) -> None:
        _, self._actor, spoken, _ = load_actor(run, "cpu", "best" if checkpoint == "best" else "last")
        self._stepper = None if spoken is None else spoken.stepper(1)
        self.disagreements, self.difference = 0, 0.0

    def begin(self, environment: VectorEnvironment) -> None:
        schema = environment.schema
        self._extended = np.zeros((1, schema.n_agents, schema.extended_dim), dtype=np.float32)
        self._extended[..., schema.obs_dim + schema.n_actions :] = np.eye(schema.n_agents, dtype=np.float32)
        self._actor.reset(environment)
        if self._stepper is not None:
            self._stepper.reset(np.ones(1, dtype=bool))

    def compare(self, environment: VectorEnvironment, actions: IntArray, utilities: Float32Array) -> None:
        """Take in one step: what the joint policy would do and how it values it, beside what the agents did."""
        schema = environment.schema
        self._extended[..., : schema.obs_dim] = environment.obs
        messages = None if self._stepper is None else self._stepper.step(self._extended, environment.alive)
        chosen = self._actor.act(View(environment, self._extended, messages))
        self.disagreements += int((chosen != actions)[environment.alive].sum())
        assert self._actor.utilities is not None
        gap = np.abs(self._actor.utilities[0] - utilities)[environment.alive[0]]
        self.difference = max(self.difference, float(gap.max(initial=0.0)))
        last = self._extended[..., schema.obs_dim : schema.obs_dim + schema.n_actions]
        last[:] = 0
        np.put_along_axis(last, actions[..., None], 1, axis=2)
