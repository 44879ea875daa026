import numpy as np
def send(own):
    b = own.group("cell_*.accessible") > .5
    return {"code": (b << np.arange(9)).sum(1) / 511}
def receive(own, inbox):
    c = np.round(inbox["code"].max(1) * 511).astype(int)
    return {"bits": c[:, None] >> np.arange(9) & 1}
