"""The one module, or the list of names, that a language model's reply means."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol_designer.reply import Module, NoModule, find_module, find_names

GOOD = 'import numpy as np\n\n\ndef send(own):\n    return {"x": own["enemy_0.x"]}\n'
BETTER = GOOD.replace('"x"', '"enemy_x"')
RECEIVE = 'def receive(own, inbox):\n    return {"x": inbox["x"].max(axis=1)}\n'
TICKS = "```"


def block(source: str, info: str = "python", fence: str = TICKS) -> str:
    return f"{fence}{info}\n{source}{fence}\n"


TAKEN: dict[str, tuple[str, str]] = {
    "one block": (f"Here it is:\n\n{block(GOOD)}\nGood luck!", GOOD),
    "no info string": (block(GOOD, ""), GOOD),
    "capital info string": (block(GOOD, "Python"), GOOD),
    "info string with a title": (block(GOOD, 'python title="part0.py"'), GOOD),
    "info string in braces": (block(GOOD, "{.python}"), GOOD),
    "blank after the fence": (block(GOOD, " python "), GOOD),
    "CRLF": (block(GOOD).replace("\n", "\r\n"), GOOD),
    "CR": (block(GOOD).replace("\n", "\r"), GOOD),
    "byte order mark": ("\ufeff" + block(GOOD), GOOD),
    "a draft, then the answer": (f"{block(GOOD)}Better:\n{block(BETTER)}", BETTER),
    "a usage example behind it": (block(GOOD) + "Use it so:\n" + block("payload = send(own)\n"), GOOD),
    "a shell command behind it": (block(GOOD) + block("design-protocol check .\n", "bash"), GOOD),
    "an explanation in JSON before": (block('{"def send": 1}\n', "json") + block(GOOD), GOOD),
    "a diff of it": (block(GOOD) + block("def send(own):\n-    old\n+    new\n", "diff"), GOOD),
    "a longer fence": (block(GOOD + "# ```\n# not the end\n", fence="````"), GOOD + "# ```\n# not the end\n"),
    "a longer closing fence": (f"```python\n{GOOD}`````\n", GOOD),
    "tildes": (block(GOOD, fence="~~~"), GOOD),
    "backticks do not close tildes": (block(GOOD + "# ```\n", fence="~~~"), GOOD + "# ```\n"),
    "a fence in a docstring": (
        block('def send(own):\n    """As in\n\n    ```\n    x\n    ```\n    """\n    return {}\n'),
        'def send(own):\n    """As in\n\n    ```\n    x\n    ```\n    """\n    return {}\n',
    ),
    "inside a list": ("1. The module:\n\n" + textwrap.indent(block(GOOD), "    "), GOOD),
    "deep inside a list": ("1. The module:\n\n" + textwrap.indent(block(GOOD), "        "), GOOD),
    "no fence": (GOOD, GOOD),
    "no fence, prose before": ("Here is the module:\n\n" + GOOD, GOOD),
    "no fence, prose around": ("Here is it.\n\n" + GOOD + "\nThis sends x, as asked.\n", GOOD),
    "no fence, CRLF": (GOOD.replace("\n", "\r\n"), GOOD),
    "reasoning before": (f"<think>\nMaybe {block(BETTER)} or so?\n</think>\n{block(GOOD)}", GOOD),
    "the end of reasoning alone": (f"Maybe {TICKS}python\n{BETTER}\n</think>\n\n{block(GOOD)}", GOOD),
    "broken Python goes to the rules": (block("def send(own:\n"), "def send(own:\n"),
    "a module without send goes to the rules": (block("def message(own): 0\n"), "def message(own): 0\n"),
    "receive in a draft, all in the answer": (
        block(RECEIVE) + block(GOOD + "\n\n" + RECEIVE),
        GOOD + "\n\n" + RECEIVE,
    ),
    "a stray fence behind it": (block(GOOD) + "\nDone.\n```\n", GOOD),
    "an escape that Python warns of": (block(GOOD + 'NAME = "\\d"\n'), GOOD + 'NAME = "\\d"\n'),
    "an escape that Python warns of, no fence": (GOOD + 'NAME = "\\d"\n', GOOD + 'NAME = "\\d"\n'),
}  # fmt: skip

REFUSED: dict[str, tuple[str, str]] = {
    "nothing": ("", "empty"),
    "blanks": (" \r\n\t\n", "empty"),
    "prose": ("I cannot help with that.", "no fenced block"),
    "prose that names the function": ("I would write def send(own) here.", "no fenced block"),
    "an open fence": (f"```python\n{GOOD}", "not closed"),
    "an answer that was cut behind its draft": (f"{block(GOOD)}Better:\n```python\n{BETTER[:-20]}", "not closed"),
    "a fence closed by a shorter one": (f"````python\n{GOOD}```\n", "not closed"),
    "a fence with text behind it": (f"```python\n{GOOD}``` done", "not closed"),
    "another language": (block(GOOD, "json"), "defines send"),
    "two halves": (block(GOOD) + block(RECEIVE), "different fenced blocks"),
    "a method": (block("class P:\n    def send(self, own):\n        return {}\n", ""), "defines send"),
    "reasoning without end": (f"<think>\nLet me see. {block(GOOD)}", "inside its reasoning"),
    "no fence and no Python": ("def send(own):\n    return {\n\nand so on", "not a Python module"),
    "no fence, brackets without end": ("def send(own):\n    return " + "(" * 3_000, "not a Python module"),
    "no fence, a null": ("def send(own):\n    return {}\n\0", "not a Python module"),
    "no fence, too long": (GOOD + "#" * 70_000 + "\n", "characters"),
    "too long": (block(GOOD + "#" * 300_000 + "\n"), "characters"),
}


@pytest.mark.parametrize("case", TAKEN)
def test_the_module_that_was_meant(case: str) -> None:
    text, source = TAKEN[case]
    found = find_module(text)
    assert isinstance(found, Module), found
    assert found.source == source


@pytest.mark.parametrize("case", REFUSED)
def test_a_reply_without_one_module_says_why_and_what_to_do(case: str) -> None:
    text, reason = REFUSED[case]
    found = find_module(text)
    assert isinstance(found, NoModule), found
    assert reason in found.reason
    assert found.hint


def test_prose_is_what_stands_around_the_module() -> None:
    found = find_module(f"First this.\n\n{block(GOOD)}\nThen that.")
    assert isinstance(found, Module)
    assert found.prose == "First this.\n\n\nThen that."


def test_a_quoted_part_is_not_the_answer() -> None:
    found = find_module(f"{block(BETTER)}It adds to\n{block(GOOD)}", quoted=[GOOD])
    assert isinstance(found, Module)
    assert found.source == BETTER
    for text in (block(GOOD), GOOD):
        again = find_module(text, quoted=[GOOD])
        assert isinstance(again, NoModule)
        assert "repeats" in again.reason


NO_FENCES = st.text(
    st.characters(blacklist_characters="`~<\r\f\v\x1c\x1d\x1e\x85\u2028\u2029", codec="utf-8"), max_size=60
)


@given(before=NO_FENCES, after=NO_FENCES, comment=st.text(st.sampled_from("`~ ab#"), max_size=12))
@example(before="", after="", comment="````")
def test_a_fence_longer_than_any_inside_keeps_the_source_whatever_is_around(
    before: str, after: str, comment: str
) -> None:
    source = f"{GOOD}# {comment}\n"
    found = find_module(f"{before}\n{block(source, fence='`' * 16)}\n{after}")
    assert isinstance(found, Module)
    assert found.source == source


@given(cut=st.integers(0, len(block(GOOD)) - 4), before=NO_FENCES)
def test_a_block_that_was_cut_anywhere_is_never_taken(cut: int, before: str) -> None:
    found = find_module(f"{before}\n{block(GOOD)[:cut]}")
    assert isinstance(found, NoModule)


@given(st.text(st.sampled_from("`~#\"' \n\r\t()[]{}:=<>/abdefnorsthinkpyw\\\0\ufeff"), max_size=200))
@example("```\n```")
@example("~~~")
def test_no_text_raises(text: str) -> None:
    assert isinstance(find_module(text), Module | NoModule)
    find_names(text, ["a"])


VALID = ("enemy_0.x", "enemy_0.y", "agent_0.health")


@pytest.mark.parametrize(
    ("text", "known", "unknown"),
    [
        ('["enemy_0.x", "agent_0.health"]', ["enemy_0.x", "agent_0.health"], []),
        ('Because…\n```json\n["enemy_0.y",\n "enemy_0.x"]\n```\n', ["enemy_0.y", "enemy_0.x"], []),
        ('First ["enemy_0.x"], but then\n["enemy_0.y"]', ["enemy_0.y"], []),
        ("fields = ['enemy_0.x', 'enemy_0.y',]", ["enemy_0.x", "enemy_0.y"], []),
        ('{"fields": ["enemy_0.x"]}', ["enemy_0.x"], []),
        ('[["enemy_0.x"], ["enemy_0.y", "enemy_0.x"]]', ["enemy_0.x", "enemy_0.y"], []),
        ('["enemy_0.x", "enemy.z"]', ["enemy_0.x"], ["enemy.z"]),
        ('["enemy_0.x"] takes its values from ["low", "high"]', ["enemy_0.x"], []),
        ('["enemy_0.x"] and the range [0, 1], see [1]', ["enemy_0.x"], []),
        ('["nothing"]', [], ["nothing"]),
        ('<think>["enemy_0.x"]</think>["enemy_0.y"]', ["enemy_0.y"], []),
        ("[3, 4]", [], []),
        ('["enemy_0.x", "enemy_0.y"', [], []),
        ("none of them", [], []),
        ("[" * 5_000, [], []),
    ],
)  # fmt: skip
def test_the_names_that_were_meant(text: str, known: list[str], unknown: list[str]) -> None:
    assert find_names(text, VALID) == (known, unknown)


@given(st.lists(st.sampled_from(VALID), min_size=1, unique=True), NO_FENCES.filter(lambda text: "[" not in text))
def test_names_keep_their_order_in_any_prose(names: list[str], prose: str) -> None:
    quoted = ", ".join(f'"{name}"' for name in names)
    assert find_names(f"{prose}[{quoted}]{prose}", VALID) == (names, [])
