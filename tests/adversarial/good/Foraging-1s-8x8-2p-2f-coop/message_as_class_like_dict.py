import numpy as np


def make(level, food):
    message = {"level": level}
    message.update(food=food)
    return message


def send(own):
    return make(own["cell_here.agent_level"], own.group("cell_*.food_level"))
