"""Wall time, CPU time and peak memory of the main job: from nothing to a frozen protocol for bane_vs_hM.

    python benchmarks/main_job.py [--thorough] [--out docs/results]

The job runs in an empty folder, after one that compiles the simulator's kernels into their cache. Memory is the sum
over the job's processes of what is theirs alone plus their share of what they share (PSS), sampled every half second.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from marl_runtime.run_folder import versions

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_SECONDS = 0.5


def tree(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [pid]
    for process in found:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            found += [int(child) for child in read(task).split()]
    return found


def read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # the process ended meanwhile
        return ""


def proportional_bytes(pid: int) -> int:
    for line in read(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def measure(arguments: list[str]) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        start, peak = time.perf_counter(), 0
        with subprocess.Popen([sys.executable, "-m", "cli", *arguments], cwd=folder, env=environment) as process:
            while process.poll() is None:
                peak = max(peak, sum(map(proportional_bytes, tree(process.pid))))
                time.sleep(SAMPLE_SECONDS)
        wall = time.perf_counter() - start
        if process.returncode:
            raise SystemExit(f"the job failed with status {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_seconds": round(wall, 1), "cpu_seconds": round(cpu, 1), "peak_mib": round(peak / 2**20)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--task", default="bane_vs_hM")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    measure(["evaluate", "--task", chosen.task, "--policy", "oracle", "--episodes", "32"])
    job = ["--task", chosen.task, "--designer", "search", *(["--thorough"] if chosen.thorough else [])]
    found = {
        "task": chosen.task,
        "thorough": chosen.thorough,
        **measure(job),
        "cores": os.cpu_count(),
        "load_before": os.getloadavg()[0],
        "seed": 0,
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
    }
    text = json.dumps(found, indent=1)
    print(text)
    if chosen.out is not None:
        name = "main-job-thorough.json" if chosen.thorough else "main-job.json"
        (chosen.out / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
