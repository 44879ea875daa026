"""One contract that every registered method passes, and what sets each apart."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
import pytest
import torch
from torch import Tensor
from toy_episodes import make_episodes, make_schema

from buffers.errors import UnknownNameError
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import Method, MethodConfig, MethodInputs, build_method, find_method, method_names
from marl_runtime.networks import TensorBatch, initialise

SCHEMA = make_schema()
M = 2
EVERY = pytest.mark.parametrize("name", method_names())


def make_method(name: str, encoder_loop: Literal["published", "fused"] = "published") -> Method:
    method = build_method(name, MethodInputs.for_schema(SCHEMA, M), MethodConfig(encoder_loop=encoder_loop))
    initialise(method, torch.Generator().manual_seed(4))
    return method


def make_batch(name: str, lengths: list[int]) -> TensorBatch:
    episodes = make_episodes(SCHEMA, lengths, message_dim=M)
    return TensorBatch.from_episodes(episodes, SCHEMA, messages=find_method(name).needs_messages)


def act(method: Method, batch: TensorBatch) -> Tensor:
    """Utilities `[B, T+1, N, A]`, step by step, as a rollout computes them."""
    b, t1, n, _ = batch.extended.shape
    carry = method.initial_state(b * n)
    steps = []
    for t in range(t1):
        messages = None if batch.messages is None else batch.messages[:, t].flatten(0, 1)
        state = batch.state[:, t, None].expand(-1, n, -1).flatten(0, 1) if method.needs_state else None
        q, carry = method.step(batch.extended[:, t].flatten(0, 1), messages, state, carry)
        steps.append(q.unflatten(0, (b, n)))
    return torch.stack(steps, dim=1)


@EVERY
@pytest.mark.parametrize("encoder_loop", ["published", "fused"])
def test_acting_step_by_step_equals_unroll(name: str, encoder_loop: Literal["published", "fused"]) -> None:
    method = make_method(name, encoder_loop).eval()
    batch = make_batch(name, [7, 7, 7])
    expected = method.unroll(batch).q
    assert expected.shape == (3, 8, 3, 4)
    assert expected.std() > 0.01
    torch.testing.assert_close(act(method, batch), expected.detach(), rtol=1e-4, atol=1e-5)


@EVERY
def test_acting_needs_no_evaluation_mode_and_keeps_no_graph(name: str) -> None:
    method = make_method(name).train()
    batch = make_batch(name, [2, 2])
    first, second = act(method, batch), act(method, batch)
    assert torch.equal(first, second)
    assert first.grad_fn is None
    assert all(carry.shape == (6, 64) and not carry.any() for carry in method.initial_state(6))


@EVERY
def test_losses_appear_in_training_alone_and_have_a_coefficient(name: str) -> None:
    method = make_method(name)
    batch = make_batch(name, [5, 2])
    assert not method.eval().unroll(batch).losses
    unrolled = method.train().unroll(batch)
    for loss, value in unrolled.losses.items():
        assert value.shape == ()
        assert value.item() > 0
        assert LearnerConfig().coefficient(loss) > 0


@EVERY
def test_every_parameter_is_in_one_group_and_is_trained(name: str) -> None:
    method = make_method(name).train()
    grouped = [p for group in method.parameter_groups().values() for p in group]
    assert len(grouped) == len({id(p) for p in grouped}) == len(list(method.parameters()))
    unrolled = method.unroll(make_batch(name, [5, 4, 3]))
    total = unrolled.q.square().sum()
    for value in unrolled.losses.values():
        total = total + value
    total.backward()
    untrained = [key for key, p in method.named_parameters() if p.grad is None or not p.grad.any()]
    assert not untrained


@EVERY
def test_a_row_sees_only_itself(name: str) -> None:
    method = make_method(name)
    extended, messages = torch.randn(5, SCHEMA.extended_dim), torch.randn(5, M)
    state = torch.randn(5, SCHEMA.state_dim)
    carry = tuple(torch.randn_like(part) for part in method.initial_state(5))
    q, after = method.step(extended, messages, state, carry)
    for poisoned_input in (extended, messages, state, *carry):
        poisoned_input[2] = torch.nan
    q2, after2 = method.step(extended, messages, state, carry)
    others = [0, 1, 3, 4]
    for before, now in zip((q, *after), (q2, *after2), strict=True):
        assert torch.equal(before[others], now[others])


@EVERY
def test_what_a_method_needs_is_what_it_reads(name: str) -> None:
    method = make_method(name)
    rows = (torch.randn(3, SCHEMA.extended_dim), method.initial_state(3))
    messages, state = torch.randn(3, M), torch.randn(3, SCHEMA.state_dim)
    q = method.step(rows[0], messages, state, rows[1])[0]
    for given, needed, what in (
        ((None, state), method.needs_messages, "messages"),
        ((messages, None), method.needs_state, "states"),
    ):
        if needed:
            with pytest.raises(ValueError, match=f"'{name}' needs {what}"):
                method.step(rows[0], *given, rows[1])
        else:
            assert torch.equal(method.step(rows[0], *given, rows[1])[0], q)
    assert torch.equal(method.step(rows[0], messages + 1, state, rows[1])[0], q) is not method.needs_messages
    assert torch.equal(method.step(rows[0], messages, state + 1, rows[1])[0], q) is not method.needs_state


@EVERY
def test_a_method_that_needs_a_protocol_is_not_built_without(name: str) -> None:
    if find_method(name).needs_protocol:
        with pytest.raises(ValueError, match=f"'{name}' needs a protocol"):
            build_method(name, MethodInputs.for_schema(SCHEMA))
    else:
        build_method(name, MethodInputs.for_schema(SCHEMA))


def test_the_control_has_the_same_parameters_as_lmac_and_is_deaf() -> None:
    lmac, control = make_method("lmac").eval(), make_method("enc_zero").eval()
    control.load_state_dict(lmac.state_dict())
    batch = make_batch("lmac", [4, 3])
    silent = dataclasses.replace(batch, messages=torch.zeros_like(batch.messages))
    torch.testing.assert_close(control.unroll(batch).q, lmac.unroll(silent).q)
    assert (lmac.unroll(batch).q - lmac.unroll(silent).q).abs().max() > 1e-3


def test_target_bounds_come_from_the_schema_and_are_checked() -> None:
    inputs = MethodInputs.for_schema(SCHEMA, M, [2, 0])
    assert (inputs.target_fields, inputs.target_low, inputs.target_high) == ((2, 0), (-2.0, -2.0), (4.0, 4.0))
    with pytest.raises(ValueError, match="target field 9 is not among the 4 state fields"):
        MethodInputs(SCHEMA, M, (9,), (0.0,), (1.0,))
    with pytest.raises(ValueError, match="2 target fields have 1 lower"):
        MethodInputs(SCHEMA, M, (0, 1), (0.0,), (1.0, 1.0))
    with pytest.raises(ValueError, match=r"low 1\.0 is not below high 1\.0"):
        MethodInputs(SCHEMA, M, (0,), (1.0,), (1.0,))
    with pytest.raises(ValueError, match="at least one state field"):
        build_method("lmac", MethodInputs(SCHEMA, M))


def test_an_unknown_method_and_a_wrong_option_quote_what_was_given() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'lmac'"):
        find_method("lmca")
    with pytest.raises(ValueError, match=r"dropout 1\.0"):
        MethodConfig(dropout=1.0)
    with pytest.raises(ValueError, match="encoder_loop 'quick'"):
        MethodConfig(encoder_loop="quick")


def test_weights_come_from_the_generator_alone() -> None:
    one, two = make_method("lmac"), make_method("lmac")
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    bound = 1 / np.sqrt(SCHEMA.extended_dim + M)
    weight = dict(one.named_parameters())["communication.encoder.embed.weight"]
    assert 0.9 * bound < weight.abs().max().item() <= bound
