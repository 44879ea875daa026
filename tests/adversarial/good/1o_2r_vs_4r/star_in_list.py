import numpy as np
A = ((.4,-.1,.2,0,-.3),(0,.5,-.2,.1,.2),(.3,.3,.3,-.4,0)); B = (.1,-.2,0.)
def send(own):
    v = np.column_stack([own["own.health"], *[own[f"enemy_{i}.distance"] for i in range(4)]])
    return {"z": np.maximum(v @ np.array(A).T + np.array(B), 0)}
def receive(own, inbox): return {"z": inbox["z"].sum(1)}
