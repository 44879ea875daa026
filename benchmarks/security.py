"""The adversarial corpus, tried module by module, and how long reading, running and scoring a part take.

    python benchmarks/security.py measure [--data DIR] [--out docs/results]
    python benchmarks/security.py report

`measure` writes `security.json`: what the static rules and the sandbox did with every module of `tests/adversarial/`,
and seconds for the shipped `1o_2r_vs_4r/llm-a` (found data sets in DIR are used, else one is gathered). `report` writes
its tables into `docs/security.md`.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from marl_runtime.run_folder import versions

ROOT = Path(__file__).resolve().parents[1]
RESULT, PAGE = "security.json", ROOT / "docs" / "security.md"
TASK, PROTOCOL, SEED = "1o_2r_vs_4r", "llm-a", 0


def tried() -> list[dict[str, Any]]:
    """What became of every module, by kind."""
    sys.path.insert(0, str(ROOT / "tests" / "adversarial"))
    import trying

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        attempts = trying.Range(Path(folder))
        for kind, module in [*trying.all_modules(), *trying.all_modules("more")]:
            outcome = attempts.attempt(module)
            # what is refused by neither, and not allowed to pass, has escaped as well
            through = not outcome.static and not outcome.sandbox
            rows.append(
                {
                    "kind": kind,
                    "what": trying.KINDS[kind],
                    "name": module.name,
                    "static": list(outcome.static),
                    "sandbox": list(outcome.sandbox),
                    "escaped": [*outcome.escaped, *(["refused by nothing"] if through else [])],
                }
            )
        attempts.close()
    return rows


def good() -> dict[str, int]:
    """How many good modules there are, and how many the static rules refuse."""
    sys.path.insert(0, str(ROOT / "tests" / "validation"))
    from validation_corpus import GOOD, small_schema

    from marl_runtime.tasks import find_task
    from protocol_designer.validation import validate

    files = sorted((ROOT / "tests" / "adversarial" / "good").glob("*/*.py"))
    refused = [f for f in files if validate(f.read_bytes(), schema=find_task(f.parent.name).schema, part=0)]
    refused += [name for name, source in GOOD.items() if validate(source, schema=small_schema(), part=0)]
    return {"tried": len(files) + len(GOOD), "refused": len(refused)}


def seconds(repeat: int, work: Callable[[], Any]) -> float:
    """Median of wall seconds."""
    took = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def timings(data: Path) -> dict[str, Any]:
    from marl_runtime.gathering import GatherConfig, gather
    from marl_runtime.tasks import find_task
    from protocol_designer.designing import read_split
    from protocol_designer.rescoring import score_folder
    from protocol_designer.sandbox import Sandbox
    from protocol_designer.validation import validate

    folder = ROOT / "generated_protocols" / TASK / PROTOCOL
    source = (folder / "part0.py").read_bytes()
    schema = find_task(TASK).schema
    data_set = gather(TASK, GatherConfig(), data)
    split = read_split(data_set, "select")
    rows = {"select": (split.extended, split.alive)}
    command = [sys.executable, "-m", "cli", "check", str(folder / "part0.py"), "--task", TASK]
    with Sandbox() as sandbox:
        sandbox.layers()
        small = {"select": (split.extended[:8], split.alive[:8])}
        return {
            "check_command": seconds(5, lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True)),
            "validate": seconds(5, lambda: validate(source, schema=schema, part=0)),
            "sandbox_8_episodes": seconds(5, lambda: sandbox.run([source.decode()], schema, 10, small)),
            "sandbox_select_split": seconds(3, lambda: sandbox.run([source.decode()], schema, 10, rows)),
            "score": seconds(1, lambda: score_folder(folder, data_set)),
            "episodes": len(split.alive),
            "rows": int(split.alive.size),
        }


def measure(data: Path, out: Path) -> None:
    from protocol_designer.sandbox import sandbox_layers

    result = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "seed": SEED,
        "layers": [str(layer) for layer in sandbox_layers()],
        "good": good(),
        "seconds": timings(data),
        "modules": tried(),
    }
    (out / RESULT).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"{len(result['modules'])} modules tried, {sum(bool(m['escaped']) for m in result['modules'])} escaped")


def table(result: dict[str, Any]) -> str:
    kinds = dict.fromkeys(module["what"] for module in result["modules"])
    lines = [
        "| kind | tried | refused by the static rules | contained by the sandbox alone | escaped |",
        "|---|---|---|---|---|",
    ]
    total = [0, 0, 0, 0]
    for kind in kinds:
        of = [module for module in result["modules"] if module["what"] == kind]
        static = sum(bool(module["static"]) for module in of)
        alone = sum(not module["static"] and bool(module["sandbox"]) for module in of)
        row = [len(of), static, alone, sum(bool(module["escaped"]) for module in of)]
        total = [a + b for a, b in zip(total, row, strict=True)]
        lines.append(f"| {kind} | {' | '.join(map(str, row))} |")
    lines.append(f"| **all** | {' | '.join(f'**{n}**' for n in total)} |")
    both = sum(bool(module["static"]) and bool(module["sandbox"]) for module in result["modules"])
    harmless = sum(bool(module["static"]) and not module["sandbox"] for module in result["modules"])
    lines += [
        "",
        f"Of those that the static rules refuse, {both} were refused by the sandbox as well when it ran them without "
        f"the rules; the other {harmless} ran to their end there and did nothing (a comment that shows as code, say). "
        f"Of {result['good']['tried']} good modules the static rules refuse {result['good']['refused']}.",
    ]
    return "\n".join(lines)


def times(result: dict[str, Any]) -> str:
    took = result["seconds"]
    lines = ["| what | seconds |", "|---|---|"]
    for name, label in (
        ("check_command", "`design-protocol check` of one part, the program's start included"),
        ("validate", "the static rules alone, in their own process"),
        ("sandbox_8_episodes", "one run in the warm sandbox, 8 episodes, contract tests included"),
        ("sandbox_select_split", f"the same over {took['episodes']:,} episodes ({took['rows']:,} rows)"),
        ("score", "scoring it: run on both splits, two decoders"),
    ):
        lines.append(f"| {label} | {took[name]:.2f} |")
    return "\n".join([*lines, "", f"`{TASK}/{PROTOCOL}`, part 0 ({result['date'][:10]}, 2 cores)."])


def report(out: Path) -> None:
    result = json.loads((out / RESULT).read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    for name, text in (("corpus", table(result)), ("times", times(result))):
        begin, end = f"<!-- {name}: written by benchmarks/security.py -->", f"<!-- end of {name} -->"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        page = re.sub(pattern, lambda _, t=text, b=begin, e=end: f"{b}\n{t}\n{e}", page, flags=re.DOTALL)
    PAGE.write_text(page, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "report"])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results")
    chosen = parser.parse_args()
    if chosen.what == "measure":
        measure(chosen.data, chosen.out)
    report(chosen.out)


if __name__ == "__main__":
    main()
