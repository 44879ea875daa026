"""A page: sections, charts, tables and sources as one HTML file that needs no server and no network."""

from reporting.page import (
    Block,
    Chapter,
    Chart,
    Column,
    Facts,
    Fold,
    Frame,
    Grid,
    Note,
    Page,
    Section,
    Source,
    Table,
    Text,
)
from reporting.writing import require_writable, write_page

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
    "require_writable",
    "write_page",
]
