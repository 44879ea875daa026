def send(own):
    mine = own["cell_here.agent_level"]
    return {"mine": mine, "twice": 2 * mine, "inverse": 1 / (1 + mine), "square": mine**2, "half": mine // 0.5}
