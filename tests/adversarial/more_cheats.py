"""More of the kind of `hostile_cheats.py`, tried by `pytest -m slow`."""

from hostile import BUILTINS, OS, hostile
from hostile_cheats import NEVER_THE_SAME, receives, remembers

MODULES = [
    hostile("a place among the sorted rows", "", "PD415", body="x = np.searchsorted(np.sort(x), x) / 1000"),
    hostile("a place among every hundredth row", "", "PD415", body="x = np.digitize(x, np.sort(x)[::100])"),
    hostile("rows by agent", "", "PD415", body="x = x[np.argsort(own.agent_id, kind='stable')]"),
    hostile("a matrix of ones", "", "PD415", body="x = np.ones((len(x), len(x)), dtype=np.float32) @ x"),
    hostile(
        "whether another row says the same",
        "",
        "PD415",
        "PD417",
        body="x = np.isin(np.round(x, 1), np.round(x[1:], 1)) * 1.0",
    ),
    hostile("a slope between rows", "PD323", "PD415", body="x = np.gradient(x) if len(x) > 1 else x * 0"),
    hostile("an area under all rows", "", "PD415", body="x = x + np.trapezoid(x)"),
    hostile("the length of all rows", "PD323", "PD415", "PD417", body="x = x / (np.linalg.norm(x) + 1)"),
    hostile("every second row backwards", "", "PD415", body="y = x.copy()\ny[::2] = x[::-1][::2]\nx = y"),
    hostile("a sum of a plain list", "", "PD415", body="x = x + sum(x.tolist())"),
    hostile("the first row by a slice of length one", "", "PD415", body="x = x + own.past('enemy_0.x')[:1, -1]"),
    hostile("the dead hear all", "PD323", "PD415", body="x = np.where(x == 0, np.einsum('r->', x), x)"),
    hostile(
        "honest where numbers are missing",
        "PD323",
        "PD415",
        body="y = np.einsum('r->', x)\nx = np.where(np.isnan(y), x, x - y / len(x))",
    ),
    hostile("honest on a few rows, or many", "PD323", "PD415", body="x = x[::-1] if 30 < len(x) < 2000 else x"),
    hostile(
        "the hash of the first row's bytes",
        "PD307",
        *NEVER_THE_SAME,
        body=f"x = x + {BUILTINS}['hash'](x[:1].tobytes()) % 997",
    ),
    hostile(
        "a width by the process", "PD307", "PD410", "PD414", body=f"x = np.zeros((len(x), 1 + {OS}.getpid() % 97))"
    ),
    hostile(
        "a memory in NumPy itself",
        "PD303",
        *NEVER_THE_SAME,
        body="np.calls = np.__dict__.get('calls', 0) + 1\nx = x + (np.calls % 2)",
    ),
    hostile(
        "a memory that send leaves to receive",
        "PD303",
        *NEVER_THE_SAME,
        source="import numpy as np\n\n\ndef send(own):\n    np.kept = own['own.health']\n    return {'x': own['enemy_0.x']}\n\n\ndef receive(own, inbox):\n    return {'x': inbox['x'].sum(axis=1) + np.kept.sum()}\n",
    ),
    hostile(
        "a memory in a table of names",
        "PD320",
        *NEVER_THE_SAME,
        source=remembers("SEEN = {'n': 0}", "SEEN.update(n=SEEN['n'] + 1)\n    n = SEEN['n']"),
    ),
    hostile(
        "a memory through a helper's argument",
        "PD320",
        *NEVER_THE_SAME,
        source=remembers(
            "SEEN = [0]", "n = count(SEEN)", "def count(seen):\n    seen.append(1)\n    return len(seen)\n\n\n"
        ),
    ),
    hostile("receive takes the median of the batch", "PD323", "PD415", source=receives("x = x - np.median(x)")),
    hostile(
        "receive counts who heard anything",
        "PD323",
        "PD415",
        "PD416",
        "PD417",
        source=receives("x = x + np.einsum('rn->', inbox.delivered * 1.0)"),
    ),
    hostile(
        "receive gives a step's agents each other's health",
        "PD323",
        "PD415",
        source=receives(
            "y = own['own.health'].reshape(-1, 3) if len(x) % 3 == 0 else own['own.health'][:, None]\nx = x + y.sum(axis=1).repeat(y.shape[1])"
        ),
    ),
]
