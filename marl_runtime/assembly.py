"""Puts a learner together for a task, a method and a protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import torch

from buffers.errors import MissingDependencyError, UsageError
from buffers.schema import TaskSchema
from marl_runtime.learner import Learner, LearnerConfig
from marl_runtime.methods import Method, MethodConfig, MethodInputs, build_method, find_method
from marl_runtime.networks.mixers import build_mixer
from marl_runtime.scrambling import Scrambled

if TYPE_CHECKING:
    from generated_protocols.joint import JointProtocol
    from generated_protocols.protocol import Protocol
    from marl_runtime.rollout import MessageSource

__all__ = ["build_learner", "find_device", "load_protocol", "method_inputs", "spoken_by"]


def find_device(name: str) -> torch.device:
    """Return the torch device `name`: "cpu", "cuda", "cuda:1", or "auto", which takes CUDA where it is present.

    CUDA on a machine without it raises `MissingDependencyError`, any other name `UsageError`.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kind, _, index = name.partition(":")
    if kind not in ("cpu", "cuda") or (index and not index.isdigit()):
        raise UsageError(f"unknown device {name!r}: use 'auto', 'cpu', 'cuda' or 'cuda:<number>'")
    if kind == "cuda" and not torch.cuda.is_available():
        raise MissingDependencyError(f"device {name!r} is not here: use 'cpu', or install a CUDA build of torch")
    return torch.device(name)


def load_protocol(
    method: str, path: Path | None, schema: TaskSchema, *, trust: bool = False
) -> Protocol | JointProtocol | None:
    """Load the frozen protocol at `path`; one that `method` needs and misses, or does not use, raises `UsageError`.

    An imported joint protocol is code that nobody checked: without `trust` it raises `UsageError`, too.
    """
    kind = find_method(method)
    if not (kind.needs_protocol or kind.needs_messages):
        if path is not None:
            raise UsageError(f"method {method!r} uses no protocol: leave --protocol out, or name a --method that does")
        return None
    if path is None:
        raise UsageError(f"method {method!r} needs a frozen protocol: give one with --protocol DIR")
    from generated_protocols.joint import JointProtocol
    from generated_protocols.manifest import joint_sources
    from generated_protocols.protocol import Protocol

    if joint_sources(path):
        return JointProtocol.load(path, schema, trust=trust)
    return Protocol.load(path, schema)


def method_inputs(
    schema: TaskSchema, protocol: Protocol | JointProtocol | None, state_fields: Literal["chosen", "all"] = "chosen"
) -> MethodInputs:
    """Return what methods are built for: the state fields, and their scaling, that the protocol's manifest names.

    Its `state_fields` map names to the (low, high) of stored values, as measured on the data set. Without a protocol,
    where it names none, or with `state_fields` "all": all state fields with the schema's ranges. A name that the task
    does not have raises `UnknownNameError`.
    """
    if protocol is None:
        return MethodInputs.for_schema(schema)
    chosen = {} if protocol.manifest is None else protocol.manifest.state_fields
    if not chosen or state_fields == "all":
        return MethodInputs.for_schema(schema, protocol.message_dim)
    return MethodInputs(
        schema,
        protocol.message_dim,
        target_fields=tuple(schema.state_index(name) for name in chosen),
        target_low=tuple(float(low) for low, _ in chosen.values()),
        target_high=tuple(float(high) for _, high in chosen.values()),
    )


def spoken_by(method: Method, protocol: MessageSource | None) -> MessageSource | None:
    """Return what speaks in a rollout of `method`: the protocol, scrambled for some controls, or nothing."""
    if protocol is None or not method.needs_messages:
        return None
    return Scrambled(protocol, method.scrambles) if method.scrambles else protocol


def build_learner(
    method: str,
    mixer: str,
    inputs: MethodInputs,
    *,
    network: MethodConfig,
    learner: LearnerConfig,
    device: torch.device,
    seed: int,
) -> Learner:
    """Return a fresh learner; a method that is named after a mixer takes that one."""
    return Learner(
        build_method(method, inputs, network),
        build_mixer(find_method(method).mixer or mixer, inputs.schema),
        learner,
        device,
        seed,
    )
