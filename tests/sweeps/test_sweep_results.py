"""Tables, exports and plots of runs whose evaluations are known."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from made_runs import SMALL, fill, made
from PIL import Image

from buffers.errors import RejectedError, UsageError
from marl_runtime.exports import contrast_rows, latex, markdown, marl_eval, save_results
from marl_runtime.plotting import curve_table, draw, find_runs_below, read_lines
from marl_runtime.run_folder import write_json
from marl_runtime.run_index import gathering_steps
from marl_runtime.sweeping.reading import read_sweep
from marl_runtime.sweeping.results import SweepResults, sweep_results

REPORT = """
report:
  last_evaluations: 2
  rate: 0.5
  rate_window: 1
  contrasts:
    - {of: qmix_state, less: qmix, above: 0.3}
    - {of: qmix_state, less: qmix, within: 0.3, name: as good}
tuning: {trials: 4, note: learning rates}
"""
Write = Callable[[str], Path]
# the last two evaluations come to 0.1, 0.2, 0.3 and 0.7, 0.8, 0.9, whatever was reached before
FINALS = {"qmix": (0.1, 0.2, 0.3), "qmix_state": (0.7, 0.8, 0.9)}


def results(written: Write, root: Path, unfinished: int = 0) -> SweepResults:
    plan = read_sweep(written(SMALL + REPORT))
    for number, entry in enumerate(plan.entries):
        final = FINALS[entry.method][entry.seed]
        values = [(0, 0.0), (100, 0.95), (200, final - 0.05), (400, final + 0.05)]
        if entry.method == "qmix":
            values[1] = (100, 0.45)
        made(entry.config, root, values, complete=number >= unfinished)
    return sweep_results(plan, root)


def test_tables_by_hand(written: Write, tmp_path: Path) -> None:
    made_of = results(written, tmp_path)
    rows = {row["line"]: row for row in made_of.table.to_dict(orient="records")}
    assert rows["qmix"]["success"] == pytest.approx(0.2)  # not 0.95, its best
    assert rows["qmix_state"]["success"] == pytest.approx(0.8)
    assert rows["qmix_state"]["return"] == pytest.approx(8.0)
    assert (rows["qmix"]["seeds"], rows["qmix"]["planned"]) == (3, 3)
    # 0.5 is reached at step 100 by every run of qmix_state, and never by qmix
    assert (rows["qmix_state"]["steps_to_rate"], rows["qmix_state"]["reached"]) == (100, 3)
    assert (rows["qmix"]["steps_to_rate"], rows["qmix"]["censored"], rows["qmix"]["reached"]) == (400, True, 0)
    assert rows["qmix"]["improves_on_reference"] == 0.0
    assert rows["qmix"]["mann_whitney_p"] == pytest.approx(0.1)
    better, equal = contrast_rows(made_of)
    assert better["difference"].startswith("0.600 [")
    assert (better["hypothesis"], better["verdict"], better["seeds"]) == ("at least 0.3", "holds", "3 of 3, 3 of 3")
    assert (equal["contrast"], equal["verdict"], equal["interval"]) == ("as good", "does not hold", "90%")


def test_unfinished_runs_have_no_final_figure_and_no_verdict(written: Write, tmp_path: Path) -> None:
    made_of = results(written, tmp_path, unfinished=1)
    rows = {row["line"]: row for row in made_of.table.to_dict(orient="records")}
    assert (rows["qmix"]["seeds"], rows["qmix"]["planned"]) == (2, 3)
    assert rows["qmix"]["success"] == pytest.approx(0.25)
    assert [row["verdict"] for row in contrast_rows(made_of)] == ["not complete"] * 2
    assert len(made_of.curves) == 6 * 4  # its curve is there


def test_nothing_trained_is_said(written: Write, tmp_path: Path) -> None:
    with pytest.raises(RejectedError, match="none of the 6 runs"):
        sweep_results(read_sweep(written(SMALL)), tmp_path)


def test_a_curve_with_a_protocol_starts_where_gathering_ended(written: Write, tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "generated_protocols" / "1o_2r_vs_4r" / "llm-a"
    assert gathering_steps(shipped) == 220_514
    assert gathering_steps(None) == 0
    assert gathering_steps(tmp_path) is None
    plan = read_sweep(written(f"tasks: [1o_2r_vs_4r]\nmethods: [qmix, direct]\nprotocols: {{a: {shipped}}}"))
    for entry in plan.entries:
        made(entry.config, tmp_path, [(0, 0.0), (50, 0.6)])
    made_of = sweep_results(plan, tmp_path)
    assert made_of.curves.step.tolist() == [0, 50, 220_514, 220_564]
    assert made_of.curves.trained_steps.tolist() == [0, 50, 0, 50]
    assert made_of.table.gathering_steps.tolist() == [0, 220_514]


def test_exports_say_the_same(written: Write, tmp_path: Path) -> None:
    made_of = results(written, tmp_path / "runs")
    files = save_results(made_of, tmp_path / "out")
    assert all(file.exists() for file in files)
    with (tmp_path / "out" / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["success"]) for row in rows if row["method"] == "qmix"] == pytest.approx([0.1, 0.2, 0.3])
    told = json.loads((tmp_path / "out" / "results.json").read_text())
    assert told["tuning"] == "4 tuning trials for every method (learning rates)"
    page = markdown(made_of)
    assert "| Foraging-1s-8x8-2p-2f-coop | qmix | 3 of 3 | 0.200 [" in page
    assert "| > 400 | 0 of 3 |" in page
    assert "4 tuning trials for every method" in page
    paper = latex(made_of)
    assert r"Foraging-1s-8x8-2p-2f-coop & qmix\_state & 3 of 3 & 0.800 [" in paper
    assert paper.count(r"\toprule") == paper.count(r"\bottomrule") == 2
    assert r"& $>$ 400 &" in paper


def test_marl_eval_has_the_last_evaluations_as_absolute_metrics(written: Write, tmp_path: Path) -> None:
    seeds = marl_eval(results(written, tmp_path, unfinished=1))["lbforaging"]["Foraging-1s-8x8-2p-2f-coop"]
    assert list(seeds["qmix"]) == ["seed_1", "seed_2"]  # the unfinished seed 0 is left out
    run = seeds["qmix_state"]["seed_2"]
    assert run["step_1"] == {"step_count": 100, "win_rate": [0.95], "return": [9.5]}
    assert run["absolute_metrics"]["win_rate"] == pytest.approx([0.85, 0.95])
    assert list(run) == ["step_0", "step_1", "step_2", "step_3", "absolute_metrics"]


def test_drawn_curves_are_the_middle_over_seeds_up_to_the_shortest(written: Write, tmp_path: Path) -> None:
    plan = read_sweep(written(SMALL))
    one, two = (entry.config for entry in plan.entries if entry.method == "qmix" and entry.seed < 2)
    made(one, tmp_path, [(0, 0.0), (100, 0.4)])
    made(two, tmp_path, [(0, 0.2), (50, 0.2), (150, 0.6)], complete=False)
    lines = read_lines(find_runs_below([tmp_path]))
    assert [(line.name, [c.seed for c in line.curves]) for line in lines] == [("qmix", [0, 1])]
    table = curve_table(lines)
    # at step 100 the second curve is half way from 0.2 to 0.6
    assert table.step.tolist() == [0, 100]
    assert table.value.tolist() == pytest.approx([0.1, 0.4])
    assert table.seeds.tolist() == [2, 2]
    draw(lines, table, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert len(image.convert("RGB").getcolors(1 << 24) or []) > 10
    for name in ("a.svg", "b.svg"):
        draw(lines, table, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "qmix (2 seeds)" in (tmp_path / "a.svg").read_text()


def test_lines_are_told_apart_by_what_differs(written: Write, tmp_path: Path) -> None:
    plan = read_sweep(written(SMALL + "settings: {a: {}, b: {mixer: vdn, network: {alpha: 0.5}}}"))
    for entry in plan.entries:
        made(entry.config, tmp_path, [(0, 0.0)])
    assert [line.name for line in read_lines(find_runs_below([tmp_path]))] == [
        "qmix, mixer qmix, network.alpha 0.05",
        "qmix, mixer vdn, network.alpha 0.5",
        "qmix_state, mixer qmix, network.alpha 0.05",
        "qmix_state, mixer vdn, network.alpha 0.5",
    ]


def test_what_cannot_be_drawn_is_said(written: Write, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run and holds none"):
        find_runs_below([tmp_path])
    run = made(read_sweep(written(SMALL)).entries[0].config, tmp_path, [])
    with pytest.raises(RejectedError, match="none of the 1 runs has an evaluation"):
        read_lines([run])
    fill(run, [(0, 0.1)])
    with pytest.raises(UsageError, match="unknown measure 'wins'"):
        read_lines([run], "wins")
    with pytest.raises(UsageError, match=r"ends in \.pdf: name a file that ends in \.png or \.svg"):
        draw(read_lines([run]), curve_table(read_lines([run])), tmp_path / "x.pdf")
    write_json(run / "config.json", {"task": "bane_vs_hM", "methd": "qmix"})
    with pytest.raises(UsageError, match="did you mean 'method'"):
        read_lines([run])
