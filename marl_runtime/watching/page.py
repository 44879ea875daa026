"""Recordings as one HTML file that plays them: no network, no library, the data inside as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from buffers.errors import UsageError
from generated_protocols.bandwidth import Component
from generated_protocols.manifest import write_atomically
from marl_runtime.watching.recording import Messages, Recording

__all__ = ["page_data", "render_page", "require_writable", "write_page"]

FOLDER = Path(__file__).resolve().parent
MARK = '<meta name="generator" content="design-protocol watch">'
"""Stands in the first kilobyte of every page, and says that the file may be replaced."""
MESSAGE_LIMIT = 700_000
"""Characters of JSON that the messages of one episode may take; beyond them, what receivers kept is left out."""
_SCRIPTS = ("unpacking.js", "field.js", "messages.js", "player.js")


def render_page(recordings: Sequence[Recording], speed: float = 4.0) -> str:
    """Return the page of one task's `recordings`, playing at `speed` steps per second."""
    scripts = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    script = f'(() => {{\n"use strict";\n{scripts}\nstart();\n}})();\n'
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, autoescape=True)
    first = recordings[0]
    return environment.get_template("player.html.j2").render(
        mark=Markup(MARK),
        title=f"{first.task}, {first.player}, seed {first.root_seed}",
        policy=f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'",
        style=Markup((FOLDER / "player.css").read_text(encoding="utf-8")),
        data=Markup(_embeddable(page_data(recordings, speed))),
        script=Markup(script),
    )


def _embeddable(value: Any) -> str:
    """Return JSON that cannot end or open an element, whatever names are in it."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def require_writable(path: Path) -> None:
    """Raise `UsageError` unless a page can be written to `path`: nothing is there, or an older page of ours."""
    if path.is_dir():
        raise UsageError(f"--out {path} is a folder: name a file in it, as in {path / 'watch.html'}")
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}; make it first, or name another file")
    if path.exists():
        with path.open("rb") as file:
            start = file.read(1024)
        if MARK.encode() not in start:
            raise UsageError(f"--out {path} exists and was not written by `watch`: name another file, or remove it")
    # what cannot be written is found out before anything is played
    probe = path.with_name(f".{path.name}.probe")
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"--out {path} cannot be written ({error.strerror}): name a file elsewhere") from error


def write_page(path: Path, recordings: Sequence[Recording], speed: float = 4.0) -> None:
    """Write the page to `path`, so that a kill leaves the old file or the new one."""
    require_writable(path)
    write_atomically(path, render_page(recordings, speed))


def page_data(recordings: Sequence[Recording], speed: float) -> dict[str, Any]:
    """Return what the page embeds, as plain JSON values; a series of numbers is packed (`_pack`)."""
    first = recordings[0]
    return {
        "task": first.task,
        "player": first.player,
        "root": first.root_seed,
        "limit": first.limit,
        "speed": speed,
        "actions": list(first.action_names),
        "terrain": ["".join(".#"[not cell] for cell in row) for row in first.scene.terrain.T],
        "sight": first.scene.sight,
        "shoot": first.scene.shoot,
        "agents": first.scene.n_agents,
        "fight": first.scene.fight,
        "gone": first.scene.gone,
        "episodes": [_episode(recording) for recording in recordings],
    }


def _episode(recording: Recording) -> dict[str, Any]:
    scene = recording.scene
    cards = [
        {
            "mark": scene.mark(slot),
            "title": scene.title(slot),
            "health": card.health,
            "shield": card.shield,
            "radius": card.radius,
            "period": card.period,
            "range": card.range,
            "heals": card.heals,
        }
        for slot, card in enumerate(scene.units)
    ]
    doing = [[recording.action(t, agent) for t in range(recording.steps)] for agent in range(scene.n_agents)]
    names = sorted({name for row in doing for name in row})
    return {
        "episode": recording.episode,
        "seed": recording.seed,
        "outcome": recording.outcome,
        "steps": recording.steps,
        "bounds": recording.bounds,
        "units": cards,
        "x": _series(recording.x, 2),
        "y": _series(recording.y, 2),
        "health": _series(recording.health, 1),
        "shield": _series(recording.shield, 1),
        "cooldown": _series(recording.cooldown, 0),
        "target": _series(recording.target, 0),
        "names": names,
        "actions": [_pack([names.index(name) for name in row]) for row in doing],
        "rewards": _pack([_short(value, 3) for value in recording.rewards.tolist()]),
        "messages": None if recording.messages is None else _messages(recording.messages),
    }


def _messages(messages: Messages) -> dict[str, Any]:
    """Components with their values by agent: `[agent][value]` packed series over the entries.

    Of parts that keep all that is sent nothing is stored twice: the page works it out.
    """
    sent, size = None, 0
    if messages.sent is not None:
        sent = _components(messages.sent_components, messages.sent)
        size = len(json.dumps(sent))
    own = [component for component in messages.kept_components if component.part not in messages.keeps_all]
    kept: list[dict[str, Any]] | None = None
    # a kept number is at least two characters where it changes; packing what cannot fit would take long
    if messages.kept.size < 20 * MESSAGE_LIMIT:
        kept = _components(messages.kept_components, messages.kept, leave_out=messages.keeps_all)
    left_out = bool(own) and (kept is None or size + len(json.dumps(kept)) > MESSAGE_LIMIT)
    return {
        "name": messages.name,
        "acted_on": messages.acted_on,
        "sent": sent,
        "kept": [] if left_out or kept is None else kept,
        "keeps_all": sorted(messages.keeps_all),
        "left_out": sum(component.width for component in own) if left_out else 0,
    }


def _components(
    components: Iterable[Component], values: np.ndarray, leave_out: frozenset[int] = frozenset()
) -> list[dict[str, Any]]:
    found, column = [], 0
    for component in components:
        block = values[:, :, column : column + component.width]
        column += component.width
        if component.part in leave_out:
            continue
        agents = [_significant(block[:, agent]) for agent in range(block.shape[1])]
        found.append({"part": component.part, "name": component.name, "values": agents})
    return found


def _significant(columns: np.ndarray) -> list[list[Any]]:
    """Pack columns `[T+1, k]` with three significant digits each."""
    return [_pack([float(f"{value:.3g}") for value in column]) for column in np.nan_to_num(columns.T).tolist()]


def _series(values: np.ndarray, digits: int) -> list[list[Any]]:
    """Pack `[T, U]`: one series per unit."""
    return [_pack([_short(value, digits) for value in column]) for column in values.T.tolist()]


def _short(value: float, digits: int) -> float:
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def _pack(values: Sequence[float]) -> list[Any]:
    """Return a list in which `[n]` stands for n repetitions of the number before it, where that is shorter."""
    packed: list[Any] = []
    last, run = 0.0, 0
    for value in (int(given) if given == int(given) else given for given in values):
        if packed and value == last:
            run += 1
            continue
        packed += _repeated(last, run) if run else []
        packed.append(value)
        last, run = value, 0
    return packed + (_repeated(last, run) if run else [])


def _repeated(value: float, count: int) -> list[Any]:
    return [value] * count if count * (len(str(value)) + 1) <= len(str(count)) + 3 else [[count]]
