"""Match the open ground against three known patterns; the table is an array at the top, as in textbooks."""
import numpy as np
from generated_protocols import Array, Inbox, Observation

PATTERNS = np.array(
    [
        [1.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 1.0, 1.0],
        [1.0, 0.0, 1.0, 1.0],
    ]
)
N_PATTERNS = 3
NONE = np.array([0.0] * N_PATTERNS)


def send(own: Observation) -> dict[str, Array]:
    gaps = np.abs(own.group("move.*")[:, None, :] - PATTERNS[None, :, :]).sum(axis=2)
    best = np.eye(N_PATTERNS)[gaps.argmin(axis=1)]
    return {"which": np.where(gaps.min(axis=1, keepdims=True) < 1, best, NONE)}
