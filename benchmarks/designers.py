# ruff: noqa: E501 - the lines of the report are longer than those of the code
"""Protocols by designer: the shipped ones that a language model wrote, the search's, and controls of equal width.

    python benchmarks/designers.py measure   # scores every protocol by one and the same scorer; minutes a task
    python benchmarks/designers.py report    # docs/results/designers.md from docs/results/designers.json

Data sets and the designs that are not shipped go to data/ and generated_protocols/ of the working directory. Every
protocol is scored part by part on the same state fields (those with headroom before there is any protocol), with the
command line's default decoders, on the select split that designs are chosen by.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from generated_protocols.manifest import part_sources, read_manifest
from marl_runtime.gathering import GatherConfig, gather
from marl_runtime.run_folder import versions
from protocol_designer.clients.settings import DEFAULT_MODELS
from protocol_designer.clients.types import Usage
from protocol_designer.compiler import CompilerConfig
from protocol_designer.designers.choice import choose
from protocol_designer.designing import DesignConfig, design, read_split
from protocol_designer.pricing import cost_of
from protocol_designer.protocol_contract import ProtocolContract
from protocol_designer.sandbox import Sandbox
from protocol_designer.transcript import Transcript
from sai import SaiConfig, paired_difference
from sai import score as sai_score

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
TASKS = ("1o_2r_vs_4r", "bane_vs_hM", "Foraging-1s-8x8-2p-2f-coop")
SHIPPED = "llm-"
"""How the names of shipped protocols begin that a language model wrote."""
CONTROLS = ("-none", "-fixed", "-shuffled")
"""How the names of those end that were designed with another feedback than what was measured."""
CHARACTERS_PER_TOKEN = 4


def show(done: int, total: int, text: str) -> None:
    if done in (0, total):
        sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {text}: {done:,} of {total:,}\n")


def shipped(task: str) -> list[Path]:
    folder = ROOT / "generated_protocols" / task
    return sorted(path for path in folder.glob(f"{SHIPPED}*") if (path / "manifest.json").exists())


def measure(task: str) -> dict[str, Any]:
    data_set = gather(task, GatherConfig(), progress=show)
    schema, config = data_set.schema, SaiConfig()
    recorded = {"fit": read_split(data_set, "fit"), "select": read_split(data_set, "select")}
    fit, select = recorded["fit"].episodes, recorded["select"].episodes
    none = sai_score(schema, fit, select, None, None, config)
    told = set(none.table[none.table.scored].field)
    fields = tuple(i for i, f in enumerate(schema.state_fields) if f.name in told)
    found: dict[str, Path] = {path.name: path for path in shipped(task)}
    width = max((sum(int(c["width"]) for c in read_manifest(path).message) for path in found.values()), default=32)
    for name in ("search", "random", "everything"):
        path = Path("generated_protocols") / task / f"{name}-s0"
        if name == "random":
            path = path.with_name(f"random-{width}-s0")
        settings = {"task": task, **choose(name).settings}
        limit = width if name == "random" else None
        setup = DesignConfig(max_message_width=limit, compiler=CompilerConfig(passes=2))
        found[name] = design(data_set, choose(name).make_designer, setup, path, settings, show).folder
    rows = []
    with Sandbox() as sandbox:
        for name, path in found.items():
            manifest = read_manifest(path)
            sources = [source.decode() for source in part_sources(path).values()]
            contract = ProtocolContract(schema, recorded, sandbox, window=manifest.window)
            for parts in range(1, len(sources) + 1):
                run = contract.run(sources[:parts]).outcome
                assert run is not None
                card = sai_score(schema, fit, select, run.messages["fit"], run.messages["select"], config, fields)
                over = paired_difference(card, none)
                rows.append(
                    {
                        "designer": name,
                        "parts": parts,
                        **card.summary(),
                        "spread": float(card.imbalance.spread_full.mean()),
                        "over_none": vars(over),
                        "bits_per_step": run.bandwidth.total,
                        "made_by": {"designer": manifest.designer, "model": manifest.model},
                        "reviewed_by": list(manifest.reviewed_by),
                    }
                )
                show(1, 1, f"{task}, {name}, {parts} part(s)")
    costs = {path.name: cost(path, data_set.schema) for path in shipped(task)}
    return {
        "task": task,
        "data_set": data_set.hash,
        "mean_length": round(data_set.manifest["steps"] / data_set.manifest["episodes"], 1),
        "none": {**none.summary(), "spread": float(none.imbalance.spread_empty.mean())},
        "rows": rows,
        "costs": costs,
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
        "seed": 0,
    }


def cost(folder: Path, schema: Any) -> dict[str, Any]:
    """Return the calls of a design and what they would cost; tokens that nobody counted are estimated."""
    exchanges = Transcript.stored(folder / "transcript.jsonl", schema)
    sent = sum(len(e.system) + sum(len(m["content"]) for m in e.messages) for e in exchanges)
    written = sum(len(e.completion.text) for e in exchanges if e.completion is not None)
    usage = Usage(sent // CHARACTERS_PER_TOKEN, written // CHARACTERS_PER_TOKEN, 0, 0)
    prices = {name: cost_of(name, model, usage) for name, model in DEFAULT_MODELS.items()}
    return {
        "calls": len(exchanges),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "prices": {f"{name} {DEFAULT_MODELS[name]}": price for name, price in prices.items()},
    }


def per_bit(row: Mapping[str, Any]) -> str:
    """Return the gain in success per 100 bits a step, with its interval."""
    share = 100 / max(row["bits_per_step"], 1e-9)
    gain = row["gain"]
    return f"{gain['mean'] * share:.3f} [{gain['low'] * share:.3f}, {gain['high'] * share:.3f}]"


def lines_of(result: Mapping[str, Any]) -> list[str]:
    none = result["none"]
    lines = [
        f"## {result['task']}",
        "",
        "| designer | parts | success | empty inbox | skill | spread | kept | bits a step | gain in success [95 %] | gain per 100 bits [95 %] |",
        "|---|---|---|---|---|---|---|---|---|---|",
        f"| no messages | 0 | {none['success_full']:.3f} | {none['success_full']:.3f} | {none['skill_full']:.3f} | {none['spread']:.3f} | 0 | 0 | - | - |",
    ]
    for row in result["rows"]:
        gain = row["gain"]
        lines.append(
            f"| {row['designer']} | {row['parts']} | {row['success_full']:.3f} | {row['success_empty']:.3f} | "
            f"{row['skill_full']:.3f} | {row['spread']:.3f} | {row['message_dim']} | {row['bits_per_step']:.0f} | "
            f"{gain['mean']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}] | {per_bit(row)} |"
        )
    lines += ["", verdict(result), ""]
    for name, spent in result["costs"].items():
        prices = ", ".join(
            f"${price:.2f} with {model}" if price is not None else f"unknown with {model}"
            for model, price in spent["prices"].items()
        )
        tokens = spent["input_tokens"] + spent["output_tokens"]
        online = tokens / max(spent["calls"], 1) * result["mean_length"]
        lines += [
            f"`{name}`: {spent['calls']} calls, about {spent['input_tokens']:,} tokens read and {spent['output_tokens']:,} written "
            f"(estimated at {CHARACTERS_PER_TOKEN} characters a token: the prompts were answered by hand), {prices}. A model that was asked "
            f"once a step instead, with prompts as long, would handle about {online:,.0f} tokens in every episode of {result['mean_length']} steps.",
            "",
        ]
    return lines


def verdict(result: Mapping[str, Any]) -> str:
    """Say which designer is ahead, whole protocols compared, and by how much."""
    whole = {row["designer"]: row for row in result["rows"]}  # the last row of each is all its parts
    written = {name: row for name, row in whole.items() if name.startswith(SHIPPED) and not name.endswith(CONTROLS)}
    if not written:
        return "No protocol by a language model is shipped for this task."
    best = max(written, key=lambda name: float(written[name]["success_full"]))
    ahead = written[best]["success_full"] - whole["search"]["success_full"]
    winner = (
        f"`{best}` is ahead of `search` by {ahead:.3f}"
        if ahead > 0
        else f"`search` is ahead of `{best}` by {-ahead:.3f}"
    )
    bits = whole["search"]["bits_per_step"] / max(written[best]["bits_per_step"], 1e-9)
    controls = [
        f"`{name}` {row['success_full'] - whole[name.rpartition('-')[0]]['success_full']:+.3f}"
        for name, row in whole.items()
        if name.endswith(CONTROLS)
    ]
    compared = f" Against the design with measured feedback: {', '.join(controls)}." if controls else ""
    return f"In success with messages {winner}; `search` uses {bits:.2f} times the bits of `{best}`.{compared}"


def write_report() -> None:
    state = json.loads((RESULTS / "designers.json").read_text(encoding="utf-8"))
    lines = [
        "# Protocols by designer",
        "",
        "Written by `python benchmarks/designers.py report` from `designers.json`, which holds every figure with its versions, seed and date.",
        "",
        "Success: the share of steps in which an agent's decoder knows a state field within its tolerance, over agents and the fields that have",
        "headroom without messages; spread: the best agent's success less the worst's, mean over fields; gain: with messages less with an empty",
        "inbox, paired, clustered by episode. `llm-*` are the shipped protocols, written by a language model through `--designer manual`; `search` is",
        "the embedded search; `random` keeps as many numbers as the widest of them, of fields and senders drawn at random; `everything` sends",
        "every agent's whole observation to everybody. `-none`, `-fixed` and `-shuffled` are controls of the feedback: the same first answers as",
        "the design that they are named after, then the best of several answers without feedback, one fixed instruction beside the figures, or",
        "figures that were shuffled over agents and fields.",
        "",
    ]
    for task in TASKS:
        if task in state:
            lines += lines_of(state[task])
    (RESULTS / "designers.md").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("measure", "report"))
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), choices=list(TASKS))
    chosen = parser.parse_args()
    if chosen.stage == "measure":
        path = RESULTS / "designers.json"
        for task in chosen.tasks:
            state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            state[task] = measure(task)
            path.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
    write_report()


if __name__ == "__main__":
    main()
