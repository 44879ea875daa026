
def send(own):
    message = {"x": own["own.x"], "y": own["own.y"]}
    message["health"] = own["own.health"]
    return message
