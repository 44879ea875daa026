import numpy as np

def send(own):
    v0 = own["ally_0.visible"]; v1 = own["ally_1.visible"]
    a = np.where(v0 > 0, own["ally_0.relative_x"], 0.); b = np.where(v1 > 0, own["ally_1.relative_x"], 0.)
    c = np.where(v0 > 0, own["ally_0.relative_y"], 0.); d = np.where(v1 > 0, own["ally_1.relative_y"], 0.)
    return dict(x=np.stack((a, b), 1), y=np.stack((c, d), 1), n=v0 + v1)
