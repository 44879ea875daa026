"""Part 1 of the protocol for Foraging-1s-8x8-2p-2f-coop, written by the search designer.

Why: together these lines raise the share of variance that a linear decoder explains by 0.0034 [0.0015,
0.0053] on the select split, over what a receiver's own history tells; agents and fields that are still
recovered badly count more. They reveal most of: agent_0.column from the receiver, agent_0.column,
agent_1.column, agent_1.column from the receiver.

Each comment gives what its line adds to those above it, with 95 % bounds over episodes.

What is shared:
- cell_n1_e1_food_level: every agent says level of the food in the cell -1 rows (south is positive) and +1
  columns (east is positive) from oneself, 0 for none (now).
"""

from generated_protocols import Array, Observation


def send(own: Observation) -> dict[str, Array]:
    """What an agent puts on the air, from its own history alone."""
    return {
        # gain +0.0034 [+0.0015, +0.0053]: level of the food in the cell -1 rows (south is positive) and +1
        # columns (east is positive) from oneself, 0 for none
        "cell_n1_e1_food_level": own["cell_n1_e1.food_level"],
    }
