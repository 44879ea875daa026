import numpy as np

def send(own):
    s = own.group("enemy_*.distance") > 0
    q = (own.group("enemy_*.relative_x") > 0) + 2*(own.group("enemy_*.relative_y") > 0)
    n = np.zeros((len(s), 4))
    r = np.broadcast_to(np.arange(len(s))[:, None], q.shape)
    np.add.at(n, (r, q), s)
    return {"n": n/4}

def receive(own, inbox): return {"n": inbox["n"].max(axis=1)}
