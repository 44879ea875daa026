"""One agent in a process of its own: `python -m marl_runtime.exporting.process FOLDER`.

Orders come in on stdin and answers go out on stdout, one JSON object a line:

    {"reset": true}                                                  → {}
    {"sees": [O numbers], "alive": true}                             → {"sends": [P numbers], or null for silence}
    {"hears": {"<sender>": [P numbers], …}, "available": [A flags]}  → {"does": action, "utilities": [A numbers]}

What an agent is told of the others stands under "hears": their payloads, and nothing else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from buffers.errors import ProtocolDesignerError
from marl_runtime.exporting.policy import AgentPolicy

__all__ = ["main"]


def main(folder: Path) -> int:
    """Answer orders until stdin ends; what went wrong is one line on stderr."""
    torch.set_num_threads(1)
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever prints must not look like an answer
    try:
        policy = AgentPolicy(folder)
        print(json.dumps({"ready": policy.card.agent}), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(_answer(policy, json.loads(line))), file=answers, flush=True)
    except ProtocolDesignerError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _answer(policy: AgentPolicy, order: dict[str, Any]) -> dict[str, Any]:
    if "reset" in order:
        policy.reset()
        return {}
    if "sees" in order:
        payload = policy.send(np.array(order["sees"], dtype=np.float32), order["alive"])
        # floats of 32 bits are exact as JSON's numbers
        return {"sends": payload.tolist() if payload.any() else None}
    payloads = {int(sender): np.array(value, dtype=np.float32) for sender, value in order["hears"].items()}
    action, utilities = policy.act(payloads, np.array(order["available"], dtype=bool))
    return {"does": action, "utilities": utilities.tolist()}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
