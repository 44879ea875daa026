"""The compiler's loop over a contract and a score that are not about communication."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compiler_fakes import Killed, Listing, Scripted, Worth, brief_for

from buffers.errors import CorruptFileError, UsageError
from protocol_designer.compiler import Compilation, CompilerConfig, compile_parts
from protocol_designer.store import Store


def play(
    folder: Path,
    designer: Scripted,
    contract: Listing | None = None,
    score: Worth | None = None,
    config: CompilerConfig | None = None,
) -> Compilation[int]:
    store = Store(folder, {"task": "words"})
    return compile_parts(
        designer, contract or Listing(), score or Worth(), store, brief_for, config or CompilerConfig()
    )


def read(path: Path) -> object:
    return json.loads(path.read_text(encoding="utf-8"))


def test_parts_that_earn_their_place_are_put_side_by_side(tmp_path: Path) -> None:
    designer, contract = Scripted("apple", "pear", "fig"), Listing()
    done = play(tmp_path / "d", designer, contract)
    assert done.sources == ("apple", "pear", "fig")
    assert done.outcome == 12
    assert contract.ran == [("apple",), ("apple", "pear"), ("apple", "pear", "fig")]
    assert [record.part for record in done.passes] == [0, 1, 2]
    assert [record.figures for record in done.passes] == [{"letters": 5}, {"letters": 9}, {"letters": 12}]
    assert [brief.feedback for brief in designer.briefs] == [{"letters": None}, {"letters": 5}, {"letters": 9}]


def test_a_part_that_earns_nothing_is_dropped_with_its_reason_and_the_next_pass_goes_on(tmp_path: Path) -> None:
    done = play(tmp_path / "d", Scripted("apple", "a", "fig"))
    assert done.sources == ("apple", "fig")
    assert [(r.part, r.decision.reason) for r in done.passes] == [
        (0, "it adds 5"),
        (None, "it adds 1"),
        (1, "it adds 3"),
    ]
    assert read(tmp_path / "d/attempts/1-0/decision.json") == {
        "keep": False,
        "reason": "it adds 1",
        "figures": {"gain": 1.0},
    }
    assert (tmp_path / "d/attempts/1-0/source.py").read_text() == "a"


def test_a_designer_is_told_what_was_dropped_and_why(tmp_path: Path) -> None:
    designer = Scripted("apple", "a", "fig")
    play(tmp_path / "d", designer)
    told = [[(d.pass_index, d.source, d.reason) for d in brief.dropped] for brief in designer.briefs]
    assert told == [[], [], [(1, "a", "it adds 1")]]


@pytest.mark.parametrize("died", [False, True])
def test_the_best_of_several_is_kept_and_none_is_told_of_another(tmp_path: Path, died: bool) -> None:
    config = CompilerConfig(max_repairs=1, best_of=4)
    answers = ("fig", "strawberry", "b", "apple")
    designer, contract = Scripted(*answers), Listing()
    if died:
        with pytest.raises(Killed):
            play(tmp_path / "d", Scripted(*answers[:2], Killed), config=config)
        designer = Scripted(*answers[2:])
    done = play(tmp_path / "d", designer, contract, config=config)
    assert done.sources == ("strawberry",)
    assert done.outcome == 10
    assert contract.ran == [("fig",), ("strawberry",), ("b",), ("apple",)]
    assert [(record.part, record.decision.keep) for record in done.passes] == [
        (None, False),
        (0, True),
        (None, False),
        (None, False),
    ]
    assert done.passes[0].decision.reason == "another candidate gains more; it adds 3"
    assert [record.figures for record in done.passes] == [{}, {"letters": 10}, {}, {}]
    assert all(brief.accepted == () and brief.dropped == () and not brief.feedback for brief in designer.briefs)
    assert [brief.candidate for brief in designer.briefs] == [2, 3] if died else [0, 1, 2, 3]


def test_a_rejected_proposal_is_repaired_and_repairs_do_not_use_up_passes(tmp_path: Path) -> None:
    designer = Scripted("two words", "crash", "apple", "pear", "fig")
    done = play(tmp_path / "d", designer)
    assert done.sources == ("apple", "pear", "fig")
    assert [record.tries for record in done.passes] == [3, 1, 1]
    rejections = [brief.rejection for brief in designer.briefs]
    assert rejections[0] is None
    assert rejections[1] is not None
    assert rejections[1].source == "two words"
    assert [d.code for d in rejections[1].diagnostics] == ["PD999"]
    assert rejections[2] is not None
    assert [d.code for d in rejections[2].diagnostics] == ["PD998"]
    assert rejections[3:] == [None, None]
    assert [brief.attempt for brief in designer.briefs] == [0, 1, 2, 0, 0]


def test_repairs_are_bounded(tmp_path: Path) -> None:
    designer = Scripted("a b", "a c", "apple", "pear")
    done = play(tmp_path / "d", designer, config=CompilerConfig(passes=1, max_repairs=1))
    assert done.sources == ("apple",)
    assert done.passes[0].decision.reason.startswith("no proposal passed in 2 tries; the last: PD999")
    assert designer.answers == ["pear"]


def test_the_same_text_is_said_to_be_the_same_and_never_run_again(tmp_path: Path) -> None:
    designer, contract, score = Scripted("apple", "apple", "pear", "a", "fig"), Listing(), Worth()
    done = play(tmp_path / "d", designer, contract, score)
    assert done.sources == ("apple", "pear")
    assert len(contract.ran) == len(score.judged) == 3
    diagnostics = read(tmp_path / "d/attempts/1-0/diagnostics.json")
    assert isinstance(diagnostics, list)
    assert "identical to the part that was kept in pass 0" in diagnostics[0]["message"]
    again = Scripted("apple", "a", "a", "fig")
    assert play(tmp_path / "e", again, contract, score).sources == ("apple", "fig")
    assert "dropped in pass 1" in (tmp_path / "e/attempts/2-0/diagnostics.json").read_text()
    assert len(score.judged) == 6


def test_a_pass_whose_criterion_holds_is_skipped(tmp_path: Path) -> None:
    designer = Scripted("apple")
    done = play(tmp_path / "d", designer, score=Worth(enough=5))
    assert done.sources == ("apple",)
    assert [record.decision.reason for record in done.passes[1:]] == ["its criterion already holds"] * 2
    assert len(designer.briefs) == 1


def test_a_designer_may_have_nothing_to_add(tmp_path: Path) -> None:
    done = play(tmp_path / "d", Scripted(None, "a b", None, None))
    assert done.sources == ()
    assert done.outcome is None
    reasons = [record.decision.reason for record in done.passes]
    assert reasons[0] == reasons[2] == "the designer has nothing to add"
    assert reasons[1].startswith("the designer gave no repair of: PD999")


@pytest.mark.parametrize("died_at", range(5))
def test_a_design_that_was_killed_asks_for_nothing_twice(tmp_path: Path, died_at: int) -> None:
    """Killed in each of the five calls of the designer; the second run gets only what the first did not."""
    answers: list[str] = ["two words", "apple", "a", "pear", "unused"]
    config = CompilerConfig(passes=2)
    whole = play(tmp_path / "whole", Scripted(*answers), config=config)
    first = Scripted(*answers[:died_at], Killed)
    if died_at < 4:
        with pytest.raises(Killed):
            play(tmp_path / "d", first, config=config)
    else:
        play(tmp_path / "d", first, config=config)
    second = Scripted(*answers[died_at:])
    assert play(tmp_path / "d", second, config=config) == whole
    assert len(first.briefs) + len(second.briefs) == (5 if died_at < 4 else 4)


def test_a_kill_while_scoring_repeats_the_score_alone(tmp_path: Path) -> None:
    class Dies(Worth):
        def judge(self, before: int | None, after: int) -> object:  # type: ignore[override]
            if before == 5:
                raise Killed
            return super().judge(before, after)

    with pytest.raises(Killed):
        play(tmp_path / "d", Scripted("apple", "pear"), score=Dies())
    score, designer = Worth(), Scripted("fig")
    done = play(tmp_path / "d", designer, score=score)
    assert done.sources == ("apple", "pear", "fig")
    assert score.judged == [(5, 9), (9, 12)]
    assert [brief.pass_index for brief in designer.briefs] == [2]


def test_what_came_with_a_proposal_is_kept_beside_it(tmp_path: Path) -> None:
    play(tmp_path / "d", Scripted("apple", None, None))
    attempt = tmp_path / "d/attempts/0-0"
    assert (attempt / "reply.md").read_text() == "I say apple"
    assert read(attempt / "proposal.json") == {"proposed": True, "notes": {"word": "apple"}, "diagnostics": []}
    assert read(attempt / "diagnostics.json") == []


def test_a_folder_of_another_design_is_not_gone_on_with(tmp_path: Path) -> None:
    Store(tmp_path / "d", {"task": "words", "seed": 0})
    with pytest.raises(UsageError, match="seed 0, not 1"):
        Store(tmp_path / "d", {"task": "words", "seed": 1})
    (tmp_path / "e").mkdir()
    (tmp_path / "e/thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not a design"):
        Store(tmp_path / "e", {})


def test_scores_are_computed_once_and_a_damaged_file_is_named(tmp_path: Path) -> None:
    store, calls = Store(tmp_path / "d", {}), []
    for _ in range(2):
        assert store.cached("none", "k" * 64, lambda: calls.append(1) or {"a": 1.5}) == {"a": 1.5}
    assert store.cached("none", "j" * 64, lambda: 2) == 2
    assert len(calls) == 1
    file = tmp_path / "d/scores/none-kkkkkkkkkkkk.json"
    file.write_text(file.read_text()[:10])
    with pytest.raises(CorruptFileError, match="none-kkkkkkkkkkkk"):
        store.cached("none", "k" * 64, lambda: 3)


@pytest.mark.parametrize(("name", "value"), [("passes", -1), ("max_repairs", -1)])
def test_settings_out_of_range_are_quoted(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} {value}"):
        CompilerConfig(**{name: value})
