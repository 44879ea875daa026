"""A run's chapter: in short, curves, battles, beliefs, messages, losses, and how it was evaluated."""

from __future__ import annotations

from pathlib import Path

from marl_runtime.configuration import to_json
from marl_runtime.reporting.calibration import calibration_section
from marl_runtime.reporting.curves import curves_section, losses_section
from marl_runtime.reporting.played import played_sections
from marl_runtime.reporting.reading import Run, read_run, scripted_marks
from marl_runtime.statistics import wilson
from marl_runtime.training_config import TrainConfig
from reporting import Block, Chapter, Column, Facts, Fold, Note, Section, Table, Text

__all__ = ["run_chapter"]


def run_chapter(folder: Path, battles: int = 3, scripted_episodes: int = 200) -> Chapter:
    """Return everything that is recorded of the run in `folder`; damaged files are named and the rest is shown.

    `battles` are played for the player and `scripted_episodes` by each scripted policy; 0 of them leaves them out.
    """
    run = read_run(folder)
    sections = [
        _summary(run, scripted_episodes),
        curves_section(run, scripted_episodes),
        *played_sections(run, battles),
    ]
    calibration = calibration_section(run)
    sections += [calibration] if calibration else []
    losses = losses_section(run)
    sections += [losses] if losses else []
    sections.append(_how(run))
    if run.problems:
        sections.insert(0, Section("What could not be read", [Note(problem) for problem in run.problems]))
    title = folder.resolve().name if run.config is None else f"{run.config.task}: {run.label}, seed {run.config.seed}"
    return Chapter("run", title, str(folder), sections)


def _last(run: Run) -> dict[str, float]:
    tested = [row for row in run.metrics if row.get("test/success") is not None]
    return dict(tested[-1]) if tested else {}


def _summary(run: Run, scripted_episodes: int) -> Section:
    config, last = run.config, _last(run)
    facts: list[tuple[str, str]] = []
    if config:
        facts += [
            ("task", config.task),
            ("method", f"{config.method}, mixer {config.mixer}"),
            ("protocol", "none" if config.protocol is None else "/".join(Path(config.protocol).parts[-2:])),
            ("seed", str(config.seed)),
        ]
    steps = max((int(row["step"]) for row in run.metrics), default=0)
    facts.append(("trained", f"{steps:,} of {config.steps:,} steps" if config else f"{steps:,} steps"))
    facts.append(("state", "complete" if run.result else "not complete"))
    blocks: list[Block] = [Facts(facts)]
    if last:
        episodes = int(last.get("test/episodes") or 0)
        estimate = wilson(round(last["test/success"] * episodes), episodes)
        said = f"At step {int(last['step']):,} it succeeds in {last['test/success']:.1%} of {episodes} greedy episodes"
        said += (
            f" (95 % interval {estimate.low:.1%} to {estimate.high:.1%}), with a mean return of "
            f"{last.get('test/return') or 0.0:.2f}."
        )
        blocks.append(Text(said))
        if config and scripted_episodes and (marks := scripted_marks(config.task, "success", scripted_episodes)):
            beside = ", ".join(f"{mark['label']} {mark['value']:.1%}" for mark in marks)
            blocks.append(Text(f"Scripted policies, which learn nothing, come to: {beside}."))
    return Section("In short", blocks)


def _how(run: Run) -> Section:
    config = run.config
    blocks: list[Block] = []
    if config:
        blocks.append(
            Text(
                f"Every {config.eval_every:,} environment steps {config.eval_episodes} episodes were played without "
                "exploration and "
                "without dropout, new ones each time, drawn from a stream of their own; none was learned from. "
                "Success is what the "
                "task calls success, its interval Wilson's over the episodes. One run is one seed: how methods "
                "compare takes several."
            )
        )
        rows = [{"setting": name, "value": value, "default": default} for name, value, default in _settings(config)]
        columns = (Column("setting", "setting"), Column("value", "value"), Column("default", "default"))
        blocks.append(Fold("Settings", [Table("Settings", columns, rows)]))
    if run.versions:
        rows = [{"what": name, "version": str(version)} for name, version in run.versions.items()]
        blocks.append(
            Fold("Versions", [Table("Versions", (Column("what", "what"), Column("version", "version")), rows)])
        )
    if run.result:
        told = [
            (name.replace("_", " "), f"{value:,.4g}")
            for name, value in run.result.items()
            if type(value) in (int, float)
        ]
        blocks.append(Facts(told))
    return Section("What was evaluated, and how", blocks or [Note("The run's configuration cannot be read.")])


def _settings(config: TrainConfig) -> list[tuple[str, str, str]]:
    mine, usual = _dotted(to_json(config)), _dotted(to_json(TrainConfig(task=config.task)))
    return [(name, str(value), str(usual.get(name))) for name, value in mine.items()]


def _dotted(value: object, name: str = "") -> dict[str, object]:
    if not isinstance(value, dict):
        return {name: value}
    return {
        key: leaf for part, below in value.items() for key, leaf in _dotted(below, f"{name}.{part}".lstrip(".")).items()
    }
