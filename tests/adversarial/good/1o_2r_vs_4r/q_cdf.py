import numpy as np
def send(own):
    d = own.group("enemy_*.distance")
    bins = np.linspace(0.1, 0.9, 9)
    h = (d[..., None] > 0) & (d[..., None] <= bins)
    return {"cdf": h.sum(1) / 4.}

def receive(own, inbox):
    cdf = inbox["cdf"]
    return {"cdf": cdf.max(1), "area": np.trapezoid(cdf, axis=-1).sum(1) / 9}
