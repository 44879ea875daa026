"""Plays episodes to be watched: the same ones that `evaluate` plays from the same seed, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from buffers.episodes import EpisodeBatch, Float32Array, IntArray
from buffers.errors import UnknownNameError, UsageError
from generated_protocols.joint import JointProtocol
from generated_protocols.manifest import joint_sources
from generated_protocols.protocol import Protocol
from marl_runtime.environment import VectorEnvironment, episode_seeds
from marl_runtime.evaluation import load_actor
from marl_runtime.rollout import Actor, Rollout, ScriptedActor, View
from marl_runtime.seeding import stream_seed
from marl_runtime.tasks import Task, find_task
from marl_runtime.watching.capture import Capture, capture_of
from marl_runtime.watching.recording import Messages, Recording, Scene, targets_of

__all__ = ["RANDOM", "Player", "play_episodes", "run_player", "scripted_player"]

RANDOM = "random"


@dataclass(frozen=True)
class Player:
    """Who plays a task: the actor and the share of its actions that are random, and the protocol.

    `acted_on` says whether the actor sees the protocol's messages, or they are computed beside it.
    """

    task: Task
    name: str
    actor: Actor
    epsilon: float = 0.0
    protocol: Protocol | JointProtocol | None = None
    acted_on: bool = False


class _FirstAction(Actor):
    """Chooses the first available action; with an exploration of 1 nothing is left of it."""

    def reset(self, environment: VectorEnvironment) -> None:
        pass

    def act(self, view: View) -> IntArray:
        return view.environment.avail_actions.argmax(axis=-1)


def scripted_player(task_name: str, policy: str, protocol: Path | None = None) -> Player:
    """Return a scripted policy of a task, or `random`, with a frozen protocol beside it where `protocol` names one.

    Unknown names raise `UnknownNameError`, a protocol of another layout `LayoutMismatchError`.
    """
    task = find_task(task_name)
    shown = None if protocol is None else _load_beside(protocol, task)
    if policy == RANDOM:
        return Player(task, "random actions", _FirstAction(), 1.0, shown)
    if policy not in task.scripted:
        raise UnknownNameError(f"policy of task {task_name!r}", policy, [*task.scripted, RANDOM])
    return Player(task, f"policy {policy}", ScriptedActor(task.scripted[policy]()), protocol=shown)


def run_player(run: Path, task_name: str = "", protocol: Path | None = None) -> Player:
    """Return the greedy policy of a run at its newest whole checkpoint, with the messages that it acts on.

    A run of another task than `task_name` raises `UsageError`, and so does a `protocol` beside one that is acted on.
    """
    config, actor, spoken, steps = load_actor(run, "cpu")
    if task_name and config.task != task_name:
        raise UsageError(f"{run} is a run of task {config.task!r}, not of {task_name!r}: leave --task out, or name it")
    task = find_task(config.task)
    if spoken is not None and not isinstance(spoken, Protocol | JointProtocol):
        raise UsageError(
            f"{run} is a run of the control {config.method!r}, whose messages are scrambled among episodes of a round: "
            "it cannot be watched one episode at a time"
        )
    name = f"{run.resolve().name} ({config.method}, {steps:,} steps)"
    if spoken is None and protocol is not None:
        return Player(task, name, actor, protocol=_load_beside(protocol, task))
    if protocol is not None:
        raise UsageError(f"{run} acts on a protocol of its own, {run / 'protocol'}: leave --protocol {protocol} out")
    return Player(task, name, actor, protocol=spoken, acted_on=spoken is not None)


def _load_beside(path: Path, task: Task) -> Protocol:
    if path.is_dir() and joint_sources(path):
        raise UsageError(
            f"{path} is an imported joint protocol: it can be watched in a run that was trained with it (--run) alone"
        )
    return Protocol.load(path, task.schema)


def play_episodes(player: Player, seed: int, count: int, first: int = 0) -> Iterator[Recording]:
    """Yield `count` episodes from number `first` on; number k is row k of `evaluate` with the same seed.

    Each is yielded as soon as it was played. A task without positions raises `UsageError`.
    """
    environment = player.task.environment(1, testing=True)
    try:
        capture = capture_of(environment)
        rollout = Rollout(environment, player.protocol if player.acted_on else None)
        watcher = _Watcher(player.actor, capture)
        root = stream_seed(seed, "evaluation")
        for episode in range(first, first + count):
            batch = rollout.play(watcher, root, episode, 1, player.epsilon).trimmed()
            watcher.looks.append(capture.look())
            number = int(episode_seeds(root, episode, 1)[0])
            yield _recording(player, watcher, batch, seed, episode, number)
    finally:
        environment.close()


class _Watcher(Actor):
    """Looks at the environment whenever the policy is asked; the last look, after the end, is the caller's."""

    def __init__(self, actor: Actor, capture: Capture) -> None:
        self._actor, self._capture = actor, capture
        self.looks: list[dict[str, Float32Array]] = []
        self.scene: Scene | None = None

    def reset(self, environment: VectorEnvironment) -> None:
        self._actor.reset(environment)
        self.looks = []
        self.scene = self._capture.scene()

    def act(self, view: View) -> IntArray:
        self.looks.append(self._capture.look())
        return self._actor.act(view)


def _recording(
    player: Player, watcher: _Watcher, batch: EpisodeBatch, root_seed: int, episode: int, seed: int
) -> Recording:
    assert watcher.scene is not None
    schema = player.task.schema
    seen = {name: np.stack([look[name] for look in watcher.looks]) for name in watcher.looks[0]}
    lives = seen["health"] > 0
    for name in ("x", "y"):
        _hold_where_dead(seen[name], lives)
    actions = batch.actions[0]
    target = targets_of(watcher.scene, schema.action_names, actions, seen.pop("target")[1:].astype(np.int64))
    return Recording(
        task=schema.name,
        player=player.name,
        root_seed=root_seed,
        episode=episode,
        seed=seed,
        scene=watcher.scene,
        action_names=schema.action_names,
        limit=schema.episode_limit,
        **seen,
        target=target,
        actions=actions,
        rewards=batch.rewards[0],
        success=bool(batch.success[0]),
        truncated=bool(batch.truncated.any()),
        messages=_messages(player, batch),
    )


def _hold_where_dead(place: Float32Array, lives: np.ndarray) -> None:
    """Leave the dead where they were last seen: a grid's state has nothing of a food that was eaten."""
    for entry in range(1, len(place)):
        place[entry] = np.where(lives[entry], place[entry], place[entry - 1])


def _messages(player: Player, batch: EpisodeBatch) -> Messages | None:
    protocol = player.protocol
    if protocol is None:
        return None
    if isinstance(protocol, JointProtocol):
        assert batch.messages is not None
        return Messages("imported joint protocol", player.acted_on, (), protocol.components, None, batch.messages[0])
    # the page may be passed on: it says which protocol, not where this machine keeps it
    name = "protocol" if protocol.path is None else "/".join(protocol.path.parts[-2:])
    extended = batch.extended_obs(protocol.schema)
    sent, kept = protocol.results(extended, batch.alive, ["full"])
    return Messages(
        name,
        player.acted_on,
        protocol.payload_components,
        protocol.components,
        sent[0],
        kept["full"][0] if batch.messages is None else batch.messages[0],
        frozenset(part.number for part in protocol.parts if not part.has_receive),
    )
