"""Which components are worth trying on a task: read off the schema's names, never a task's own table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from buffers.episodes import Float32Array
from buffers.schema import Field, TaskSchema
from protocol_designer.designers.search.components import EACH, Column, Component, Form, Reading

__all__ = ["Source", "components_of", "free_moves", "sources", "varying_fields"]

_OPPOSITES = (("east", "west"), ("north", "south"), ("right", "left"), ("up", "down"))
_AXIS = re.compile(r"^(.*?)_?(x|y)$")
_MAX_NAME = 40
_MAX_TOGETHER = 12


@dataclass(frozen=True)
class Source:
    """Columns that belong together, before a form and a role are chosen. `forms` are those that make sense."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    forms: tuple[Form, ...]
    addressed: bool = False
    column_names: tuple[str, ...] = ()


def sources(schema: TaskSchema, varies: Callable[[str], bool], pass_index: int) -> list[Source]:
    """Return every source of a pass. `varies` says whether a field takes two values in the data (others say nothing).

    Pass 1 adds products of one's own flags by what is in sight, pass 2 positions seen from a sighted ally.
    """
    own = [f for f in (*schema.obs_fields, *_last_actions(schema)) if varies(f.name)]
    found = [_plain(f.name.replace(".", "_"), f.meaning, [f]) for f in own]
    found += _families(own)
    found += _whereabouts(own)
    found += _positions(own)
    found += _grids(own)
    found += _directions(own)
    found += _framed(schema, own)
    if pass_index >= 1:
        found += _products(own)
    if pass_index >= 2:
        found += _anchored(schema, own)
    unique: dict[tuple[object, ...], Source] = {}
    for source in found:
        unique.setdefault((source.columns, source.addressed), source)
    return list(unique.values())


def components_of(schema: TaskSchema, source: Source, speaks: Callable[[int, Column], bool]) -> list[Component]:
    """Return the source in each of its forms from each role in which some agent has something to say."""
    groups: dict[str, tuple[int, ...]] = {}
    if schema.roles_vary or len(set(schema.roles)) == 1:
        groups[""] = tuple(range(schema.n_agents))
    else:
        for role in dict.fromkeys(schema.roles):
            groups[role] = tuple(agent for agent, of in enumerate(schema.roles) if of == role)
    return [
        Component(
            name=_identifier(f"{role}_{source.name}" if role else source.name, form),
            meaning=source.meaning,
            columns=source.columns,
            form=form,
            role=role,
            senders=senders,
            addressed=source.addressed,
            column_names=source.column_names,
        )
        for role, senders in groups.items()
        if any(speaks(sender, column) for sender in senders for column in source.columns)
        for form in source.forms
    ]


def varying_fields(schema: TaskSchema, extended: Float32Array, agent: int) -> frozenset[str]:
    """Return the fields that take more than one value in one agent's observations `[B, T, N, D]`."""
    spread = np.ptp(extended[:, :, agent].reshape(-1, extended.shape[-1]), axis=0)
    return frozenset(f.name for f, width in zip(schema.extended_fields, spread, strict=True) if width > 0)


def _identifier(name: str, form: Form) -> str:
    name = re.sub(r"\W+", "_", name).strip("_")
    suffix = "" if form == "now" else f"_{form}"
    return name[:_MAX_NAME].rstrip("_") + suffix


def _last_actions(schema: TaskSchema) -> tuple[Field, ...]:
    return schema.extended_fields[schema.obs_dim : schema.obs_dim + schema.n_actions]


def _plain(name: str, meaning: str, fields: Sequence[Field]) -> Source:
    """Return a source of plain fields. If one field says when all are in sight, memory is possible."""
    seen = {f.present_if for f in fields}
    hidden = len(seen) == 1 and "" not in seen
    forms: tuple[Form, ...] = ("now", "last_seen", "mean") if hidden else ("now", "mean", "sum")
    # A hidden field is stored as zero already, so it needs no gate.
    columns = tuple(Column(Reading(f.name), seen=Reading(f.present_if) if hidden else None) for f in fields)
    return Source(name, meaning, columns, forms)


def _families(own: Sequence[Field]) -> list[Source]:
    """Return the binary fields of one entity as one source (the move flags, the last action)."""
    found = []
    flags = [f for f in own if f.kind == "binary" and f.entity]
    for entity, members in groupby(sorted(flags, key=lambda f: f.entity), key=lambda f: f.entity):
        fields = sorted(members, key=lambda f: [g.name for g in own].index(f.name))
        if len(fields) > 1:
            found.append(_plain(f"{entity.replace('.', '_')}_flags", f"every flag of {entity}", fields))
        others = [f for f in fields if not any(word in _words(f) for pair in _OPPOSITES for word in pair)]
        if 1 < len(others) < len(fields):
            meaning = f"every flag of {entity} but directions"
            found.append(_plain(f"{entity.replace('.', '_')}_others", meaning, others))
    moves = [f for f in own if f.kind == "binary" and any(word in _words(f) for pair in _OPPOSITES for word in pair)]
    for entity, members in groupby(sorted(moves, key=lambda f: f.entity), key=lambda f: f.entity):
        fields = list(members)
        if len(fields) > 1:
            found.append(_plain(f"{entity.replace('.', '_')}_directions", f"the four directions of {entity}", fields))
    return found


def _whereabouts(own: Sequence[Field]) -> list[Source]:
    """Return the free ways and the last step as one source: what an agent knows of where it stands without a map."""
    moves = [f for f in own if f.kind == "binary" and any(word in _words(f) for pair in _OPPOSITES for word in pair)]
    flags = [f for f in moves if f.entity != "last_action"]
    steps = [f for f in moves if f.entity == "last_action"]
    if not flags or not steps:
        return []
    return [_plain("ways_and_steps", "which ways are free and which way it last went", [*flags, *steps])]


def _grids(own: Sequence[Field]) -> list[Source]:
    """Return one quantity of every entity of a kind: what stands in each cell around, the health of every opponent."""
    kinds: dict[tuple[str, str], list[Field]] = {}
    for f in own:
        if "_" in f.entity and f.entity != "last_action":
            kinds.setdefault((f.entity.partition("_")[0], f.quantity), []).append(f)
    return [
        _plain(f"every_{kind}_{quantity}", f"{quantity} of every {kind}", fields)
        for (kind, quantity), fields in kinds.items()
        if 2 < len(fields) <= _MAX_TOGETHER
    ]


def _words(field: Field) -> list[str]:
    return re.split(r"[_.]", field.quantity.lower())


def _pairs(own: Sequence[Field]) -> list[tuple[str, Field, Field]]:
    """Return (entity, x field, y field) of every position in sight."""
    at = {f.name: f for f in own}
    found = []
    for f in own:
        match = _AXIS.match(f.quantity)
        if match and match.group(2) == "x":
            other = at.get(f"{f.entity}.{f.quantity[:-1]}y")
            if other is not None:
                found.append((f.entity, f, other))
    return found


def _positions(own: Sequence[Field]) -> list[Source]:
    """Return both axes of each position, and those of all numbered units of one kind together."""
    found = []
    kinds: dict[str, list[Field]] = {}
    for entity, x, y in _pairs(own):
        found.append(_plain(f"{entity}_xy", f"where {entity} is, from the sender", [x, y]))
        kinds.setdefault(re.sub(r"_\d+$", "", entity), []).extend((x, y))
    for kind, fields in kinds.items():
        if 2 < len(fields) <= _MAX_TOGETHER:
            found.append(_plain(f"every_{kind}_xy", f"where every {kind} is, from the sender", fields))
    return found


def _directions(own: Sequence[Field]) -> list[Source]:
    """Return the difference of opposite flags: displacement from last actions, the nearer wall from move flags."""
    found = []
    for entity in dict.fromkeys(f.entity for f in own):
        columns = []
        for plus, minus in _OPPOSITES:
            pair = [next((f for f in own if f.entity == entity and word in _words(f)), None) for word in (plus, minus)]
            if pair[0] is not None and pair[1] is not None:
                columns.append(Column(Reading(pair[0].name), Reading(pair[1].name)))
        if columns:
            meaning = f"{entity}: one direction minus its opposite, per axis"
            found.append(Source(f"{entity.replace('.', '_')}_axes", meaning, tuple(columns), ("now", "mean", "sum")))
    return found


def free_moves(own: Sequence[Field]) -> list[tuple[Field, Field]]:
    """Return (last action, flag) for each direction in which an agent both moves and is told whether it can.

    A step that way with the way still free says that no wall is near, as a flag that falls says that one is.
    """
    found = []
    words = [word for pair in _OPPOSITES for word in pair]
    for action in own:
        word = next((w for w in words if w in _words(action)), None)
        if action.entity != "last_action" or word is None:
            continue
        flag = next((f for f in own if f.entity not in ("", "last_action") and word in _words(f)), None)
        if flag is not None and flag.kind == "binary":
            found.append((action, flag))
    return found


def _ally_gate(schema: TaskSchema, quantity: str) -> str:
    """Return the quantity that says an ally is in sight, or nothing."""
    gate = next((f.present_if for f in schema.obs_fields if f.name == f"ally_0.{quantity}"), "")
    return gate.rpartition(".")[2] if gate.startswith("ally_0.") else ""


def _gates(field: Field, schema: TaskSchema, quantity: str, ally: int) -> tuple[Reading, ...]:
    gate = _ally_gate(schema, quantity)
    own = (Reading(field.present_if),) if field.present_if else ()
    return (*own, Reading(gate, ally)) if gate else own


def _framed(schema: TaskSchema, own: Sequence[Field]) -> list[Source]:
    """Return targets as each receiver would see them: seen from the sender, minus the receiver from the sender."""
    allies = {f.quantity for f in own if f.entity.startswith("ally_")}
    found = []
    for entity, x, y in _pairs(own):
        if entity.startswith("ally_") or not {x.quantity, y.quantity} <= allies:
            continue
        columns = tuple(
            Column(Reading(f.name), Reading(f.quantity, EACH), _gates(f, schema, f.quantity, EACH)) for f in (x, y)
        )
        found.append(
            Source(
                f"{entity}_for",
                f"where {entity} is, from the receiver, where the sender sees both",
                columns,
                ("now",),
                addressed=True,
                column_names=("x", "y"),
            )
        )
    return found


def _anchored(schema: TaskSchema, own: Sequence[Field]) -> list[Source]:
    """Return targets as one agent that everybody may know would see them."""
    allies = {f.quantity for f in own if f.entity.startswith("ally_")}
    found = []
    for entity, x, y in _pairs(own):
        if entity.startswith("ally_") or not {x.quantity, y.quantity} <= allies:
            continue
        for anchor in range(min(schema.n_agents, 4)):
            columns = tuple(
                Column(Reading(f.name), Reading(f.quantity, anchor), _gates(f, schema, f.quantity, anchor))
                for f in (x, y)
            )
            meaning = f"where {entity} is, from agent {anchor}, where the sender sees both"
            found.append(Source(f"{entity}_from_agent_{anchor}", meaning, columns, ("now",)))
    return found


def _products(own: Sequence[Field]) -> list[Source]:
    """Return one's own direction flags where an enemy is in sight: what the place of a sighting is like."""
    gates = _sight_gates(own)
    flags = [f for f in own if f.kind == "binary" and any(w in _words(f) for pair in _OPPOSITES for w in pair)]
    found = []
    for entity, members in groupby(sorted(flags, key=lambda f: f.entity), key=lambda f: f.entity):
        fields = list(members)
        for gate in gates:
            columns = tuple(Column(Reading(f.name), None, (Reading(gate),), Reading(gate)) for f in fields)
            seen = gate.rpartition(".")[0]
            name = f"{entity.replace('.', '_')}_where_{seen}"
            found.append(Source(name, f"{entity} flags while {seen} is in sight", columns, ("now", "last_seen")))
    return found


def _sight_gates(own: Iterable[Field]) -> list[str]:
    return list(dict.fromkeys(f.present_if for f in own if f.present_if and not f.entity.startswith("ally_")))[:4]
