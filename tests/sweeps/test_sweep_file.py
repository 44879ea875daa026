"""A sweep file is checked wholly before anything runs, and every mistake is named with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_runs import SMALL

from buffers.errors import LayoutMismatchError, UsageError
from marl_runtime.run_index import run_hash
from marl_runtime.sweeping.reading import read_sweep
from marl_runtime.sweeping.sweep_file import read_yaml
from marl_runtime.training_config import TrainConfig

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "generated_protocols"
Write = Callable[[str], Path]


def test_every_combination_once_seed_by_seed(written: Write) -> None:
    plan = read_sweep(written(SMALL + "settings: {slow: {}, fast: {preset: fast, learner: {lr: 1e-3}}}\n"))
    assert [(e.seed, e.method, e.settings) for e in plan.entries[:4]] == [
        (0, "qmix", "slow"),
        (0, "qmix", "fast"),
        (0, "qmix_state", "slow"),
        (0, "qmix_state", "fast"),
    ]
    assert len(plan.entries) == 2 * 2 * 3
    fast = plan.entries[1].config
    assert (fast.updates_per_episode, fast.learner.lr, fast.steps) == (0.125, 1e-3, 400)
    assert len({entry.hash for entry in plan.entries}) == 12
    assert plan.label(plan.entries[1]) == "qmix · fast"


def test_protocols_go_to_the_methods_that_use_one_and_a_task_has_its_own_keys(written: Write) -> None:
    folder = SHIPPED / "1o_2r_vs_4r"
    plan = read_sweep(
        written(
            f"tasks:\n  1o_2r_vs_4r:\n    protocols: {{a: {folder / 'llm-a'}, b: {folder / 'llm-b'}}}\n"
            "    seeds: [7]\n    train: {steps: 500}\n  bane_vs_hM: {methods: [qmix]}\n"
            "methods: [qmix, direct]\ntrain: {steps: 900}\n"
        )
    )
    assert [(e.task, e.method, e.protocol, e.seed, e.config.steps) for e in plan.entries] == [
        ("bane_vs_hM", "qmix", "", 0, 900),
        ("1o_2r_vs_4r", "qmix", "", 7, 500),
        ("1o_2r_vs_4r", "direct", "a", 7, 500),
        ("1o_2r_vs_4r", "direct", "b", 7, 500),
    ]
    assert [plan.label(e) for e in plan.entries[1:]] == ["qmix", "direct · a", "direct · b"]


def test_excluded_runs_are_left_out(written: Write) -> None:
    plan = read_sweep(written(SMALL + "exclude: [{method: qmix, seed: [1, 2]}]\n"))
    assert [(e.method, e.seed) for e in plan.entries] == [
        ("qmix", 0),
        ("qmix_state", 0),
        ("qmix_state", 1),
        ("qmix_state", 2),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sedes: 3", "unknown key 'sedes': did you mean 'seeds'"),
        ("exclude: [{methd: qmix}]", "exclude.0: unknown key 'methd': did you mean 'method'"),
        ("exclude: [{method: qmi}]", "exclude.0.method: unknown method 'qmi': did you mean 'qmix'"),
        ("exclude: [{seed: 0}, {seed: 0}]", "exclude.1.seed: unknown seed '0'"),
        ("exclude: [{method: [qmix, qmix_state]}]", "nothing is left to run"),
        ("exclude: [{}]", "it names nothing"),
        ("settings: {a: {learner: {lrr: 1}}}", "settings.a: unknown LearnerConfig option 'lrr': did you mean 'lr'"),
        ("settings: {a: {learner: {lr: fast}}}", "settings.a: Expected `float`, got `str` - at `$.learner.lr`"),
        ("settings: {a: {envs: 0}}", "settings.a: envs 0 is below 1"),
        ("settings: {a: {seed: 1}}", "settings.a: 'seed' is not an option of training here"),
        ("settings: {a: {preset: fats}}", "settings.a: unknown preset 'fats': did you mean 'fast'"),
        ("settings: {a: {}, b: {steps: 400}}", "are the same run"),
        ("settings: {}", "leave the key out"),
        ("report: {rat: 0.5}", "report: unknown ReportConfig option 'rat': did you mean 'rate'"),
        ("report: {reference: qmx}", "unknown line of the table 'qmx'"),
        ("report: {contrasts: [{of: qmix, less: qmixx, above: 0}]}", "unknown line of the table 'qmixx'"),
        ("report: {contrasts: [{of: qmix, less: qmix_state}]}", "needs either 'above' or 'within'"),
        ("report: {contrasts: [{of: qmix, less: qmix_state, abov: 1}]}", "report.contrasts.0: unknown key 'abov'"),
        ("tuning: {trials: {qmix: 3}}", "tuning: Expected `int"),
        ("seeds: 3", "line 6, column 1: 'seeds' stands twice, first in line 4"),
        ("a: [", "line 7, column 1"),
    ],
)
def test_a_mistake_is_named_with_its_place(written: Write, text: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_sweep(written(f"{SMALL}{text}\n"))
    assert "small.yaml, " in str(refused.value)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tasks: [bane_vs_hm]\nmethods: [qmix]", "did you mean 'bane_vs_hM'"),
        ("tasks: [bane_vs_hM]\nmethods: [qmx]", "methods: unknown method 'qmx': did you mean 'qmix'"),
        ("tasks: [bane_vs_hM]", "methods: None is not a list of names"),
        ("methods: [qmix]", "tasks: None is not a list of names"),
        ("tasks: {bane_vs_hM: {seds: 2}}\nmethods: [qmix]", "tasks.bane_vs_hM: unknown key 'seds'"),
        ("tasks: {bane_vs_hM: {seeds: [1, 1]}}\nmethods: [qmix]", "tasks.bane_vs_hM.seeds: [1, 1] is neither"),
        ("tasks: [bane_vs_hM]\nmethods: [lmac]", "method 'lmac' needs a protocol on bane_vs_hM"),
        ("tasks: [bane_vs_hM]\nmethods: [lmac]\nprotocols: {x: gone}", "protocols.x: "),
        ("- 1", "holds no mapping"),
        ("tasks: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
    ],
)
def test_a_file_without_what_it_needs(written: Write, text: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_sweep(written(text))
    assert says in str(refused.value)


def test_a_protocol_of_another_layout_is_refused_before_anything_runs(written: Write) -> None:
    other = SHIPPED / "bane_vs_hM" / "llm-a"
    with pytest.raises(LayoutMismatchError, match=r"small\.yaml, protocols\.x: "):
        read_sweep(written(f"tasks: [1o_2r_vs_4r]\nmethods: [qmix, direct]\nprotocols: {{x: {other}}}"))


def test_values_mean_what_they_say(tmp_path: Path) -> None:
    file = tmp_path / "v.yaml"
    file.write_text("a: 5e-4\nb: off\nc: 1:30\nd: 010\ne: 1_000\nf: true\ng: no\nh:\ni: -2.5\nj: 5z_vs_1ul\n")
    assert read_yaml(file) == {
        "a": 5e-4, "b": "off", "c": "1:30", "d": 10, "e": 1000, "f": True, "g": "no", "h": None, "i": -2.5,
        "j": "5z_vs_1ul",
    }  # fmt: skip


def test_the_hash_is_of_what_decides_a_run() -> None:
    config = TrainConfig("bane_vs_hM", updates_per_episode=1.0)
    assert run_hash(config) == run_hash(replace(config, updates_per_episode=1))
    assert run_hash(config) == run_hash(replace(config, checkpoint_every=7, log_every=9))
    others = [replace(config, seed=1), replace(config, mixer="vdn"), replace(config, updates_per_episode=0.5)]
    a, b = (
        replace(config, method="direct", protocol=str(SHIPPED / "1o_2r_vs_4r" / name)) for name in ("llm-a", "llm-b")
    )
    assert len({run_hash(c) for c in [config, *others, a, b]}) == 6
    assert run_hash(replace(a, protocol=None), SHIPPED / "1o_2r_vs_4r" / "llm-a") == run_hash(a)
