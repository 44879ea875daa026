
import numpy as np

LOW, HIGH = -1.0, 1.0
BIG = 1e9
HEX = 0xFF
MANY = 1_000
NOTHING = None
TURN = 2 * np.pi / 3
FIRST = range(2)
FLAG = True
TABLE = ((0.1, 0.2), (0.3, 0.4))
TEXT = ("enemy_0." "health", 'enemy_1.health')

def send(own):
    value = own[TEXT[0]] * TABLE[1][0] + LOW + HIGH
    some = np.stack([own[f"enemy_{i}.distance"] for i in FIRST], axis=1)
    return {"value": value if FLAG else value * MANY, "other": own[TEXT[1]], "some": some * np.cos(TURN)}
