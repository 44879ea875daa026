"""A design that asks a language model, stopped in the middle of a call by Ctrl-C or killed: the program itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from llm_server import Drip, LlmServer, Say

KEY = "sk-canary-0123456789"
FIELDS = Say('```json\n["food_0.row", "agent_0.row", "agent_1.row"]\n```\n')
PART = Say(
    "```python\ndef send(own):\n"
    '    return {"level": own["cell_here.agent_level"], "food": own.group("cell_*.food_level")}\n```\n'
)


def start(server: LlmServer, provider: str, folder: Path) -> subprocess.Popen[str]:
    cli = Path(__file__).parents[2] / "cli.py"
    command = [sys.executable, str(cli), "--task", "Foraging-1s-8x8-2p-2f-coop", "--designer", provider]
    command += ["--base-url", server.url(provider), "--episodes", "60", "--passes", "0", "--max-repairs", "0"]
    environment = {**os.environ, f"{provider.upper()}_API_KEY": KEY, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    for _ in range(1_200):
        if what():
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    process.kill()
    pytest.fail(f"it never came to that: {process.communicate()}")


@pytest.mark.parametrize(
    ("provider", "number", "status"), [("openai", signal.SIGINT, 130), ("anthropic", signal.SIGKILL, -9)]
)
def test_a_design_that_is_stopped_in_a_call_goes_on_and_pays_for_nothing_twice(
    tmp_path: Path, provider: str, number: signal.Signals, status: int
) -> None:
    with LlmServer([FIELDS, Drip(0.05)]) as server:
        process = start(server, provider, tmp_path)
        wait_for(lambda: len(server.requests) == 2, process)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == status, stderr
        assert "Traceback" not in stderr
        if number == signal.SIGINT:
            assert "what was done is kept in" in stderr
        server.plan[:] = [PART]
        process = start(server, provider, tmp_path)
        again, stderr = process.communicate(timeout=300)
        # whether so few episodes show a gain is not the question here
        assert process.returncode == 0 or "no part was worth keeping" in stderr, stderr
        headings = [request["body"]["messages"][-1]["content"].partition("\n")[0] for request in server.requests]
    assert headings == [
        "# Choose the state fields that matter",
        "# Pass 0: write the first module",
        "# Pass 0: write the first module",
    ]
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.name == "transcript.jsonl" for file in files)
    assert not [file for file in files if KEY.encode() in file.read_bytes()]
    assert KEY not in stdout + again + stderr
