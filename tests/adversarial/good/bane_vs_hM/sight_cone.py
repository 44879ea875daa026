import numpy as np
from generated_protocols import Array, Observation

SECTORS = 8


def send(own: Observation) -> dict[str, Array]:
    """In which of eight sectors the Hydralisk and the Medivac are."""
    out = []
    for j in range(2):
        angle = np.arctan2(own[f"enemy_{j}.relative_y"], own[f"enemy_{j}.relative_x"])
        sector = np.floor_divide(angle + np.pi, 2 * np.pi / SECTORS).astype(int) % SECTORS
        out.append(np.eye(SECTORS)[sector] * (own[f"enemy_{j}.distance"] > 0)[:, None])
    return {"hydra": out[0], "medivac": out[1]}
