"""Honest mistakes of people and language models."""

from hostile import GOODSEND, hostile

NUMPY = "import numpy as np\n\n\n"


def part(body: str, parameters: str = "own", top: str = "") -> str:
    """A part whose `send` does this."""
    return f"{NUMPY}{top}def send({parameters}):\n    {body}\n"


def received(body: str) -> str:
    """A part whose `receive` does this."""
    return NUMPY + GOODSEND + f"\n\ndef receive(own, inbox):\n    {body}\n"


MODULES = [
    hostile(
        "the published form",
        "PD301",
        "PD450",
        source="import torch as th\n\ndef communication(o):\n    return th.cat([o, o[:, :, :2]], dim=-1)\n",
    ),
    hostile(
        "torch",
        "PD301",
        "PD450",
        source="import torch\n\ndef send(own):\n    return {'x': torch.tensor(own['enemy_0.x'])}\n",
    ),
    hostile("a Markdown fence around it", "PD201", "PD410", source="```python\n" + GOODSEND + "```\n"),
    hostile("an explanation before it", "PD201", "PD410", source="Here is the protocol you asked for:\n\n" + GOODSEND),
    hostile("send that takes an array", "PD401", "PD456", source="def send(obs):\n    return {'x': obs[:, 3]}\n"),
    hostile("columns by number", "PD330", "PD456", source="def send(own):\n    return {'x': own[:, 0]}\n"),
    hostile("a field as an attribute", "PD330", "PD410", source="def send(own):\n    return {'x': own.enemy_0.x}\n"),
    hostile("own.obs", "PD330", "PD410", source="def send(own):\n    return {'x': own.obs['enemy_0.x']}\n"),
    hostile("a field with a slip", "PD331", "PD456", source="def send(own):\n    return {'x': own['enmy_0.x']}\n"),
    hostile("a field that nobody has", "PD331", "PD456", source="def send(own):\n    return {'x': own['enemy_7.x']}\n"),
    hostile(
        "a pattern where one field is meant",
        "PD331",
        "PD456",
        source="def send(own):\n    return {'x': own['ally_*.x']}\n",
    ),
    hostile("the state", "PD305", "PD410", source="def send(own):\n    return {'x': state['enemy_0.x']}\n"),
    hostile(
        "a role that is none",
        "PD331",
        "PD457",
        source="def send(own):\n    return {'x': own['enemy_0.x'] * own.is_role('overseer')}\n",
    ),
    hostile("no return", "PD403", "PD452", source="def send(own):\n    x = own['enemy_0.x']\n"),
    hostile(
        "a return on one path only",
        "PD403",
        "PD452",
        source="def send(own):\n    if own.n_agents > 5:\n        return {'x': own['enemy_0.x']}\n",
    ),
    hostile("an array instead of a dict", "PD402", "PD452", source="def send(own):\n    return own['enemy_0.x']\n"),
    hostile(
        "a list of arrays",
        "",
        "PD410",
        source="def send(own):\n    return {'x': [own['enemy_0.x'], own.past('enemy_0.x')]}\n",
    ),
    hostile(
        "a plain number as a component",
        "PD406",
        "PD455",
        source="def send(own):\n    return {'x': own['enemy_0.x'], 'n': 3}\n",
    ),
    hostile("a text as a component", "PD406", "PD454", source="def send(own):\n    return {'x': 'north'}\n"),
    hostile(
        "a component name with a dot",
        "PD404",
        "PD453",
        source="def send(own):\n    return {'enemy_0.x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a component twice",
        "PD404",
        source="def send(own):\n    return {'x': own['enemy_0.x'], 'x': own['own.health']}\n",
    ),
    hostile(
        "a dict within the dict", "PD406", "PD454", source="def send(own):\n    return {'x': {'y': own['enemy_0.x']}}\n"
    ),
    hostile("three dimensions", "", "PD455", source="def send(own):\n    return {'x': own.past('ally_*.x')}\n"),
    hostile(
        "rows and columns swapped", "", "PD455", source="def send(own):\n    return {'x': own.group('ally_*.x').T}\n"
    ),
    hostile(
        "one number for all rows",
        "",
        "PD455",
        source="import numpy as np\n\ndef send(own):\n    return {'x': np.array([1.0])}\n",
    ),
    hostile(
        "if upon an array",
        "PD322",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\n    if x > 0:\n        x = x * 2\n    return {'x': x}\n",
    ),
    hostile(
        "and between arrays",
        "PD322",
        "PD410",
        source="def send(own):\n    x = own['enemy_0.x']\n    return {'x': (x > 0) and (x < 1)}\n",
    ),
    hostile(
        "max of an array and a number",
        "PD322",
        "PD410",
        source="def send(own):\n    return {'x': max(own['enemy_0.x'], 0)}\n",
    ),
    hostile(
        "a division by zero",
        "",
        "PD413",
        source="def send(own):\n    return {'x': own['own.health'] / (own['enemy_0.x'] * 0)}\n",
    ),
    hostile(
        "a logarithm of nothing",
        "",
        "PD413",
        source="import numpy as np\n\ndef send(own):\n    return {'x': np.log(own['enemy_0.x'] * 0)}\n",
    ),
    hostile(
        "a loop over rows",
        "PD311",
        source="def send(own):\n    x = own['enemy_0.x'].copy()\n    for row in range(len(x)):\n        x[row] = x[row] * 2\n    return {'x': x}\n",
    ),
    hostile(
        "NumPy not imported", "PD305", "PD410", source="def send(own):\n    return {'x': np.abs(own['enemy_0.x'])}\n"
    ),
    hostile(
        "NumPy by its full name",
        "PD301",
        source="import numpy\n\ndef send(own):\n    return {'x': numpy.abs(own['enemy_0.x'])}\n",
    ),
    hostile(
        "a NumPy function that is not there",
        "PD307",
        "PD410",
        source="import numpy as np\n\ndef send(own):\n    return {'x': np.clamp(own['enemy_0.x'], 0, 1)}\n",
    ),
    hostile(
        "a method of torch",
        "PD308",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x'].unsqueeze(-1)}\n",
    ),
    hostile(
        "the wrong axis",
        "",
        "PD410",
        source="import numpy as np\n\ndef send(own):\n    return {'x': np.stack([own['enemy_0.x'], own['own.health']], axis=2)}\n",
    ),
    hostile(
        "shapes that do not fit",
        "",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x'] + own.group('ally_*.x')}\n",
    ),
    hostile(
        "receive without an inbox",
        "PD401",
        "PD410",
        source=GOODSEND + "\n\ndef receive(own):\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "receive asks for what nobody sends",
        "PD332",
        "PD458",
        source=GOODSEND + "\n\ndef receive(own, inbox):\n    return {'y': inbox['y'].sum(axis=1)}\n",
    ),
    hostile(
        "receive alone", "PD401", "PD451", source="def receive(own, inbox):\n    return {'x': inbox['x'].sum(axis=1)}\n"
    ),
    hostile(
        "receive that keeps three dimensions",
        "",
        "PD455",
        source="def send(own):\n    return {'x': own.group('ally_*.x')}\n\n\ndef receive(own, inbox):\n    return {'x': inbox['x']}\n",
    ),
    hostile(
        "addressed without an entry for each",
        "",
        "PD458",
        source=GOODSEND + "\n\ndef receive(own, inbox):\n    return {'x': inbox.addressed('x').sum(axis=1)}\n",
    ),
    hostile("a missing colon", "PD201", "PD410", source="def send(own)\n    return {'x': own['enemy_0.x']}\n"),
    hostile("a missing indent", "PD201", "PD410", source="def send(own):\nreturn {'x': own['enemy_0.x']}\n"),
    hostile("Python 2", "PD201", "PD410", source="def send(own):\n    print own\n    return {'x': own['enemy_0.x']}\n"),
    hostile(
        "a call by a name that was never defined",
        "PD305",
        "PD410",
        source="def send(own):\n    return {'x': helper(own['enemy_0.x'])}\n",
    ),
    hostile(
        "a main part that tries it",
        "PD302",
        source=GOODSEND + "\n\nif __name__ == '__main__':\n    print(send({'enemy_0.x': 1.0}))\n",
    ),
    hostile("None for nothing to say", "PD402", "PD452", source=part("return None")),
    hostile("an empty dict", "PD402", "PD410", "PD455", source=part("return {}")),
    hostile(
        "a sum of booleans by minus",
        "",
        "PD410",
        source=part("return {'x': own.is_role('scout') - own.is_role('runner')}"),
    ),
    hostile(
        "a mean over a batch axis that is not there",
        "PD323",
        "PD415",
        source=part("return {'x': own['enemy_0.x'] - own['enemy_0.x'].mean(axis=0, keepdims=True)}"),
    ),
    hostile(
        "a norm over everything",
        "PD323",
        "PD415",
        source=part("y = own.group('ally_*.x')\n    return {'x': y / (1 + np.sqrt(np.einsum('rk,rk->', y, y)))}"),
    ),
    hostile(
        "a loop over the fields",
        "PD311",
        "PD410",
        "PD456",
        source=part("return {'x': np.stack([own[name] for name in own], axis=1)}"),
    ),
    hostile(
        "a seed and noise",
        "PD307",
        "PD415",
        "PD416",
        "PD417",
        source=part("np.random.seed(0)\n    return {'x': own['enemy_0.x'] + np.random.normal(size=own.age.shape)}"),
    ),
    hostile("receive that returns the inbox", "PD402", "PD452", source=received("return inbox")),
    hostile("receive as if payloads were columns", "", "PD410", source=received("return {'x': inbox['x'][:, :, 0]}")),
    hostile("prose at the end", "PD201", "PD410", source=GOODSEND + "\nThis protocol shares the enemy's position.\n"),
    hostile(
        "a body that is still to be written",
        "PD403",
        "PD452",
        source="def send(own):\n    # TODO: say where the enemy is\n    pass\n",
    ),
]
