def send(own):
    """Assertions document what the author believes."""
    assert own.n_agents == 2
    level = own["cell_here.agent_level"]
    assert level.ndim == 1, "one number a row"
    return {"level": level}
