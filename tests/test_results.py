"""The README's figures are the committed ones."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_readmes_table_is_written_from_the_committed_results() -> None:
    spec = importlib.util.spec_from_file_location("first_light", ROOT / "benchmarks" / "first_light.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script  # dataclasses look their module up
    spec.loader.exec_module(script)
    state = json.loads((ROOT / "docs" / "results" / "first-light.json").read_text(encoding="utf-8"))
    assert script.readme_table(state) in (ROOT / "README.md").read_text(encoding="utf-8")
    for result in (*state["trained"].values(), *state["offline"].values()):
        assert {"date", "versions", "seed"} <= set(result)
