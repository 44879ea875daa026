import numpy as np
from generated_protocols import Array, Inbox, Observation

CELL_NAMES = ("n1_w1", "n1", "n1_e1", "w1", "e1", "s1_w1", "s1", "s1_e1")
CELL_ROWS = (-1, -1, -1, 0, 0, 1, 1, 1)
CELL_COLUMNS = (-1, 0, 1, -1, 1, -1, 0, 1)


def send(own: Observation) -> dict[str, Array]:
    """Where food was seen during the window, relative to where I am now; newest sighting wins."""
    window = own.past("cell_here.agent_level").shape[1]
    n_rows = own.agent_id.shape[0]
    step_row = own.past("last_action.south") - own.past("last_action.north")
    step_column = own.past("last_action.east") - own.past("last_action.west")

    best_row = np.zeros(n_rows)
    best_column = np.zeros(n_rows)
    best_level = np.zeros(n_rows)
    age = np.full(n_rows, float(window))
    # From the oldest to the newest step, so that newer sightings overwrite older ones.
    for t in range(window):
        # everything remembered so far moves against my own step
        best_row = best_row - np.where(best_level > 0, step_row[:, t], 0.0)
        best_column = best_column - np.where(best_level > 0, step_column[:, t], 0.0)
        for name, row, column in zip(CELL_NAMES, CELL_ROWS, CELL_COLUMNS):
            level = own.past(f"cell_{name}.food_level")[:, t]
            is_food = level > 0
            best_row = np.where(is_food, row, best_row)
            best_column = np.where(is_food, column, best_column)
            best_level = np.where(is_food, level, best_level)
            age = np.where(is_food, window - 1 - t, age)
    known = best_level > 0
    return {
        "row": np.clip(best_row, -7, 7) / 7.0 * known,
        "column": np.clip(best_column, -7, 7) / 7.0 * known,
        "level": best_level,
        "freshness": np.where(known, 1.0 - age / window, 0.0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    freshness = inbox["freshness"]
    source = np.argmax(freshness, axis=1)[:, None]
    return {
        "row": np.take_along_axis(inbox["row"], source, axis=1)[:, 0],
        "column": np.take_along_axis(inbox["column"], source, axis=1)[:, 0],
        "level": np.take_along_axis(inbox["level"], source, axis=1)[:, 0],
        "freshness": freshness.max(axis=1),
    }
