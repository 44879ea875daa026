"""Battles of a run's greedy policy: a player, what was said in them, and what the agents believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from buffers.episodes import EpisodeBatch
from buffers.errors import ProtocolDesignerError
from buffers.schema import TaskSchema
from generated_protocols.bandwidth import Component, measure_bandwidth
from generated_protocols.protocol import Protocol
from marl_runtime.evaluation import load_actor
from marl_runtime.reporting.beliefs import beliefs_of, beliefs_section
from marl_runtime.reporting.reading import Run
from marl_runtime.rollout import Rollout
from marl_runtime.seeding import stream_seed
from marl_runtime.tasks import find_task
from marl_runtime.watching.page import render_page
from marl_runtime.watching.playing import play_episodes, run_player
from reporting import Block, Chart, Column, Frame, Note, Section, Table, Text
from reporting.charts import bars, nominal, quantitative

__all__ = ["message_rows", "played_sections"]

BATTLES = 32
"""Episodes that message statistics are taken over."""
PLAYER_HEIGHT = 980


def played_sections(run: Run, battles: int) -> list[Section]:
    """Return the sections that need episodes to be played; a run that cannot play says why in its problems."""
    if run.config is None or battles < 1:
        return []
    try:
        return [_player(run.folder, battles), *_statistics(run)]
    except (ProtocolDesignerError, OSError) as error:
        run.problems.append(f"no battle is shown: {error}")
        return []


def _player(folder: Path, battles: int) -> Section:
    recordings = list(play_episodes(run_player(folder), seed=0, count=battles))
    rows = [
        {"episode": r.episode, "seed": r.seed, "outcome": r.outcome, "return": r.total, "steps": r.steps}
        for r in recordings
    ]
    frame = Frame(
        f"Battle player: {folder.name}",
        render_page(recordings),
        PLAYER_HEIGHT,
        {"task": recordings[0].task, "episodes": rows},
    )
    text = (
        "Click into the player, or reach it with Tab: Space plays, the arrow keys step, 0 to 9 choose an agent, s "
        "shows who sees "
        "how far, ? lists all keys. The lists show who said what at the step, and what the chosen agent kept of it."
    )
    return Section("Battles", [Text(text), frame])


@dataclass(frozen=True)
class _Played:
    schema: TaskSchema
    batch: EpisodeBatch
    protocol: Protocol | None
    method: Any


def _play(folder: Path) -> _Played:
    config, actor, protocol, _ = load_actor(folder, "cpu")
    task = find_task(config.task)
    environment = task.make(BATTLES)
    try:
        batch = Rollout(environment, protocol).play(actor, stream_seed(0, "evaluation"), 0, BATTLES)
    finally:
        environment.close()
    return _Played(task.schema, batch, protocol if isinstance(protocol, Protocol) else None, actor.method)


def _statistics(run: Run) -> list[Section]:
    played = _play(run.folder)
    sections = []
    beliefs = beliefs_of(played.method, played.schema, played.batch)
    if beliefs is not None and (section := beliefs_section(beliefs, played.schema.roles)):
        sections.append(section)
    if played.protocol is not None:
        sections.append(_messages(played.schema, played.batch, played.protocol))
    return sections


def _messages(schema: TaskSchema, batch: EpisodeBatch, protocol: Protocol) -> Section:
    extended = batch.extended_obs(schema)
    sent, _ = protocol.results(extended, batch.alive, ["full"])
    played = batch.alive[:, :-1] & batch.filled[..., None]  # [B, T, N]
    said = sent[:, :-1]
    bandwidth = measure_bandwidth(said, played, protocol.payload_components)
    agents = [
        {"agent": f"{agent} {role}", "bits": bits, "speaks": speaks, "numbers": varying}
        for agent, (role, bits, speaks, varying) in enumerate(
            zip(schema.roles, bandwidth.bits_per_step, bandwidth.speaking, bandwidth.varying, strict=True)
        )
    ]
    chart = bars(
        "Bits per step and link that each agent sent",
        agents,
        x=("bits", "bits per step and link"),
        y=("agent", None),
        tooltip=[
            nominal("agent", "sender"),
            quantitative("bits", "bits per step and link", format=".1f"),
            quantitative("speaks", "share of steps in which it speaks", format=".0%"),
            quantitative("numbers", "numbers that vary"),
        ],
    )
    columns = (
        Column("agent", "agent"),
        Column("component", "component"),
        Column("nonzero", "share of steps not zero", 2),
        Column("mean", "mean", 3),
        Column("deviation", "standard deviation", 3),
        Column("low", "least", 3),
        Column("high", "most", 3),
    )
    everything = message_rows(said, played, protocol.payload_components, schema.roles)
    rows = [row for row in everything if row["nonzero"]]
    blocks: list[Block] = [
        Text(
            f"Over {batch.n_episodes} episodes of this policy, which is another one than the protocol was designed on."
        ),
        Chart("Bits by sender", f"All senders together: {bandwidth.total:,.0f} bits per step and link.", chart),
        Table(
            "What is in the messages",
            columns,
            rows,
            "Components that an agent leaves at zero all the time are left out; one that never varies tells nothing.",
        ),
    ]
    if not rows:
        blocks.append(Note("Nobody says anything."))
    return Section("Messages in these battles", blocks)


def message_rows(
    said: np.ndarray, played: np.ndarray, components: Sequence[Component], roles: Sequence[str]
) -> list[dict[str, Any]]:
    """Return statistics of payloads `[B, T, N, P]` where `played` `[B, T, N]`, one row per agent and component."""
    rows = []
    for agent, role in enumerate(roles):
        mine, column = said[:, :, agent][played[:, :, agent]], 0
        for component in components:
            values = mine[:, column : column + component.width].astype(np.float64)
            column += component.width
            rows.append(
                {
                    "agent": f"{agent} {role}",
                    "component": component.name,
                    "nonzero": float(values.any(axis=1).mean()) if len(values) else None,
                    "mean": float(values.mean()) if values.size else None,
                    "deviation": float(values.std()) if values.size else None,
                    "low": float(values.min()) if values.size else None,
                    "high": float(values.max()) if values.size else None,
                }
            )
    return rows
