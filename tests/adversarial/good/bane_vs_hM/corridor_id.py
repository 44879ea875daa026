import numpy as np

PATTERNS = ((1.0, 1.0, 0.0, 0.0), (0.0, 1.0, 1.0, 1.0), (1.0, 0.0, 1.0, 1.0))


def send(own):
    ground = own.group("move.*")
    gaps = [np.abs(ground - np.array(pattern)).sum(axis=1) for pattern in PATTERNS]
    which = np.stack(gaps, axis=1).argmin(axis=1)
    return {"which": np.eye(len(PATTERNS))[which]}
