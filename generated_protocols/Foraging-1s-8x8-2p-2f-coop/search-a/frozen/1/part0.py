"""Part 0 of the protocol for Foraging-1s-8x8-2p-2f-coop, written by the search designer.

Why: together these lines raise the share of variance that a linear decoder explains by 0.0698 [0.0628,
0.0769] on the select split, over what a receiver's own history tells; the mean over agents. They reveal most
of: agent_0.level, agent_1.level, agent_1.row from the receiver, food_1.level.

Each comment gives what its line adds to those above it, with 95 % bounds over episodes.

What is shared:
- every_cell_accessible: every agent says accessible of every cell (now).
- cell_here_agent_level: every agent says level of the agent in the cell +0 rows (south is positive) and +0
  columns (east is positive) from oneself, 0 for none (now).
- last_action_flags: every agent says every flag of last_action (now).
- cell_n1_w1_food_level: every agent says level of the food in the cell -1 rows (south is positive) and -1
  columns (east is positive) from oneself, 0 for none (now).
"""

import numpy as np

from generated_protocols import Array, Observation


def send(own: Observation) -> dict[str, Array]:
    """What an agent puts on the air, from its own history alone."""
    return {
        # gain +0.0373 [+0.0312, +0.0434]: accessible of every cell
        "every_cell_accessible": np.stack(
            [
                own["cell_n1_w1.accessible"],
                own["cell_n1.accessible"],
                own["cell_n1_e1.accessible"],
                own["cell_w1.accessible"],
                own["cell_e1.accessible"],
                own["cell_s1_w1.accessible"],
                own["cell_s1.accessible"],
                own["cell_s1_e1.accessible"],
            ],
            axis=1,
        ),
        # gain +0.0181 [+0.0167, +0.0195]: level of the agent in the cell +0 rows (south is positive) and +0
        # columns (east is positive) from oneself, 0 for none
        "cell_here_agent_level": own["cell_here.agent_level"],
        # gain +0.0094 [+0.0069, +0.0118]: every flag of last_action
        "last_action_flags": own.group("last_action.*"),
        # gain +0.0051 [+0.0034, +0.0067]: level of the food in the cell -1 rows (south is positive) and -1
        # columns (east is positive) from oneself, 0 for none
        "cell_n1_w1_food_level": own["cell_n1_w1.food_level"],
    }
