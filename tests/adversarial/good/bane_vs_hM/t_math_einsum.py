import numpy as np
def send(own):
    P = np.stack([own.group("enemy_*.relative_x"), own.group("enemy_*.relative_y")], -1)  # R,2,2
    G = np.einsum("rik,rjk->rij", P, P)        # gram
    return {"g": G[:, [0, 0, 1], [0, 1, 1]], "det": G[:,0,0]*G[:,1,1] - G[:,0,1]**2}
def receive(own, inbox):
    return {"g": np.einsum("rnk->rk", inbox["g"]), "det": np.einsum("rn->r", inbox["det"])}
