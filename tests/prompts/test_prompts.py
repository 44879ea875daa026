"""Every prompt as it is sent, and what must hold of all of them.

UPDATE_PROMPTS=1 python -m pytest tests/prompts

writes the golden files anew. Raise the version in the first line of a template whose meaning you change.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from prompt_values import ACCEPTED, ANALYSE, CASES, EXTENDED, FIRST, FOUND, NEXT, REPAIR, REQUEST, ROWS, STATE, SYSTEM

from buffers.schema import Field, TaskSchema
from prompts import prompt_names, render, versions
from prompts.render import FOLDER
from protocol_designer.reply import Module, find_module, find_names
from protocol_designer.validation import validate

GOLDEN = Path(__file__).parent / "golden"


def text_of(case: str) -> str:
    name, values = CASES[case]
    return render(name, **values).text


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str, update_prompts: bool) -> None:
    path, text = GOLDEN / f"{case}.md", text_of(case)
    if update_prompts:
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), (
        "changed on purpose? UPDATE_PROMPTS=1 python -m pytest tests/prompts"
    )


def test_every_prompt_has_a_golden_file_and_no_golden_file_is_left_over() -> None:
    assert {name for name in prompt_names() if not name.startswith("_")} == {name for name, _ in CASES.values()}
    assert {path.stem for path in GOLDEN.glob("*.md")} == set(CASES)


def test_every_template_has_a_version_and_the_prompt_carries_it() -> None:
    assert versions().keys() == {path.name.removesuffix(".md.j2") for path in FOLDER.glob("*.md.j2")}
    assert all(int(version) >= 1 for version in versions().values())
    prompt = render("choose_fields", limit=3, unknown=[])
    assert (prompt.name, prompt.version) == ("choose_fields", versions()["choose_fields"])


@pytest.mark.parametrize("case", CASES)
def test_a_value_that_is_missing_is_an_error(case: str) -> None:
    name, values = CASES[case]
    source = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob(f"{name}.md.j2"))
    used = [key for key in values if re.search(rf"\b{key}\b", source)]
    first = used[0]
    with pytest.raises(UndefinedError, match=first):
        render(name, **{key: value for key, value in values.items() if key != first})


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("system")])
def test_a_user_prompt_begins_with_a_heading(case: str) -> None:
    assert text_of(case).startswith("# ")


@pytest.mark.parametrize("case", CASES)
def test_no_prompt_has_gaps_or_leftovers_of_the_template_language(case: str) -> None:
    text = text_of(case)
    assert not re.search(r"\n{4,}|[{][%{#]|[%}#][}](?!$)|Undefined", text)
    assert text.endswith("\n")


def test_the_system_prompt_describes_every_field_role_and_allowed_name() -> None:
    text = text_of("system")
    for view in (*EXTENDED, *STATE):
        (line,) = [line for line in text.splitlines() if line.startswith(f"- `{view.name}`: {view.meaning};")]
        assert view.unit == "1" or view.unit in line
        assert not view.present_if or view.present_if == view.name or f"`{view.present_if}`" in line
    assert "-0.4375 to 0.5, times 32 gives map units" in text
    assert "not 0 in 45 % of the steps of overseer, <1 % of the steps of roach" in text
    assert ">99 % of the steps of overseer" in text
    assert "- agent 1: roach" in text
    for names in SYSTEM["allowed"].values():
        assert all(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def test_the_budget_is_told_where_there_is_one() -> None:
    assert "at most 12 numbers per agent and step" in text_of("system_with_budget")
    assert "9. " not in text_of("system")
    assert (
        "2 of 8 numbers per agent and step are used; what this module keeps may have a width of at most 6"
        in text_of("write_part_1")
    )
    assert "width of at most 0." in render("write_part", **{**NEXT, "used_width": 11}).text
    assert "budget" not in render("write_part", **FIRST).text


def test_the_worked_example_obeys_the_rules_that_it_explains() -> None:
    example = text_of("system").rpartition("```python\n")[2].partition("```")[0]
    names = ("parcel.visible", "parcel.relative_x", "ally_0.visible", "ally_0.relative_x")
    fields = tuple(Field(name, name, low=-1) for name in names)
    schema = TaskSchema("warehouse", "", ("drone", "cart"), fields, (Field("parcel.x", "x"),), ("stop",), 10)
    assert validate(example, schema=schema, part=0) == []
    module = find_module(text_of("system"))
    assert isinstance(module, Module)
    assert module.source == example


def test_a_model_that_copies_the_form_of_the_field_list_is_read() -> None:
    assert find_names(text_of("choose_fields"), ["first.field", "second.field"]) == (
        ["first.field", "second.field"],
        [],
    )


def test_analyses_carry_every_measured_figure_worst_first() -> None:
    recovery, balance = text_of("analyse_1"), text_of("analyse_2")
    rows = [line for line in recovery.splitlines() if re.match(r"\d, \w+, enemy", line)]
    assert rows == [
        "1, roach, enemy_0.health, hit points, 0.31, 0.30, 0.21, -",
        "1, roach, enemy_0.x, map units, 0.61, 0.25, 0.51, -0.05",
        "0, overseer, enemy_0.x, map units, 0.95, 0.94, 0.85, 0.64",
    ]
    assert "  late: agent 0 0.90 / 0.20, agent 1 0.50 / 0.20" in balance
    assert balance.index("enemy_0.x, 0.0340, 0.34, 0.0500, 0.60") < balance.index("enemy_0.health, 0.0050, 0.05")
    assert "- enemy_0.x: agent 0 (overseer)" in balance
    assert all("+0.150 [+0.135, +0.164]" in text and ACCEPTED.strip() in text for text in (recovery, balance))


def test_a_long_table_is_cut_at_its_best_known_end_and_says_so() -> None:
    rows = [{**ROWS[0], "field": f"unit_{i}.x", "success_full": i / 1000} for i in range(200)]
    text = render("analyse", **{**ANALYSE, "rows": rows}).text
    assert "unit_149.x" in text
    assert "unit_150.x" not in text
    assert "(50 further rows are known better than these.)" in text


def test_a_repair_carries_the_request_the_source_and_the_findings_as_they_are() -> None:
    text = text_of("repair")
    assert REQUEST.strip() in text
    assert REPAIR["source"].rstrip() in text
    assert FOUND in text
    assert "Tries left after this one: 2." in text
    assert "This is the last try." in text_of("repair_no_module")


def test_backticks_in_a_source_do_not_close_its_fence() -> None:
    source = 'def send(own):\n    """```\n    ````\n    """\n    return {}\n'
    text = render("repair", **{**REPAIR, "source": source}).text
    assert f"`````python\n{source.rstrip()}\n`````" in text
