import math

ROOT = math.sqrt(2)
DIAGONAL = 1 / ROOT


def send(own):
    straight = own["cell_n1.food_level"] + own["cell_s1.food_level"] + own["cell_w1.food_level"] + own["cell_e1.food_level"]
    corner = own["cell_n1_w1.food_level"] + own["cell_n1_e1.food_level"] + own["cell_s1_w1.food_level"] + own["cell_s1_e1.food_level"]
    return {"pull": straight + DIAGONAL * corner}
