"""Parser killers: nesting, length, and text that ends too early."""

import sys

from hostile import GOODSEND, hostile


def deep(before: str, after: str, times: int) -> str:
    """A part with an expression that is nested `times` times."""
    return f"def send(own):\n    x = {before * times}own['enemy_0.x']{after * times}\n    return {{'x': x}}\n"


def within(statement: str, times: int) -> str:
    """A part with a statement that holds itself `times` times."""
    head = "".join(" " * i + statement.format(i) + "\n" for i in range(1, times + 1))
    return f"def send(own):\n{head}{' ' * (times + 1)}pass\n return {{'x': own['enemy_0.x']}}\n"


def unused(expression: str) -> str:
    """A part that computes an expression for nothing."""
    return f"def send(own):\n    y = {expression}\n    return {{'x': own['enemy_0.x']}}\n"


MODULES = [
    hostile("parentheses in parentheses", "PD203", source=deep("(", ")", 150)),
    hostile("far more parentheses", "PD203", "PD410", source=deep("(", ")", 5000)),
    hostile("lists in lists", "PD203", "PD410", source=deep("[", "]", 150)),
    hostile("dicts in dicts", "PD203", "PD454", source=deep("{'a': ", "}", 150)),
    hostile("signs before signs", "PD203", source=deep("-", "", 300)),
    hostile("not not not", "PD203", "PD410", source=deep("not ", "", 300)),
    hostile("attributes of attributes", "PD203", source=deep("", ".T", 400)),
    hostile("subscripts of subscripts", "PD203", source=deep("", "[...]", 400)),
    hostile("calls of calls", "PD203", source=deep("abs(", ")", 120)),
    hostile(
        "a long sum",
        "PD203",
        source="def send(own):\n    x = own['enemy_0.x']" + " + 1" * 1500 + "\n    return {'x': x}\n",
    ),
    hostile(
        "a long power",
        "PD203",
        source="def send(own):\n    x = own['enemy_0.x'] * (1" + " ** 1" * 300 + ")\n    return {'x': x}\n",
    ),
    hostile(
        "conditions in conditions",
        "PD203",
        source="def send(own):\n    y = "
        + "1 if own.n_agents else (" * 120
        + "0"
        + ")" * 120
        + "\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "blocks in blocks",
        "PD101",
        "PD410",
        source="def send(own):\n"
        + "".join("    " * (i + 1) + "if own.n_agents:\n" for i in range(99))
        + "    " * 100
        + "pass\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "a long elif",
        "PD203",
        source="def send(own):\n    if own.n_agents == 0:\n        pass\n"
        + "".join(f"    elif own.n_agents == {i}:\n        pass\n" for i in range(330))
        + "    return {'x': own['enemy_0.x']}\n",
    ),
    hostile(
        "loops in loops until Python refuses",
        "PD201",
        "PD410",
        source="def send(own):\n"
        + "".join("    " * (i + 1) + f"for i{i} in range(1):\n" for i in range(25))
        + "    " * 26
        + "pass\n    return {'x': own['enemy_0.x']}\n",
    ),
    hostile("lists of lists of comprehensions", "", "PD455", source=deep("[", " for i in range(1)]", 60)),
    hostile("f-strings in f-strings", "PD318", source="def send(own):\n    return {'x': own[f'enemy_{f\"{0}\"}.x']}\n"),
    hostile(
        "an f-string with many braces",
        "PD331",
        "PD456",
        source="def send(own):\n    return {'x': own[f'enemy_" + "{" * 99 + "0" + "}" * 99 + ".x']}\n",
    ),
    hostile("lambdas in lambdas", "PD203", source=deep("(lambda: ", ")()", 90)),
    hostile("decorators upon decorators", "PD303", "PD410", source="@abs\n" * 1000 + GOODSEND),
    hostile(
        "a number with very many digits",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x'] * " + "9" * 5000 + "}\n",
    ),
    hostile(
        "a number with a huge exponent",
        "",
        "PD413",
        source="def send(own):\n    return {'x': own['enemy_0.x'] * 1e999}\n",
    ),
    hostile(
        "a text in very many pieces",
        "PD203",
        "PD456",
        source="def send(own):\n    return {'x': own[" + "'enemy_0.x' " * 1000 + "]}\n",
    ),
    hostile("a text that never ends", "PD201", "PD410", source="def send(own):\n    return {'x': own['''enemy_0.x]}\n"),
    hostile(
        "a bracket that never closes", "PD201", "PD410", source="def send(own):\n    return {'x': own['enemy_0.x'\n"
    ),
    hostile(
        "a line that goes on into nothing",
        "PD201",
        "PD410",
        source="def send(own):\n    return {'x': own['enemy_0.x']} \\",
    ),
    hostile("larger than allowed", "PD101", source=GOODSEND + "# " + "x" * 17_000 + "\n"),
    hostile("nothing at all", "PD401", "PD451", source=""),
    hostile("white space alone", "PD401", "PD451", source=" \n\t\n"),
    hostile("a comment alone", "PD401", "PD451", source="# nothing here\n"),
    hostile("functions in functions", "PD303", source=within("def f{}():", 90)),
    hostile("contexts in contexts", "PD201", "PD410", source=within("with own:", 25)),
    hostile("keywords in keywords", "PD203", source=unused("dict(a=" * 110 + "0" + ")" * 110)),
    hostile(
        "a name as long as the source", "PD307", "PD410", source="import numpy as np\n\n" + unused("np." + "se" * 8000)
    ),
    hostile("await outside", "PD201", "PD410", source=unused("await own")),
]

if sys.version_info < (3, 12):
    MODULES.append(
        hostile(
            "syntax of a newer Python",
            "PD201",
            "PD410",
            source="def send[T](own: T) -> T:\n    return {'x': own['enemy_0.x']}\n",
        )
    )
