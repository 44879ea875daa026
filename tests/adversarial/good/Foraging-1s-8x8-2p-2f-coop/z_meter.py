import numpy as np
L = .5, .75, 1.
def send(own):
    x = own["cell_here.agent_level"]
    return {"meter": np.stack([x >= l for l in L], -1), "load": own.past("last_action.load")[:, -2:].all(1)}
def receive(own, inbox): return {"meter": inbox["meter"].any(1), "load": inbox["load"].any(1), "dup": inbox.delivered.sum(1) != 1}
