
def send(own):
    return {"total": sum([own["enemy_0.health"], own["enemy_1.health"], own["enemy_2.health"]])}
