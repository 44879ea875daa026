"""A run's chapter and a comparison's, on logs written by hand and on one small run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_report_design import chart, texts

from generated_protocols.bandwidth import Component
from marl_runtime.reporting import comparison_chapters, is_run, run_chapter, runs_in
from marl_runtime.reporting.comparison import labels_of
from marl_runtime.reporting.figures import band_rows, improvement_rows, level_rows
from marl_runtime.reporting.played import message_rows
from marl_runtime.reporting.reading import read_run, scripted_marks
from reporting.page import plain


def curves(values: dict[tuple[str, int], list[tuple[int, float]]]) -> pd.DataFrame:
    rows = [
        {"method": method, "seed": seed, "step": step, "success": success}
        for (method, seed), points in values.items()
        for step, success in points
    ]
    return pd.DataFrame(rows)


def test_bands_join_the_kth_evaluations_of_all_seeds_up_to_the_shortest_run() -> None:
    # seeds evaluate some steps apart: the means of 100 and 110, and of 0.2 and 0.4; the third evaluation has one seed
    table = curves({("a", 0): [(0, 0.0), (100, 0.2), (200, 0.9)], ("a", 1): [(0, 0.0), (110, 0.4)]})
    first, second = band_rows(table, ["a"], "success")
    assert (first["step"], first["success"]) == (0, 0)
    assert (second["step"], second["success"]) == (105, pytest.approx(0.3))
    # two seeds: the bootstrap draws 0.2, 0.3 or 0.4, the outer ones a quarter of the time each
    assert (second["success_low"], second["success_high"]) == (pytest.approx(0.2), pytest.approx(0.4))


def test_levels_end_where_the_median_run_does() -> None:
    # seed 0 is at 0.1 from step 100 on, seed 1 from 300 on; the later of two is the median, and 0.15 neither reached
    table = curves({("a", 0): [(100, 0.12), (300, 0.12)], ("a", 1): [(100, 0.0), (300, 0.11)], ("b", 0): [(50, 0.0)]})
    rows = level_rows(table, ["a", "b"])
    assert [(row["method"], row["level"], row["steps"]) for row in rows] == [("a", 0.05, 300), ("a", 0.1, 300)]


def test_who_is_better_is_counted_over_pairs_of_runs() -> None:
    # of 2 x 2 pairs a wins (0.5, 0.2), (0.5, 0.4) and (0.3, 0.2): 3 of 4
    rows = improvement_rows({"a": [0.5, 0.3], "b": [0.2, 0.4]})
    assert [(row["method"], row["other"], row["chance"]) for row in rows] == [("a", "b", 0.75), ("b", "a", 0.25)]


def test_runs_of_a_method_are_told_apart_by_what_they_differ_in(log_run: Callable[..., Path]) -> None:
    folders = [
        log_run("qmix", 0, [0.1]),
        log_run("qmix", 1, [0.2], mixer="vdn"),
        log_run("qmix_state", 0, [0.3], steps=7),
    ]
    labels = labels_of([read_run(folder) for folder in folders])
    assert list(labels.values()) == ["qmix (mixer=qmix)", "qmix (mixer=vdn)", "qmix_state"]


def test_a_comparison_shows_the_figures_of_the_logs(log_run: Callable[..., Path]) -> None:
    folders = [log_run("qmix", s, [0.0, 0.1 + s / 10]) for s in (0, 1)]
    folders += [log_run("qmix_state", s, [0.0, 0.6 + s / 10]) for s in (0, 1)]
    (chapter,) = comparison_chapters(folders, "runs", scripted_episodes=0)
    rows = {row["method"]: row for row in chart(chapter, "Final figures")["rows"]}
    # the last evaluations are both of each run: means 0.05 and 0.1, their mean 0.075; 0.3 and 0.35: 0.325
    assert rows["qmix"]["success"] == pytest.approx(0.075)
    assert rows["qmix_state"]["success"] == pytest.approx(0.325)
    assert rows["qmix"]["bits"] == 0
    assert list(rows) == ["qmix", "qmix_state"]  # no scripted policy was played
    said = texts(chapter)
    assert "Highest is qmix_state: 32.5% of episodes succeed" in said
    assert "A run of qmix_state is better than one of qmix with probability 1.00" in said
    assert "Some methods have 2 seeds: too few" in said


def test_runs_that_repeat_or_cannot_be_read_are_named(log_run: Callable[..., Path]) -> None:
    first = log_run("qmix", 0, [0.1])
    again = first.with_name("2027-again")
    again.mkdir()
    for file in first.iterdir():
        (again / file.name).write_bytes(file.read_bytes())
    broken = first.with_name("2028-broken")
    broken.mkdir()
    (broken / "config.json").write_text('{"task": "1o_2r_vs_4r", "methd": "qmix"}')
    assert runs_in(first.parent) == [first, again, broken]
    (chapter,) = comparison_chapters(runs_in(first.parent), "runs", scripted_episodes=0)
    said = texts(chapter)
    assert "2027-again has the same settings and seed" in said
    assert "methd" in said
    assert [row["run"] for row in chart(chapter, "Runs")["rows"]] == ["2027-again"]


def test_runs_without_an_evaluation_say_so(log_run: Callable[..., Path]) -> None:
    (chapter,) = comparison_chapters([log_run("qmix", 0, [])], "runs", scripted_episodes=0)
    assert "none of the runs has an evaluation yet" in texts(chapter)


def test_a_log_that_is_damaged_is_shown_up_to_there(log_run: Callable[..., Path]) -> None:
    run = log_run("qmix", 0, [0.1, 0.2, 0.3], complete=False)
    lines = (run / "metrics.jsonl").read_text().splitlines()
    lines[1] = "{cut"
    (run / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    chapter = run_chapter(run, battles=0, scripted_episodes=0)
    assert "line 2 of 3, is damaged" in texts(chapter)
    rows = chart(chapter, "Success")["spec"]["data"]["values"]
    assert [(row["step"], row["success"]) for row in rows] == [(0, 0.1)]
    assert "not complete" in texts(chapter)


def test_a_run_that_cannot_play_says_why_and_shows_its_log(log_run: Callable[..., Path]) -> None:
    chapter = run_chapter(log_run("qmix", 0, [0.5]), battles=1, scripted_episodes=0)
    assert "no battle is shown" in texts(chapter)
    assert "has no checkpoint yet" in texts(chapter)
    # 25 of 50: Wilson's interval is 0.366 to 0.634
    assert "succeeds in 50.0% of 50 greedy episodes (95 % interval 36.6% to 63.4%)" in texts(chapter)


def test_statistics_of_messages_are_those_of_steps_in_which_the_sender_lives() -> None:
    # one agent, three steps, of which it lives in two: it says 1 and 0 in `a`, and (2, 4) and (0, 0) in `b`
    said = np.array([[[[1, 2, 4]], [[0, 0, 0]], [[9, 9, 9]]]], dtype=np.float32)
    played = np.array([[[True], [True], [False]]])
    a, b = message_rows(said, played, [Component(0, "a", 1), Component(0, "b", 2)], ["scout"])
    assert (a["agent"], a["nonzero"], a["mean"], a["deviation"]) == ("0 scout", 0.5, 0.5, 0.5)
    # 2, 4, 0, 0: mean 1.5, squares of differences 0.25, 6.25, 2.25, 2.25: variance 2.75
    assert (b["nonzero"], b["mean"], b["low"], b["high"]) == (0.5, 1.5, 0, 4)
    assert b["deviation"] == pytest.approx(math.sqrt(2.75))


def test_a_trained_run_has_battles_beliefs_and_messages(trained: Path) -> None:
    assert is_run(trained)
    before = {path: path.read_bytes() for path in trained.rglob("*") if path.is_file()}
    chapter = run_chapter(trained, battles=2, scripted_episodes=10)
    assert {path: path.read_bytes() for path in trained.rglob("*") if path.is_file()} == before
    assert "What could not be read" not in [section.title for section in chapter.sections]
    player = chart(chapter, f"Battle player: {trained.name}")
    assert [row["episode"] for row in player["data"]["episodes"]] == [0, 1]
    assert "html" not in player
    marks = {mark["label"] for mark in scripted_marks("1o_2r_vs_4r", "success", 10)}
    assert marks == {"blind", "shared", "oracle"}

    rows = chart(chapter, "Estimates beside the truth")["spec"]["data"]["values"]
    who = list(dict.fromkeys(row["who"] for row in rows))
    assert who == ["truth", "agent 0 overseer", "agent 1 roach", "agent 2 roach"]
    truth = [row["value"] for row in rows if row["who"] == "truth" and row["field"] == "enemy_0.x"]
    # in map units: the map is 32 wide, and the Reapers begin in a corner of the ring
    assert max(map(abs, truth)) > 5
    assert all(abs(value) <= 16 for value in truth)
    assert all(0 <= row["known"] <= 1 for row in rows if row["who"] != "truth")
    losses = chart(chapter, "SAI loss")["spec"]["data"]["values"]
    logged = [json.loads(line) for line in (trained / "metrics.jsonl").read_text().splitlines()]
    assert [row["value"] for row in losses] == [row["learner/sai_loss"] for row in logged if "learner/sai_loss" in row]
    json.dumps(plain(chapter), allow_nan=False)


def test_calibration_is_shown_where_a_run_has_it(log_run: Callable[..., Path]) -> None:
    run = log_run("qmix", 0, [0.5])
    assert "Do the agents know what they know" not in texts(run_chapter(run, 0, 0))
    bins = [{"low": 0.8, "high": 0.9, "foretold": 0.85, "right": 0.5, "count": 7}]
    found = {"step": 100, "estimates": 7, "auroc": 0.625, "brier": 0.25, "error": 0.35, "curve": bins, "by_field": {}}
    (run / "calibration.json").write_text(json.dumps(found))
    chapter = run_chapter(run, 0, 0)
    assert "Over 7 estimates of the evaluation at step 100" in texts(chapter)
    assert "with probability 0.625 (AUROC" in texts(chapter)
    assert chart(chapter, "How often agents are right that say they are")["spec"]["data"]["values"] == bins
    (run / "calibration.json").write_text(json.dumps({**found, "curve": 3}))
    assert "calibration.json is damaged: Expected `array`" in texts(run_chapter(run, 0, 0))
