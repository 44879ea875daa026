def send(own): return {"hp": own["own.health"], "e": own.group("enemy_?.attackable")}
