import numpy as np
def send(own):
    f = own.past("cell_*.food_level").max(2)
    return {"max": np.maximum.accumulate(f, 1)[:, ::3], "cum": np.add.accumulate(f, axis=1)[:, -1] / 10, "sub": np.subtract(f[:, -1], f[:, 0])}
def receive(own, inbox):
    return {"max": np.fmax.reduce(inbox["max"], axis=1), "cum": np.hypot.reduce(inbox["cum"], axis=1), "sub": inbox["sub"].prod(1, where=inbox.delivered)}
