
def send(own):
    message = {"x": own["own.x"]}
    message.update({"y": own["own.y"]})
    message.update(health=own["own.health"])
    return message
