import numpy as np
def send(own):
    a = (own.group("cell_*.agent_level") > 0)*1.; l = own.group("last_action.*")
    return {"al": (a[:, [1, 3, 5, 7], None] * l[:, None, 1:5]).reshape(len(a), 16)}
def receive(own, inbox):
    return {"al": inbox["al"].sum(1).reshape(-1, 4, 4).trace(axis1=1, axis2=2)}
