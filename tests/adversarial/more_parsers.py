"""More of the kind of `hostile_parsers.py`, tried by `pytest -m slow`."""

from hostile import hostile
from hostile_parsers import unused, within

MODULES = [
    hostile("classes in classes", "PD303", "PD410", source=within("class C{}:", 90)),
    hostile("defaults in defaults", "PD203", source=unused("lambda a=" * 90 + "0" + ": 0" * 90)),
    hostile(
        "patterns in patterns",
        "PD203",
        source="def send(own):\n    match own:\n        case "
        + "[" * 14
        + "_"
        + "]" * 14
        + ":\n            pass\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile("slices in slices", "PD203", "PD456", source=unused("own[0:" * 60 + "0" + "]" * 60)),
    hostile("f-strings after f-strings", "PD203", source=unused("f'{1}' " * 2000)),
    hostile(
        "a long chain of comparisons",
        "PD322",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x']" + " < 1" * 3000 + "}\n",
    ),
    hostile(
        "a long chain of assignments",
        "PD306",
        source="def send(own):\n    " + "y = " * 3000 + "abs = 0\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "very many parameters",
        "PD401",
        "PD410",
        source="def send(" + ", ".join(f"a{i}" for i in range(2000)) + "):\n    return {'x': a0['enemy_0.x']}\n",
    ),
    hostile(
        "very many globals",
        "PD303",
        source="def send(own):\n    global "
        + ", ".join(f"a{i}" for i in range(2000))
        + "\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "very many unknown names",
        "PD307",
        "PD410",
        source="import numpy as np\n\ndef send(own):\n"
        + "".join(f"    y = np.{'q' * 60}{i}\n" for i in range(180))
        + "    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a field as long as the source",
        "PD317",
        "PD456",
        source="def send(own):\n    return {'x': own['" + "en" * 8000 + "']}\n",
    ),
    hostile(
        "a field of very many pieces",
        "PD331",
        "PD456",
        source="def send(own):\n    return {'x': own[f'" + "{own.n_agents}" * 900 + "']}\n",
    ),
    hostile(
        "a number of very many hexadecimal digits",
        "PD314",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x'] * 0x" + "f" * 12_000 + "}\n",
    ),
    hostile(
        "two underscores in a number",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x'] * 1__0}\n",
    ),
    hostile(
        "very many wrong escapes",
        "PD202",
        source="def send(own):\n    '" + "\\d" * 7000 + "'\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "an annotation that is very deep text",
        "PD309",
        source="def send(own: '" + "list[" * 2000 + "int" + "]" * 2000 + "'):\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile("one bracket too many", "PD201", "PD410", source="def send(own):\n    return {'x': own['enemy_0.x']}}\n"),
    hostile(
        "an indent that goes back to nowhere",
        "PD201",
        "PD410",
        source="def send(own):\n        x = own['enemy_0.x']\n    return {'x': x}\n",
    ),
    hostile(
        "a function that calls two others, to the 99th",
        "PD312",
        source="def f0(x):\n    return x\n\n"
        + "".join(f"def f{i}(x):\n    return f{i - 1}(x) if x is None else f{i - 1}(x)\n\n" for i in range(1, 99))
        + "def send(own):\n    return {'x': f98(own['enemy_0.x'])}\n",
    ),
    hostile("a star alone", "PD201", "PD410", source="def send(own):\n    *x = own\n    return {'x': x}\n"),
    hostile(
        "break outside", "PD201", "PD410", source="def send(own):\n    break\n    return {'x': own['enemy_0.x']}\n"
    ),
    hostile(
        "the same parameter twice", "PD201", "PD410", source="def send(own, own):\n    return {'x': own['enemy_0.x']}\n"
    ),
    hostile(
        "an f-string that never closes",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': own[f'{own.n_agents']}\n",
    ),
    hostile(
        "a keyword as a name",
        "PD201",
        "PD410",
        source="def send(own):\n    lambda = own['enemy_0.x']\n    return {'x': lambda}\n",
    ),
]
