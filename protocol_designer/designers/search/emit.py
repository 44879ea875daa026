"""Writes the chosen components as a protocol part that a person reads and edits."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from fnmatch import fnmatchcase

from buffers.schema import TaskSchema
from protocol_designer.designers.search.components import EACH, Column, Component, Reading
from protocol_designer.designers.search.selection import Chosen

__all__ = ["needs_receive", "payload_width", "write_part"]

_WIDTH = 110

_HELPERS = {
    "mean_over_window": '''
def mean_over_window(past: Array, age: Array) -> Array:
    """The mean over the real steps of a window; steps before the episode are zero."""
    return (past.sum(axis=1).T / (age + 1)).T
''',
    "last_seen": '''
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
''',
    "mean_heard": '''
def mean_heard(values: Array) -> Array:
    """The mean over senders that say something, for values of one number or more per sender."""
    return values.sum(axis=1) / np.maximum((values != 0).sum(axis=1), 1)
''',
}


def payload_width(schema: TaskSchema, components: Sequence[Component]) -> int:
    """Return P, the numbers that an agent puts on the air."""
    return sum(len(c.columns) * schema.n_agents if c.addressed else c.width for c in components)


def needs_receive(schema: TaskSchema, components: Sequence[Component], pooled_senders: int, wide: int) -> bool:
    """Return whether the default inbox will not do: addressed or pooled components, or too wide a message."""
    special = any(c.addressed or len(c.senders) > pooled_senders for c in components)
    return special or payload_width(schema, components) * schema.n_agents > wide


def write_part(
    schema: TaskSchema, part: int, chosen: Sequence[Chosen], *, pooled_senders: int, wide: int, why: Sequence[str]
) -> str:
    """Return the source of a part. `why` are the sentences of its docstring, after the first."""
    components = [entry.component for entry in chosen]
    body = [_send(schema, entry.component, entry) for entry in chosen]
    roles = [role for role in dict.fromkeys(c.role for c in components) if role]
    lines = [*(f'    {_speaker(role)} = own.is_role("{role}")' for role in roles)]
    lines += ["    return {", *body, "    }"]
    send = "\n".join(lines)
    receive = ""
    if needs_receive(schema, components, pooled_senders, wide):
        receive = _receive(components, pooled_senders)
    helpers = "".join(f"\n{text}" for name, text in _HELPERS.items() if f"{name}(" in send + receive)
    names = "Array, Inbox, Observation" if receive else "Array, Observation"
    numpy = "import numpy as np\n\n" if "np." in helpers + send + receive else ""
    return (
        f"{_docstring(schema, part, components, why)}\n\n{numpy}from generated_protocols import {names}\n{helpers}\n\n"
        "def send(own: Observation) -> dict[str, Array]:\n"
        '    """What an agent puts on the air, from its own history alone."""\n'
        f"{send}\n{receive}"
    )


def _docstring(schema: TaskSchema, part: int, components: Sequence[Component], why: Sequence[str]) -> str:
    shares = []
    for component in components:
        who = f"every {component.role}" if component.role else "every agent"
        shares.append(f"- {component.name}: {who} says {component.meaning} ({_FORMS[component.form]}).")
    paragraphs = [f"Part {part} of the protocol for {schema.name}, written by the search designer.", ""]
    for sentence in why:
        paragraphs += [*textwrap.wrap(sentence, _WIDTH), ""]
    paragraphs.append("What is shared:")
    for line in shares:
        paragraphs += textwrap.wrap(line, _WIDTH, subsequent_indent="  ")
    text = "\n".join(paragraphs).replace("\\", "/").replace('"""', "'''")
    return f'"""{text}\n"""'


_FORMS = {
    "now": "now",
    "last_seen": "as last seen in the window, then how long ago",
    "mean": "mean over the window",
    "sum": "sum over the window",
}


def _speaker(role: str) -> str:
    return "is_" + re.sub(r"\W+", "_", role).strip("_").lower()


def _send(schema: TaskSchema, component: Component, entry: Chosen) -> str:
    gain = entry.gain
    note = f"gain {gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]: {component.meaning}"
    lines = [f"        # {line}" for line in textwrap.wrap(note, _WIDTH - 10)]
    if component.addressed:
        for name, column in zip(component.column_names, component.columns, strict=True):
            lines.append(_entry(f"{component.name}_{name}", _addressed(column), component.role, wide=True))
        return "\n".join(lines)
    parts = _pieces(schema, component)
    wide = component.width > 1
    if component.form == "last_seen":
        parts.append(f"age_of({_past_seen(component.columns[0])})")
    value = parts[0]
    if len(parts) > 1:
        call, tail = ("np.column_stack", "") if len(parts) < component.width else ("np.stack", "axis=1")
        value = _stack(call, parts, tail)
    return "\n".join([*lines, _entry(component.name, value, component.role, wide)])


def _stack(call: str, parts: Sequence[str], tail: str) -> str:
    short = f"{call}([{', '.join(parts)}]{', ' + tail if tail else ''})"
    if len(short) <= _WIDTH - 30:
        return short
    inner = "".join(f"                {part},\n" for part in parts)
    end = f"            {tail},\n" if tail else ""
    return f"{call}(\n            [\n{inner}            ],\n{end}        )"


def _pieces(schema: TaskSchema, component: Component) -> list[str]:
    """Return the columns' expressions in order, runs of plain fields as one glob where one names exactly them."""
    columns = component.columns
    pieces: list[str] = []
    start = 0
    while start < len(columns):
        end = len(columns)
        while end > start + 1 and (piece := _run(schema, component, columns[start:end])) is None:
            end -= 1
        pieces.append(_column(component, columns[start]) if end == start + 1 else piece or "")
        start = end
    return pieces


def _run(schema: TaskSchema, component: Component, columns: Sequence[Column]) -> str | None:
    if any(c.minus is not None or c.gates or c.plus.ally >= 0 for c in columns):
        return None
    glob = _glob(schema, [c.plus.name for c in columns])
    if glob is None:
        return None
    if component.form == "now":
        return f'own.group("{glob}")'
    past = f'own.past("{glob}")'
    if component.form == "mean":
        return f"mean_over_window({past}, own.age)"
    if component.form == "sum":
        return f"{past}.sum(axis=1)"
    seen = {c.seen.name for c in columns if c.seen is not None}
    return f'last_seen({past}, own.past("{seen.pop()}")[:, :, None] > 0)' if len(seen) == 1 else None


def _glob(schema: TaskSchema, names: Sequence[str]) -> str | None:
    prefix = _shared_start(names)
    ending = _shared_start([name[len(prefix) :][::-1] for name in names])[::-1]
    inside = _shared_start([name.partition(".")[2] for name in names])
    # Globs that cut a word in two are shorter but say nothing to a reader.
    prefix, inside = _to_separator(prefix), _to_separator(inside)
    ending = ending[ending.index(".") :] if "." in ending else ""
    tries = [f"{prefix}*{ending}", f"{prefix}*.{inside}*"]
    fields = [f.name for f in schema.extended_fields]
    return next((t for t in tries if [f for f in fields if fnmatchcase(f, t)] == list(names)), None)


def _to_separator(text: str) -> str:
    return text[: max(text.rfind("."), text.rfind("_")) + 1]


def _shared_start(texts: Sequence[str]) -> str:
    shared = texts[0]
    while not all(text.startswith(shared) for text in texts):
        shared = shared[:-1]
    return shared


def _entry(name: str, value: str, role: str, wide: bool) -> str:
    text = f'        "{name}": {value}'
    if role:
        gate = f"* {_speaker(role)}{'[:, None]' if wide else ''}"
        text += f"\n        {gate}" if "\n" in value or len(text) + len(gate) > _WIDTH else f" {gate}"
    return text + ","


def _reading(reading: Reading) -> str:
    if reading.ally >= 0:
        return f'own.allies("{reading.name}")[:, {reading.ally}]'
    return f'own["{reading.name}"]'


def _column(component: Component, column: Column) -> str:
    if component.form == "now":
        value = _reading(column.plus)
        if column.minus is not None:
            value = f"({value} - {_reading(column.minus)})"
        return " * ".join([value, *(f"({_reading(gate)} > 0)" for gate in column.gates)])
    value = f'own.past("{column.plus.name}")'
    if column.minus is not None:
        value = f'({value} - own.past("{column.minus.name}"))'
    value = " * ".join([value, *(f'(own.past("{gate.name}") > 0)' for gate in column.gates)])
    if component.form == "mean":
        bare = value[1:-1] if column.minus is not None and not column.gates else value
        return f"mean_over_window({bare}, own.age)"
    if component.form == "sum":
        return f"({value}).sum(axis=1)" if column.gates else f"{value}.sum(axis=1)"
    return f"last_seen({value}, {_past_seen(column)})"


def _past_seen(column: Column) -> str:
    assert column.seen is not None
    return f'own.past("{column.seen.name}") > 0'


def _addressed(column: Column) -> str:
    assert column.minus is not None
    value = f'({_reading(column.plus)}[:, None] - own.allies("{column.minus.name}"))'
    for gate in column.gates:
        each = gate.ally == EACH
        factor = f'(own.allies("{gate.name}") > 0)' if each else f"({_reading(gate)} > 0)[:, None]"
        value += f"\n        * {factor}"
    return value


def _receive(components: Sequence[Component], pooled_senders: int) -> str:
    lines = []
    for component in components:
        pooled = len(component.senders) > pooled_senders
        names = (
            [f"{component.name}_{name}" for name in component.column_names] if component.addressed else [component.name]
        )
        for name in names:
            heard = f'inbox.addressed("{name}")' if component.addressed else f'inbox["{name}"]'
            if pooled:
                lines.append(f'        "{name}": mean_heard({heard}),')
            elif len(component.senders) == 1:
                lines.append(f'        "{name}": {heard}[:, {component.senders[0]}],')
            else:
                lines += [f'        "{name}_from_{sender}": {heard}[:, {sender}],' for sender in component.senders]
    body = "\n".join(lines)
    return (
        "\n\ndef receive(own: Observation, inbox: Inbox) -> dict[str, Array]:\n"
        '    """What an agent keeps of what it heard: the entries of those who may speak."""\n'
        f"    return {{\n{body}\n    }}\n"
    )
