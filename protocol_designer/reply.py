"""What a language model wrote, and the one module or list of names in it that was meant."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Module", "NoModule", "find_module", "find_names"]

_OPEN = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_SEND = re.compile(r"^(?:async[ \t]+)?def[ \t]+send\b", re.MULTILINE)
_RECEIVE = re.compile(r"^(?:async[ \t]+)?def[ \t]+receive\b", re.MULTILINE)
_STATEMENT = re.compile(r"(?:import|from|def|async def|@|#|\"\"\"|'''|[A-Z_]+\s*=)")
_PYTHON = frozenset({"", "python", "py", "python3", "py3", "python-3", "numpy"})
_LONGEST = 256 * 1024
_LONGEST_BARE = 64 * 1024
_TRIES = 24
_LISTS = 300
"""Limits that no honest reply meets, so that reading one takes no longer than a blink."""
_ONE_BLOCK = "put the whole module, imports included, into one fenced ```python block, and close it"


@dataclass(frozen=True)
class Module:
    """The Python that was meant, with LF line ends, and the text around it."""

    source: str
    prose: str


@dataclass(frozen=True)
class NoModule:
    """Why a reply holds no module that could be run, and what the next reply should do."""

    reason: str
    hint: str = _ONE_BLOCK


@dataclass(frozen=True)
class _Block:
    """A fenced block: lines `first` … `last` of the text, the fences among them; `closed` says whether it ends."""

    info: str
    text: str
    first: int
    last: int
    closed: bool

    @property
    def is_python(self) -> bool:
        return self.info in _PYTHON


def find_module(text: str, quoted: Sequence[str] = ()) -> Module | NoModule:
    """Return the module that a reply means: the last complete block that defines `send`, or bare Python.

    `quoted` are sources that were accepted before: a block that repeats one is not the answer. Reasoning in
    `<think>` is left out. A block that is not closed was cut and is never taken. Never raises.
    """
    text, cut = _without_thoughts(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"))
    if len(text) > _LONGEST:
        return NoModule(f"the reply has {len(text):,} characters, more than {_LONGEST:,}")
    if not text.strip():
        return NoModule("the reply ends inside its reasoning" if cut else "the reply is empty")
    lines = text.split("\n")
    blocks = list(_blocks(lines))
    if not blocks:
        return _bare(lines, quoted)
    return _fenced(lines, blocks, quoted)


def _fenced(lines: list[str], blocks: list[_Block], quoted: Sequence[str]) -> Module | NoModule:
    if not blocks[-1].closed and (_SEND.search(blocks[-1].text) or blocks[-1].info in _PYTHON - {""}):
        return NoModule("the last fenced block is not closed, so the reply was cut", f"be shorter, and {_ONE_BLOCK}")
    known = {source.strip() for source in quoted}
    complete = [block for block in blocks if block.closed and block.is_python]
    new = [block for block in complete if block.text.strip() not in known]
    senders = [block for block in new if _SEND.search(block.text)]
    if not senders:
        if any(_SEND.search(block.text) for block in complete):
            return NoModule("the reply only repeats a part that is already accepted", "write a part that adds to it")
        # A Python block without `send` goes on: the rules say exactly what it lacks.
        senders = [block for block in new if block.info and "def " in block.text][-1:]
    if not senders:
        return NoModule("no fenced block of the reply defines send(own)")
    chosen = senders[-1]
    if not _RECEIVE.search(chosen.text) and any(_RECEIVE.search(block.text) for block in new if block not in senders):
        return NoModule("send and receive stand in different fenced blocks, so which belong together is not clear")
    prose = "\n".join([*lines[: chosen.first], *lines[chosen.last + 1 :]]).strip()
    return Module(chosen.text.strip("\n") + "\n", prose)


def _blocks(lines: list[str]) -> Iterator[_Block]:
    """Yield the fenced blocks of Markdown. A fence is closed by one of its own character, as long or longer."""
    first = 0
    while first < len(lines):
        opened = _OPEN.fullmatch(lines[first])
        if opened is None:
            first += 1
            continue
        indent, fence = len(opened["indent"].expandtabs(4)), opened["fence"]
        close = re.compile(rf"[ ]{{0,{indent + 3}}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*")
        last = next((at for at in range(first + 1, len(lines)) if close.fullmatch(lines[at].expandtabs(4))), None)
        end = len(lines) if last is None else last
        inner = "\n".join(_dedent(line, indent) for line in lines[first + 1 : end])
        words = opened["info"].strip().strip("{}").lstrip(".").casefold().split()
        yield _Block(words[0] if words else "", inner, first, min(end, len(lines) - 1), last is not None)
        first = end + 1


def _dedent(line: str, indent: int) -> str:
    """Take off up to `indent` leading blanks: a fence inside a list is indented with its content."""
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blank) :]


def _bare(lines: list[str], quoted: Sequence[str]) -> Module | NoModule:
    """Find a module without fences: the longest run of lines that parses and defines `send`, prose around it."""
    if not any(_SEND.match(line) for line in lines):
        return NoModule("the reply has no fenced block and no send(own)")
    if sum(map(len, lines)) > _LONGEST_BARE:
        return NoModule(f"the reply has no fenced block, and more than {_LONGEST_BARE:,} characters")
    starts = [0, *(at for at, line in enumerate(lines) if _STATEMENT.match(line))][:_TRIES]
    ends = [at for at in range(len(lines) - 1, 0, -1) if not lines[at].strip()][: _TRIES - 1]
    for start in starts:
        for end in (len(lines), *ends):
            source = "\n".join(lines[start:end]).strip("\n") + "\n"
            if _SEND.search(source) and _parses(source):
                if source.strip() in {known.strip() for known in quoted}:
                    return NoModule("the reply only repeats a part that is already accepted", "write a part that adds")
                return Module(source, "\n".join([*lines[:start], *lines[end:]]).strip())
    return NoModule("the reply has no fenced block, and its text is not a Python module")


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_thoughts(text: str) -> tuple[str, bool]:
    """Return the text after the model's reasoning, and whether the reasoning never ends."""
    text = re.sub(r"<think(?:ing)?>.*?</think(?:ing)?>", "", text, flags=re.DOTALL)
    opened = re.match(r"\s*<think(?:ing)?>", text)
    if opened:
        return "", True
    # Some servers give the opening tag to themselves and only the closing one to us.
    return re.split(r"^[ \t]*</think(?:ing)?>", text, maxsplit=1, flags=re.MULTILINE)[-1], False


def find_names(text: str, valid: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the names of a reply's last list of strings, JSON or Python: those that are `valid`, and the others.

    A list with a valid name in it goes before one without. Each name stands once, in the reply's order.
    """
    text, _ = _without_thoughts(text)
    best: list[str] = []
    for names in _lists(text):
        if names and (any(name in valid for name in names) or not any(name in valid for name in best)):
            best = names
    names = list(dict.fromkeys(best))
    return [name for name in names if name in valid], [name for name in names if name not in valid]


def _lists(text: str) -> Iterator[list[str]]:
    """Yield the strings of every list in the text, in order; nested lists are flattened."""
    decoder = json.JSONDecoder()
    starts = [found.start() for found in re.finditer(r"\[", text)][-_LISTS:]
    at = starts[0] if starts else -1
    while at >= 0:
        end = at + 1
        try:
            value, end = decoder.raw_decode(text, at)
            yield _strings(value)
        except (ValueError, RecursionError):
            found = re.compile(r"\[[^\[\]]{0,100000}\]").match(text, at)
            if found:
                try:
                    yield _strings(ast.literal_eval(found[0]))
                    end = found.end()
                except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
                    pass
        at = text.find("[", end)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [name for item in value for name in _strings(item)] if isinstance(value, list | tuple) else []
