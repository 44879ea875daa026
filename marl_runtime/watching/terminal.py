"""A recording as text: one frame per step, with a map seen from above (north at the top) and a line per unit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TextIO

import numpy as np

from marl_runtime.watching.recording import Recording

__all__ = ["Frames", "Look", "show"]

MAP_COLUMNS = 40
HEADER_LINES, SAYING_LINES = 2, 4
_CODES = {"agent": "1;36", "enemy": "1;33", "dim": "2", "bold": "1"}
_EIGHTHS = " ▁▂▃▄▅▆▇█"

Piece = tuple[str, str]
"""Text and its style: agent, enemy, dim, bold or none."""


@dataclass(frozen=True)
class Look:
    """How much room there is, and what it can show. A frame takes at most `rows` lines of `columns` characters."""

    columns: int = 80
    rows: int = 24
    colour: bool = False
    blocks: bool = True

    def line(self, pieces: list[Piece]) -> str:
        """Return the pieces as one line, cut to the width."""
        width, out = min(self.columns, 80), ""
        if sum(len(text) for text, _ in pieces) > width:
            pieces = [*_cut(pieces, width - 1), ("…" if self.blocks else ">", "")]
        for style, alike in groupby(pieces, key=lambda piece: piece[1]):
            text = "".join(text for text, _ in alike)
            out += f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and style and text else text
        return out.rstrip()

    def bar(self, share: float, width: int) -> str:
        """Return a bar; what is above 0 shows."""
        filled = int(np.clip(np.ceil(share * width), 0, width))
        full, empty = ("█", "░") if self.blocks else ("#", "-")
        return full * filled + empty * (width - filled)

    def level(self, share: float) -> str:
        """Return one character for a share of 0 to 1."""
        step = int(np.clip(np.ceil(share * 8), 0, 8))
        return _EIGHTHS[step] if self.blocks else str(step)[-1].replace("0", " ")


def _cut(pieces: list[Piece], width: int) -> list[Piece]:
    out = []
    for text, style in pieces:
        out.append((text[:width], style))
        width = max(width - len(text), 0)
    return out


class Frames:
    """The frames of one recording."""

    def __init__(self, recording: Recording, look: Look) -> None:
        self._recording, self._look = recording, look
        self._scene = recording.scene
        says = recording.messages is not None and recording.messages.sent is not None
        self._saying = min(self._scene.n_agents, SAYING_LINES) if says else 0
        body = max(look.rows - HEADER_LINES - self._saying - 2, 4)
        self._x0, self._x1, self._y0, self._y1 = recording.bounds
        width, height = self._x1 - self._x0, self._y1 - self._y0
        # a character is about twice as high as wide
        fits = min(MAP_COLUMNS / width, 2 * body / height)
        self._per_unit = next((scale for scale in (4.0, 2.0, 1.0) if scale <= fits), fits)
        self._map_columns = max(int(width * self._per_unit), 1)
        self._map_rows = min(max(int(np.ceil(height * self._per_unit / 2)), 1), body)
        listed = len(self._unit_lines(0)) if len(self._scene.units) <= body else body
        self._body = max(self._map_rows, min(listed, body))

    def draw(self, entry: int) -> list[str]:
        """Return the lines of `entry` (0 to T); every entry has as many."""
        plan, units = self._plan(entry), self._unit_lines(entry)
        if len(units) > self._body:
            units = self._unit_groups(entry)[: self._body]
        blank: list[Piece] = [(" " * self._map_columns, "")]
        body = []
        for row in range(self._body):
            left = plan[row] if row < len(plan) else blank
            body.append(self._look.line([*left, ("  ", ""), *(units[row] if row < len(units) else [])]))
        return [*self._header(entry), *body, *self._sayings(entry)]

    def _header(self, entry: int) -> list[str]:
        recording, n = self._recording, self._scene.n_agents
        lives = recording.health[entry] > 0
        gained = float(recording.rewards[:entry].sum(dtype=np.float64))
        now = f" ({recording.rewards[entry - 1]:+.2f})" if entry else ""
        enemies = len(self._scene.units) - n
        parts = [f"step {entry} of {recording.limit}", f"reward {gained:.2f}{now}"]
        parts.append(f"agents {lives[:n].sum()}/{n}, others {lives[n:].sum()}/{enemies}")
        if entry == recording.steps:
            parts.append(recording.outcome)
        title = f"{recording.task}  {recording.player}  seed {recording.root_seed}, episode {recording.episode}"
        return [self._look.line([(title, "bold")]), self._look.line([("  ".join(parts), "")])]

    @cached_property
    def _ground(self) -> list[list[Piece]]:
        """The map without units: closed where most of a character's ground is."""
        width, height = self._scene.size
        wall, ground = ("▒", "·") if self._look.blocks else ("#", ".")
        rows = []
        for row in range(self._map_rows):
            cells: list[Piece] = []
            for column in range(self._map_columns):
                x = self._x0 + (column + np.array([0.25, 0.75])) / self._per_unit
                y = self._y1 - (row + np.array([0.25, 0.75])) / (self._per_unit / 2)
                inside = (x >= 0) & (x < width), (y >= 0) & (y < height)
                part = self._scene.terrain[np.ix_(x[inside[0]].astype(int), y[inside[1]].astype(int))]
                cells.append((ground if part.size and part.mean() >= 0.5 else wall, "dim"))
            rows.append(cells)
        return rows

    def _plan(self, entry: int) -> list[list[Piece]]:
        rows = [list(row) for row in self._ground]
        recording = self._recording
        for slot in reversed(range(len(self._scene.units))):
            if recording.health[entry, slot] <= 0:
                continue
            column = int((recording.x[entry, slot] - self._x0) * self._per_unit)
            row = int((self._y1 - recording.y[entry, slot]) * self._per_unit / 2)
            row, column = min(max(row, 0), self._map_rows - 1), min(max(column, 0), self._map_columns - 1)
            rows[row][column] = self._scene.mark(slot)[-1], self._side(slot)
        return rows

    def _side(self, slot: int) -> str:
        return "agent" if slot < self._scene.n_agents else "enemy"

    def _unit_lines(self, entry: int) -> list[list[Piece]]:
        """One line per unit: sign, type, life, cooldown, and what it does."""
        recording, look = self._recording, self._look
        lines: list[list[Piece]] = []
        for slot, card in enumerate(self._scene.units):
            health, shield = recording.health[entry, slot], recording.shield[entry, slot]
            name: Piece = (f"{self._scene.mark(slot):>3} {card.name[:12]:12} ", self._side(slot))
            if health <= 0:
                lines.append([(f"{self._scene.mark(slot):>3} {card.name[:12]:12} {self._scene.gone}", "dim")])
                continue
            life = look.bar(float(health + shield) / (card.health + card.shield), 8)
            wait = look.level(float(recording.cooldown[entry, slot]) / card.period) if card.period else " "
            does = self._doing(entry, slot)
            lines.append([name, (life, self._side(slot)), (f"{health + shield:4.0f} ", ""), (f"{wait} {does}", "")])
        return lines

    def _doing(self, entry: int, slot: int) -> str:
        recording = self._recording
        if entry >= recording.steps:
            return ""
        target = int(recording.target[entry, slot])
        if target >= 0:
            verb = "heals" if self._scene.units[slot].heals else "attacks"
            return f"{verb} {self._scene.mark(target)}"
        return recording.action(entry, slot) if slot < self._scene.n_agents else ""

    def _unit_groups(self, entry: int) -> list[list[Piece]]:
        """One line per side and type, for where there is no room for every unit."""
        groups: dict[tuple[str, str], list[int]] = {}
        for slot, card in enumerate(self._scene.units):
            groups.setdefault((self._side(slot), card.name), []).append(slot)
        lines: list[list[Piece]] = []
        for (side, name), slots in groups.items():
            health = self._recording.health[entry, slots]
            most = sum(self._scene.units[slot].health for slot in slots)
            doing = [self._doing(entry, slot) for slot in slots if self._recording.health[entry, slot] > 0]
            fight = sum(what.startswith(("attacks", "heals")) for what in doing)
            alive = f"{(health > 0).sum():3d} of {len(slots)} {name[:12]:12} "
            lines.append(
                [(alive, side), (self._look.bar(float(health.sum()) / most, 8), side), (f"  {fight} in fight", "")]
            )
        return lines

    def _sayings(self, entry: int) -> list[str]:
        """What the first speaking agents say; the page has all of it."""
        messages = self._recording.messages
        if not self._saying or messages is None or messages.sent is None:
            return []
        lines: list[str] = []
        for agent in range(self._scene.n_agents):
            column, said = 0, []
            for component in messages.sent_components:
                values = messages.sent[entry, agent, column : column + component.width]
                column += component.width
                if values.any():
                    said.append(f"{component.name} {' '.join(f'{value:.2g}' for value in values)}")
            if said and len(lines) < self._saying:
                lines.append(self._look.line([(f"{agent:>3} says ", "agent"), (", ".join(said), "")]))
        return lines + [""] * (self._saying - len(lines))


def show(
    recording: Recording,
    out: TextIO,
    look: Look,
    *,
    speed: float,
    in_place: bool,
    only_last: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write the frames of a recording to `out`: `in_place` at `speed` steps per second, else one after the other."""
    frames = Frames(recording, look)
    entries = [recording.steps] if only_last else range(recording.steps + 1)
    try:
        if in_place:
            out.write("\x1b[?25l")  # hides the cursor
        for number, entry in enumerate(entries):
            lines = frames.draw(entry)
            if in_place:
                back = f"\x1b[{len(lines)}A\r" if number else ""
                out.write(back + "".join(f"{line}\x1b[K\n" for line in lines))
                out.flush()
                if entry < recording.steps:
                    sleep(1 / speed)
            else:
                out.write("\n".join(lines) + "\n\n")
    finally:
        if in_place:
            out.write("\x1b[?25h")
            out.flush()
    won = f"{recording.outcome} after {recording.steps} steps, return {recording.total:.2f}"
    out.write(f"episode {recording.episode}: {won}\n")
