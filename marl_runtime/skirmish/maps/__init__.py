"""The maps, one TOML file each in this folder: a file that is added here is a task, without any code (docs/maps.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from buffers.errors import UnknownNameError
from marl_runtime.skirmish.maps.battle_map import BattleMap, Spawn
from marl_runtime.skirmish.maps.reading import MapFile, Script, read_map

__all__ = ["FOLDER", "MAPS", "BattleMap", "MapFile", "Script", "Spawn", "map_file", "read_map"]

FOLDER = Path(__file__).resolve().parent


@cache
def map_file(name: str) -> MapFile:
    """Return the map `name` of this folder, read once; an unknown name raises `UnknownNameError`."""
    if name not in MAPS:
        raise UnknownNameError("map", name, MAPS)
    return read_map(FOLDER / f"{name}.toml")


class _Maps(Mapping[str, BattleMap]):
    """All maps by name; each is read when it is asked for."""

    def __iter__(self) -> Iterator[str]:
        return iter(sorted((path.stem for path in FOLDER.glob("*.toml")), key=str.casefold))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(iter(self))

    def __getitem__(self, name: str) -> BattleMap:
        if name not in self:
            raise KeyError(name)
        return map_file(name).battle_map


MAPS: Mapping[str, BattleMap] = _Maps()
