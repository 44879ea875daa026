import numpy as np
def send(own):
    t = own.age; h = (t & 1) == 0
    return dict(h=h, q=t//4/2, s=np.sin(t*.5), big=np.where(t>5, own.group("cell_*.accessible").T[4], 0))
def receive(own, inbox):
    t = own.age[:, None]
    return dict(late=(inbox["s"] != np.sin(t*.5)).any(1), q=inbox["q"].max(1))
