"""What methods are built for, and what is missing to build them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from buffers.errors import MissingDependencyError, UnknownNameError, UsageError
from marl_runtime.assembly import find_device, load_protocol, method_inputs
from marl_runtime.tasks import Task


def protocol(state_fields: dict[str, tuple[float, float]]) -> Any:
    return SimpleNamespace(message_dim=5, manifest=SimpleNamespace(state_fields=state_fields))


def test_without_a_protocol_every_state_field_is_rebuilt(cue_game: Task) -> None:
    inputs = method_inputs(cue_game.schema, None)
    assert (inputs.message_dim, inputs.target_fields, inputs.target_high) == (0, (0, 1, 2, 3), (1.0,) * 4)
    assert method_inputs(cue_game.schema, protocol({})).target_fields == (0, 1, 2, 3)


def test_a_protocol_says_which_fields_in_which_range(cue_game: Task) -> None:
    inputs = method_inputs(cue_game.schema, protocol({"cue.is_2": (0, 1), "clock.now": (0.25, 0.75)}))
    assert inputs.message_dim == 5
    assert inputs.target_fields == (3, 0)
    assert (inputs.target_low, inputs.target_high) == ((0.0, 0.25), (1.0, 0.75))
    with pytest.raises(UnknownNameError, match=r"state field 'cue\.is_9': did you mean"):
        method_inputs(cue_game.schema, protocol({"cue.is_9": (0, 1)}))
    every = method_inputs(cue_game.schema, protocol({"cue.is_2": (0, 1)}), "all")
    assert (every.message_dim, every.target_fields, every.target_high) == (5, (0, 1, 2, 3), (1.0,) * 4)


def test_what_is_missing_is_named(cue_game: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_protocol("qmix", None, cue_game.schema) is None
    with pytest.raises(UsageError, match="method 'lmac' needs a frozen protocol: give one with --protocol DIR"):
        load_protocol("lmac", None, cue_game.schema)
    with pytest.raises(UsageError, match="method 'qmix' uses no protocol: leave --protocol out"):
        load_protocol("qmix", Path("mine"), cue_game.schema)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MissingDependencyError, match="device 'cuda' is not here"):
        find_device("cuda")
