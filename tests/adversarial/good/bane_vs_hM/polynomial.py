def send(own):
    d = own["enemy_0.distance"]
    h = own["own.health"]
    return {"p": 1.0 - 2.0 * d + d**2, "q": h * (1 - h) * 4, "r": abs(d - h)}
