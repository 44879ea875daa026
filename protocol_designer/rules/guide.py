"""The parts of the guide that are made from the rules: the table of codes and the lists of allowed names.

    python -m protocol_designer.rules.guide

writes them into `docs/writing-protocols.md`; a test holds that nothing is out of date.
"""

from __future__ import annotations

import re
from pathlib import Path

from protocol_designer.rules.registry import TREE_RULES
from protocol_designer.rules.rule import Rule
from protocol_designer.rules.syntax import SYNTAX_CODES
from protocol_designer.rules.text import TEXT_RULES, TextRule
from protocol_designer.validation import allowed_names

__all__ = ["GUIDE", "code_entries", "code_table", "name_lists", "refreshed"]

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "writing-protocols.md"
_LABELS = {
    "imports": "Import lines",
    "builtins": "Builtins",
    "array": "Array attributes and methods",
    "containers": "Methods of lists and dicts",
    "observation": "Of `own`, beside `own[name]`",
    "inbox": "Of `inbox`, beside `inbox[name]`",
    "numpy": "`np.`",
    "ufunc_methods": "Methods of `np.maximum`, `np.minimum`, `np.add` and the like",
    "math": "`math.`",
}


def code_entries() -> list[tuple[str, str, str, str]]:
    """Return (code, title, what it means, remedy) of everything the validator reports, by code."""
    entries = [(code, title, meaning, remedy) for code, (title, meaning, remedy) in SYNTAX_CODES.items()]
    rules: list[type[TextRule] | type[Rule]] = [*TEXT_RULES, *TREE_RULES]
    for rule in rules:
        text = " ".join((rule.__doc__ or "").split())
        meaning, _, remedy = text.partition(" Remedy: ")
        entries.append((rule.code, rule.title, meaning, remedy))
    return sorted(entries)


def code_table() -> str:
    """Return the entries as a Markdown table."""
    rows = ["| Code | What is wrong | What it means | Remedy |", "|---|---|---|---|"]
    for entry in code_entries():
        cells = [cell.replace("|", "\\|") for cell in entry]
        cells[3] = cells[3][:1].upper() + cells[3][1:]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def name_lists() -> str:
    """Return what a protocol may name, as a Markdown list."""
    names = allowed_names()
    return "\n".join(f"- {label}: {', '.join(f'`{name}`' for name in names[kind])}" for kind, label in _LABELS.items())


def refreshed(text: str) -> str:
    """Return the guide with its generated parts made anew."""
    for marker, content in (("codes", code_table()), ("names", name_lists())):
        begin, end = f"<!-- {marker}: generated, do not edit -->", f"<!-- {marker}: end -->"
        between = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        text = between.sub(lambda _: f"{begin}\n{content}\n{end}", text)  # noqa: B023 - called at once
    return text


if __name__ == "__main__":
    GUIDE.write_text(refreshed(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
