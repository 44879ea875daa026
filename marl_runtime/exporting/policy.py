"""One agent's policy as it was exported: what it sends, and what it does, from what it sees and what it is told.

    <export>/agents/<number>/policy.json            whose policy this is, and how its networks are built
                             weights.safetensors    what an action depends on; no mixer, no decoder
                             schema.json            what every number means
                             protocol/              the frozen protocol, where the method has one

An agent's folder needs nothing else of the export, no task and no simulator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors
import safetensors.torch
import torch

from buffers.episodes import BoolArray, Float32Array
from buffers.errors import CorruptFileError, UsageError
from buffers.files import read_json_object
from buffers.packing import file_sha256
from generated_protocols.agent import AgentProtocol
from generated_protocols.manifest import read_schema
from generated_protocols.protocol import Protocol
from marl_runtime.configuration import from_json
from marl_runtime.methods import MethodConfig, MethodInputs, build_method

__all__ = ["EXPORT_VERSION", "AgentPolicy", "Card"]

EXPORT_VERSION = 1


@dataclass(frozen=True)
class Card:
    """`policy.json`: agent `agent` of a run at a step, its method, and what the networks were built for."""

    agent: int
    role: str
    task: str
    run: str
    checkpoint: str
    step: int
    method: str
    network: MethodConfig
    message_dim: int
    target_fields: tuple[int, ...]
    target_low: tuple[float, ...]
    target_high: tuple[float, ...]
    weights: str  # SHA-256 of weights.safetensors
    version: int = EXPORT_VERSION


class AgentPolicy:
    """Agent `card.agent`, read from its folder. In every step `send` comes first, then `act`, once each."""

    def __init__(self, folder: Path) -> None:
        file = folder / "policy.json"
        if not file.exists():
            raise UsageError(f"{folder} is no exported agent: it has no policy.json")
        told = read_json_object(file)
        if told.get("version") != EXPORT_VERSION:
            raise CorruptFileError(f"{file} is of version {told.get('version')}, this program reads {EXPORT_VERSION}")
        self.card = from_json(Card, told, file)
        self.schema = read_schema(folder)
        card, schema = self.card, self.schema
        if not 0 <= card.agent < schema.n_agents:
            raise CorruptFileError(f"{file} is damaged: agent {card.agent} of {schema.n_agents}")
        inputs = MethodInputs(schema, card.message_dim, card.target_fields, card.target_low, card.target_high)
        self.method = build_method(card.method, inputs, card.network).eval()
        _load(self.method, folder / "weights.safetensors", card.weights)
        self._protocol: AgentProtocol | None = None
        if (folder / "protocol").is_dir():
            self._protocol = AgentProtocol(Protocol.load(folder / "protocol", schema), card.agent)
        self._extended = np.zeros(schema.extended_dim, dtype=np.float32)
        self.reset()

    def reset(self) -> None:
        """Begin an episode."""
        self._carry = self.method.initial_state(1)
        self._last_action: int | None = None
        if self._protocol is not None:
            self._protocol.reset()

    def send(self, observation: Float32Array, alive: bool) -> Float32Array:
        """Return the payload of this step `[P]`, empty without a protocol; `observation` is `[O]`."""
        schema = self.schema
        self._extended[:] = 0
        self._extended[: schema.obs_dim] = observation
        if self._last_action is not None:
            self._extended[schema.obs_dim + self._last_action] = 1
        self._extended[schema.obs_dim + schema.n_actions + self.card.agent] = 1
        self._alive = alive
        if self._protocol is None:
            return np.zeros(0, dtype=np.float32)
        return self._protocol.send(self._extended, alive)

    def act(self, payloads: Mapping[int, Float32Array], available: BoolArray) -> tuple[int, Float32Array]:
        """Return the action and the utilities `[A]`; `payloads` come by sender, `available` is `[A]`."""
        messages = None
        if self._protocol is not None:
            kept = self._protocol.receive(payloads, self._alive)
            messages = torch.from_numpy(kept[None]) if self.method.needs_messages else None
        with torch.inference_mode():
            q, self._carry = self.method.step(torch.from_numpy(self._extended[None]), messages, None, self._carry)
        utilities = q[0].numpy()
        action = int(np.where(available, utilities, -np.inf).argmax())
        self._last_action = action
        return action, utilities


def _load(method: torch.nn.Module, file: Path, recorded: str) -> None:
    """Read the weights that an action depends on; those of training alone stay as they are."""
    try:
        if file_sha256(file) != recorded:
            raise CorruptFileError(f"{file} is damaged: its SHA-256 is not the one recorded")
        weights = safetensors.torch.load(file.read_bytes())
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise CorruptFileError(f"{file} is missing or damaged: {error}") from error
    missing, unexpected = method.load_state_dict(weights, strict=False)
    spare = tuple(f"{name}." for name in getattr(method, "training_only", ()))
    wrong = [name for name in missing if not name.startswith(spare)] + list(unexpected)
    if wrong:
        raise CorruptFileError(f"{file} does not fit policy.json: {wrong[0]} is missing or too much")
