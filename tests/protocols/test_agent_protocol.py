"""An agent alone keeps what it keeps among all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from generated_protocols.agent import AgentProtocol
from generated_protocols.protocol import Protocol
from marl_runtime.tasks import find_task

ROOT = Path(__file__).parents[2] / "generated_protocols"
SHIPPED = sorted(path.parent.relative_to(ROOT) for path in ROOT.glob("*/*-[abc]/manifest.json"))


@pytest.mark.parametrize("folder", SHIPPED, ids=str)
@pytest.mark.parametrize("lossy", [False, True])
def test_alone_as_among_all(folder: Path, lossy: bool) -> None:
    """Two episodes of noise one after the other, agents dying on the way, payloads of the dead and the lost missing."""
    schema = find_task(folder.parts[0]).schema
    protocol = Protocol.load(ROOT / folder, schema)
    n, rng = schema.n_agents, np.random.default_rng(3)
    together, alone = protocol.stepper(1), [AgentProtocol(protocol, agent) for agent in range(n)]
    heard_of = 0
    for _ in range(2):
        together.reset(np.ones(1, dtype=bool))
        for agent in alone:
            agent.reset()
        alive = np.ones((1, n), dtype=bool)
        for t in range(14):
            extended = rng.random((1, n, schema.extended_dim), dtype=np.float32)
            extended[..., : schema.obs_dim] *= rng.random((1, n, schema.obs_dim)) < 0.7
            extended[..., schema.obs_dim + schema.n_actions :] = np.eye(n)
            if t == 9:
                alive[0, rng.integers(n)] = False
            reaches = rng.random((1, n, n)) < (0.5 if lossy else 2.0)
            expected = together.step(extended, alive, reaches if lossy else None)[0]
            sent = [one.send(extended[0, i], bool(alive[0, i])) for i, one in enumerate(alone)]
            if not any(part.looks_back for part in protocol.parts):  # then nothing before this step counts
                same(np.stack(sent), protocol.payloads(extended[:, None], alive[:, None])[0, 0])
            for i, one in enumerate(alone):
                inbox = {j: sent[j] for j in range(n) if j != i and alive[0, j] and reaches[0, i, j]}
                kept = one.receive(inbox, bool(alive[0, i]))
                same(kept, expected[i])
                heard_of += int(kept.any())
    assert heard_of > 10


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """NumPy may add the numbers of one row in another order than those of many: a few units in the last place."""
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
