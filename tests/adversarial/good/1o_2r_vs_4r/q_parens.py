import numpy as np
def send(own):
    return (
        {
            "n": ((own.group(("enemy_*.distance"))) > (0)).sum(axis=(1)),
            "h": (own["own.health"]),
            'm': ((((own["move.north"]) + (own["move.south"]))) - (((own["move.east"]) + (own["move.west"])))),
        }
    )
def receive(own, inbox, ):
    return {"n": inbox["n"].max(axis=1,), "h": inbox["h"].min(axis=-1), "m": +inbox["m"].sum(1) / -1.0, }
