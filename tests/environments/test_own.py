"""A user's own environment: what its task file says, what the adapter makes of it, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from typer.testing import CliRunner

from buffers.errors import RejectedError, UsageError
from cli import app
from marl_runtime.environments.own import own_task, with_schema
from marl_runtime.environments.parallel import ParallelEnvironment
from marl_runtime.environments.task_file import read_task_file
from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.tasks import find_task
from marl_runtime.training import prepare
from marl_runtime.training_config import TrainConfig

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
ONE = np.array([True])


@pytest.fixture(autouse=True)
def _examples_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


class Relay:
    """Three runners; runner k leaves after step k + 1. A mask forbids action 1 in even steps."""

    possible_agents = ("a", "b", "c")

    def __init__(self) -> None:
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        return spaces.Dict({"observation": spaces.Box(-9, 9, (2,), np.float32), "action_mask": spaces.MultiBinary(2)})

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2, start=5)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self.time, self.seen = list(self.possible_agents), 0, []
        return self._observe(self.agents), {a: {} for a in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        self.seen.append(dict(actions))
        self.time += 1
        was = list(self.agents)
        self.agents = [a for a in was if "abc".index(a) >= self.time]
        ended = {a: a not in self.agents for a in was}
        rewards = {a: float(1 + "abc".index(a)) for a in was}
        return self._observe(was), rewards, ended, dict.fromkeys(was, False), {a: {"won": self.time == 3} for a in was}

    def state(self) -> Any:
        return np.array([self.time, 7, len(self.agents)], np.float32)

    def _observe(self, agents: list[str]) -> Any:
        mask = np.array([1, self.time % 2])
        return {a: {"observation": np.array(["abc".index(a) + 1, self.time]), "action_mask": mask} for a in agents}


RELAY = """\
summary: runners
episode_limit: 9
agents: {a: runner, b: runner, c: runner}
actions: [walk, run]
observation:
  - {name: own.number, high: 3}
  - {name: own.time, high: 9}
state:
  - {name: race.time, high: 9}
  - {drop: true}
  - {name: race.runners, high: 3}
success: {info: won}
"""


def relay(tmp_path: Path, text: str = RELAY, make: Any = Relay, envs: int = 1) -> ParallelEnvironment:
    path = tmp_path / "relay.yaml"
    path.write_text(text)
    file, schema, _ = read_task_file(path, "relays:Relay")
    return ParallelEnvironment(make, file, schema, envs)


def test_agents_that_leave_stay_as_rows_of_zeros(tmp_path: Path) -> None:
    env = relay(tmp_path)
    env.reset(ONE, np.array([3]))
    assert env.obs[0].tolist() == [[1, 0], [2, 0], [3, 0]]
    assert env.state[0].tolist() == [0, 3]  # the 7 between is dropped
    assert env.avail_actions[0].tolist() == [[True, False]] * 3  # the mask of step 0
    first = env.step(np.array([[0, 0, 0]]))
    assert first.rewards.tolist() == [6]  # 1 + 2 + 3
    assert not first.terminated[0]
    assert env.alive[0].tolist() == [False, True, True]
    assert env.obs[0].tolist() == [[0, 0], [2, 1], [3, 1]]
    assert env.avail_actions[0].tolist() == [[True, False], [True, True], [True, True]]
    env.step(np.array([[0, 1, 0]]))
    last = env.step(np.array([[0, 0, 0]]))
    assert last.rewards.tolist() == [3]
    assert (bool(last.terminated[0]), bool(last.truncated[0]), bool(last.success[0])) == (True, False, True)
    # the game numbers its actions from 5, and those who left get none
    assert env._games[0].seen == [{"a": 5, "b": 5, "c": 5}, {"b": 6, "c": 5}, {"c": 5}]
    over = env.step(np.array([[0, 0, 0]]))
    assert not over.terminated[0]
    assert over.rewards[0] == 0


def test_a_masked_action_is_an_error(tmp_path: Path) -> None:
    env = relay(tmp_path)
    env.reset(ONE, np.array([3]))
    with pytest.raises(ValueError, match=r"environment 0, agent b: action 'run' is not available"):
        env.step(np.array([[0, 1, 0]]))


def test_the_teams_reward_is_the_mean_where_the_file_says_so(tmp_path: Path) -> None:
    env = relay(tmp_path, RELAY + "reward: mean\n")
    env.reset(ONE, np.array([3]))
    assert env.step(np.array([[0, 0, 0]])).rewards.tolist() == [2]  # (1 + 2 + 3) / 3


def test_the_files_limit_truncates(tmp_path: Path) -> None:
    env = relay(tmp_path, RELAY.replace("limit: 9", "limit: 2"))
    env.reset(ONE, np.array([3]))
    assert not env.step(np.array([[0, 0, 0]])).truncated[0]
    second = env.step(np.array([[0, 0, 0]]))
    assert second.truncated[0]
    assert not second.terminated[0]
    assert not second.success[0]


def test_success_is_a_return_that_is_high_enough(tmp_path: Path) -> None:
    # 6 + 5 + 3 = 14
    for least, expected in ((14, True), (14.1, False)):
        env = relay(tmp_path, RELAY.replace("{info: won}", f"{{return_at_least: {least}}}"))
        env.reset(ONE, np.array([3]))
        results = [env.step(np.array([[0, 0, 0]])) for _ in range(3)]
        assert [bool(r.success[0]) for r in results] == [False, False, expected]


class Nameless(Relay):
    def state(self) -> Any:
        return np.array([0, np.nan, 0])


class Falls(Relay):
    def step(self, actions: dict[str, int]) -> Any:
        raise KeyError("goal")


class Steers(Relay):
    def action_space(self, agent: str) -> Any:
        return spaces.Box(-1, 1, (2,))


class Turns(Relay):
    agent_iter = None


@pytest.mark.parametrize(
    ("make", "change", "message"),
    [
        (Nameless, ("", ""), r"episode with seed 3: the state is nan at index 1; every number has to be finite"),
        (
            Falls,
            ("", ""),
            r"step 0 of the episode with seed 3: step raised KeyError: 'goal' \(.*test_own.py, line \d+\)",
        ),
        (Steers, ("", ""), r"agent 'a' has Box actions; supported: Discrete.*offer a few of them"),
        (Turns, ("", ""), r"a turn-based \(AEC\) environment; give its parallel_env"),
        (Relay, ("walk, run", "walk"), r"agent 'a' has 2 actions, the task's file names 1"),
        (Relay, ("  - {name: own.time, high: 9}\n", ""), r"agent 'a' has 2 observed numbers, the task's file names 1"),
        (Relay, ("  - {drop: true}\n", ""), r"the state has 3 numbers, the task's file names 2"),
        (Relay, ("{a: runner, b", "{b"), r"the environment's agents are \['a', 'b', 'c'\], the task's file has"),
        (Relay, ("won", "lost"), r"step 3 of .*: it ended, and no agent's infos have 'lost'"),
        (object, ("", ""), r"gives a object without possible_agents, reset, step, state"),
    ],
)
def test_what_does_not_fit_is_named(make: Any, change: tuple[str, str], message: str, tmp_path: Path) -> None:
    def play() -> None:
        env = relay(tmp_path, RELAY.replace(*change), make)
        env.reset(ONE, np.array([3]))
        for _ in range(3):
            env.step(np.zeros((1, env.schema.n_agents), dtype=np.int64))

    with pytest.raises(RejectedError, match=message):
        play()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("high: 9}", "hihg: 9}"), r"unknown field `hihg`.*`\$.observation\[1\]`"),
        (("[walk, run]", "[no, run]"), r"Expected `str`, got `bool` - at `\$.actions\[0\]`; put it in quotes"),
        (("success: {info: won}", ""), r"missing required field `success`"),
        (("{info: won}", "{info: won, return_at_least: 1}"), r"give either 'return_at_least: NUMBER' or 'info: KEY'"),
        (("summary: runners", "summary: TODO say"), r"still says TODO at summary"),
        (("own.time", "own.number"), r"observation field 'own.number' stands twice"),
        (("[walk, run]", "{flyer: [walk]}"), r"'actions' lists the roles flyer, 'agents' runner"),
        (("summary: runners", "summary: [runners"), r"is not YAML in UTF-8.*line"),
        (("own.time, high: 9", "own.time, high: -1"), r"field 'own.time': low 0.0 is not below high -1"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match=message):
        relay(tmp_path, RELAY.replace(*change))


def test_roles_share_columns_of_one_name(tmp_path: Path) -> None:
    task = find_task("lamps:Lamps")
    assert [f.name for f in task.schema.obs_fields] == [*(f"lamp_{k}.lit" for k in range(4)), "own.place"]
    assert task.schema.action_names == ("stay", "left", "right")
    env = task.make(2)
    # numpy's default_rng(1): 1, 2 (drawn beforehand); lamp 1 is lit, the walker stands at 2
    draws = np.random.default_rng(1).integers(4, size=2)
    env.reset(np.array([False, True]), np.array([0, 1]))
    lit, place = int(draws[0]), int(draws[1])
    assert env.obs[1, 0, :4].tolist() == [float(k == lit) for k in range(4)]
    assert env.obs[1, 0, 4] == 0
    assert env.obs[1, 1].tolist() == pytest.approx([0, 0, 0, 0, place / 3])
    assert env.state[1].tolist() == pytest.approx([lit / 3, place / 3])
    assert env.avail_actions[1].tolist() == [[True, False, False], [True, True, True]]


def test_the_task_file_is_found_beside_the_module_or_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lanterns.py").write_text("from lamps import Lamps\n\nOTHER = 3\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "lanterns", raising=False)
    with pytest.raises(
        UsageError, match=r"neither .*Lamps.yaml nor lanterns.yaml beside it exists.*new-task lanterns:La"
    ):
        find_task("lanterns:Lamps")
    (tmp_path / "other.yaml").write_text((EXAMPLES / "lamps.yaml").read_text().replace("limit: 8", "limit: 5"))
    full = with_schema("lanterns:Lamps", Path("other.yaml"))
    task = find_task(full)
    assert (task.name, task.full_name, task.schema.episode_limit) == ("lanterns:Lamps", full, 5)
    with pytest.raises(UsageError, match=r"lanterns has no 'Lamp' to call; it has: Lamps"):
        find_task("lanterns:Lamp")
    with pytest.raises(UsageError, match=r"lanterns has no 'OTHER' to call"):
        find_task("lanterns:OTHER")
    with pytest.raises(UsageError, match=r"there is no module 'lantern' in "):
        find_task("lantern:Lamps")
    with pytest.raises(UsageError, match=r"goes with a --task of the form module:factory, not with 'bane_vs_hM'"):
        with_schema("bane_vs_hM", Path("other.yaml"))
    (tmp_path / "broken.py").write_text("x = 1\ny = x / 0\n")
    with pytest.raises(RejectedError, match=r"importing broken raised ZeroDivisionError: .*broken.py, line 2\)"):
        find_task("broken:make")


def test_manifests_say_what_the_task_was_made_from_and_a_changed_file_is_gathered_anew(tmp_path: Path) -> None:
    schema = tmp_path / "mine.yaml"
    schema.write_text((EXAMPLES / "lamps.yaml").read_text())
    full = f"lamps:Lamps@{schema}"
    config = GatherConfig(episodes=20, envs=10, replay_episodes=40)
    first = gather(full, config, tmp_path / "data")
    origin = own_task(full).origin
    assert origin["factory"] == "lamps:Lamps"
    assert len(origin["schema_sha256"]) == 64
    assert first.manifest["gathering"]["origin"] == origin
    schema.write_text("# a comment is no change\n" + schema.read_text())
    assert gather(full, config, tmp_path / "data").path == first.path
    schema.write_text(schema.read_text().replace("return_at_least: 0.6", "return_at_least: 0.7"))
    assert gather(full, config, tmp_path / "data").path != first.path
    run = prepare(TrainConfig(task=full, steps=100, replay_episodes=40), tmp_path / "runs")
    assert run.name.endswith("-lamps:Lamps-qmix-s0")
    assert json.loads((run / "environment.json").read_text())["origin"] == own_task(full).origin
    assert json.loads((run / "config.json").read_text())["task"] == full


def test_commands_take_the_task_and_its_file(tmp_path: Path) -> None:
    schema, folder = tmp_path / "mine.yaml", tmp_path / "protocol"
    schema.write_text((EXAMPLES / "lamps.yaml").read_text().replace("lamp_0.lit", "left.lit"))
    folder.mkdir()
    source = 'def send(own):\n    return {"left": own["NAME"]}\n'
    for name, expected in (("left.lit", 0), ("lamp_0.lit", 3)):
        (folder / "part0.py").write_text(source.replace("NAME", name))
        given = ["check", str(folder), "--task", "lamps:Lamps", "--schema", str(schema)]
        try:
            CliRunner().invoke(app, given, catch_exceptions=False)
            code = 0
        except RejectedError as error:  # what the command line turns into its exit status
            code = error.exit_code
        assert code == expected, name
