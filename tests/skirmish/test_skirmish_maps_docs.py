"""docs/maps.md is right: its example is a map, and it lists every key that a file may have."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from marl_runtime.skirmish.maps import read_map
from marl_runtime.skirmish.maps.reading import _KEYS
from marl_runtime.skirmish.scripted import FAMILIES
from marl_runtime.tasks import find_task

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "maps.md").read_text(encoding="utf-8")


def test_the_example_is_a_map_that_can_be_played(tmp_path: Path) -> None:
    path = tmp_path / "two_roaches_of_the_page.toml"
    example = re.search(r"```toml\n(.*?)```", PAGE, re.S)
    assert example
    path.write_text(example[1], encoding="utf-8")
    battle_map = read_map(path).battle_map
    assert (battle_map.allies, battle_map.enemies) == (("roach",) * 2, ("reaper",) * 3)
    assert list(find_task(str(path)).scripted) == ["blind", "shared", "oracle"]


def test_every_key_family_and_parameter_is_listed() -> None:
    named = set(re.findall(r"`\[*([a-z_]+)\]*`", PAGE))
    assert set(_KEYS) | {"spawns", "scripted", "published_layout"} <= named
    assert set(FAMILIES) <= named
    assert {f.name for family in FAMILIES.values() for f in fields(family.settings)} <= named
