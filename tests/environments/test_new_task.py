"""`design-protocol new-task`: what the draft says of an environment, and that it is a task file once filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from gymnasium import spaces
from typer.testing import CliRunner

from buffers.errors import RejectedError, UsageError
from cli import app
from marl_runtime.environments.drafting import draft
from marl_runtime.environments.exploring import explore
from marl_runtime.environments.task_file import read_task_file
from marl_runtime.tasks import find_task

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


class Mill:
    """Two workers at a mill: a constant, a one-hot of three, a count up to 600, the time; b leaves after step 2."""

    possible_agents = ("hand_0", "hand_1", "boss")

    def observation_space(self, agent: str) -> Any:
        return spaces.Box(-1000, 1000, (6,), np.float32)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(3)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.rng = np.random.default_rng(seed)
        self.agents, self.time, self.wind = list(self.possible_agents), 0, int(self.rng.integers(3))
        return self._observe(), {a: {"action_mask": np.array([1, 0, 1])} for a in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        assert 1 not in actions.values()  # the mask is kept to
        self.time += 1
        self.wind = int(self.rng.integers(3))
        was = list(self.agents)
        gone = {a: a == "boss" and self.time == 2 for a in was}
        over = {a: self.time == 4 for a in was}
        seen = self._observe()
        self.agents = [a for a in was if not gone[a] and not over[a]]
        infos = {a: {"action_mask": np.array([1, 0, 1]), "full": self.time == 4, "grain": 3} for a in was}
        return seen, dict.fromkeys(was, 1.5), gone, over, infos

    def state(self) -> Any:
        return np.array([self.time / 4, self.wind == 1, self.time / 4, 5], np.float32)

    def _observe(self) -> Any:
        row = np.array([7, *(self.wind == k for k in range(3)), self.time * 150, self.time / 4], np.float32)
        return {a: row for a in self.agents}


def fields(value: Any) -> list[str]:
    return ["drop" if "drop" in entry else entry["name"] for entry in value]


def test_the_draft_says_what_random_play_showed() -> None:
    text = draft("mills:Mill", explore("mills:Mill", Mill, 20, seed=0))
    value = yaml.safe_load(text)
    assert value["episode_limit"] == 4
    assert value["agents"] == {"hand_0": "hand", "hand_1": "hand", "boss": "boss"}
    assert value["actions"] == {role: ["action_0", "action_1", "action_2"] for role in ("hand", "boss")}
    assert value["reward"] == "mean"  # all were always paid the same
    hand = value["observation"]["hand"]
    wind = [f"hand.choice_0_is_{k}" for k in range(3)]
    assert fields(hand) == ["drop", *wind, "hand.obs_4", "hand.obs_5"]
    assert (hand[4]["low"], hand[4]["high"], hand[4]["kind"]) == (0, 600, "count")
    assert (hand[5]["low"], hand[5]["high"], hand[5]["kind"]) == (0, 1, "continuous")
    # the boss saw the times 0 and 1 of 4, and left with step 2
    assert value["observation"]["boss"][5]["high"] == 0.25
    # columns 0 and 2 are the time, column 1 the second of the one-hot, column 3 never varies
    assert fields(value["state"]) == ["hand_0.obs_5", "hand_0.choice_0_is_1", "hand_0.obs_5_again_1", "drop"]
    for comment in (
        "# always what hand_0 observes as hand.choice_0_is_1",
        "# always the same as state column 0: drop one",
        "up to 600: networks learn better from numbers around 1",
        "# hand.obs_0: always 7",
        "# Or by an entry of infos; true or false at the end were: full",
        "# In 20 episodes agents left before the others: they stay as rows of zeros.",
        "# Action masks are given, and kept to.",
        "Random play returned 6 in the middle",  # 1.5 in each of 4 steps
    ):
        assert comment in text


def test_a_draft_is_refused_until_it_is_filled_in(tmp_path: Path) -> None:
    path = tmp_path / "mill.yaml"
    text = draft("mills:Mill", explore("mills:Mill", Mill, 5, seed=0))
    path.write_text(text)
    with pytest.raises(
        RejectedError, match=r"still says TODO at summary, success.return_at_least, observation.hand\[1\]"
    ):
        read_task_file(path, "mills:Mill")
    path.write_text(text.replace("return_at_least: TODO", "return_at_least: 3").replace("TODO", "wind or grain"))
    _, schema, _ = read_task_file(path, "mills:Mill")
    assert (schema.n_agents, schema.obs_dim, schema.state_dim) == (3, 2 * 5, 3)


def test_the_command_writes_it_beside_the_module_and_says_what_is_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lanterns2.py").write_text((EXAMPLES / "lamps.py").read_text())
    result = CliRunner().invoke(app, ["new-task", "lanterns2:Lamps", "--episodes", "30"], catch_exceptions=False)
    assert result.exit_code == 0
    # summary, success, 4 lamps, a place, and 2 numbers of the state
    assert "Lamps.yaml: 9 places say TODO" in result.stdout
    assert result.stdout.endswith("design-protocol --task lanterns2:Lamps\n")
    path = tmp_path / "Lamps.yaml"
    path.write_text(path.read_text().replace("return_at_least: TODO", "return_at_least: 0.6").replace("TODO", "a lamp"))
    assert find_task("lanterns2:Lamps").schema.obs_dim == 5
    with pytest.raises(UsageError, match=r"Lamps.yaml is there already"):
        CliRunner().invoke(app, ["new-task", "lanterns2:Lamps"], catch_exceptions=False)


class Steered(Mill):
    def action_space(self, agent: str) -> Any:
        return spaces.Box(-1, 1, (2,))


class Wordy(Mill):
    def observation_space(self, agent: str) -> Any:
        return spaces.Text(9)


class Stateless(Mill):
    def state(self) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Steered, r"agent 'hand_0' has Box actions; supported: Discrete.*Remedy: continuous actions cannot"),
        (Wordy, r"agent 'hand_0' observes a Text; supported: Box, MultiBinary and Discrete"),
        (Stateless, r"state\(\) raised NotImplementedError .*A task needs a state\(\)"),
    ],
)
def test_what_cannot_be_a_task_is_refused(make: Any, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        explore("mills:Mill", make, 1, seed=0)
