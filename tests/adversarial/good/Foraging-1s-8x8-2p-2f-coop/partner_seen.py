import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """Do I see the other one, and in which cell?"""
    levels = own.group("cell_*.agent_level")
    others = np.delete(levels, 4, axis=1)  # without the cell I stand in
    return {"where": others > 0, "level": levels[:, 4]}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The mirror image of what the other one sees."""
    where = inbox["where"].max(axis=1)
    return {"where": where[:, ::-1], "level": inbox["level"].sum(axis=1)}
