"""More of the kind of `hostile_broken.py`, tried by `pytest -m slow`."""

from hostile import hostile
from hostile_broken import NUMPY, part, received

MODULES = [
    hostile(
        "the published form in NumPy",
        "PD401",
        "PD451",
        source=NUMPY + "def communication(o):\n    return np.concatenate([o, o[:, :, :2]], axis=-1)\n",
    ),
    hostile(
        "a class with send",
        "PD401",
        "PD410",
        source="class Protocol:\n    def send(self, own):\n        return {'x': own['enemy_0.x']}\n",
    ),
    hostile("send with self", "PD401", "PD410", source="def send(self, own):\n    return {'x': own['enemy_0.x']}\n"),
    hostile(
        "send with the inbox",
        "PD401",
        "PD410",
        source="def send(own, inbox):\n    return {'x': own['enemy_0.x'] + inbox['x'].sum(axis=1)}\n",
    ),
    hostile(
        "send in a variable", "PD302", source="def tell(own):\n    return {'x': own['enemy_0.x']}\n\n\nsend = tell\n"
    ),
    hostile(
        "Send with a capital letter", "PD401", "PD451", source="def Send(own):\n    return {'x': own['enemy_0.x']}\n"
    ),
    hostile("a tuple of components", "PD402", "PD452", source=part("return own['enemy_0.x'], own['own.health']")),
    hostile("a component that is None", "", "PD454", source=part("return {'x': None}")),
    hostile("components by number", "PD402", "PD453", source=part("return {0: own['enemy_0.x']}")),
    hostile("a component without columns", "", "PD455", source=part("return {'x': own.group('ally_*.x')[:, 2:]}")),
    hostile(
        "a component name that is a sentence",
        "PD404",
        "PD453",
        source=part("return {'where the enemy is': own['enemy_0.x']}"),
    ),
    hostile("a negated number as a condition", "", "PD410", source=part("return {'x': ~own['enemy_0.x']}")),
    hostile("a number as an index", "", "PD410", source=part("return {'x': own.group('ally_*.x')[:, 1.0]}")),
    hostile("a column that is not there", "", "PD410", source=part("return {'x': own.group('ally_*.x')[:, 2]}")),
    hostile("a step before the window", "", "PD410", source=part("return {'x': own.past('enemy_0.x')[:, -9]}")),
    hostile("an axis that is not there", "", "PD410", source=part("return {'x': own['enemy_0.x'].max(axis=1)}")),
    hostile(
        "a mean over the agents in send",
        "",
        "PD455",
        source=part("return {'x': own['enemy_0.x'].reshape(-1, own.n_agents, 2).mean(axis=1)}"),
    ),
    hostile(
        "squeeze that meets a single row",
        "",
        "PD410",
        "PD455",
        source=part("return {'x': own.group('ally_*.x')[:, :1].squeeze()[:, None]}"),
    ),
    hostile(
        "a division by a standard deviation of zero",
        "",
        "PD413",
        source=part("y = own.past('enemy_0.x')\n    return {'x': (y[:, -1] - y.mean(axis=1)) / y.std(axis=1)}"),
    ),
    hostile("an angle of nothing", "", "PD413", source=part("return {'x': np.arccos(own['enemy_0.x'] * 9)}")),
    hostile("an overflow of exp", "", "PD413", source=part("return {'x': np.exp(own['enemy_0.x'] * 1000)}")),
    hostile(
        "infinity as a mark for nothing seen",
        "",
        "PD413",
        source=part("return {'x': np.where(own['enemy_0.x'] > 0, own['enemy_0.x'], np.inf)}"),
    ),
    hostile(
        "a softmax over the rows",
        "PD323",
        "PD415",
        source=part("y = np.exp(own['enemy_0.x'])\n    return {'x': y / y.sum()}"),
    ),
    hostile(
        "change the own array",
        "PD320",
        "PD410",
        source=part("x = own['enemy_0.x']\n    x[x < 0] = 0\n    return {'x': x}"),
    ),
    hostile("a dict of fields", "PD330", "PD410", source=part("return {'x': own.get('enemy_0.x', 0)}")),
    hostile(
        "whether a field is there",
        "PD330",
        "PD410",
        "PD456",
        source=part("return {'x': own['enemy_0.x'] * ('enemy_1.x' in own)}"),
    ),
    hostile(
        "two arguments for the past", "PD330", "PD410", source=part("return {'x': own.past('enemy_0.x', 3)[:, 0]}")
    ),
    hostile("a list of fields", "PD330", "PD456", source=part("return {'x': own[['enemy_0.x', 'own.health']]}")),
    hostile("allies by a full name", "PD331", "PD456", source=part("return {'x': own.allies('ally_0.x')}")),
    hostile("a role by a slip", "PD331", "PD457", source=part("return {'x': own.is_role('Scout')}")),
    hostile("a type as text", "PD317", source=part("return {'x': own['enemy_0.x'].astype('float32')}")),
    hostile("a percent format for a field", "PD304", "PD456", source=part("return {'x': own['enemy_%d.x' % 7]}")),
    hostile("a plus for a field", "PD317", "PD410", source=part("return {'x': own['enemy_' + 0 + '.x']}")),
    hostile("str for a field", "PD305", "PD410", source=part("return {'x': own['enemy_' + str(0) + '.x']}")),
    hostile(
        "print while looking for the mistake",
        "PD305",
        "PD410",
        source=part("print(own['enemy_0.x'].shape)\n    return {'x': own['enemy_0.x']}"),
    ),
    hostile(
        "a raise for what cannot be",
        "PD303",
        "PD410",
        source=part("if own.n_agents > 1:\n        raise ValueError('too many')\n    return {'x': own['enemy_0.x']}"),
    ),
    hostile(
        "a global counter of steps",
        "PD303",
        "PD412",
        source=part(
            "global step\n    step = step + 1\n    return {'x': own['enemy_0.x'] * step}", top="step = 0\n\n\n"
        ),
    ),
    hostile(
        "receive that reads like own", "PD332", "PD458", source=received("return {'x': inbox['enemy_0.x'].max(axis=1)}")
    ),
    hostile("receive by a sender's number", "PD330", "PD456", source=received("return {'x': inbox[0]['x']}")),
    hostile("receive reduces one axis too many", "", "PD410", source=received("return {'x': inbox['x'].max(axis=2)}")),
    hostile(
        "receive over messages as a dict",
        "PD330",
        "PD410",
        source=received("return {'x': sum([m.sum(axis=1) for m in inbox.values()])}"),
    ),
    hostile(
        "receive divides by how many spoke",
        "",
        "PD413",
        source=received("return {'x': inbox['x'].sum(axis=1) / inbox.delivered.sum(axis=1)}"),
    ),
    hostile(
        "receive picks the sender by its own row",
        "",
        "PD410",
        source=received("return {'x': inbox['x'][own.agent_id][:, 0]}"),
    ),
    hostile(
        "a diff",
        "PD201",
        "PD410",
        source="@@ -1,2 +1,2 @@\n-def send(own):\n+def send(own):\n     return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a prompt of the interpreter",
        "PD201",
        "PD410",
        source=">>> def send(own):\n...     return {'x': own['enemy_0.x']}\n",
    ),
    hostile("dots where code is left out", "PD403", "PD452", source="def send(own):\n    ...\n"),
    hostile("JSON", "PD401", "PD451", source='{"code": "def send(own): return {}"}\n'),
    hostile(
        "another language", "PD201", "PD410", source="function send(own) {\n    return {x: own['enemy_0.x']};\n}\n"
    ),
]
