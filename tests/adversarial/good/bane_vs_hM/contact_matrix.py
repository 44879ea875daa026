import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Row of the contact matrix: which of the N agents and 2 enemies this agent sees."""
    contacts = np.concatenate([own.allies("visible"), own.group("enemy_*.distance") > 0], axis=1)
    return {"contacts": contacts.astype(np.float32)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """Assemble the contact matrix, fill in one's own row, and keep what a graph would say about it."""
    n_agents = own.n_agents
    matrix = inbox["contacts"].copy()  # [R, N, N + 2]
    rows = np.arange(matrix.shape[0])
    matrix[rows, own.agent_id, :n_agents] = own.allies("visible")
    matrix[rows, own.agent_id, n_agents:] = own.group("enemy_*.distance") > 0

    agents = matrix[:, :, :n_agents]
    symmetric = np.maximum(agents, np.swapaxes(agents, 1, 2))
    degree = symmetric.sum(axis=2)
    # two hops: who can reach whom through a third agent
    two_hops = np.matmul(symmetric, symmetric) > 0
    reachable = np.maximum(symmetric, two_hops)
    hydra_watchers = matrix[:, :, n_agents].sum(axis=1)
    return {
        "degree": degree / (n_agents - 1),
        "reachable": reachable[rows, own.agent_id],
        "hydra_watchers": hydra_watchers / n_agents,
    }
