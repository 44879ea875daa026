
def pack(x, y):
    return {"x": x, "y": y}

def send(own):
    return pack(own["own.x"], own["own.y"])
