
def send(own):
    return {"health": own["own.health"]}
