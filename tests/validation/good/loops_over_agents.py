
import numpy as np

def send(own):
    return {"x": own["own.x"], "visible": own.allies("visible")}

def receive(own, inbox):
    x = inbox["x"]
    seen = inbox.addressed("visible")
    total = np.zeros_like(own["own.x"])
    for sender in range(own.n_agents):
        total = total + np.where(inbox.delivered[:, sender], x[:, sender] * seen[:, sender], 0.0)
    return {"total": total, "count": inbox.delivered.sum(axis=1)}
