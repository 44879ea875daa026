"""Checks by the running Python itself: it compiles, without warnings, and is not nested too deeply for a parser."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

from protocol_designer.rules.finding import Finding
from protocol_designer.rules.limits import MAX_DEPTH, MAX_PATTERN_BRACKETS, MAX_TRIES

__all__ = ["SYNTAX_CODES", "check_syntax", "mixed_indentation"]

SYNTAX_CODES = {
    "PD201": (
        "Python cannot compile the source",
        "The message, line and column are those of the running Python, which loads the protocol later.",
        "correct the line; often a bracket or quote is left open on the line before.",
    ),
    "PD202": (
        "Python warns about the source",
        "A comparison with `is` to a number, a missing comma in a list of tuples, a backslash in a docstring.",
        "correct what the warning names; a docstring with backslashes starts with r.",
    ),
    "PD203": (
        "the source is nested too deeply",
        f"At most {MAX_DEPTH} levels of brackets, operators and blocks, so that no parser overflows. At most "
        f"{MAX_TRIES} `try` in each other, and {MAX_PATTERN_BRACKETS} brackets beside a `match`: each doubles work.",
        "split the expression over several assignments; sum many terms with `sum([...])` or `np.stack`.",
    ),
    "PD204": (
        "the validator's parser cannot read the source",
        "Python compiles it but LibCST does not; tabs and spaces mixed in one indentation are the known case.",
        "indent with four spaces.",
    ),
    "PD205": (
        "the validator's parser died",
        "The process that parses the source ended without an answer; the source is refused.",
        "simplify the source; nesting and very long expressions are the known causes.",
    ),
    "PD206": (
        "reading the source took too long",
        "The process that parses the source was ended at its time limit; the source is refused.",
        "simplify the source: shorter expressions, less nesting.",
    ),
}
"""Code → title, what it means, remedy; for findings that no rule class reports."""

_TOO_DEEP = "PD203"


def check_syntax(text: str, file: str) -> list[Finding]:
    """Return what the running Python says of `text`: nothing, a syntax error, warnings, or too much nesting."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tree = ast.parse(text, filename=file)
            matches = any(isinstance(node, ast.Match) for node in ast.walk(tree))
            deep = _too_deep(tree) or _brackets_too_deep(text, MAX_PATTERN_BRACKETS if matches else MAX_DEPTH)
            if deep is not None:
                return [deep]
            compile(tree, file, "exec", dont_inherit=True)
        except SyntaxError as error:
            return [_syntax_error(error)]
        except (RecursionError, MemoryError):
            return [Finding(0, 0, _TOO_DEEP, f"the source is nested too deeply (at most {MAX_DEPTH} levels)")]
        except ValueError as error:
            return [Finding(0, 0, "PD201", str(error))]
    # Every later load would show the warning again, and newer interpreters make errors of some.
    return [
        Finding(warning.lineno, 0, "PD202", str(warning.message), _warning_hint(str(warning.message)))
        for warning in caught
        if issubclass(warning.category, SyntaxWarning | DeprecationWarning)
    ]


def _warning_hint(message: str) -> str:
    return 'double the backslash, or write r"""...""" for the docstring' if "escape" in message else ""


def _syntax_error(error: SyntaxError) -> Finding:
    if "too many nested" in error.msg or "too many levels of indentation" in error.msg:
        hint = "split it over several assignments"
        return Finding(error.lineno or 0, error.offset or 0, _TOO_DEEP, error.msg, hint)
    hint = ""
    if isinstance(error, TabError):
        hint = "indent with four spaces"
    elif error.msg.startswith("invalid character") or "non-printable" in error.msg:
        hint = "retype it in ASCII"
    elif error.text and error.text.lstrip().startswith("```"):
        hint = "remove the Markdown fence; the source is Python only"
    return Finding(error.lineno or 0, error.offset or 0, "PD201", error.msg, hint)


def _too_deep(tree: ast.AST) -> Finding | None:
    """Return a finding for the first node below `MAX_DEPTH` levels, or `MAX_TRIES` of `try`.

    It walks with its own stack, not Python's. The compiler writes what stands under `finally` twice, at each level.
    """
    stack: list[tuple[ast.AST, int, int, int, int]] = [(tree, 0, 0, 0, 0)]
    while stack:
        node, depth, tries, line, column = stack.pop()
        # Operators and contexts have no place of their own; they stand in what holds them.
        line, column = getattr(node, "lineno", line), getattr(node, "col_offset", column)
        tries += isinstance(node, ast.Try | ast.TryStar)
        if depth > MAX_DEPTH:
            message = f"the source is nested more than {MAX_DEPTH} levels deep"
            return Finding(line, column + 1, _TOO_DEEP, message, "split it over several assignments")
        if tries > MAX_TRIES:
            message = f"more than {MAX_TRIES} 'try' statements stand in each other"
            return Finding(line, column + 1, _TOO_DEEP, message, "test with np.where or np.isfinite instead")
        stack += [(child, depth + 1, tries, line, column) for child in ast.iter_child_nodes(node)]
    return None


def _brackets_too_deep(text: str, limit: int) -> Finding | None:
    """Return a finding for the first bracket below `limit` levels; redundant ones are in no syntax tree."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
            if depth > limit:
                beside = "" if limit == MAX_DEPTH else " beside a 'match' statement"
                hint = "use np.where or np.select on whole arrays" if beside else "remove redundant brackets"
                message = f"more than {limit} brackets are open{beside}"
                return Finding(token.start[0], token.start[1] + 1, _TOO_DEEP, message, hint)
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
    return None


def mixed_indentation(text: str) -> int:
    """Return the first line whose indentation mixes tabs and spaces, or 0."""
    for number, line in enumerate(text.split("\n"), start=1):
        indentation = line[: len(line) - len(line.lstrip(" \t"))]
        if " " in indentation and "\t" in indentation:
            return number
    return 0
