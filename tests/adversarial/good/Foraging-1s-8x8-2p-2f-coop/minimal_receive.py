def send(own):
    return {"l": own["cell_here.agent_level"]}


def receive(own, inbox):
    return {"l": inbox["l"]}
