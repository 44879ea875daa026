
def send(own):
    near = (own["enemy_0.distance"] > 0) & (own["enemy_0.distance"] < 0.5)
    weak = own["own.health"] <= 0.25
    return {"near": near, "call": near | weak, "free": ~near & ~weak, "odd": near ^ weak}
