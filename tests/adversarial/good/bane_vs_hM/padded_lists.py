import numpy as np

def pad(values, n):
    """Pad a list of [R] arrays with zeros to n columns."""
    zero = np.zeros_like(values[0])
    while_short = list(values)
    for _ in range(n - len(values)):
        while_short.append(zero)
    return np.stack(while_short, axis=1)


def send(own):
    return {"fixed": pad([own["own.health"], own["enemy_0.distance"]], 4)}
