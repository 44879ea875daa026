def send(own):
    a = own["own.health"] > 0
    return {"e": (1 - own.group("enemy_*.distance")) * a[:, None], "z": a * 1.}
def receive(own, inbox):
    n = inbox["z"].sum(1)[:, None]
    return {"e": inbox["e"].sum(1) / (n + (n == 0)), "n": n, "half": n[:, 0] // 2}
