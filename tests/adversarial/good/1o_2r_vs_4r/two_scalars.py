def send(own):
    return {"hp": own["own.health"], "cooldown": own.past("last_action.attack_enemy_0")[:, -3:].sum(axis=1)}
