"""The house rules of ARCHITECTURE.md, held: who may import whom, and what nobody may do."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "buffers": set[str](),
    "prompts": set[str](),
    "generated_protocols": {"buffers"},
    "sai": {"buffers"},
    "reporting": {"buffers"},
    "marl_runtime": {"sai", "generated_protocols", "reporting", "buffers"},
    "protocol_designer": {"sai", "generated_protocols", "prompts", "reporting", "buffers"},
}
TORCH_FREE = {"buffers", "generated_protocols", "prompts", "reporting"}


def sources(room: str) -> list[Path]:
    paths = [path for path in sorted((ROOT / room).rglob("*.py")) if path.parent.name != "commands"]
    return [path for path in paths if room != "generated_protocols" or path.parent == ROOT / room]


def imported(path: Path) -> dict[str, int]:
    """Top-level package → line, for every import anywhere in the file."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0]: node.lineno for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found[node.module.partition(".")[0]] = node.lineno
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_from_floors_below(room: str) -> None:
    ours = {*MAY_IMPORT, "cli"} - {room}
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources(room)
        for name, line in imported(path).items()
        if name in ours - MAY_IMPORT[room]
    ]
    assert not wrong


@pytest.mark.parametrize("room", sorted(TORCH_FREE))
def test_the_lower_floors_know_no_torch(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{names['torch']}"
        for path in sources(room)
        if path.name != "joint.py" and "torch" in (names := imported(path))
    ]
    assert not wrong


def test_no_pickle_no_gym_and_no_unguarded_load() -> None:
    wrong = []
    for room in MAY_IMPORT:
        for path in sources(room):
            where = path.relative_to(ROOT)
            names = imported(path)
            wrong += [f"{where}:{names[name]} imports {name}" for name in ("pickle", "gym", "dill") if name in names]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
                    call = ast.unparse(node.func)
                    if call == "torch.load" and given.get("weights_only") != "True":
                        wrong.append(f"{where}:{node.lineno} torch.load without weights_only=True")
                    if call == "np.load" and given.get("allow_pickle", "False") != "False":
                        wrong.append(f"{where}:{node.lineno} np.load with allow_pickle")
    assert not wrong


def test_the_sandbox_worker_and_the_command_line_load_no_torch_and_no_sdk() -> None:
    heavy = {"torch", "openai", "anthropic", "pandas", "libcst", "numba"}
    for statement in ("import generated_protocols", "import generated_protocols.worker", "import cli"):
        probe = f"{statement}, sys; print(*sorted(m for m in sys.modules if '.' not in m))"
        loaded = subprocess.run(
            [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
        assert heavy.isdisjoint(loaded), f"{statement} loads {heavy & set(loaded)}"
