"""What stands on a page, as data: the template draws it and `report --json` prints it.

A page has chapters (one design, run or comparison each), a chapter sections, a section blocks. Texts are plain: what is
escaped, and how, is the template's alone to know.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = [
    "Block",
    "Chapter",
    "Chart",
    "Column",
    "Facts",
    "Fold",
    "Frame",
    "Grid",
    "Note",
    "Page",
    "Section",
    "Source",
    "Table",
    "Text",
    "plain",
]


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something the reader must not miss: a file that is damaged, figures that are of another version."""

    text: str


@dataclass(frozen=True)
class Facts:
    """Names and values, side by side."""

    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification. `about` says in a sentence what to look for: it is the caption."""

    title: str
    about: str
    spec: Mapping[str, Any]


@dataclass(frozen=True)
class Grid:
    """Charts side by side, as many as fit."""

    charts: Sequence[Chart]


@dataclass(frozen=True)
class Column:
    """A table's column: `key` into the rows, the heading with its unit, and how a number is shown.

    With `bounds`, `key`_low and `key`_high follow a value in brackets, where the row has them.
    """

    key: str
    label: str
    digits: int | None = None
    bounds: bool = False


@dataclass(frozen=True)
class Table:
    """Rows that the reader can sort, and filter where there are many."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    about: str = ""


@dataclass(frozen=True)
class Source:
    """A text with its line breaks kept; a "diff" has its lines marked."""

    title: str
    text: str
    kind: Literal["python", "diff", "text"] = "text"


@dataclass(frozen=True)
class Frame:
    """A page inside the page, with scripts of its own and no access to this one; `data` says in JSON what it shows."""

    title: str
    html: str
    height: int
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fold:
    """Blocks that are shown when asked for."""

    title: str
    blocks: Sequence[Block]


Block: TypeAlias = Text | Note | Facts | Chart | Grid | Table | Source | Frame | Fold


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Chapter:
    """One design, run or comparison; `where` is the folder as it was named."""

    kind: Literal["design", "run", "comparison"]
    title: str
    where: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Page:
    """A title and its chapters."""

    title: str
    chapters: Sequence[Chapter]

    def to_json(self) -> dict[str, Any]:
        """Return what is drawn as plain JSON values; numbers that are not finite are null."""
        return {"title": self.title, "chapters": [plain(chapter) for chapter in self.chapters]}


def plain(value: Any) -> Any:
    """Return a block, or any value in one, as plain JSON values; the HTML inside a frame is left out."""
    if isinstance(value, Frame):
        return {"block": "frame", "title": value.title, "data": plain(value.data)}
    if hasattr(value, "__dataclass_fields__"):
        tag = {} if isinstance(value, Section | Chapter | Column) else {"block": type(value).__name__.lower()}
        return {**tag, **{name: plain(getattr(value, name)) for name in value.__dataclass_fields__}}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "item"):  # a NumPy number
        return plain(value.item())
    return value if isinstance(value, str | int | bool | None) else str(value)
