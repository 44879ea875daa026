
def send(own):
    return {"enemy_health": own.group("enemy_*.health"), "moves": own.group("move.*")}
