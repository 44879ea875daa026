
import numpy as np

def send(own):
    past = own.past("own.x")
    out = np.zeros_like(past)
    np.multiply(past, 2.0, out)
    np.clip(out, -1.0, 1.0, out=out)
    length = np.linalg.norm(past, 2, 1)
    return {"mean": out.mean(1), "length": length, "middle": np.quantile(past, 0.5, axis=1, method="nearest")}
