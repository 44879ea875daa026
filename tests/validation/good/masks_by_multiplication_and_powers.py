
def send(own):
    near = 1.0 - own["enemy_0.distance"]
    return {"near": near**2, "cube": near**3, "root": abs(near) ** 0.5, "inverse": (1.0 + abs(near)) ** -1}
