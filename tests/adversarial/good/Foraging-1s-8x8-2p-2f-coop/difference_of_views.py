import numpy as np


def send(own):
    return {"food": own.group("cell_*.food_level"), "free": own.group("cell_*.accessible")}


def receive(own, inbox):
    """Where the other's view differs from mine."""
    return {
        "food": inbox["food"].sum(axis=1) - own.group("cell_*.food_level"),
        "free": np.abs(inbox["free"].sum(axis=1) - own.group("cell_*.accessible")),
    }
