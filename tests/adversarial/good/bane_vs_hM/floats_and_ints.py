import numpy as np


def send(own):
    i = own.agent_id.astype(np.float64)
    a = np.float32(0.5)
    b = np.int64(3)
    return {"mix": i * a + b, "half": own["own.health"].astype(np.float16), "byte": (own["own.health"] * 255).astype(np.uint8)}
