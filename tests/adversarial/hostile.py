"""Hostile and broken protocol parts: what each tries, which static rule refuses it, and what the sandbox does with it.

Every module is tried twice: read by the static rules, and run in the sandbox as if there were no static rules. Modules
lie in `hostile_<kind>.py`, one table per kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from buffers.schema import Field, TaskSchema

__all__ = ["BUILTINS", "CANARY", "CTYPES", "GOODSEND", "HONEST", "OS", "SCHEMA", "SYS", "Hostile", "hostile"]

# NumPy's own modules lead everywhere: the loader's builtins are no fence
OS = "np.lib._npyio_impl.os"
BUILTINS = "np.__builtins__"
SYS = f"{BUILTINS}['__import__']('sys')"
CTYPES = f"{SYS}.modules['ctypes']"
GOODSEND = "def send(own):\n    return {'x': own['enemy_0.x']}\n"

CANARY = "CANARY"
"""Stands in sources for a folder that must stay as it was; the test puts the folder's path in its place."""

SCHEMA = TaskSchema(
    "toy",
    "three agents on a line",
    ("scout", "runner", "runner"),
    (
        Field("enemy_0.x", "where the enemy is", low=-1),
        Field("ally_0.x", "where an ally is", low=-1),
        Field("ally_1.x", "where an ally is", low=-1),
        Field("own.health", "health"),
    ),
    (Field("enemy_0.x", "x", low=-1),),
    ("stay", "go"),
    5,
)

HONEST = """
def send(own):
    return {"x": own["enemy_0.x"] * own.is_role("scout"), "past": own.past("enemy_0.x").mean(axis=1)}
"""


@dataclass(frozen=True)
class Hostile:
    """A module, and what must become of it.

    `static` is the code of a finding by which the static rules refuse it; empty where they cannot know. `contained`
    holds the codes of which the sandbox gives one when it runs the module without static rules; empty where the module
    runs to its end there and harms nobody (a comment that shows as code, say). One of the two is never empty.
    """

    name: str
    source: str | bytes
    static: str
    contained: tuple[str, ...]

    def __post_init__(self) -> None:
        assert self.static or self.contained, f"{self.name} escapes"


def hostile(
    name: str,
    static: str,
    *contained: str,
    body: str = "",
    source: str | bytes = "",
    top: str = "",
    arguments: str = "own",
) -> Hostile:
    """Make a module of a whole `source`, or of statements in the `body` of its `send`, under the lines in `top`."""
    if body:
        indented = "\n    ".join(body.split("\n"))
        head = f"import numpy as np\n{top}\ndef send({arguments}):\n    x = own['enemy_0.x']\n"
        source = f"{head}    {indented}\n    return {{'x': x}}\n"
    return Hostile(name, source, static, contained)
