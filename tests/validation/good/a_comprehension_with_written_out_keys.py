
PLACES = ("x", "y")

def send(own):
    return {axis: own[f"own.{axis}"] for axis in PLACES}
