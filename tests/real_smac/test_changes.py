"""What stock smac does on these maps, and what our class does instead."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from buffers.errors import RejectedError, ResourceError
from marl_runtime.environment import EpisodesLostError
from marl_runtime.environments.starcraft.environment import StarCraftEnvironment
from marl_runtime.environments.starcraft.maps import game_map
from marl_runtime.environments.starcraft.schema import game_schema
from marl_runtime.environments.starcraft.smac_game import new_smac_game
from marl_runtime.workers import WorkerSettings, make_environment
from real_smac.fakes import place, show, unit

pytestmark = pytest.mark.smac

BANELINGS = [unit(1, 1970, 1, 15.5, 28.0, health=30, health_max=30), unit(2, 1970, 1, 16.0, 28.0, health=30,
             health_max=30), unit(3, 1970, 1, 16.5, 28.0, health=30, health_max=30)]  # fmt: skip


def _enemies(health: float = 90) -> list[Any]:
    """The Medivac first: the game promises no order."""
    return [
        unit(5, 54, 2, 16.0, 31.0, health=150, health_max=150),
        unit(4, 107, 2, 16.0, 29.0, health=health, health_max=90),
    ]


def _bane(kind: Any) -> Any:
    game = kind
    place(game)
    show(game, [*_copies(BANELINGS), *_enemies()])
    return game


def _copies(units: list[Any]) -> list[Any]:
    return [SimpleNamespace(**{**vars(one), "pos": SimpleNamespace(**vars(one.pos))}) for one in units]


def _stock() -> Any:
    from smac.env import StarCraft2Env

    new_smac_game(game_map("sc2:bane_vs_hM"))  # registers the map
    return _bane(StarCraft2Env(map_name="bane_vs_hM", obs_all_health=False))


def test_stock_smac_does_not_know_these_units() -> None:
    game = _stock()
    game.init_units()
    with pytest.raises(UnboundLocalError):
        game.get_obs()


def test_the_winning_blast_is_a_loss_in_stock_smac_and_a_win_here() -> None:
    """All Banelings and the Hydralisk are dead, the Medivac lives."""
    for game, code in ((_stock(), -1), (_bane(new_smac_game(game_map("sc2:bane_vs_hM"))), 1)):
        game.init_units()
        show(game, _enemies()[:1])
        assert game.update_units() == code


def test_observation_of_bane_vs_hm_by_hand() -> None:
    """Baneling 0 at (15.5, 28) with sight 2 and range 2; the Hydralisk at (16, 29) is enemy 0 though reported second.

    Distance: sqrt(0.25 + 1) = 1.118, over 2 is 0.559; x: 0.5 / 2, y: 1 / 2. The Medivac at (16, 31) is
    sqrt(0.25 + 9) = 3.04 away: unseen. Agents 1 and 2 are 0.5 and 1 to the east: 0.25 and 0.5. max_reward is
    10 · 2 + 200 + 90 + 150 = 460.
    """
    game = _bane(new_smac_game(game_map("sc2:bane_vs_hM")))
    game.init_units()
    expected = [1, 1, 1, 1]
    expected += [1, np.sqrt(1.25) / 2, 0.25, 0.5, 1, 0]  # Hydralisk: type bit 0
    expected += [0] * 6
    expected += [1, 0.25, 0.25, 0, 1, 0]
    expected += [1, 0.5, 0.5, 0, 1, 0]
    expected += [1, 1, 0]  # own health, type
    np.testing.assert_allclose(game.get_obs_agent(0), expected, atol=1e-6)
    assert game.max_reward == 460
    # of the state: agent 0's position from the centre, (15.5 - 16) / 32 and (28 - 16) / 32
    np.testing.assert_allclose(game.get_state()[:6], [1, 0, -0.5 / 32, 12 / 32, 1, 0], atol=1e-6)


def test_max_reward_counts_once_though_units_appear_late() -> None:
    """Stock adds up the enemies' health in every game loop that it waits; here in the first one an agent is missing."""
    for make, expected in ((_stock, 700), (lambda: _bane(new_smac_game(game_map("sc2:bane_vs_hM"))), 460)):
        game = make()
        whole = game._obs
        show(game, whole.observation.raw_data.units[1:])
        game._controller = SimpleNamespace(step=lambda count: None, observe=lambda whole=whole: whole)
        game.init_units()
        assert game.max_reward == expected


def test_hit_points_that_differ_are_said() -> None:
    """The schema has 90 for the Hydralisk; a game with Liberty's data has 80."""
    game = _bane(new_smac_game(game_map("sc2:bane_vs_hM")))
    game._obs.observation.raw_data.units[-1].health_max = 80
    with pytest.warns(RuntimeWarning, match="hydralisk has 80 hit points, the schema says 90"):
        game.init_units()


def test_another_maps_units_are_refused() -> None:
    game = _bane(new_smac_game(game_map("sc2:bane_vs_hM")))
    game._obs.observation.raw_data.units[-1].unit_type = 54
    with pytest.raises(RejectedError, match=r"'medivac': 2.*another one"):
        game.init_units()


def test_zealots_of_5z_vs_1ul_are_no_stalkers() -> None:
    """Stock takes the map_type "stalkers" at its word: shield over 80, cooldown over 35; a Zealot has 50 and 22."""
    game = new_smac_game(game_map("sc2:5z_vs_1ul"))
    place(game)
    zealots = [unit(k, 1970, 1, 10.0 + k, 16.0, health=100, health_max=100, shield=25, shield_max=50,
                    weapon_cooldown=11) for k in range(5)]  # fmt: skip
    show(game, [*zealots, unit(9, 109, 2, 13.0, 18.0, health=600, health_max=600)])
    game.init_units()
    np.testing.assert_allclose(game.get_state()[:5], [1, 0.5, -6 / 32, 0, 0.5], atol=1e-6)
    from smac.env import StarCraft2Env

    stock = StarCraft2Env(map_name="5z_vs_1ul")
    place(stock)
    show(stock, game._obs.observation.raw_data.units)
    stock.init_units()
    np.testing.assert_allclose(stock.get_state()[:5], [1, 11 / 35, -6 / 32, 0, 25 / 80], atol=1e-6)


def test_type_bits_of_2s3z_are_those_of_the_agents_for_enemies_too() -> None:
    """Stock: Zealot 0 and Stalker 1 for enemies, Stalker 0 and Zealot 1 for agents."""
    from smac.env import StarCraft2Env

    new_smac_game(game_map("sc2:2s3z"))
    enemy, ours = unit(1, 74, 2, 1, 1), new_smac_game(game_map("sc2:2s3z"))
    ours._enemy_names = {74: "stalker"}
    assert StarCraft2Env(map_name="2s3z").get_unit_type_id(enemy, False) == 1
    assert ours.get_unit_type_id(enemy, False) == 0


class Controller:
    """A game of 3m at a distance: nothing happens until `script` says so, by the number of steps."""

    def __init__(self, script: dict[int, Any]) -> None:
        self.script, self.steps = script, 0
        self.units = [unit(k, 1970, 1, 9.0, 14.0 + k) for k in range(3)]
        self.units += [unit(10 + k, 48, 2, 23.0, 14.0 + k) for k in range(3)]

    def actions(self, request: Any) -> None:
        self.steps += 1
        what = self.script.get(self.steps)
        if isinstance(what, Exception):
            raise what
        if what == "win":
            self.units = [one for one in self.units if one.owner == 1]

    def step(self, count: int) -> None: ...

    def debug(self, command: Any) -> None: ...

    def observe(self) -> Any:
        units = _copies(self.units)
        return SimpleNamespace(observation=SimpleNamespace(raw_data=SimpleNamespace(units=units)))


def _played(scripts: list[dict[int, Any]]) -> tuple[StarCraftEnvironment, list[int]]:
    """An environment of 3m whose launches take the controllers of `scripts`, and the seeds of its launches."""
    seeds: list[int] = []

    def new() -> Any:
        game = new_smac_game(game_map("sc2:3m"))

        def launch() -> None:
            seeds.append(game._seed)
            game._controller = Controller(scripts[len(seeds) - 1])
            game._sc2_proc = SimpleNamespace(close=lambda: None)
            place(game)

        game._launch = launch
        return game

    return StarCraftEnvironment(new, game_schema(game_map("sc2:3m")), 1), seeds


STOP = np.ones((1, 3), dtype=np.int64)
NOW = np.array([True])


def test_a_time_out_is_truncated_and_a_win_is_a_success() -> None:
    """Marines have 45 hit points: three killed are 135 + 30, the win 200: 365 of max_reward 365, so 20."""
    environment, seeds = _played([{63: "win"}])
    environment.reset(NOW, np.array([2**32 + 5]))
    for _ in range(59):
        result = environment.step(STOP)
        assert not result.truncated[0]
    result = environment.step(STOP)
    assert (result.truncated[0], result.terminated[0], result.success[0]) == (True, False, False)
    assert environment.step(STOP).rewards[0] == 0  # it stays as it ended
    environment.reset(NOW, np.array([6]))
    environment.step(STOP)
    environment.step(STOP)
    result = environment.step(STOP)
    assert (result.truncated[0], result.terminated[0], result.success[0]) == (False, True, True)
    assert result.rewards[0] == pytest.approx(20)
    assert seeds == [5]  # one launch, its seed in 32 bits


def test_a_game_that_is_reset_early_is_not_launched_twice() -> None:
    environment, seeds = _played([{}])
    environment.reset(NOW, np.array([1]))
    environment.step(STOP)
    environment.reset(NOW, np.array([2]))
    assert seeds == [1]


def test_a_game_that_dies_loses_the_round_and_is_launched_again() -> None:
    from pysc2.lib import protocol
    from websocket import WebSocketTimeoutException

    dead = [
        {2: protocol.ConnectionError("gone")},
        {1: WebSocketTimeoutException("late")},
        {1: protocol.ProtocolError("x")},
    ]
    environment, seeds = _played([*dead, {1: protocol.ConnectionError("gone")}])
    environment.reset(NOW, np.array([11]))
    environment.step(STOP)
    with pytest.raises(EpisodesLostError, match=r"sc2:3m.*step 1 of the episode with seed 11.*closed its connection"):
        environment.step(STOP)
    for _ in range(2):
        environment.reset(NOW, np.array([12]))
        with pytest.raises(EpisodesLostError):
            environment.step(STOP)
    environment.reset(NOW, np.array([13]))
    with pytest.raises(ResourceError, match="the 4th game lost in a row"):
        environment.step(STOP)
    assert seeds == [11, 12, 12, 13]


def test_the_package_lets_one_walk_on_at_the_west_and_the_south_rim() -> None:
    """int(0.5 - 1) is 0, not -1: at (0.5, 0.5) north, south, east and west are open; the simulator has no way south or
    west there. At (31.5, 31.5) neither lets one walk north or east.
    """
    game = new_smac_game(game_map("sc2:3m"))
    place(game)
    show(game, [unit(1, 1970, 1, 0.5, 0.5), unit(2, 1970, 1, 31.5, 31.5), unit(3, 1970, 1, 16, 16)]
         + [unit(k, 48, 2, 20, 20) for k in (4, 5, 6)])  # fmt: skip
    game.init_units()
    by_x = {one.pos.x: game.get_avail_agent_actions(k)[2:6] for k, one in game.agents.items()}
    assert by_x == {0.5: [1, 1, 1, 1], 31.5: [0, 1, 0, 1], 16: [1, 1, 1, 1]}


@pytest.fixture
def dead_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation in which all is there, and whose program ends at once."""
    program = tmp_path / "Versions" / "Base75689" / "SC2_x64"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    (tmp_path / "Maps" / "SMAC_Maps").mkdir(parents=True)
    (tmp_path / "Maps" / "SMAC_Maps" / "3m.SC2Map").write_bytes(b"MPQ")
    monkeypatch.setenv("SC2PATH", str(tmp_path))


@pytest.mark.usefixtures("dead_game")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_program_that_ends_at_once_is_launched_by_pysc2_and_lost() -> None:
    environment = make_environment("sc2:3m", 1, WorkerSettings())
    with pytest.raises(EpisodesLostError, match=r"step 0 of the episode with seed 5.*SC2 websocket"):
        environment.reset(NOW, np.array([5]))


@pytest.mark.usefixtures("dead_game")
def test_a_worker_whose_game_dies_is_replaced() -> None:
    """One replacement is allowed, so the second loss ends the run."""
    environment = make_environment("sc2:3m", 1, WorkerSettings(count=1, timeout=120, restarts=1))
    with pytest.raises(EpisodesLostError, match=r"worker 0.*SC2 websocket.*replaced"):
        environment.reset(NOW, np.array([5]))
    with pytest.raises(ResourceError, match="loss 2 in a row"):
        environment.reset(NOW, np.array([5]))
