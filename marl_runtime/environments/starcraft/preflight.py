"""What has to be there before a game can be played, looked at one thing after the other, each with its remedy.

Nothing here starts a game, and looking imports neither package: `import_package` does, when a game is made.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from buffers.errors import MissingDependencyError, RejectedError, ResourceError, UsageError

if TYPE_CHECKING:
    from marl_runtime.environments.starcraft.maps import GameMap, Package

__all__ = ["Finding", "build_of", "game_folder", "import_package", "look", "made_from", "map_path", "require_ready"]

_BINDINGS = "pip install pysc2==4.0.0 pys2clientprotocol && pip install --force-reinstall --no-deps pys2clientprotocol"
_GAME = (
    "unpack StarCraft II 4.10 for Linux (github.com/Blizzard/s2client-proto, Linux packages; its licence gives the "
    "password) to ~/StarCraftII, or set SC2PATH to where it is"
)
_SMAC_COMM_FILES = {
    "2o_20b_vs_2r": "github.com/SaaangJun/LMAC, sc2_maps/",
    "1o_10b_vs_1r_v2": "github.com/SaaangJun/LMAC, sc2_maps/",
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: whether it is there, what was found, and what to do where it is not."""

    name: str
    fine: bool
    detail: str
    remedy: str = ""


def game_folder() -> Path:
    """Return where the game has to be: $SC2PATH, or ~/StarCraftII."""
    return Path(os.environ.get("SC2PATH") or "~/StarCraftII").expanduser()


def map_path(game: GameMap) -> Path:
    """Return where the game looks for the map's file."""
    return game_folder() / "Maps" / "SMAC_Maps" / f"{game.file_name}.SC2Map"


def build_of(folder: Path) -> str:
    """Return the newest build below `Versions`, as Base75689, which pysc2 takes; empty when there is none."""
    found = [path.name for path in (folder / "Versions").glob("Base*") if re.fullmatch(r"Base\d+", path.name)]
    return max(found, key=lambda name: int(name[4:]), default="")


def look(package: Package, game: GameMap | None = None) -> Iterator[Finding]:
    """Look at the package, the game, its program, and the file of `game` where one is named, until one is missing."""
    for one in (_package(package), _bindings(), _game(), _program(), *([_map(game)] if game else [])):
        yield one
        if not one.fine:
            return


def require_ready(game: GameMap) -> None:
    """Raise an error of one line, with its remedy, when `game` cannot be played here."""
    for found in look(game.package, game):
        if not found.fine:
            kind = ResourceError if found.name in ("game", "program", "map") else MissingDependencyError
            raise kind(f"task {game.name!r}: {found.detail}; {found.remedy}")


def import_package(package: Package) -> None:
    """Import smac or smacv2; never both in one process, since they register maps of the same names with pysc2."""
    other = "smacv2" if package == "smac" else "smac"
    if f"{other}.env.starcraft2.maps.smac_maps" in sys.modules:
        raise UsageError(
            f"{other} was imported in this process, and {package} registers maps of the same names with pysc2; play "
            "them in separate processes, with --workers or in a command each"
        )
    found = _package(package)
    if not found.fine:
        raise MissingDependencyError(f"{found.detail}; {found.remedy}")
    try:
        importlib.import_module(f"{package}.env")
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"{package} needs the package {error.name}; {_BINDINGS}") from error
    except TypeError as error:
        if "Descriptors cannot" not in str(error):
            raise
        raise RejectedError(
            f"{package} cannot be imported: its s2clientprotocol is older than the protobuf that is installed; "
            f"{_BINDINGS}"
        ) from error


def made_from(game: GameMap) -> dict[str, str]:
    """Return what a run is made from: build of the game, SHA-256 of the map's file and of the package's module.

    What is not there is "missing".
    """
    folder = _folder(game.package)
    module = folder / "env" / "starcraft2" / "starcraft2.py" if folder else Path()
    return {
        "package": game.package,
        "package_sha256": _digest(module),
        "map_file": f"{game.file_name}.SC2Map",
        "map_sha256": _digest(map_path(game)),
        "game_build": build_of(game_folder()) or "missing",
    }


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"


def _folder(package: str) -> Path | None:
    """The folder of a package, without importing it."""
    found = importlib.util.find_spec(package)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None


def _package(package: Package) -> Finding:
    remedy = f"pip install git+https://github.com/oxwhirl/{package}.git --no-deps"
    folder = _folder(package)
    if folder is None:
        return Finding("package", False, f"the package {package} is not installed", remedy)
    if not (folder / "env" / "starcraft2").is_dir():
        detail = f"the package {package} in {folder} is another program (on the package index, smac is an optimiser)"
        return Finding("package", False, detail, f"pip uninstall {package} && {remedy}")
    return Finding("package", True, f"{package} in {folder}")


def _bindings() -> Finding:
    lacking = [name for name in ("pysc2", "s2clientprotocol") if importlib.util.find_spec(name) is None]
    if lacking:
        return Finding("bindings", False, f"the package {lacking[0]} is not installed", _BINDINGS)
    return Finding("bindings", True, "pysc2 and s2clientprotocol are there")


def _game() -> Finding:
    folder = game_folder()
    if platform.system() != "Linux":  # pysc2 knows where it is elsewhere
        return Finding("game", True, f"not looked for on {platform.system()}")
    build = build_of(folder)
    if not build:
        return Finding("game", False, f"there is no StarCraft II in {folder} (no Versions/Base…)", _GAME)
    return Finding("game", True, f"{build} in {folder}")


def _program() -> Finding:
    if platform.system() != "Linux":
        return Finding("program", True, f"not looked for on {platform.system()}")
    path = game_folder() / "Versions" / build_of(game_folder()) / "SC2_x64"
    if not path.is_file():
        return Finding("program", False, f"{path} is missing", _GAME)
    if not os.access(path, os.X_OK):
        return Finding("program", False, f"{path} may not be executed", f"chmod +x {path}")
    return Finding("program", True, str(path))


def _map(game: GameMap) -> Finding:
    path = map_path(game)
    if path.is_file():
        return Finding("map", True, str(path))
    shipped = f"github.com/oxwhirl/{game.package}, {game.package}/env/starcraft2/maps/SMAC_Maps/"
    where = shipped
    if game.has_smac_comm_file:
        both = "github.com/TonghanWang/NDQ, src/smac_plus/sc2_maps/, or github.com/SaaangJun/LMAC, sc2_maps/"
        where = _SMAC_COMM_FILES.get(game.map_name, both)
    remedy = f"copy it to {path.parent} from {where}"
    return Finding("map", False, f"the map's file {path.name} is missing in {path.parent}", remedy)
