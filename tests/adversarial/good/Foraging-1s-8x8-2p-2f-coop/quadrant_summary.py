import numpy as np
from generated_protocols import Array, Inbox, Observation

# indices into the nine cells, row by row from the north-west
QUADRANTS = [
    [0, 1, 3],  # north-west
    [1, 2, 5],  # north-east
    [3, 6, 7],  # south-west
    [5, 7, 8],  # south-east
]


def send(own: Observation) -> dict[str, Array]:
    """Per quadrant: best food, share of free cells, number of agents."""
    food = own.group("cell_*.food_level")
    free = own.group("cell_*.accessible")
    agents = (own.group("cell_*.agent_level") > 0).astype(np.float32)
    columns = []
    for quadrant in QUADRANTS:
        columns.append(food[:, quadrant].max(axis=1))
        columns.append(free[:, quadrant].mean(axis=1))
        columns.append(agents[:, quadrant].sum(axis=1))
    return {"quadrants": np.stack(columns, axis=1)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    quadrants = inbox["quadrants"].sum(axis=1).reshape(-1, len(QUADRANTS), 3)
    return {"food": quadrants[:, :, 0], "free": quadrants[:, :, 1], "company": quadrants[:, :, 2].sum(axis=1)}
