import numpy as np
def send(own):
    a,b,c,d = own.group("move.*").T
    x,y = [own[f"enemy_0.relative_{k}"] for k in ("x","y")]
    (p,q),(r,s) = ((own[f"ally_{i}.relative_x"], own[f"ally_{i}.relative_y"]) for i in (0,1))
    return {"ab": a-b, "cd": c-d, "xy": x*y, "area": .5*np.abs(p*s-q*r)}
