import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Pairwise distances between everybody I see, myself included (N x N, upper triangle)."""
    n = own.n_agents
    x = own.allies("relative_x")
    y = own.allies("relative_y")
    # oneself is visible to oneself, at the origin
    me = own.agent_id[:, None] == np.arange(n)[None, :]
    visible = (own.allies("visible") > 0) | me

    columns = []
    for i in range(n):
        for j in range(i + 1, n):
            both = visible[:, i] & visible[:, j]
            distance = np.sqrt((x[:, i] - x[:, j]) ** 2 + (y[:, i] - y[:, j]) ** 2)
            columns.append(np.where(both, distance, 0.0))
            columns.append(both.astype(np.float32))
    return {"pairs": np.stack(columns, axis=1)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    pairs = inbox["pairs"]
    distance, known = pairs[:, :, 0::2], pairs[:, :, 1::2]
    n_known = known.sum(axis=1)
    mean_distance = (distance * known).sum(axis=1) / np.maximum(n_known, 1.0)
    return {"distance": mean_distance, "known": np.minimum(n_known, 1.0)}
