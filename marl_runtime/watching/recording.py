"""What was seen of one episode, as data: the terminal and the page draw it, and neither plays anything.

Axes: T steps (T + 1 entries, the last after the end), U units (agents first), N agents, P payload, M message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from buffers.episodes import BoolArray, Float32Array, IntArray
from generated_protocols.bandwidth import Component

__all__ = ["Messages", "Recording", "Scene", "UnitCard", "targets_of"]

_ATTACK = re.compile(r"attack_enemy_(\d+)")


@dataclass(frozen=True)
class UnitCard:
    """What does not change of a unit: lengths in map units, `period` in game loops, 0 where it has no such thing."""

    name: str
    health: float
    radius: float
    shield: float = 0.0
    period: float = 0.0
    range: float = 0.0
    heals: bool = False


@dataclass(frozen=True)
class Scene:
    """Where an episode is played, by whom. `terrain` `[x, y]` is true where the ground is open; y goes north.

    `sight` and `shoot` are radii in map units, centre to centre; 0 where the task has none. `fight` is False where
    units have no hit points, as on a grid: a health above 0 then says that they are there.
    """

    terrain: BoolArray
    units: tuple[UnitCard, ...]
    n_agents: int
    sight: float = 0.0
    shoot: float = 0.0
    fight: bool = True

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in map units."""
        width, height = self.terrain.shape
        return width, height

    @property
    def gone(self) -> str:
        """What a unit without health is."""
        return "dead" if self.fight else "eaten"

    def mark(self, slot: int) -> str:
        """Return the sign of a unit: an agent's number, an enemy's letters (A to Z, then AA)."""
        if slot < self.n_agents:
            return str(slot)
        first, last = divmod(slot - self.n_agents, 26)
        return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + last)

    def title(self, slot: int) -> str:
        """Return what a unit is called: `agent 0 overseer`, `enemy 2 reaper`."""
        side, number = ("agent", slot) if slot < self.n_agents else ("enemy", slot - self.n_agents)
        return f"{side} {number} {self.units[slot].name}"


@dataclass(frozen=True)
class Messages:
    """What the agents said, entry by entry, zeros for the dead.

    `sent` `[T+1, N, P]` is None for an imported joint protocol, whose senders have no payload of their own. `kept`
    `[T+1, N, M]`. `keeps_all` are the numbers of the parts without a `receive`: what they keep is what was sent.
    `acted_on` is False where the policy never saw them.
    """

    name: str
    acted_on: bool
    sent_components: tuple[Component, ...]
    kept_components: tuple[Component, ...]
    sent: Float32Array | None
    kept: Float32Array
    keeps_all: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Recording:
    """One episode. `target` is the slot that a unit attacked (or healed) in the step that begins, -1 for none.

    `actions` and `rewards` have one entry per step, all others one more. `health` is 0 for the dead. `player` says who
    played: `policy oracle`, or a run's name.
    """

    task: str
    player: str
    root_seed: int
    episode: int
    seed: int
    scene: Scene
    action_names: tuple[str, ...]
    limit: int
    x: Float32Array  # [T+1, U]
    y: Float32Array  # [T+1, U]
    health: Float32Array  # [T+1, U]
    shield: Float32Array  # [T+1, U]
    cooldown: Float32Array  # [T+1, U], game loops
    target: IntArray  # [T, U]
    actions: IntArray  # [T, N]
    rewards: Float32Array  # [T]
    success: bool
    truncated: bool
    messages: Messages | None = None

    def __post_init__(self) -> None:
        t, u = len(self.rewards), len(self.scene.units)
        shapes: dict[str, tuple[int, ...]] = {name: (t + 1, u) for name in ("x", "y", "health", "shield", "cooldown")}
        shapes |= {"target": (t, u), "actions": (t, self.scene.n_agents), "rewards": (t,)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, expected {shape}")

    @property
    def steps(self) -> int:
        """T, the steps played."""
        return len(self.rewards)

    @property
    def total(self) -> float:
        """The undiscounted return."""
        return float(self.rewards.sum(dtype=np.float64))

    @property
    def outcome(self) -> str:
        """`won`, `time-out` or `lost`."""
        return "won" if self.success else "time-out" if self.truncated else "lost"

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """x0, x1, y0, y1 of what there is to see: the open ground, all that went elsewhere, and the walls around."""
        open_x, open_y = np.nonzero(self.scene.terrain)
        box: list[int] = []
        for ground, place, side in zip((open_x, open_y), (self.x, self.y), self.scene.size, strict=True):
            low = min(int(ground.min(initial=side)), int(np.floor(place.min())))
            high = max(int(ground.max(initial=0)) + 1, int(np.ceil(place.max())))
            box += [max(low - 1, min(low, 0)), min(high + 1, max(high, side))]
        return box[0], box[1], box[2], box[3]

    def action(self, entry: int, agent: int) -> str:
        """Return the name of what `agent` chose at `entry`; a healer's `attack_enemy_2` is `heal_ally_2`."""
        name = self.action_names[self.actions[entry, agent]]
        found = _ATTACK.fullmatch(name)
        return f"heal_ally_{found[1]}" if found and self.scene.units[agent].heals else name


def targets_of(scene: Scene, action_names: tuple[str, ...], actions: IntArray, before: IntArray) -> IntArray:
    """Return whom each unit attacks in every step, `[T, U]`.

    `before` `[T, U]` is the target on record after the step. A unit that was killed is nobody's target any more, so
    an agent's own attack order, out of `actions` `[T, N]`, goes first.
    """
    target = before.copy()
    for index, name in enumerate(action_names):
        found = _ATTACK.fullmatch(name)
        for agent in range(scene.n_agents) if found else ():
            slot = int(found[1]) if found else 0
            slot += 0 if scene.units[agent].heals else scene.n_agents
            if slot < len(scene.units):
                target[actions[:, agent] == index, agent] = slot
    return target
