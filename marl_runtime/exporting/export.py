"""Write a run's policy as one self-contained folder per agent."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import safetensors.torch

from buffers.errors import UsageError
from buffers.memory import naming_full_disk
from buffers.packing import write_bytes
from generated_protocols.manifest import joint_sources
from marl_runtime.evaluation import Which, load_actor
from marl_runtime.exporting.policy import Card
from marl_runtime.methods import Method
from marl_runtime.run_folder import RunFolder, write_json
from marl_runtime.tasks import find_task

__all__ = ["export_run", "require_exportable"]


def require_exportable(method: Method) -> None:
    """Raise `UsageError` where agents could not act with what they see and what a protocol tells them."""
    if method.needs_state:
        raise UsageError(f"method {method.name!r} sees the state when it acts: no agent could act so alone")
    if method.needs_links:
        raise UsageError(
            f"method {method.name!r} learns what to send by one network over all agents; protocols alone are exported: "
            "export a run of lmac, direct, enc_zero, qmix, vdn or qplex"
        )
    if method.scrambles:
        raise UsageError(f"method {method.name!r} is a control whose messages the rollout makes up: nobody sends them")


def export_run(run: Path, out: Path, which: Which = "last") -> Path:
    """Write `out`/agents/<number>/ for every agent of `run` and return `out`; one that is there raises `UsageError`.

    It is made under another name and renamed, so that a kill leaves no half of it.
    """
    if out.exists():
        raise UsageError(f"{out} is there already: name another folder with --out, or remove it")
    config, actor, _, step = load_actor(run, "cpu", which)
    method = actor.method
    require_exportable(method)
    folder = RunFolder.open(run)
    schema = find_task(config.task).schema
    source = folder.protocol if method.needs_messages else None
    if source is not None and joint_sources(source):
        raise UsageError(f"{run.name} was trained with an imported joint protocol, which reads everybody's observation")
    left_out = tuple(f"{name}." for name in method.training_only)
    weights = safetensors.torch.save(
        {
            name: value.detach().cpu().contiguous().clone()
            for name, value in method.state_dict().items()
            if not name.startswith(left_out)
        }
    )
    partial = out.with_name(f".{out.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)
    with naming_full_disk(f"exporting to {out}"):
        for agent, role in enumerate(schema.roles):
            place = partial / "agents" / str(agent)
            place.mkdir(parents=True)
            digest = write_bytes(place / "weights.safetensors", weights)
            write_bytes(place / "schema.json", (json.dumps(schema.to_json(), indent=1) + "\n").encode())
            if source is not None:
                (place / "protocol").mkdir()
                for file in sorted(path for path in source.iterdir() if path.is_file()):
                    shutil.copyfile(file, place / "protocol" / file.name)
            inputs = method.inputs
            card = Card(
                agent=agent,
                role=role,
                task=config.task,
                run=run.name,
                checkpoint=which,
                step=step,
                method=config.method,
                network=config.network,
                message_dim=inputs.message_dim,
                target_fields=inputs.target_fields,
                target_low=inputs.target_low,
                target_high=inputs.target_high,
                weights=digest,
            )
            write_json(place / "policy.json", asdict(card))
        partial.rename(out)
    return out
