"""The real game's tasks without the game: names, schemas, and what is said when something is missing."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from buffers.errors import MissingDependencyError, RejectedError, ResourceError, UnknownNameError, UsageError
from marl_runtime.environment import EpisodesLostError
from marl_runtime.environments.starcraft import preflight
from marl_runtime.environments.starcraft.environment import StarCraftEnvironment
from marl_runtime.environments.starcraft.maps import game_map, game_names
from marl_runtime.environments.starcraft.preflight import build_of, import_package, look, made_from
from marl_runtime.environments.starcraft.schema import game_schema
from marl_runtime.environments.starcraft.smac_game import GameDiedError, unit_names
from marl_runtime.skirmish.maps import MAPS
from marl_runtime.tasks import find_task

_OURS = [name for name in game_names() if name.removeprefix("sc2:").removesuffix("-smac_plus") in MAPS]


@pytest.mark.parametrize("name", _OURS)
def test_a_protocol_of_the_simulators_map_fits(name: str) -> None:
    real, ours = find_task(name).schema, find_task(name.removeprefix("sc2:")).schema
    assert real.layout_hash == ours.layout_hash
    assert [f.name for f in real.extended_fields] == [f.name for f in ours.extended_fields]


def test_sizes_of_other_maps_by_hand() -> None:
    """2c_vs_64zg: 4 moves + 64 · (4 + health) + 1 · (4 + health + shield) + 2 own = 332; state 2 · 5 + 64 · 3 = 202.

    2s_vs_1sc: 4 + 5 + 6 + 2 = 17; 2 · 5 + 3 = 13.
    """
    for name, sizes in (("sc2:2c_vs_64zg", (332, 202, 70, 400)), ("sc2:2s_vs_1sc", (17, 13, 7, 300))):
        schema = find_task(name).schema
        assert (schema.obs_dim, schema.state_dim, schema.n_actions, schema.episode_limit) == sizes


def test_smacv2_has_positions_and_shares_of_ones_own_sight_or_the_simulators_layout() -> None:
    own, plain = (find_task(f"sc2v2:10gen_protoss_5_vs_5{end}").schema for end in ("", "-plain"))
    assert [f.name for f in own.obs_fields if f not in plain.obs_fields][-2:] == ["own.x", "own.y"]
    assert own.obs_dim == plain.obs_dim + 2
    assert own.layout_hash != plain.layout_hash == find_task("protoss_5_vs_5").schema.layout_hash
    names = [f.name for f in own.obs_fields]
    assert names[-5:] == ["own.x", "own.y", "own.type_0", "own.type_1", "own.type_2"]


@pytest.mark.parametrize("name", ["sc2:bane_vs_hm", "sc2:8m_changing", "sc2:3m-smac_plus", "sc2v2:10gen_terran_5_vs_0"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown task"):
        find_task(name)


def test_units_are_named_by_the_games_numbers_or_their_order() -> None:
    """1971 and 1972 are the map's own copies: agents are sorted by number, so the first is the first in the list."""
    assert unit_names([1971, 1972, 1972], ["overseer", "roach", "roach"]) == {1971: "overseer", 1972: "roach"}
    assert unit_names([54, 107], ["hydralisk", "medivac"]) == {54: "medivac", 107: "hydralisk"}
    assert unit_names([1999, 54], ["hydralisk", "medivac"]) == {54: "medivac", 1999: "hydralisk"}
    with pytest.raises(RejectedError, match="another one"):
        unit_names([107, 107], ["hydralisk", "medivac"])


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing: no package, no game."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("SC2PATH", str(tmp_path / "game"))
    (tmp_path / "site").mkdir()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("smac", "smacv2", "pysc2")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def _package(machine: Path, name: str, *files: str) -> None:
    for file in ("__init__.py", *files):
        path = machine / "site" / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    preflight.importlib.invalidate_caches()


def _missing() -> tuple[str, str]:
    found = list(look("smac", game_map("sc2:bane_vs_hM")))
    assert all(one.fine for one in found[:-1])
    assert not found[-1].fine
    return found[-1].detail, found[-1].remedy


def test_one_thing_after_the_other_is_asked_for(machine: Path) -> None:
    task = find_task("sc2:bane_vs_hM")
    assert _missing()[0] == "the package smac is not installed"
    with pytest.raises(MissingDependencyError, match=r"sc2:bane_vs_hM.*not installed; pip install git\+https"):
        task.make(1)

    _package(machine, "smac", "facade.py")
    assert "is another program" in _missing()[0]
    assert _missing()[1].startswith("pip uninstall smac && pip install git+")

    _package(machine, "smac", "env/__init__.py", "env/starcraft2/__init__.py", "env/starcraft2/starcraft2.py")
    assert _missing()[0] == "the package pysc2 is not installed"
    _package(machine, "pysc2")
    assert _missing()[0] == "the package s2clientprotocol is not installed"
    assert "--force-reinstall --no-deps pys2clientprotocol" in _missing()[1]
    _package(machine, "s2clientprotocol")

    assert f"there is no StarCraft II in {machine / 'game'}" in _missing()[0]
    assert "SC2PATH" in _missing()[1]
    with pytest.raises(ResourceError, match="no StarCraft II"):
        task.make(1)
    for build in ("Base9999", "Base75689", "Base_old"):
        (machine / "game" / "Versions" / build).mkdir(parents=True)
    assert build_of(machine / "game") == "Base75689"  # as a number: 75689 is more than 9999

    program = machine / "game" / "Versions" / "Base75689" / "SC2_x64"
    assert _missing()[0] == f"{program} is missing"
    program.write_bytes(b"")
    program.chmod(0o644)
    assert _missing() == (f"{program} may not be executed", f"chmod +x {program}")
    program.chmod(0o755)

    maps = machine / "game" / "Maps" / "SMAC_Maps"
    assert _missing()[0] == f"the map's file bane_vs_hM.SC2Map is missing in {maps}"
    assert "github.com/TonghanWang/NDQ, src/smac_plus/sc2_maps/" in _missing()[1]
    maps.mkdir(parents=True)
    (maps / "bane_vs_hM.SC2Map").write_bytes(b"MPQ")
    assert all(one.fine for one in look("smac", game_map("sc2:bane_vs_hM")))
    last = list(look("smac", game_map("sc2:3m")))[-1]
    assert "github.com/oxwhirl/smac, smac/env/starcraft2/maps/SMAC_Maps/" in last.remedy


def test_what_a_run_is_made_from(machine: Path) -> None:
    game = game_map("sc2:2o_20b_vs_2r")
    assert {made_from(game)[key] for key in ("map_sha256", "package_sha256", "game_build")} == {"missing"}
    _package(machine, "smac", "env/starcraft2/starcraft2.py")
    (machine / "game" / "Versions" / "Base75689").mkdir(parents=True)
    (machine / "game" / "Maps" / "SMAC_Maps").mkdir(parents=True)
    (machine / "game" / "Maps" / "SMAC_Maps" / "2o_20b_vs_2r.SC2Map").write_bytes(b"MPQ")
    assert made_from(game) == {
        "package": "smac",
        "package_sha256": hashlib.sha256(b"").hexdigest(),
        "map_file": "2o_20b_vs_2r.SC2Map",
        "map_sha256": hashlib.sha256(b"MPQ").hexdigest(),
        "game_build": "Base75689",
    }


def test_old_bindings_are_named(machine: Path) -> None:
    _package(machine, "smac", "env/starcraft2/__init__.py")
    (machine / "site" / "smac" / "env" / "__init__.py").write_text(
        "raise TypeError('Descriptors cannot be created directly.')\n"
    )
    with pytest.raises(RejectedError, match=r"older than the protobuf.*pip install pysc2==4\.0\.0 pys2clientprotocol"):
        import_package("smac")


def test_both_packages_in_one_process_are_refused(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "smacv2.env.starcraft2.maps.smac_maps", SimpleNamespace())
    with pytest.raises(UsageError, match=r"smacv2 was imported in this process.*--workers"):
        import_package("smac")


class _Game:
    """3m in the place of the package: what it says is what a test writes down."""

    def __init__(self, obs: int = 30, said: list[Any] | None = None) -> None:
        self.obs, self.said, self.closed, self.seed = obs, said or [], 0, -1

    def get_env_info(self) -> dict[str, int]:
        return {"n_agents": 3, "n_actions": 9, "obs_shape": self.obs, "state_shape": 21, "episode_limit": 60}

    def seed_episode(self, seed: int) -> None:
        self.seed = seed

    def reset(self) -> None:
        self.steps = 0

    def step(self, actions: list[int]) -> Any:
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        self.steps += 1
        return said

    def get_obs(self) -> list[Any]:
        return [np.full(30, self.steps)] * 3

    def get_state(self) -> Any:
        return np.full(21, -self.steps)

    def get_avail_actions(self) -> list[list[int]]:
        return [[0, 1, 1, 0, 0, 0, 0, 0, 0]] * 2 + [[1] + [0] * 8]

    def get_unit_by_id(self, agent: int) -> Any:
        return SimpleNamespace(health=[45, 1, 0][agent])

    def close(self) -> None:
        self.closed += 1


_SCHEMA = game_schema(game_map("sc2:3m"))
_GO = np.array([[1, 2, 0], [1, 1, 0]])


def test_two_games_in_step() -> None:
    """The first is won in its second step, the second cut in its third; a game that ended stays as it ended."""
    won, going = (5.0, True, {"battle_won": True}), (1.0, False, {"battle_won": False})
    cut = (0.5, True, {"battle_won": False, "episode_limit": True})
    games = [_Game(said=[going, won]), _Game(said=[going, going, cut])]
    waiting = list(games)
    environment = StarCraftEnvironment(lambda: waiting.pop(0), _SCHEMA, 2)
    environment.reset(np.array([True, True]), np.array([7, 8]))
    assert [game.seed for game in games] == [7, 8]
    assert environment.alive.tolist() == [[True, True, False]] * 2
    with pytest.raises(ValueError, match="environment 0, agent 1: action 'south' is not available"):
        environment.step(np.array([[1, 3, 0], [1, 1, 0]]))
    results = [environment.step(_GO) for _ in range(3)]
    assert [r.rewards.tolist() for r in results] == [[1, 1], [5, 1], [0, 0.5]]
    assert [r.terminated.tolist() for r in results] == [[False, False], [True, False], [False, False]]
    assert [r.truncated.tolist() for r in results] == [[False, False], [False, False], [False, True]]
    assert [r.success.tolist() for r in results] == [[False, False], [True, False], [False, False]]
    assert environment.obs[:, 0, 0].tolist() == [2, 3]
    assert environment.state[:, 0].tolist() == [-2, -3]


def test_a_dead_game_is_replaced_and_after_four_in_a_row_the_run_ends() -> None:
    made: list[_Game] = []

    def new() -> _Game:
        made.append(_Game(said=[GameDiedError("closed its connection")]))
        return made[-1]

    environment = StarCraftEnvironment(new, _SCHEMA, 1)
    for _ in range(3):
        environment.reset(np.array([True]), np.array([9]))
        with pytest.raises(EpisodesLostError, match=r"environment 0, step 0 of the episode with seed 9: closed"):
            environment.step(_GO[:1])
    environment.reset(np.array([True]), np.array([9]))
    with pytest.raises(ResourceError, match="the 4th game lost in a row"):
        environment.step(_GO[:1])
    assert [game.closed for game in made] == [1, 1, 1, 1, 0]


def test_a_package_of_other_sizes_is_refused_before_anything_is_launched() -> None:
    with pytest.raises(RejectedError, match="the installed package has 33 observed numbers, the schema 30"):
        StarCraftEnvironment(lambda: _Game(obs=33), _SCHEMA, 1)
