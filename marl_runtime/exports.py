"""Tables in the forms that papers and other tools take: CSV, Markdown, LaTeX, marl-eval JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buffers.memory import naming_full_disk
from marl_runtime.run_folder import versions, write_json

if TYPE_CHECKING:
    import pandas as pd

    from marl_runtime.sweeping.results import SweepResults

__all__ = ["latex_table", "markdown_table", "marl_eval", "save_results", "sweep_rows"]

ENVIRONMENTS = {"Foraging": "lbforaging"}
SIMULATOR = "smac-comm-like"
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "·": r"$\cdot$",
    "±": r"$\pm$",
}
_LATEX |= {character: f"\\{character}" for character in "&%$#_{}"} | {">": "$>$", "<": "$<$"}


def save_results(results: SweepResults, folder: Path) -> list[Path]:
    """Write all tables into `folder` and return the files: CSV each, results.md, results.tex, two JSON files."""
    tables = {name: getattr(results, name) for name in ("table", "pooled", "contrasts", "runs", "curves")}
    written = []
    with naming_full_disk(f"writing the tables into {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            written.append(folder / f"{name}.csv")
            table.to_csv(written[-1], index=False)
        for name, text in (("results.md", markdown(results)), ("results.tex", latex(results))):
            written.append(folder / name)
            written[-1].write_text(text, encoding="utf-8")
    rows = {name: json.loads(table.to_json(orient="records")) for name, table in tables.items() if name != "curves"}
    told = {"sweep": results.plan.name, "tuning": str(results.plan.tuning), "versions": versions()}
    write_json(folder / "results.json", told | rows)
    write_json(folder / "marl-eval.json", marl_eval(results))
    return [*written, folder / "results.json", folder / "marl-eval.json"]


def sweep_rows(results: SweepResults) -> list[dict[str, str]]:
    """Return the table for people: one row of short texts for each task and line."""
    plan = results.plan
    rate = f"{plan.report.measure} {plan.report.rate:g}"
    return [
        {
            "task": row["task"],
            "method": row["line"],
            "seeds": f"{row['seeds']} of {row['planned']}",
            plan.report.measure: interval(row, plan.report.measure),
            f"steps to {rate}": _steps(row),
            f"reached {rate}": "-" if row["reached"] is None else f"{row['reached']} of {row['seeds']}",
            "P(better than reference)": interval(row, "improves_on_reference", 2),
            "gathering steps": "?" if row["gathering_steps"] is None else f"{row['gathering_steps']:,}",
            "tuning trials": "?" if row["tuning_trials"] is None else str(row["tuning_trials"]),
        }
        for row in _records(results.table)
    ]


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows of plain values; pandas keeps whole numbers with gaps as floats, so they are mended."""
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records"))
    whole = ("gathering_steps", "reached", "seeds", "planned", "tuning_trials")
    return [{k: int(v) if k in whole and isinstance(v, float) else v for k, v in row.items()} for row in rows]


def _steps(row: Mapping[str, Any]) -> str:
    if row["steps_to_rate"] is None:
        return "-"
    return f"{'> ' if row['censored'] else ''}{row['steps_to_rate']:,.0f}"


def interval(row: Mapping[str, Any], name: str, digits: int = 3) -> str:
    """Return `0.530 [0.410, 0.640]`, without the bounds where they are not known, a dash where nothing is."""
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    if value is None:
        return "-"
    return f"{value:.{digits}f}" + ("" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]")


def contrast_rows(results: SweepResults) -> list[dict[str, str]]:
    """Return the announced comparisons for people."""
    return [
        {
            "task": row["task"],
            "contrast": row["contrast"],
            "hypothesis": row["hypothesis"],
            "difference": interval(row, "difference"),
            "interval": f"{row['confidence']:.0%}",
            "P(better)": interval(row, "improvement", 2),
            "p": "-" if row["mann_whitney_p"] is None else f"{row['mann_whitney_p']:.3g}",
            "seeds": row["seeds"],
            "verdict": row["verdict"],
        }
        for row in _records(results.contrasts)
    ]


def pooled_rows(results: SweepResults) -> list[dict[str, str]]:
    """Return the lines over all tasks for people."""
    measure = results.plan.report.measure
    return [
        {
            "method": row["line"],
            "tasks": str(row["tasks"]),
            "runs": f"{row['runs']} of {row['planned']}",
            measure: interval(row, measure),
        }
        for row in _records(results.pooled)
    ]


def caption(results: SweepResults) -> str:
    """Return what the figures are."""
    report, plan = results.plan.report, results.plan
    return (
        f"Interquartile mean over seeds of the mean over the last {report.last_evaluations} evaluations of complete "
        "runs, no checkpoint picked, with 95 % percentile bootstrap intervals over seeds. Steps count from the "
        f"gathering of the protocol's data set; '>' is a median that most runs did not reach. The reference is "
        f"{report.reference}. {plan.tuning}."
    )


def _parts(results: SweepResults) -> list[tuple[str, list[dict[str, str]]]]:
    parts = [("", sweep_rows(results)), ("All tasks, stratified", pooled_rows(results))]
    return [(title, rows) for title, rows in [*parts, ("Announced comparisons", contrast_rows(results))] if rows]


def markdown(results: SweepResults) -> str:
    """Return the tables as a Markdown page."""
    lines = [f"# {results.plan.name}", "", caption(results), ""]
    for title, rows in _parts(results):
        lines += [*([f"## {title}", ""] if title else []), markdown_table(rows), ""]
    return "\n".join(lines)


def markdown_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows of like keys as a Markdown table."""
    names = list(rows[0])
    body = [[cell.replace("|", r"\|") for cell in row.values()] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [names, ["---"] * len(names), *body])


def latex(results: SweepResults) -> str:
    """Return the tables as LaTeX, for a document that uses booktabs."""
    parts = [f"% {caption(results)}\n"]
    for title, rows in _parts(results):
        parts.append((f"% {title}\n" if title else "") + latex_table(rows))
    return "\n".join(parts)


def latex_table(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows of like keys as a `tabular` with booktabs' rules, every special character escaped."""
    names = list(rows[0])
    lines = [" & ".join(map(_escape, cells)) + r" \\" for cells in [names, *(row.values() for row in rows)]]
    body = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    return "\n".join([rf"\begin{{tabular}}{{{'l' * len(names)}}}", *body, r"\end{tabular}", ""])


def _escape(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def marl_eval(results: SweepResults) -> dict[str, Any]:
    """Return the complete runs in marl-eval's form: environment → task → algorithm → seed → step → metrics.

    `absolute_metrics` are the last evaluations, as in all tables here, and not those of the best checkpoint, which
    marl-eval's own users may put there. A value is the mean over an evaluation's episodes.
    """
    report = results.plan.report
    complete = {(r["task"], r["line"], r["seed"]) for r in _records(results.runs) if r["complete"]}
    tree: dict[str, Any] = {}
    for row in _records(results.curves):
        if (row["task"], row["line"], row["seed"]) not in complete:
            continue
        environment = ENVIRONMENTS.get(row["task"].split("-")[0], SIMULATOR)
        line = tree.setdefault(environment, {}).setdefault(row["task"], {}).setdefault(row["line"], {})
        seed = line.setdefault(f"seed_{row['seed']}", {})
        metrics = {"win_rate": [row["success"]], "return": [row["return"]]}
        seed[f"step_{len(seed)}"] = {"step_count": row["step"], **metrics}
    for tasks in tree.values():
        for seed in (s for lines in tasks.values() for seeds in lines.values() for s in seeds.values()):
            last = list(seed.values())[-report.last_evaluations :]
            seed["absolute_metrics"] = {name: [step[name][0] for step in last] for name in ("win_rate", "return")}
    return tree
