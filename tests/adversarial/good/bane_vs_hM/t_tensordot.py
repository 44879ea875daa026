import numpy as np
def send(own):
    h = own.past("move.*")
    t = np.exp(-np.arange(h.shape[1])[::-1]/3.)
    return {"m": np.tensordot(h, t/t.sum(), axes=([1],[0]))}
def receive(own, inbox):
    m = inbox["m"]
    n = np.maximum(inbox.delivered.sum(1, keepdims=True), 1)
    return {"m": m.sum(1)/n, "d": np.ptp(m, axis=1)}
