
def send(own):
    width = min(own.n_agents, 2)
    return {"near": own.group("enemy_*.distance")[:, :width], "x": own["own.x"] * max(1, 2)}
