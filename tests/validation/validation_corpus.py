"""Protocol parts in many styles that must pass, for the task of `small_schema`."""

from __future__ import annotations

from buffers.schema import Field, TaskSchema

__all__ = ["GOOD", "small_schema"]


def small_schema() -> TaskSchema:
    """An overseer and two roaches, who see three enemies and each other."""
    fields = [Field(f"move.{way}", f"can move {way}", kind="binary") for way in ("north", "south", "east", "west")]
    for index in range(3):
        fields += [
            Field(f"enemy_{index}.{quantity}", quantity, low=-1.0)
            for quantity in ("available", "distance", "relative_x", "relative_y", "health")
        ]
    for index in range(2):
        fields += [
            Field(f"ally_{index}.{quantity}", quantity, low=-1.0)
            for quantity in ("visible", "distance", "relative_x", "relative_y", "health")
        ]
    fields += [Field("own.health", "own health"), Field("own.x", "own position"), Field("own.y", "own position")]
    return TaskSchema(
        name="small",
        summary="an overseer looks for three enemies",
        roles=("overseer", "roach", "roach"),
        obs_fields=tuple(fields),
        state_fields=(Field("enemy_0.x", "x"), Field("enemy_0.health", "health")),
        action_names=("no_op", "stop", "north", "south", "east", "west"),
        episode_limit=40,
    )


GOOD: dict[str, str] = {
    "one value": """
def send(own):
    return {"health": own["own.health"]}
""",
    "the published idea": '''
"""The overseer alone sees the enemy; it tells each roach where it stands from there."""

import numpy as np
from generated_protocols import Array, Inbox, Observation


def send(own: Observation) -> dict[str, Array]:
    """What the overseer sees, and where its allies are."""
    sees = own.is_role("overseer") & (own["enemy_0.distance"] > 0)
    near = own.allies("visible") * sees[:, None]
    return {
        "sees": sees,
        "dx": own["enemy_0.relative_x"] * sees,
        "near": near,
        "ally_dx": own.allies("relative_x") * near,
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """The enemy in the receiver's own frame."""
    near = inbox.addressed("near")
    return {
        "dx": ((inbox["dx"] - inbox.addressed("ally_dx")) * near).sum(axis=1),
        "known": near.max(axis=1),
        "heard": inbox["sees"].max(axis=1),
    }
''',
    "a group as one component": """
def send(own):
    return {"enemy_health": own.group("enemy_*.health"), "moves": own.group("move.*")}
""",
    "constants at the top": """
import numpy as np

SCALE = 0.5
NEAR = 3 / 9
NAMES = ("enemy_0.distance", "enemy_1.distance")
LABELS: tuple[str, ...] = ("a", "b")

def send(own):
    parts = [np.where(own[name] < NEAR, own[name] * SCALE, 0.0) for name in NAMES]
    return {"near": np.stack(parts, axis=1)}
""",
    "a loop over a tuple of names": """
import numpy as np

def send(own):
    total = np.zeros_like(own["own.health"])
    for name in ("enemy_0.health", "enemy_1.health", "enemy_2.health"):
        total = total + own[name]
    return {"enemy_health": total / 3.0}
""",
    "augmented assignment on an array of its own": """
import numpy as np

def send(own):
    total = np.zeros_like(own["own.health"])
    for name in ("enemy_0.health", "enemy_1.health"):
        total += own[name]
    total *= 0.5
    return {"enemy_health": total}
""",
    "writing into slices of a fresh array": """
import numpy as np

def send(own):
    health = own["own.health"]
    out = np.zeros((health.shape[0], 3), dtype=np.float32)
    out[:, 0] = health
    out[:, 1] = own["own.x"]
    out[:, 2] = own["own.y"]
    return {"self": out}
""",
    "a copy first, then a mask": """
def send(own):
    dx = own["enemy_0.relative_x"].copy()
    dx[own["enemy_0.distance"] == 0] = 0.0
    dx *= 2.0
    return {"dx": dx}
""",
    "a name bound again before it is written": """
import numpy as np

def send(own):
    dx = own["enemy_0.relative_x"]
    dx = np.where(own["enemy_0.available"] > 0, dx, 0.0)
    dx *= 0.5
    dx[dx > 1] = 1.0
    return {"dx": dx}
""",
    "astype makes a copy": """
import numpy as np

def send(own):
    mask = own["enemy_0.available"].astype(np.float32)
    mask *= own["own.health"]
    return {"mask": mask}
""",
    "f-string field names in a loop": """
import numpy as np

def send(own):
    seen = [own[f"enemy_{i}.distance"] > 0 for i in range(3)]
    return {"seen": np.stack(seen, axis=1)}
""",
    "f-string in a variable": """
import numpy as np

def send(own):
    columns = []
    for i in range(3):
        name = f"enemy_{i}.health"
        columns.append(own[name])
    return {"health": np.stack(columns, axis=-1)}
""",
    "f-string over entities and quantities": """
import numpy as np

ENTITIES = ("enemy_0", "enemy_1")

def send(own):
    return {
        "x": np.column_stack([own[f"{entity}.relative_x"] for entity in ENTITIES]),
        "y": np.column_stack([own[f"{entity}.relative_y"] for entity in ENTITIES]),
    }
""",
    "a helper function": """
import numpy as np

def visible(own, index):
    return own[f"enemy_{index}.distance"] > 0

def send(own):
    return {"seen": np.stack([visible(own, i) for i in range(3)], axis=1)}
""",
    "helpers that call helpers": """
import numpy as np

def clip(x):
    return np.clip(x, -1.0, 1.0)

def scaled(own, name, factor=0.5):
    return clip(own[name] * factor)

def send(own):
    return {"x": scaled(own, "own.x"), "y": scaled(own, "own.y", factor=0.25)}

def receive(own, inbox):
    return {"x": clip(inbox["x"]).sum(axis=1)}
""",
    "a helper with a list of names": """
import numpy as np

def stack(own, names):
    return np.stack([own[name] for name in names], axis=1)

def send(own):
    return {"self": stack(own, ("own.x", "own.y")), "enemy": stack(own, ["enemy_0.health", "enemy_1.health"])}
""",
    "a helper that writes into what it is given": """
import numpy as np

def fill(out, column, values):
    out[:, column] = values
    return out

def send(own):
    out = np.zeros((own["own.x"].shape[0], 2))
    out = fill(out, 0, own["own.x"])
    out = fill(out, 1, own["own.y"])
    return {"place": out}
""",
    "the dict in a variable": """
def send(own):
    message = {"x": own["own.x"], "y": own["own.y"]}
    message["health"] = own["own.health"]
    return message
""",
    "the dict built up from nothing": """
def send(own):
    message = {}
    message["x"] = own["own.x"]
    message["near"] = own["enemy_0.distance"] < 0.5
    return message

def receive(own, inbox):
    kept = {}
    kept["x"] = inbox["x"].sum(axis=1)
    kept["near"] = inbox["near"].max(axis=1)
    return kept
""",
    "dict() with keywords": """
def send(own):
    return dict(x=own["own.x"], y=own["own.y"])
""",
    "a comprehension with written-out keys": """
PLACES = ("x", "y")

def send(own):
    return {axis: own[f"own.{axis}"] for axis in PLACES}
""",
    "an early return by the number of agents": """
import numpy as np

def send(own):
    if own.n_agents < 2:
        return {"x": np.zeros_like(own["own.x"])}
    return {"x": own["own.x"]}
""",
    "if, elif, else with returns": """
def send(own):
    if own.n_agents == 1:
        return {"x": own["own.x"] * 0.0}
    elif own.n_agents == 2:
        return {"x": own["own.x"] * 0.5}
    else:
        return {"x": own["own.x"]}
""",
    "the past, last seen and age": """
import numpy as np

def send(own):
    distance = own.past("enemy_0.distance")
    seen = distance > 0
    steps = np.arange(seen.shape[1])
    last = np.where(seen, steps[None, :], -1).max(axis=1)
    x = own.past("enemy_0.relative_x")
    index = np.maximum(last, 0)[:, None]
    last_x = np.take_along_axis(x, index, axis=1)[:, 0]
    return {"last_x": np.where(last >= 0, last_x, 0.0), "ago": np.where(last >= 0, seen.shape[1] - 1 - last, 10)}
""",
    "decayed memory": """
import numpy as np

DECAY = 0.9

def send(own):
    past = own.past("enemy_0.available")
    weights = DECAY ** np.arange(past.shape[1] - 1, -1, -1)
    return {"memory": (past * weights).sum(axis=1) / weights.sum()}
""",
    "a forward fill": """
import numpy as np

def send(own):
    seen = own.past("enemy_0.distance") > 0
    index = np.where(seen, np.arange(seen.shape[1]), 0)
    index = np.maximum.accumulate(index, axis=1)
    filled = np.take_along_axis(own.past("enemy_0.relative_x"), index, axis=1)
    return {"x": filled[:, -1], "ever": seen.any(axis=1)}
""",
    "the past of a group": """
def send(own):
    past = own.past("enemy_*.health")
    return {"mean": past.mean(axis=1), "lowest": past.min(axis=1), "trend": past[:, -1] - past[:, 0]}
""",
    "age and id": """
import numpy as np

def send(own):
    fraction = own.age / np.maximum(own.age + 1, 1)
    return {"age": fraction, "id": own.agent_id == 0, "who": (own.agent_id[:, None] == np.arange(own.n_agents))}
""",
    "loops over agents": """
import numpy as np

def send(own):
    return {"x": own["own.x"], "visible": own.allies("visible")}

def receive(own, inbox):
    x = inbox["x"]
    seen = inbox.addressed("visible")
    total = np.zeros_like(own["own.x"])
    for sender in range(own.n_agents):
        total = total + np.where(inbox.delivered[:, sender], x[:, sender] * seen[:, sender], 0.0)
    return {"total": total, "count": inbox.delivered.sum(axis=1)}
""",
    "a nested loop": """
import numpy as np

def send(own):
    pairs = []
    for i in range(3):
        for j in range(i + 1, 3):
            pairs.append(own[f"enemy_{i}.relative_x"] - own[f"enemy_{j}.relative_x"])
    return {"pairs": np.stack(pairs, axis=1)}
""",
    "continue and break": """
import numpy as np

def send(own):
    total = np.zeros_like(own["own.x"])
    for i in range(3):
        if i == 1:
            continue
        if i > own.n_agents:
            break
        total = total + own[f"enemy_{i}.health"]
    return {"total": total}
""",
    "zip and enumerate": """
import numpy as np

NAMES = ("enemy_0.health", "enemy_1.health")
WEIGHTS = [0.25, 0.75]

def send(own):
    total = np.zeros_like(own["own.x"])
    for name, weight in zip(NAMES, WEIGHTS):
        total += own[name] * weight
    signs = np.zeros((own["own.x"].shape[0], 2))
    for index, name in enumerate(NAMES):
        signs[:, index] = np.sign(own[name])
    return {"total": total, "signs": signs}
""",
    "a dict of weights": """
WEIGHTS = {"enemy_0.health": 0.5, "enemy_1.health": 0.25}

def send(own):
    return {"danger": sum(own[name] * weight for name, weight in WEIGHTS.items())}
""",
    "sum of a list of arrays": """
def send(own):
    return {"total": sum([own["enemy_0.health"], own["enemy_1.health"], own["enemy_2.health"]])}
""",
    "boolean algebra": """
def send(own):
    near = (own["enemy_0.distance"] > 0) & (own["enemy_0.distance"] < 0.5)
    weak = own["own.health"] <= 0.25
    return {"near": near, "call": near | weak, "free": ~near & ~weak, "odd": near ^ weak}
""",
    "ternaries on plain numbers": """
def send(own):
    factor = 1.0 if own.n_agents > 2 else 0.5
    return {"x": own["own.x"] * factor}
""",
    "einsum and matmul": """
import numpy as np

def send(own):
    place = np.stack([own["own.x"], own["own.y"]], axis=1)
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    square = np.einsum("rk,rk->r", place, place)
    return {"turned": place @ turn, "square": square, "norm": np.linalg.norm(place, axis=1)}
""",
    "select and nan_to_num": """
import numpy as np

def send(own):
    distance = own["enemy_0.distance"]
    level = np.select([distance <= 0, distance < 0.3, distance < 0.6], [0.0, 1.0, 0.5], default=0.25)
    angle = np.nan_to_num(np.arctan2(own["enemy_0.relative_y"], own["enemy_0.relative_x"]) / np.pi)
    return {"level": level, "angle": angle}
""",
    "one-hot": """
import numpy as np

def send(own):
    nearest = own.group("enemy_*.distance").argmin(axis=1)
    return {"nearest": np.eye(3)[nearest], "again": (nearest[:, None] == np.arange(3)).astype(np.float32)}
""",
    "math on plain numbers": """
import math

import numpy as np

ANGLE = 0.7

def send(own):
    c, s = math.cos(ANGLE), math.sin(ANGLE)
    x, y = own["own.x"], own["own.y"]
    return {"x": c * x - s * y, "y": s * x + c * y, "r": np.hypot(x, y) / math.sqrt(2)}
""",
    "conditional import of annotations": '''
"""Annotations are read lazily here."""

from __future__ import annotations

import numpy as np
from generated_protocols import Array, Inbox, Observation


def ratio(a: Array, b: np.ndarray, eps: float = 1e-6) -> Array:
    return a / np.maximum(b, eps)


def send(own: Observation) -> dict[str, Array]:
    value: Array = ratio(own["own.health"], own["enemy_0.health"])
    return {"ratio": np.clip(value, 0.0, 10.0)}


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    values: Array = inbox["ratio"]
    best = values.max(axis=1, keepdims=True)
    return {"best": best, "is_best": values >= best}
''',
    "only some import lines": """
from generated_protocols import Observation
import math

def send(own: Observation):
    return {"x": own["own.x"] / math.pi}
""",
    "inbox past": """
def send(own):
    return {"x": own["own.x"]}

def receive(own, inbox):
    past = inbox.past("x")
    return {"mean": past.mean(axis=1), "last": past[:, -1, :], "change": past[:, -1] - past[:, -2]}
""",
    "tuple unpacking of shapes and a fixed loop": """
import numpy as np

def send(own):
    past = own.past("own.x")
    rows, window = past.shape
    total = np.zeros(rows)
    for step in range(window):
        total = 0.8 * total + past[:, step]
    return {"smooth": total}
""",
    "transposed loops over columns": """
import numpy as np

def send(own):
    health = own.group("enemy_*.health")
    total = np.zeros(health.shape[0])
    for j in range(health.shape[1]):
        total += health[:, j] ** 2
    return {"rms": np.sqrt(total / health.shape[1])}
""",
    "assertions and pass": """
def send(own):
    assert own.n_agents >= 1, "an agent at least"
    if own.n_agents > 9:
        pass
    return {"x": own["own.x"]}
""",
    "masks by multiplication and powers": """
def send(own):
    near = 1.0 - own["enemy_0.distance"]
    return {"near": near**2, "cube": near**3, "root": abs(near) ** 0.5, "inverse": (1.0 + abs(near)) ** -1}
""",
    "where in place of a division by zero": """
import numpy as np

def send(own):
    distance = own["enemy_0.distance"]
    safe = np.where(distance > 0, distance, 1.0)
    return {"bearing": np.where(distance > 0, own["enemy_0.relative_x"] / safe, 0.0)}
""",
    "reshape and broadcasting": """
import numpy as np

def send(own):
    allies = own.allies("relative_x")
    enemies = own.group("enemy_*.relative_x")
    gaps = np.abs(allies[:, :, None] - enemies[:, None, :])
    return {"closest": gaps.min(axis=2), "flat": gaps.reshape(gaps.shape[0], -1)}
""",
    "sorting along the fields": """
import numpy as np

def send(own):
    distance = own.group("enemy_*.distance")
    order = np.argsort(distance, axis=1)
    health = np.take_along_axis(own.group("enemy_*.health"), order, axis=1)
    return {"health": health[:, :2], "distance": np.sort(distance, axis=1)[:, ::-1]}
""",
    "concatenate and hstack of columns": """
import numpy as np

def send(own):
    both = np.concatenate([own.group("enemy_*.health"), own.group("ally_*.health")], axis=1)
    return {"both": both, "mean": both.mean(axis=-1)}
""",
    "transpose and back": """
import numpy as np

def send(own):
    columns = np.stack([own["own.x"], own["own.y"]])
    return {"place": columns.T, "sum": columns.sum(axis=0), "first": columns[0]}
""",
    "underscore names and long lines": """
import numpy as np

_SCALE = 2.0

def _scaled(x):
    return x * _SCALE

def send(own):
    out = [_scaled(own["own.x"]) for _ in range(2)]
    return {"x": np.stack(out, axis=1)}
""",
    "letters of other alphabets in comments and text": '''
r"""Größe und Richtung — 距離と方向, \\gamma."""

def send(own):
    # température: à ne pas confondre
    return {"x": own["own.x"]}
''',
    "literals in several lines and formats": """
import numpy as np

LOW, HIGH = -1.0, 1.0
BIG = 1e9
HEX = 0xFF
MANY = 1_000
NOTHING = None
TURN = 2 * np.pi / 3
FIRST = range(2)
FLAG = True
TABLE = ((0.1, 0.2), (0.3, 0.4))
TEXT = ("enemy_0." "health", 'enemy_1.health')

def send(own):
    value = own[TEXT[0]] * TABLE[1][0] + LOW + HIGH
    some = np.stack([own[f"enemy_{i}.distance"] for i in FIRST], axis=1)
    return {"value": value if FLAG else value * MANY, "other": own[TEXT[1]], "some": some * np.cos(TURN)}
""",
    "min and max of plain numbers": """
def send(own):
    width = min(own.n_agents, 2)
    return {"near": own.group("enemy_*.distance")[:, :width], "x": own["own.x"] * max(1, 2)}
""",
    "a list of tuples": """
import numpy as np

PAIRS = [("enemy_0.relative_x", "enemy_0.relative_y"), ("enemy_1.relative_x", "enemy_1.relative_y")]

def send(own):
    return {"r": np.stack([np.hypot(own[x], own[y]) for x, y in PAIRS], axis=1)}
""",
    "generators and conditions in comprehensions": """
import numpy as np

def send(own):
    names = [f"enemy_{i}.health" for i in range(3) if i != 1]
    worst = np.min(np.stack([own[name] for name in names], axis=1), axis=1)
    return {"worst": worst, "any": np.any(own.group("enemy_*.available") > 0, axis=1)}
""",
    "minimum by reduce over a list": """
import numpy as np

def send(own):
    lowest = np.minimum.reduce([own["enemy_0.health"], own["enemy_1.health"]])
    highest = np.maximum(own["enemy_0.health"], own["enemy_1.health"])
    return {"lowest": lowest, "highest": highest}
""",
    "positional axes and out into one's own": """
import numpy as np

def send(own):
    past = own.past("own.x")
    out = np.zeros_like(past)
    np.multiply(past, 2.0, out)
    np.clip(out, -1.0, 1.0, out=out)
    length = np.linalg.norm(past, 2, 1)
    return {"mean": out.mean(1), "length": length, "middle": np.quantile(past, 0.5, axis=1, method="nearest")}
""",
    "loops over np.arange and membership of names": """
import numpy as np

NAMES = ("enemy_0.health", "enemy_1.health")

def send(own):
    total = np.zeros_like(own["own.x"])
    for step in np.arange(3):
        total = total + own.past("own.x")[:, step]
    for name in ("enemy_0.health", "enemy_2.health"):
        if name in NAMES:
            total = total + own[name]
    return {"total": total, "kind": np.isin(own.agent_id, [0, 2])}
""",
    "the last element of lists and of the window": """
def send(own):
    parts = [own["own.x"], own["own.y"]]
    past = own.past("own.health")
    return {"first": parts[0], "last": parts[-1], "now": past[..., -1], "before": past[:, -2:].mean(axis=1)}
""",
    "a weighted sum over the window": """
import numpy as np

def send(own):
    past = own.past("enemy_*.health")
    weights = np.linspace(0.1, 1.0, past.shape[1])
    weighted = (past * weights[None, :, None]).sum(axis=1)
    return {"weighted": weighted / weights.sum(), "trace": np.average(past, axis=1, weights=weights)}
""",
    "an accumulator that starts as None": """
def send(own):
    total = None
    for i in range(3):
        value = own[f"enemy_{i}.health"]
        total = value if total is None else total + value
    return {"total": total}
""",
    "nearest enemy by masked distance": """
import numpy as np

N_ENEMIES = 3

def nearest(own):
    distance = own.group("enemy_*.distance")
    visible = distance > 0
    masked = np.where(visible, distance, np.inf)
    index = np.argmin(masked, axis=1)
    rows = np.arange(distance.shape[0])
    seen = visible.any(axis=1)
    x = own.group("enemy_*.relative_x")[rows, index]
    y = own.group("enemy_*.relative_y")[rows, index]
    return seen, np.where(seen, x, 0.0), np.where(seen, y, 0.0), index

def send(own):
    seen, x, y, index = nearest(own)
    which = np.zeros((own.agent_id.shape[0], N_ENEMIES), dtype=np.float32)
    which[np.arange(which.shape[0]), index] = 1.0
    which *= seen[:, None]
    last = own.group("last_action.*")
    return {"seen": seen, "x": x, "y": y, "which": which, "moved": last[:, 2:].sum(axis=1), "stopped": last[:, 1]}

def receive(own, inbox):
    count = np.maximum(inbox["seen"].sum(axis=1), 1)
    heard = (inbox.delivered & (inbox["seen"] > 0)).astype(np.bool)
    mean_x = (inbox["x"] * heard).sum(axis=1) / count
    best = np.max(inbox["which"] * heard[:, :, None], axis=1)
    return {"mean_x": mean_x, "best": best, "share": count / float(own.n_agents)}
""",
    "what the search designer writes": '''
"""Part 1 of the protocol for small, written by the search designer."""

import numpy as np

from generated_protocols import Array, Inbox, Observation


def mean_over_window(past: Array, age: Array) -> Array:
    """The mean over the real steps of a window; steps before the episode are zero."""
    return (past.sum(axis=1).T / (age + 1)).T


def newest(seen: Array) -> Array:
    """True at the last step of a window at which something was seen, if it was."""
    return seen & (np.cumsum(seen[:, ::-1], axis=1)[:, ::-1] == 1)


def last_seen(past: Array, seen: Array) -> Array:
    """The value when something was last seen in a window, or zero."""
    return (past * newest(seen)).sum(axis=1)


def age_of(seen: Array) -> Array:
    """Steps since something was last seen, as a share of the window; zero when it was not seen in it."""
    steps = np.arange(seen.shape[1])[::-1]
    return (newest(seen) * steps).sum(axis=1) / seen.shape[1]


def mean_heard(values: Array) -> Array:
    """The mean over senders that say something, for values of one number or more per sender."""
    return values.sum(axis=1) / np.maximum((values != 0).sum(axis=1), 1)


def send(own: Observation) -> dict[str, Array]:
    """What an agent puts on the air, from its own history alone."""
    is_overseer = own.is_role("overseer")
    return {
        # gain +0.1200 [+0.1100, +0.1300]: where enemy 0 was last seen
        "enemy_0_place": np.column_stack(
            [
                last_seen(own.past("enemy_0.relative_*"), own.past("enemy_0.available")[:, :, None] > 0),
                age_of(own.past("enemy_0.available") > 0),
            ]
        )
        * is_overseer[:, None],
        "gap_x": (own["enemy_0.relative_x"][:, None] - own.allies("relative_x"))
        * (own["enemy_0.available"] > 0)[:, None]
        * (own.allies("visible") > 0)
        * is_overseer[:, None],
        "moves": mean_over_window(own.past("move.*"), own.age),
        "seen": (own.past("enemy_1.distance") * (own.past("enemy_1.available") > 0)).sum(axis=1),
        "difference": (own["enemy_0.health"] - own.allies("health")[:, 1]) * (own["own.x"] > 0),
    }


def receive(own: Observation, inbox: Inbox) -> dict[str, Array]:
    """What an agent keeps of what it heard: the entries of those who may speak."""
    return {
        "enemy_0_place": inbox["enemy_0_place"][:, 0],
        "gap_x": inbox.addressed("gap_x")[:, 0],
        "moves": mean_heard(inbox["moves"]),
        "seen_from_0": inbox["seen"][:, 0],
        "seen_from_1": inbox["seen"][:, 1],
    }
''',
    "a function as a key": """
import numpy as np

WEIGHTS = {"enemy_0.health": 0.5, "enemy_1.health": 0.25}

def weight(name):
    return WEIGHTS[name]

def send(own):
    names = sorted(WEIGHTS, key=weight, reverse=True)
    return {"health": np.stack([own[name] for name in names], axis=1), "id": np.eye(own.n_agents)[own.agent_id]}
""",
    "a result from a helper that packs": """
def pack(x, y):
    return {"x": x, "y": y}

def send(own):
    return pack(own["own.x"], own["own.y"])
""",
    "update and nested displays": """
def send(own):
    message = {"x": own["own.x"]}
    message.update({"y": own["own.y"]})
    message.update(health=own["own.health"])
    return message
""",
    "semicolons and one-liners": """
def send(own): x = own["own.x"]; return {"x": x}
""",
    "tabs": "def send(own):\n\tx = own['own.x']\n\treturn {'x': x}\n",
    "windows line ends": "def send(own):\r\n    return {'x': own['own.x']}\r\n",
    "a byte-order mark": "\ufeffdef send(own):\n    return {'x': own['own.x']}\n",
    "no line end at the end": "def send(own):\n    return {'x': own['own.x']}",
}
