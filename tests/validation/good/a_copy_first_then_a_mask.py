
def send(own):
    dx = own["enemy_0.relative_x"].copy()
    dx[own["enemy_0.distance"] == 0] = 0.0
    dx *= 2.0
    return {"dx": dx}
