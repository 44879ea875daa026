"""What is recorded is what was played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from buffers.errors import LayoutMismatchError, UnknownNameError, UsageError
from buffers.schema import Field, TaskSchema
from generated_protocols.joint import JointPart, JointProtocol
from generated_protocols.protocol import Protocol
from marl_runtime.environment import StepResult, VectorEnvironment
from marl_runtime.evaluation import EvalConfig, evaluate_scripted
from marl_runtime.rollout import Rollout, ScriptedActor
from marl_runtime.seeding import stream_seed
from marl_runtime.tasks import find_task
from marl_runtime.watching.capture import capture_of, unit_kinds
from marl_runtime.watching.page import page_data
from marl_runtime.watching.playing import Player, play_episodes, scripted_player
from marl_runtime.watching.recording import Recording, Scene, UnitCard, targets_of

SHIPPED = Path(__file__).parents[2] / "generated_protocols"
MAP, FORAGING = "1o_2r_vs_4r", "Foraging-1s-8x8-2p-2f-coop"


def test_episode_k_is_row_k_of_evaluate(battles: list[Recording]) -> None:
    rows = evaluate_scripted(MAP, "shared", EvalConfig(episodes=2, seed=0)).rows
    for recording, row in zip(battles, rows.to_dict(orient="records"), strict=True):
        assert (recording.episode, recording.seed) == (row["episode"], row["seed"])
        assert (recording.steps, recording.success, recording.truncated) == (
            row["length"], row["success"], row["truncated"],
        )  # fmt: skip
        assert recording.total == pytest.approx(row["return"], abs=1e-4)


def test_positions_are_those_of_the_state(battles: list[Recording]) -> None:
    """The state holds (x - 16) / 32 and (y - 16) / 32 of every living unit of the 32 x 32 map."""
    task = find_task(MAP)
    environment = task.make(1)
    batch = Rollout(environment).play(ScriptedActor(task.scripted["shared"]()), stream_seed(0, "evaluation"), 0, 1)
    recording = battles[0]
    for slot, who in enumerate([*(f"agent_{i}" for i in range(3)), *(f"enemy_{j}" for j in range(4))]):
        lives = recording.health[:, slot] > 0
        for axis, place in (("x", recording.x), ("y", recording.y)):
            name = f"{who}.{axis}"
            stored = batch.state[0, : recording.steps + 1, task.schema.state_index(name)]
            np.testing.assert_allclose(place[lives, slot], stored[lives] * 32 + 16, atol=1e-4)
    assert (recording.actions == batch.actions[0, : recording.steps]).all()


def test_messages_are_those_of_the_protocol(battles: list[Recording]) -> None:
    task = find_task(MAP)
    protocol = Protocol.load(SHIPPED / MAP / "llm-a", task.schema)
    rollout = Rollout(task.make(1), protocol)
    batch = rollout.play(ScriptedActor(task.scripted["shared"]()), stream_seed(0, "evaluation"), 0, 1)
    said, end = battles[0].messages, battles[0].steps + 1
    assert said is not None
    assert said.sent is not None
    assert batch.messages is not None
    assert (said.name, said.acted_on) == ("1o_2r_vs_4r/llm-a", False)
    np.testing.assert_allclose(said.kept, batch.messages[0, :end], atol=1e-5)
    np.testing.assert_array_equal(said.sent, protocol.payloads(batch.extended_obs(task.schema), batch.alive)[0, :end])
    assert said.sent.any()


def test_of_a_joint_protocol_what_receivers_get_is_all_there_is() -> None:
    """The module sends every receiver a 7; the dead get nothing."""
    task = find_task("bane_vs_hM")
    source = "import torch\ndef communication(o):\n    return torch.cat([o, torch.full((*o.shape[:2], 1), 7.0)], -1)\n"
    manifest: Any = SimpleNamespace(message=[{"part": 0, "name": "seven", "width": 1}])
    joint = JointProtocol([(JointPart(source, 0), 0)], manifest, task.schema)
    actor = ScriptedActor(task.scripted["rush"]())
    recording = next(play_episodes(Player(task, "a run", actor, protocol=joint, acted_on=True), 0, 1))
    said = recording.messages
    assert said is not None
    assert said.sent is None
    assert (said.kept[..., 0] == 7 * (recording.health[:, :3] > 0)).all()
    data = page_data([recording], 4)["episodes"][0]["messages"]
    assert (data["sent"], data["kept"][0]["name"], data["acted_on"]) == (None, "seven", True)


def test_a_grid_is_seen_from_the_south_west_corner() -> None:
    """Row 0 is the northern one of 8: a forager in row 1, column 3 stands at x = 3.5, y = 6.5."""
    recording = next(play_episodes(scripted_player(FORAGING, "oracle"), 0, 1))
    schema = find_task(FORAGING).schema
    environment = find_task(FORAGING).make(1)
    environment.reset(np.array([True]), np.array([recording.seed]))
    for slot, name in enumerate(("agent_0", "agent_1", "food_0", "food_1")):
        row, column = (environment.state[0, schema.state_index(f"{name}.{q}")] * 7 for q in ("row", "column"))
        assert recording.x[0, slot] == pytest.approx(column + 0.5, abs=1e-5)
        assert recording.y[0, slot] == pytest.approx(7.5 - row, abs=1e-5)
    assert recording.outcome == "won"
    # what was eaten stays where it was, instead of in the corner
    assert (recording.health[-1, 2:] == 0).all()
    np.testing.assert_allclose(recording.x[-1, 2:], recording.x[0, 2:])


def test_random_actions_are_the_seeds() -> None:
    first, again = (next(play_episodes(scripted_player("bane_vs_hM", "random"), 3, 1)) for _ in range(2))
    later = next(play_episodes(scripted_player("bane_vs_hM", "random"), 3, 1, first=1))
    np.testing.assert_array_equal(first.actions, again.actions)
    assert first.seed != later.seed
    assert len(np.unique(first.actions)) > 3


def test_names_that_do_not_exist() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'bane_vs_hM'"):
        scripted_player("bane_vs_hm", "rush")
    with pytest.raises(UnknownNameError, match="did you mean 'clock'"):
        scripted_player("bane_vs_hM", "clok")
    with pytest.raises(UnknownNameError, match="valid: clock, oracle, random, rush, share"):
        scripted_player("bane_vs_hM", "zzz")
    with pytest.raises(LayoutMismatchError, match="1o_2r_vs_4r"):
        scripted_player("bane_vs_hM", "rush", SHIPPED / MAP / "llm-a")


def test_an_attack_order_goes_before_the_target_on_record() -> None:
    """The marine orders enemy 1 (slot 3), which it killed: no target is on record any more. The medivac's
    `attack_enemy_0` is ally 0; its `attack_enemy_1` would be itself. Enemies keep what is on record.
    """
    cards = (
        UnitCard("marine", 45, 0.4),
        UnitCard("medivac", 150, 0.75, heals=True),
        *[UnitCard("marine", 45, 0.4)] * 2,
    )
    scene = Scene(np.ones((4, 4), dtype=bool), cards, 2)
    names = ("no-op", "north", "attack_enemy_0", "attack_enemy_1")
    actions = np.array([[3, 2], [1, 1]])
    record = np.array([[-1, -1, 0, -1], [-1, -1, 0, 1]])
    assert targets_of(scene, names, actions, record).tolist() == [[3, 0, 0, -1], [-1, -1, 0, 1]]


def test_names_and_signs(duel: Recording) -> None:
    assert [duel.action(0, agent) for agent in range(2)] == ["attack_enemy_0", "heal_ally_0"]
    assert duel.action(1, 1) == "north"
    assert duel.outcome == "lost"
    assert replace(duel, truncated=True).outcome == "time-out"
    assert duel.total == 0.75
    many = Scene(duel.scene.terrain, duel.scene.units[:1] * 60, 5)
    assert [many.mark(slot) for slot in (4, 5, 30, 31, 57)] == ["4", "A", "Z", "AA", "BA"]
    # the open ground is 0 to 6 and 0 to 4, and that is the whole map
    assert duel.bounds == (0, 6, 0, 4)
    with pytest.raises(ValueError, match=r"rewards has shape|x has shape"):
        replace(duel, rewards=duel.rewards[:1])


def test_kinds_are_by_slot_or_by_the_number_on_record() -> None:
    """A drawn team has kind 1, 0 and 1 in its three slots."""
    drawn = np.zeros(3, dtype=[("x", np.float64), ("kind", np.int64)])
    drawn["kind"] = [1, 0, 1]
    assert unit_kinds(("stalker", "zealot"), drawn) == ["zealot", "stalker", "zealot"]
    assert unit_kinds(("a", "b", "c"), drawn[["x"]]) == ["a", "b", "c"]


class Nowhere(VectorEnvironment):
    """A task whose state has no positions."""

    def __init__(self) -> None:
        self.schema = TaskSchema("nowhere", "", ("a",), (Field("o.x", ""),), (Field("clock.now", ""),), ("wait",), 3)

    def reset(self, mask: np.ndarray, seeds: np.ndarray) -> None:
        raise NotImplementedError

    def step(self, actions: np.ndarray) -> StepResult:
        raise NotImplementedError


def test_a_task_without_positions_is_one_clear_error() -> None:
    with pytest.raises(UsageError, match="'nowhere' cannot be watched: its state has no positions"):
        capture_of(Nowhere())
