"""The static validator: what is wrong with a protocol part, found without running it.

The text is checked first, here. Then a child process compiles it with the running Python, parses it with LibCST and
applies the rules of `protocol_designer.rules`; a parser that crashes or hangs is a diagnostic, never the caller's end.

These rules keep honest code inside the contract and make mistakes cheap. They are not a sandbox: code that nobody has
reviewed runs in `protocol_designer.sandbox` only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from buffers.errors import ResourceError
from buffers.schema import TaskSchema
from generated_protocols.diagnostics import Diagnostic
from protocol_designer.rules import allowed
from protocol_designer.rules.finding import Finding
from protocol_designer.rules.limits import MAX_FINDINGS, MAX_MESSAGE, PARSE_SECONDS
from protocol_designer.rules.text import UNREADABLE, check_text

__all__ = ["VALIDATOR_VERSION", "allowed_names", "render", "schema_names", "validate"]

VALIDATOR_VERSION = 3
"""Raised whenever a source that was accepted may be refused, or the other way round; stored in manifests."""

_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from protocol_designer.rules.child import main; main()"
_ROOT = Path(__file__).resolve().parents[1]
_CODE = re.compile("PD[1-4][0-9]{2}")
_ERROR = re.compile("[A-Za-z]{1,40}(Error|Interrupt|Exit)(?=:|$)")


def validate(source: str | bytes, *, schema: TaskSchema | None, part: int, file: str = "") -> list[Diagnostic]:
    """Return what is wrong with the source of part number `part`, by line; an empty list accepts it.

    With a `schema`, names of fields, roles and ally quantities are checked against it. `file` is the path that
    diagnostics name; without one it is `part<n>.py`. Never raises on any text;
    raises `ResourceError` when no process can be started.
    """
    file = file or f"part{part}.py"
    text, findings = check_text(source)
    left_out = 0
    if not any(finding.code in UNREADABLE for finding in findings):
        found, left_out = _read_in_child(text, file, schema)
        findings += found
    diagnostics = sorted(
        Diagnostic(f.line, f.column, f.code, _one_line(f.message), _one_line(f.hint), file) for f in findings
    )
    if left_out:
        message = f"{left_out} more findings are left out"
        diagnostics.append(replace(diagnostics[-1], message=message, hint="mend these first"))
    return diagnostics


def schema_names(schema: TaskSchema) -> dict[str, object]:
    """Return what the rules need of a schema, as plain values that cross the process border."""
    return {
        "fields": [field.name for field in schema.extended_fields],
        "roles": list(schema.roles),
        "roles_vary": schema.roles_vary,
    }


def _read_in_child(text: str, file: str, schema: TaskSchema | None) -> tuple[list[Finding], int]:
    names = None if schema is None else schema_names(schema)
    request = json.dumps({"text": text, "file": file, "schema": names}).encode()
    # No environment but what finding libraries needs: the child sees no keys.
    environment = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if key in os.environ}
    command = [sys.executable, "-I", "-c", _BOOT, str(_ROOT)]
    try:
        done = subprocess.run(
            command, input=request, capture_output=True, timeout=PARSE_SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        message = f"reading the source took longer than {PARSE_SECONDS:g} s"
        return [Finding(0, 0, "PD206", message, "shorter expressions, less nesting")], 0
    except OSError as error:
        raise ResourceError(f"no process to read the protocol in: {error.strerror or error}") from error
    if done.returncode != 0:
        return [_died(done)], 0
    try:
        return _answer(done.stdout)
    except (ValueError, TypeError, KeyError):
        # a parser that printed something, say: nothing of it is read as a finding of ours
        hint = "simplify the source: shorter expressions, less nesting"
        return [Finding(0, 0, "PD205", "the process that reads the source gave no answer", hint)], 0


def _answer(said: bytes) -> tuple[list[Finding], int]:
    """Return the findings that the child wrote, and how many it left out; raises for what a child does not write."""
    answer = json.loads(said)
    findings, left_out = [Finding(*finding) for finding in answer["findings"]], answer["left_out"]
    for finding in findings:
        kinds = [type(value) for value in finding]
        if kinds != [int, int, str, str, str] or not _CODE.fullmatch(finding.code):
            raise ValueError(f"no finding: {finding!r}")
    if type(left_out) is not int or len(findings) > MAX_FINDINGS or (left_out and not findings):
        raise ValueError(f"{left_out!r} findings left out")
    return findings, left_out


def _one_line(quoting: str) -> str:
    """Return a text that may quote the source as one line of printable characters: it forges no line of a report."""
    safe = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in quoting)
    return safe if len(safe) <= MAX_MESSAGE else safe[: MAX_MESSAGE - 1] + "…"


def _died(done: subprocess.CompletedProcess[bytes]) -> Finding:
    if done.returncode < 0:
        how = f"by signal {-done.returncode}"
    else:
        # the name of the error alone: its text may quote the source
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        error = _ERROR.match(lines[-1]) if lines else None
        how = f"with status {done.returncode}" + (f": {error[0]}" if error else "")
    hint = "simplify the source: shorter expressions, less nesting"
    return Finding(0, 0, "PD205", f"the process that reads the source ended {how}", hint)


def allowed_names() -> dict[str, tuple[str, ...]]:
    """Return what a protocol may name, by kind and sorted, as the prompts and the guide quote it."""
    kinds = {
        "numpy": allowed.NUMPY | {f"linalg.{name}" for name in allowed.NUMPY_LINALG},
        "ufunc_methods": allowed.UFUNC_METHODS,
        "math": allowed.MATH,
        "builtins": allowed.BUILTINS,
        "array": allowed.ARRAY_ATTRIBUTES | allowed.ARRAY_METHODS,
        "containers": allowed.CONTAINER_METHODS,
        "observation": allowed.OBSERVATION_ATTRIBUTES | allowed.OBSERVATION_METHODS,
        "inbox": allowed.INBOX_ATTRIBUTES | allowed.INBOX_METHODS,
    }
    return {"imports": allowed.IMPORTS, **{kind: tuple(sorted(names)) for kind, names in kinds.items()}}


def render(diagnostics: list[Diagnostic], source: str | bytes) -> str:
    """Return diagnostics as people read them: place and message, the line with a caret, and the hint.

    The same text goes into the repair prompt. The empty list renders as an empty string.
    """
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n\n".join(_render_one(diagnostic, lines) for diagnostic in diagnostics)


def _render_one(diagnostic: Diagnostic, lines: list[str]) -> str:
    where = diagnostic.file or "source"
    if diagnostic.line:
        where += f":{diagnostic.line}" + (f":{diagnostic.column}" if diagnostic.column else "")
    rendered = [f"{where}: {diagnostic.code} {diagnostic.message}"]
    if 0 < diagnostic.line <= len(lines):
        number = str(diagnostic.line)
        shown = lines[diagnostic.line - 1]
        # Hidden characters must not act on the terminal that shows them.
        safe = "".join(c if c == "\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
        rendered.append(f"  {number} | {safe}")
        if diagnostic.column:
            before = "".join("\t" if c == "\t" else " " for c in safe[: diagnostic.column - 1])
            rendered.append(f"  {' ' * len(number)} | {before}^")
    if diagnostic.hint:
        rendered.append(f"  hint: {diagnostic.hint}")
    return "\n".join(rendered)
