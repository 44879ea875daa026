
def send(own):
    assert own.n_agents >= 1, "an agent at least"
    if own.n_agents > 9:
        pass
    return {"x": own["own.x"]}
