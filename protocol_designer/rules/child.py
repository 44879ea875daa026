"""The process that reads a source: it may crash or hang, and its parent reports that as a diagnostic.

It gets one JSON object on stdin (text, file, schema names or null) and writes one on stdout: the findings, and
whether it came to the end.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from protocol_designer.rules.finding import Finding
from protocol_designer.rules.limits import MAX_DEPTH, MAX_FINDINGS, PARSE_SECONDS
from protocol_designer.rules.syntax import check_syntax, mixed_indentation

if TYPE_CHECKING:
    from libcst.metadata import CodeRange

__all__ = ["main", "read_source"]

_MEMORY = 2 * 1024**3


def read_source(text: str, file: str, schema: dict[str, object] | None) -> list[Finding]:
    """Return the findings of the running Python, and if there are none, those of the rules, by place."""
    found = check_syntax(text, file)
    return found or _read_tree(text, schema)


def _read_tree(text: str, schema: dict[str, object] | None) -> list[Finding]:
    # LibCST takes 0.1 s to import; a source that does not compile is answered without it.
    import libcst as cst

    from protocol_designer.rules.flow import trace_of
    from protocol_designer.rules.reading import Reading, SchemaNames
    from protocol_designer.rules.registry import TREE_RULES

    names = None
    if schema is not None:
        fields, roles = schema["fields"], schema["roles"]
        assert isinstance(fields, list)
        assert isinstance(roles, list)
        names = SchemaNames(tuple(fields), tuple(roles), bool(schema["roles_vary"]))
    try:
        reading = Reading.of(text, names)
        reading.trace = trace_of(reading)
        rules = [rule(reading) for rule in TREE_RULES]
        cst.visit_batched(reading.module, rules)
        for rule in rules:
            rule.finish()
    except cst.ParserSyntaxError as error:
        line = mixed_indentation(text)
        if line:
            return [Finding(line, 1, "PD204", f"tabs and spaces mixed at line {line}", "indent with four spaces")]
        hint = "rewrite this line in simpler Python"
        return [Finding(error.raw_line, error.raw_column + 1, "PD204", "the parser cannot read this line", hint)]
    except RecursionError:
        hint = "split long expressions over several assignments"
        return [Finding(0, 0, "PD203", f"the source is nested too deeply (at most {MAX_DEPTH} levels)", hint)]
    found = {finding for rule in rules for finding in rule.findings}
    raised = reading.raised()
    return sorted(finding for finding in found if finding.code == "PD303" or not _in_raise(raised, finding))


def _in_raise(raised: list[CodeRange], finding: Finding) -> bool:
    """Return whether a finding is about what is raised; that something is raised is a finding already."""
    place = (finding.line, finding.column)
    return any((one.start.line, one.start.column + 1) <= place <= (one.end.line, one.end.column) for one in raised)


def _limit_resources() -> None:
    # Windows has no rlimits; the parent's clock holds everywhere.
    with suppress(ImportError):
        import resource

        seconds = int(PARSE_SECONDS) + 1
        for limit, value in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CORE, 0)):
            _, hard = resource.getrlimit(limit)
            with suppress(ValueError, OSError):
                resource.setrlimit(limit, (value, hard))


def main() -> None:
    """Answer the request on stdin."""
    _limit_resources()
    request = json.loads(sys.stdin.buffer.read())
    findings = read_source(request["text"], request["file"], request["schema"])
    answer = {"findings": findings[:MAX_FINDINGS], "left_out": max(0, len(findings) - MAX_FINDINGS)}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
