import numpy as np
from generated_protocols import Array, Inbox, Observation

TEMPERATURE = 0.5


def log_softmax(logits: Array) -> Array:
    """Numerically stable log-softmax over the last axis."""
    peak = logits.max(axis=-1, keepdims=True)
    return logits - peak - np.log(np.exp(logits - peak).sum(axis=-1, keepdims=True))


def send(own: Observation) -> dict[str, Array]:
    """Preference over the six actions from what is in sight: logits, made comparable by a log-softmax."""
    food_n = own["cell_n1.food_level"] + 0.5 * (own["cell_n1_w1.food_level"] + own["cell_n1_e1.food_level"])
    food_s = own["cell_s1.food_level"] + 0.5 * (own["cell_s1_w1.food_level"] + own["cell_s1_e1.food_level"])
    food_w = own["cell_w1.food_level"] + 0.5 * (own["cell_n1_w1.food_level"] + own["cell_s1_w1.food_level"])
    food_e = own["cell_e1.food_level"] + 0.5 * (own["cell_n1_e1.food_level"] + own["cell_s1_e1.food_level"])
    beside = np.stack([own[f"cell_{c}.food_level"] for c in ("n1", "s1", "w1", "e1")], axis=1).max(axis=1)
    stay = 0.1 * np.ones_like(beside)

    logits = np.stack([stay, food_n, food_s, food_w, food_e, 2.0 * beside], axis=1) / TEMPERATURE
    preference = log_softmax(logits)
    # 0 is "no preference": shift by the uniform log-probability
    uniform = np.log(1.0 / logits.shape[1])
    return {"preference": preference - uniform}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    preference = inbox["preference"].sum(axis=1)
    favourite = preference.argmax(axis=1)
    one_hot = (favourite[:, None] == np.arange(preference.shape[1])).astype(np.float32)
    return {"favourite": one_hot * inbox.delivered.any(axis=1, keepdims=True), "strength": preference.max(axis=1)}
