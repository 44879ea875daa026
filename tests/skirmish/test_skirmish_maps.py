from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buffers.errors import RejectedError, UnknownNameError, UsageError
from marl_runtime.skirmish.maps import FOLDER, MAPS, BattleMap, Spawn, map_file, read_map
from marl_runtime.tasks import find_task, task_names

DUEL = """
summary = "One Roach against another."
source = "none"
allies = ["roach"]
enemies = ["roach"]
episode_limit = 20

[[spawns]]
units = "allies"
regions = [[4, 4]]

[[spawns]]
units = "enemies"
regions = [[4, 4, 8, 8]]
"""


def written(folder: Path, text: str, name: str = "duel") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_first_two_maps_are_what_they_were_as_python() -> None:
    """Recorded protocols and results depend on them, and on the summaries, which are part of prompts."""
    assert replace(MAPS["bane_vs_hM"], source="") == BattleMap(
        name="bane_vs_hM",
        summary=(
            "Three Banelings start on the three arms of a T-shaped corridor: one in the west arm, one in the south "
            "stem, one in the east arm. A Hydralisk and a Medivac that heals it stand still at the junction, at the "
            "north wall. A Baneling is killed by one shot of the Hydralisk and explodes when it attacks or dies; it "
            "takes three blasts close in time to kill the Hydralisk, because the Medivac heals it in between. Agents "
            "see 2 map units far, so that they see neither each other nor the enemy before they are at the junction, "
            "and know no positions; only their own health is visible. The battle is won when only the Medivac is left."
        ),
        source="",
        allies=("baneling", "baneling", "baneling"),
        enemies=("hydralisk", "medivac"),
        episode_limit=30,
        open_rects=((0, 29, 32, 32), (15, 0, 17, 29), (12, 28, 20, 29), (13, 27, 19, 28), (14, 26, 18, 27)),
        spawns=(
            Spawn((0,), ((0, 30, 14, 32),)),
            Spawn((1,), ((15, 0.5, 17, 30.5),)),
            Spawn((2,), ((18, 30, 32, 32),)),
            Spawn((3, 4), ((16, 31, 16, 31),)),
        ),
        type_bits={"baneling": 0, "hydralisk": 0, "medivac": 1},
        sight=2.0,
        shoot=2.0,
        others_health=False,
        only_medivac_left_wins=True,
        overrides={
            "hydralisk": {"health": 90, "range": 2, "damage": 30, "scan": 2},
            "medivac": {"heal": 7, "damage_point": 0.25},
        },
    )
    assert replace(MAPS["1o_2r_vs_4r"], source="") == BattleMap(
        name="1o_2r_vs_4r",
        summary=(
            "A square ring of open ground around a pit. An Overseer, which flies slowly and has no weapon, starts "
            "over four Reapers in one of the four corners. Two Roaches start together at a random place of the ring, "
            "usually too far away to see them, and have to find and kill the Reapers together; one Roach alone loses. "
            "Agents see 9 map units far and know no positions: where they are shows only in which directions they can "
            "move. In its corner the Overseer has the closed rim of the map beside it on the west or east side, and "
            "in the southern corners on the south side too. Time is short: a search of the whole ring takes longer "
            "than the episode."
        ),
        source="",
        allies=("overseer", "roach", "roach"),
        enemies=("reaper", "reaper", "reaper", "reaper"),
        episode_limit=50,
        open_rects=((3, 2, 29, 6), (3, 26, 29, 30), (3, 2, 7, 30), (25, 2, 29, 30)),
        spawns=(
            Spawn(
                (0, 3, 4, 5, 6),
                ((3.5, 2, 3.5, 2), (3.5, 28.86, 3.5, 28.86), (28.5, 28, 28.5, 28), (28.5, 2, 28.5, 2)),
                ((0, 0), (-0.4, 0), (0.4, 0), (-0.4, 0.8), (0.4, 0.8)),
            ),
            Spawn(
                (1, 2),
                ((0, 0, 32, 5), (1, 6, 6, 26), (26, 6, 31, 26), (0, 27, 32, 32)),
                ((-0.5, 0), (0.5, 0)),
            ),
        ),
        type_bits={"roach": 0, "overseer": 1, "reaper": 0},
        enemy_leash=6.0,
        enemy_help=4.0,
        overrides={"roach": {"period": 1.0, "scan": 3}, "reaper": {"range": 3, "scan": 3}},
    )


def test_shorthand_teams_ranges_blocks_and_walls(tmp_path: Path) -> None:
    """Five units 2 apart stand in rows of 3: x -1 and +1, y -2, 0, 2; the second column holds two."""
    text = """
    summary = "a"
    source = "b"
    allies = ["5 roach", "overseer"]
    enemies = ["2 reaper"]
    episode_limit = 9
    size = 20
    open_rects = [[0, 0, 20, 20]]
    closed_rects = [[5, 0, 6, 19]]
    spawns = [
        { units = "0-4", regions = [[10, 10]], spacing = 2 },
        { units = [5], regions = [[1, 2, 3, 4]] },
        { units = "enemies", regions = [[7, 7], [8, 8]], separately = true },
    ]
    """
    battle_map = read_map(written(tmp_path, text, "little")).battle_map
    assert battle_map.name == "little"
    assert battle_map.allies == ("roach",) * 5 + ("overseer",)
    assert battle_map.spawns == (
        Spawn((0, 1, 2, 3, 4), ((10, 10, 10, 10),), ((-1, -2), (-1, 0), (-1, 2), (1, -2), (1, 0))),
        Spawn((5,), ((1, 2, 3, 4),)),
        Spawn((6,), ((7, 7, 7, 7), (8, 8, 8, 8))),
        Spawn((7,), ((7, 7, 7, 7), (8, 8, 8, 8))),
    )
    # three kinds of unit, in the order in which the file names them
    assert battle_map.type_bits == {"roach": 0, "overseer": 1, "reaper": 2}
    assert battle_map.n_type_bits == 3
    terrain = battle_map.terrain()
    assert terrain.sum() == 20 * 20 - 19
    assert not terrain[5, 0]
    assert terrain[5, 19]


def test_one_kind_on_each_side_has_no_type_bits_as_in_smac(tmp_path: Path) -> None:
    assert read_map(written(tmp_path, DUEL)).battle_map.n_type_bits == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("episode_limit = 20", "episode_limt = 20", r"unknown key 'episode_limt'; did you mean 'episode_limit'\?"),
        ("episode_limit = 20", "", r"the key 'episode_limit' is missing; docs/maps.md lists all keys"),
        ("episode_limit = 20", "episode_limit = 0", r"episode_limit: 0 is not between 1 and 10000"),
        ("episode_limit = 20", "episode_limit = '20'", r"episode_limit: '20' is not a whole number"),
        ("episode_limit = 20", "episode_limit = true", r"episode_limit: True is not a whole number"),
        ("episode_limit = 20", "episode_limit = 20\nsight = nan", r"sight: nan is not a number"),
        ('allies = ["roach"]', 'allies = ["roch"]', r"allies\[0\]: unknown unit 'roch'; did you mean 'roach'"),
        ('allies = ["roach"]', 'allies = ["0 roach"]', r"allies\[0\]: '0 roach' does not begin with a number of units"),
        ('allies = ["roach"]', 'allies = "roach"', r"allies: 'roach' is not a list with at least one entry"),
        ('allies = ["roach"]', "allies = []", r"allies: \[\] is not a list with at least one entry"),
        ('allies = ["roach"]', "allies = [1]", r"allies\[0\]: 1 is not a unit"),
        ("[[4, 4, 8, 8]]", "[[4, 4, 8, 33]]", r"spawns\[1\].regions\[0\]: \[4, 4, 8, 33\] is not on the map, .* 32"),
        ("[[4, 4, 8, 8]]", "[[8, 4, 4, 8]]", r"spawns\[1\].regions\[0\]: \[8, 4, 4, 8\] is not on the map"),
        ("[[4, 4, 8, 8]]", "[[4, 4, 8]]", r"spawns\[1\].regions\[0\]: \[4, 4, 8\] is not a point x, y or a rectangle"),
        ('"enemies"\n', "[0]\n", r"the unit in slot 0 is placed by 2 spawns; each is placed once"),
        ('"enemies"\n', "[2]\n", r"spawns\[1\].units: 2 is not between 0 and 1"),
        ('"enemies"\n', '"enemy"\n', r"spawns\[1\].units: 'enemy' is not \"allies\", \"enemies\", a range"),
        ("[[4, 4]]", "[[4, 4]]\nspacing = 1\nseparately = true", r"leave 'offsets' and 'spacing' out"),
        ("[[4, 4]]", "[[4, 4]]\noffsets = [[0, 0], [1, 1]]", r"spawns\[0\].offsets: 2 offsets for 1 units"),
        ("[[4, 4]]", "[[4, 4]]\nregion = 1", r"spawns\[0\]: unknown key 'region'; did you mean 'regions'"),
        (
            "[[spawns]]",
            "open_rects = [[0, 0, 4, 4]]\n[[spawns]]",
            r"no cell of the region \[4, 4, 4, 4\] is open ground",
        ),
        ("[[spawns]]", "open_rects = [[0, 0, 4, 40]]\n[[spawns]]", r"open_rects\[0\]: \[0, 0, 4, 40\] leaves the map"),
        ("[[spawns]]", "open_rects = [[4, 0, 4, 9]]\n[[spawns]]", r"open_rects\[0\]: \[4, 0, 4, 9\] is empty"),
        ("[[spawns]]", "ally_race = 'zergs'\n[[spawns]]", r"ally_race: unknown value 'zergs'; did you mean 'zerg'"),
        ("[[spawns]]", "attack_order = [9, 99]\n[[spawns]]", r"attack_order: \(9, 99\) is not on the map"),
        ("[[spawns]]", "type_bits = {overseer = 0}\n[[spawns]]", r"type_bits: roach has no bit"),
        ("[[spawns]]", "type_bits = {roach = 2}\n[[spawns]]", r"type_bits: the bits \[2\] leave one out"),
        ("[[spawns]]", "only_medivac_left_wins = true\n[[spawns]]", r"only_medivac_left_wins: .* no enemy"),
        ("[[spawns]]", "overrides = {roach = {helth = 9}}\n[[spawns]]", r"overrides.roach: unknown .* mean 'health'"),
        ("[[spawns]]", "overrides = {roach = {health = '9'}}\n[[spawns]]", r"overrides.roach.health: '9' is not a num"),
        ("[[spawns]]", "[scripted]\nfamly = 1\n[[spawns]]", r"scripted: the key 'family' is missing"),
        ("source", "source = 1\n#", r"source: 1 is not a text"),
        ("source", "source source", r"cannot be read as TOML: .*line 3"),
    ],
)
def test_what_is_wrong_is_named_with_file_key_value_and_remedy(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = written(tmp_path, DUEL.replace(old, new, 1))
    assert path.read_text() != DUEL
    with pytest.raises(RejectedError, match=message) as caught:
        read_map(path)
    assert str(caught.value).startswith(str(path))


def test_files_that_are_not_there_or_cannot_name_a_map(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no map file"):
        find_task(str(tmp_path / "duel.toml"))
    with pytest.raises(RejectedError, match="'my duel' has other characters"):
        read_map(written(tmp_path, DUEL, "my duel"))
    with pytest.raises(UnknownNameError, match="did you mean '1o_2r_vs_4r'"):
        map_file("1o_2r_vs_4")


def test_a_users_file_is_a_task_by_its_path_and_then_by_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, DUEL, "a_duel_of_my_own")
    task = find_task(str(path))
    assert (task.name, task.schema.name, task.schema.episode_limit) == ("a_duel_of_my_own", "a_duel_of_my_own", 20)
    assert find_task("a_duel_of_my_own") is task
    # two Roaches at most 4 sqrt(2) apart see each other
    environment = task.make(5)
    environment.reset(np.ones(5, dtype=bool), np.arange(5))
    assert (environment.obs[:, 0, task.schema.extended_index("enemy_0.distance")] > 0).all()
    written(tmp_path, DUEL.replace("= 20", "= 21"), "a_duel_of_my_own")
    assert find_task(str(path)).schema.episode_limit == 21
    (tmp_path / "b").mkdir()
    with pytest.raises(RejectedError, match="has the same name; rename one"):
        find_task(str(written(tmp_path / "b", DUEL, "a_duel_of_my_own")))


def test_a_users_file_cannot_take_a_name_of_ours(tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match="a map of this project is named 'bane_vs_hM'; rename the file"):
        find_task(str(written(tmp_path, DUEL, "bane_vs_hM")))
    assert find_task(str(FOLDER / "bane_vs_hM.toml")).name == "bane_vs_hM"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("family = 'rng'", r"scripted.family: unknown 'rng'; did you mean 'ring'"),
        ("family = 'ring'\nspeed = 1", r"scripted: parameter of family 'ring': unknown 'speed'"),
    ],
)
def test_a_wrong_script_is_named_with_its_file(tmp_path: Path, script: str, message: str) -> None:
    path = written(tmp_path, f"{DUEL}\n[scripted]\n{script}\n", "wrong_script")
    with pytest.raises(RejectedError, match=message):
        find_task(str(path))


def test_every_map_tells_what_its_source_is_and_who_plays_it() -> None:
    for name in MAPS:
        file = map_file(name)
        assert len(file.battle_map.source) > 40, name
        assert len(file.battle_map.summary) > 100, name
        assert file.scripted.family, name


def test_names_are_listed_and_one_task_is_built_without_the_others() -> None:
    """Listing imports no simulator; asking for one task builds that one alone."""
    code = (
        "import sys; from marl_runtime import tasks; names = tasks.task_names(); "
        "assert 'bane_vs_hM' in names and '1o_2r_vs_4r-smac_plus' in names, names; "
        "assert 'numba' not in sys.modules and 'torch' not in sys.modules; "
        "tasks.find_task('bane_vs_hM'); assert list(tasks._REGISTRY) == ['bane_vs_hM'], tasks._REGISTRY"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert len(task_names()) == len(set(task_names()))
