import numpy as np


def send(own):
    food = own["cell_here.food_level"] > 0
    wall = own["cell_n1.accessible"] == 0
    return {"neither": ~(food | wall), "minus": -own["cell_here.agent_level"], "either": food ^ wall}
