
def send(own):
    return {"x": own["own.x"]}

def receive(own, inbox):
    past = inbox.past("x")
    return {"mean": past.mean(axis=1), "last": past[:, -1, :], "change": past[:, -1] - past[:, -2]}
