"""What a job of the sandbox worker said, read without trust: it comes from a process that ran unreviewed code."""

from __future__ import annotations

import re
from typing import Any

from generated_protocols.bandwidth import Component
from generated_protocols.diagnostics import Diagnostic
from protocol_designer.sandbox_worker import JobResult

__all__ = ["Answer"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SENDER = re.compile(r"[0-9]{1,4}")
_CODE = re.compile(r"PD[0-9]{3}")
_FILE = re.compile(r"((part|joint)[0-9]{1,3}\.py)?")
_MAX_COMPONENTS, _MAX_WIDTH, _MAX_TEXT = 4096, 10_000_000, 400


class Answer:
    """What a job of `n_parts` sources said, read without trust: `diagnostics`, or else components."""

    def __init__(self, done: JobResult, seconds: float, n_parts: int = 100) -> None:
        self.components: tuple[Component, ...] = ()
        self.payload_components: tuple[Component, ...] = ()
        self.cpu_seconds, self.peak_bytes = 0.0, 0
        self.diagnostics = _ending(done, seconds)
        if self.diagnostics:
            return
        try:
            said = done.answer
            if "diagnostics" in said:
                self.diagnostics = tuple(_diagnostic(one) for one in said["diagnostics"][:50])
                if not self.diagnostics:
                    raise ValueError("diagnostics that are none")
            else:
                self.components = _components(said["components"], n_parts)
                if not self.components:
                    raise ValueError("no component")
                self.payload_components = _components(said["payload_components"], n_parts)
                self.cpu_seconds, self.peak_bytes = _used(said["used"])
        except (TypeError, KeyError, ValueError):
            self.diagnostics = (_died("its answer is malformed"),)


def _ending(done: JobResult, seconds: float) -> tuple[Diagnostic, ...]:
    """Return what the way in which a job ended says; empty when it ended well."""
    xcpu = -24
    if done.timed_out or done.status == xcpu:
        hint = "less work per row; whole-array operations instead of loops"
        return (Diagnostic(0, 0, "PD501", f"not done after {seconds:g} s", hint),)
    if done.status is None:
        return (_died("the worker died with it"),)
    if done.status < 0:
        return (_died(f"it was ended by signal {-done.status}"),)
    if done.status:
        return (_died(f"it ended with status {done.status}"),)
    if not isinstance(done.answer, dict):
        return (_died("it ended without an answer"),)
    return ()


def _died(how: str) -> Diagnostic:
    hint = "compute on the given arrays, with the functions that the guide lists"
    return Diagnostic(0, 0, "PD503", f"the process that ran the protocol did not come to its end: {how}", hint)


def _components(said: Any, n_parts: int) -> tuple[Component, ...]:
    if len(said) > _MAX_COMPONENTS:
        raise ValueError(f"{len(said)} components")
    found = tuple(_component(*one) for one in said)
    if len({(component.part, component.name) for component in found}) != len(found):
        raise ValueError("a component twice")
    if any(component.part >= n_parts for component in found):
        raise ValueError("a part that is not there")
    return found


def _component(part: Any, name: Any, width: Any) -> Component:
    # default components are `<component>.from_<sender>`
    name, dot, sender = str(name).partition(".from_")
    whole = type(part) is int and type(width) is int and 0 <= part < 100 and 0 < width <= _MAX_WIDTH
    if not whole or not _NAME.fullmatch(name) or (dot and not _SENDER.fullmatch(sender)):
        raise ValueError("a component that is none")
    return Component(part, f"{name}{dot}{sender}", width)


def _used(said: Any) -> tuple[float, int]:
    seconds, size = (min(max(float(value), 0.0), 1e15) for value in said)
    return seconds, int(size)


def _diagnostic(said: Any) -> Diagnostic:
    line, column = said["line"], said["column"]
    if not (isinstance(line, int) and isinstance(column, int) and 0 <= line < 10**6 and 0 <= column < 10**6):
        raise ValueError("no place in a text")
    if not _CODE.fullmatch(said["code"]) or not _FILE.fullmatch(said["file"]):
        raise ValueError("no code, or no part")
    return Diagnostic(line, column, said["code"], _text(said["message"]), _text(said["hint"]), said["file"])


def _text(value: Any) -> str:
    """Limit what another process wrote, and let no control character through to a terminal."""
    return "".join(c if c.isprintable() else " " for c in str(value)[:_MAX_TEXT])
