"""Every prompt as it is sent, and what must hold of all of them.

UPDATE_PROMPTS=1 python -m pytest tests/prompts

writes the golden files anew. Raise the version in the first line of a template whose meaning you change.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from prompt_values import (
    ACCEPTED,
    CASES,
    DROPPED,
    EXTENDED,
    FIGURES,
    FIRST,
    FOUND,
    NEXT,
    REPAIR,
    REQUEST,
    ROWS,
    STATE,
    SYSTEM,
)

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


def test_analyses_carry_every_measured_figure_with_its_error_worst_first() -> None:
    recovery, balance = text_of("analyse_1"), text_of("analyse_2")
    rows = [line for line in recovery.splitlines() if re.match(r"\d, \w+, enemy", line)]
    assert rows == [
        "1, roach, enemy_0.health, 0.31 ±0.01, 0.30 ±0.02, 7.17 hit points, 7.3 hit points, 0.21 ±0.03, -",
        "1, roach, enemy_0.x, 0.61 ±0.01, 0.25 ±0.02, 4.51 map units, 7.75 map units, 0.51 ±0.03, -0.05",
        "0, overseer, enemy_0.x, 0.95 ±0.01, 0.94 ±0.02, 1.45 map units, 1.54 map units, 0.85 ±0.03, 0.64",
    ]
    assert "  late: agent 0 0.90 ±0.01 / 0.20 ±0.02, agent 1 0.50 ±0.01 / 0.20 ±0.02" in balance
    first = balance.index("enemy_0.x, 0.0340, 0.34 ±0.01, 0.0500, 0.60 ±0.02")
    assert first < balance.index("enemy_0.health, 0.0050, 0.05 ±0.01")
    assert "- enemy_0.x: agent 0 (overseer)" in balance
    assert all(ACCEPTED.strip() in text for text in (recovery, balance))


def test_the_two_analyses_share_no_figure() -> None:
    """The explanation of success and its tolerances is the same; what was measured is not."""
    lines = [set(text_of(case).partition("mean nothing.")[2].splitlines()) for case in ("analyse_1", "analyse_2")]
    assert not [line for line in lines[0] & lines[1] if re.search(r"\d\.\d\d", line)]
    assert "+0.150 [+0.135, +0.164]" in text_of("analyse_1")
    assert "+0.150" not in text_of("analyse_2")


def test_a_binary_field_has_no_typical_error_and_a_pure_number_no_unit() -> None:
    rows = [{**ROWS[0], "unit": "1", "kind": kind} for kind in ("binary", "count")]
    text = render("_figures", **{**FIGURES, "rows": rows}).text
    assert "0.95 ±0.01, 0.94 ±0.02, -, -, 0.85 ±0.03, 0.64" in text
    assert "0.95 ±0.01, 0.94 ±0.02, 1.45, 1.54, 0.85 ±0.03, 0.64" in text


def test_what_was_dropped_is_told_with_its_reason_and_not_to_be_repeated() -> None:
    for case in ("write_part_2", "analyse_after_dropped"):
        assert f"Pass 1: {DROPPED[0].reason}." in text_of(case)
        assert DROPPED[0].source.strip() in text_of(case)
        assert "Do not write them again" in text_of(case)
    assert "dropped" not in text_of("write_part_1")


def test_the_fixed_instruction_names_no_step() -> None:
    text = text_of("analyse_fixed") + text_of("write_part_fixed")
    assert "how the messages should be improved" in text
    assert "Write one more module that improves what the agents know" in text
    assert not re.search(r"known worst|evens? this out|evens out|lag behind|success below 0.6", text)


def test_a_long_table_is_cut_at_its_best_known_end_and_says_so() -> None:
    rows = [{**ROWS[0], "field": f"unit_{i}.x", "success_full": i / 1000} for i in range(200)]
    text = render("_figures", **{**FIGURES, "rows": rows}).text
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
