import numpy as np

DIRECTIONS = ("north", "south", "east", "west")


def send(own):
    """Which sides of the map the unit has been blocked at lately: tells in which corner it is."""
    window = own.past("move.north").shape[1]
    steps = np.arange(window)
    real = steps[None, :] >= (window - 1 - own.age)[:, None]
    blocked = {}
    for direction in DIRECTIONS:
        closed = (own.past(f"move.{direction}") < 0.5) & real
        blocked[direction] = closed.sum(axis=1) / (own.age + 1)
    return {
        "blocked_north": blocked["north"],
        "blocked_south": blocked["south"],
        "blocked_east": blocked["east"],
        "blocked_west": blocked["west"],
    }


def receive(own, inbox):
    scout = 0
    return {
        "corner_x": inbox["blocked_east"][:, scout] - inbox["blocked_west"][:, scout],
        "corner_y": inbox["blocked_north"][:, scout] - inbox["blocked_south"][:, scout],
    }
