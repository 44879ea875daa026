
def send(own):
    return dict(x=own["own.x"], y=own["own.y"])
