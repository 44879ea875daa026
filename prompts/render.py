"""Templates to texts. A template's first line is `{# version: N #}`; raise N whenever its meaning changes."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

__all__ = ["Prompt", "prompt_names", "render", "versions"]

FOLDER = Path(__file__).resolve().parent
_SUFFIX = ".md.j2"
_VERSION = re.compile(r"\{# version: (\d+) #\}")


@dataclass(frozen=True)
class Prompt:
    """A rendered prompt: the template's name, the text, and the template's version."""

    name: str
    text: str
    version: str


def prompt_names() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in FOLDER.glob(f"*{_SUFFIX}")))


def render(name: str, **values: Any) -> Prompt:
    """Return prompt `name` with its `values`; a value that is missing raises `jinja2.UndefinedError`."""
    text = _environment().get_template(name + _SUFFIX).render(**values)
    return Prompt(name, text.strip() + "\n", _version(name))


def versions() -> dict[str, str]:
    """Return the version of every prompt, by name: what a manifest records."""
    return {name: _version(name) for name in prompt_names()}


@cache
def _version(name: str) -> str:
    with (FOLDER / (name + _SUFFIX)).open(encoding="utf-8") as file:
        first = file.readline().rstrip("\n")
    found = _VERSION.fullmatch(first)
    if found is None:
        raise ValueError(f"{name}{_SUFFIX} begins with {first!r}, not with {{# version: N #}}")
    return found[1]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {"number": _number, "figure": _figure, "amount": _amount, "share": _share, "fence": _fence}
    return environment


def _number(value: float) -> str:
    """Return a range's end or a scale, short: 9, 0.5, 1.067."""
    return f"{value:.4g}"


def _figure(value: float | None, error: float | None = None) -> str:
    """Return a measured figure with two digits, and what it may be off by; `-` where there is none."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.2f}" if error is None or math.isnan(error) else f"{value:.2f} ±{error:.2f}"


def _amount(value: float | None, unit: str, kind: str) -> str:
    """Return an amount with its unit, three digits; `-` where there is none, and for a field that is 0 or 1."""
    if value is None or math.isnan(value) or kind == "binary":
        return "-"
    return f"{value:.3g}" if unit == "1" else f"{value:.3g} {unit}"


def _share(value: float) -> str:
    """Return a share as percent; what is above 0 never reads as 0 %, nor what is below 1 as 100 %."""
    if 0 < value < 0.01:
        return "<1 %"
    if 0.99 < value < 1:
        return ">99 %"
    return f"{value:.0%}".replace("%", " %")


def _fence(text: str) -> str:
    """Return a fence that is longer than every run of backticks in `text`."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)
