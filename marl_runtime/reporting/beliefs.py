"""What agents believe of the state, from the encoder of a run's method: estimates and how sure they are.

Axes: T timesteps, N agents, K target fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from buffers.episodes import BoolArray, EpisodeBatch, Float32Array
from buffers.schema import Field, TaskSchema
from marl_runtime.methods.base import Method
from marl_runtime.methods.lmac import Lmac
from marl_runtime.networks.batch import TensorBatch, by_episode
from reporting import Chart, Section, Text
from reporting.charts import lines, quantitative

__all__ = ["Beliefs", "beliefs_of", "beliefs_section"]

_PLACE = re.compile(r"(enemy|food)_(\d+)\.(x|y|row|column)")


@dataclass(frozen=True)
class Beliefs:
    """Estimates of the K target `fields` over one episode, in the fields' units, beside the truth.

    `known` is the SAI head's probability that an estimate is right. Entries of agents that do not live are not `alive`.
    """

    fields: Sequence[Field]
    truth: Float32Array  # [T, K]
    estimates: Float32Array  # [T, N, K]
    known: Float32Array  # [T, N, K]
    present: BoolArray  # [T, K]: the field means something
    alive: BoolArray  # [T, N]


@torch.inference_mode()
def beliefs_of(method: Method, schema: TaskSchema, batch: EpisodeBatch) -> Beliefs | None:
    """Return what the agents believed over the first episode of `batch`; None for a method that rebuilds no state."""
    if not isinstance(method, Lmac) or not method.inputs.target_fields:
        return None
    steps = int(batch.lengths[0])
    one = batch.select(slice(0, 1))
    tensors = TensorBatch.from_episodes(one, schema, messages=method.needs_messages)
    estimate = method.estimate(by_episode(method.features(tensors).parts["z"], schema.n_agents))
    values, known = (part[0, :steps].numpy() for part in (estimate.fields, estimate.known))
    fields = [schema.state_fields[column] for column in method.inputs.target_fields]
    scale = np.array([field.scale for field in fields], dtype=np.float32)
    state = batch.state[0, :steps]
    column = {field.name: place for place, field in enumerate(schema.state_fields)}
    present = np.stack(
        [state[:, column[f.present_if]] > 0 if f.present_if in column else np.ones(steps, dtype=bool) for f in fields],
        axis=1,
    )
    truth = state[:, list(method.inputs.target_fields)]
    return Beliefs(fields, truth * scale, values * scale, known, present, batch.alive[0, :steps])


def beliefs_section(beliefs: Beliefs, roles: Sequence[str]) -> Section | None:
    """Return where each agent believes the others to be, beside where they are; None without such fields."""
    places = [k for k, field in enumerate(beliefs.fields) if _PLACE.fullmatch(field.name)]
    if not places:
        return None
    rows: list[dict[str, Any]] = []
    for k in places:
        name = beliefs.fields[k].name
        for t in np.flatnonzero(beliefs.present[:, k]).tolist():
            rows.append({"step": t, "who": "truth", "field": name, "value": _round(beliefs.truth[t, k])})
            rows += [
                {
                    "step": t,
                    "who": f"agent {agent} {role}",
                    "field": name,
                    "value": _round(beliefs.estimates[t, agent, k]),
                    "known": _round(beliefs.known[t, agent, k]),
                }
                for agent, role in enumerate(roles)
                if beliefs.alive[t, agent]
            ]
    names = [beliefs.fields[k].name for k in places]
    unit = beliefs.fields[places[0]].unit
    chart = lines(
        "Estimates of where the others are, agent by agent, beside the truth, over one battle",
        rows,
        x=("step", "step of the episode"),
        y=("value", f"place ({unit} from the centre)" if unit == "map units" else f"place ({unit})"),
        series=("who", None),
        choices={"field": ("Field", [*names[1:], names[0]])},
        tooltip=[quantitative("known", "sure that it is right", format=".0%")],
        points=False,
    )
    about = (
        "The first line is the truth. Lines end where an agent or what it estimates is dead. The list chooses "
        "the field."
    )
    error = errors_text(beliefs, places, roles)
    return Section(
        "Where the agents believe the others to be", [Text(error), Chart("Estimates beside the truth", about, chart)]
    )


def errors_text(beliefs: Beliefs, places: Sequence[int], roles: Sequence[str]) -> str:
    """Return each agent's root mean squared error over the battle as a sentence."""
    said = []
    for agent, role in enumerate(roles):
        counted = beliefs.present[:, places] & beliefs.alive[:, agent, None]
        difference = (beliefs.estimates[:, agent] - beliefs.truth)[:, places][counted]
        if len(difference):
            said.append(f"agent {agent} {role} {np.sqrt(np.mean(np.square(difference, dtype=np.float64))):.1f}")
    unit = beliefs.fields[places[0]].unit
    return f"Root mean squared error over these fields in this battle, in {unit}: {', '.join(said)}."


def _round(value: Any) -> float:
    return round(float(value), 3)
