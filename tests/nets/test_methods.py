"""One contract that every registered method passes, and what sets each apart."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Literal

import numpy as np
import pytest
import torch
from torch import Tensor
from toy_episodes import make_episodes, make_schema

from buffers.errors import UnknownNameError
from marl_runtime.learner import LearnerConfig
from marl_runtime.methods import Method, MethodConfig, MethodInputs, build_method, find_method, method_names
from marl_runtime.methods.base import Disturb
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
        links = batch.links[:, t] if method.needs_links else None
        q, carry = method.step(batch.extended[:, t].flatten(0, 1), messages, state, carry, links)
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
    assert [carry.shape for carry in method.initial_state(6)] == [(6, width) for width in method.carry_widths]
    assert not any(carry.any() for carry in method.initial_state(6))


@EVERY
def test_losses_appear_in_training_alone_and_have_a_coefficient(name: str) -> None:
    method = make_method(name)
    batch = make_batch(name, [5, 2])
    assert not method.eval().unroll(batch).losses
    unrolled = method.train().unroll(batch)
    for loss, value in unrolled.losses.items():
        assert value.shape == ()
        assert value.item() > 0
        assert method.coefficients.get(loss) or LearnerConfig().coefficient(loss) > 0


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


def everybody_linked(n_envs: int) -> Tensor:
    return ~torch.eye(3, dtype=torch.bool).expand(n_envs, 3, 3)


@EVERY
def test_a_row_sees_only_what_reaches_it(name: str) -> None:
    """Three environments: what happens in the second changes nothing in the others, and without links no row at all."""
    method = make_method(name)
    extended, messages = torch.randn(9, SCHEMA.extended_dim), torch.randn(9, M)
    state = torch.randn(9, SCHEMA.state_dim)
    carry = tuple(torch.randn_like(part) for part in method.initial_state(9))
    for links, others in (
        (everybody_linked(3), [0, 1, 2, 6, 7, 8]),
        (torch.zeros(3, 3, 3, dtype=torch.bool), [0, 1, 2, 3, 5, 6, 7, 8]),
    ):
        inputs = [part.clone() for part in (extended, messages, state, *carry)]
        q, after = method.step(*inputs[:3], tuple(inputs[3:]), links)
        for changed in inputs:
            changed[4] += 100.0
        q2, after2 = method.step(*inputs[:3], tuple(inputs[3:]), links)
        for before, now in zip((q, *after), (q2, *after2), strict=True):
            assert torch.equal(before[others], now[others])
        assert not torch.equal(q[4], q2[4])


@EVERY
def test_a_channel_disturbs_what_is_heard_once_in_a_step(name: str) -> None:
    """Only methods that talk by a network of their own ask it: a protocol's messages are disturbed before they come."""
    method = make_method(name)
    extended, messages, state = torch.randn(6, SCHEMA.extended_dim), torch.randn(6, M), torch.randn(6, SCHEMA.state_dim)
    asked = []

    def disturb(heard: Tensor) -> Tensor:
        asked.append(heard.shape)
        return heard + 3.0

    def utilities(channel: Disturb | None) -> Tensor:
        return method.step(extended, messages, state, method.initial_state(6), everybody_linked(2), channel)[0]

    changed = not torch.equal(utilities(None), utilities(disturb))
    talks = method.needs_links
    assert (changed, len(asked), all(shape[0] == 6 for shape in asked)) == (talks, int(talks), True)


@EVERY
def test_the_dead_say_nothing(name: str) -> None:
    """Agent 1 is dead from step 2 on: what it sees and would say reaches no loss and no utility of the others."""
    method = make_method(name).train()
    episodes = make_episodes(SCHEMA, [6, 4], message_dim=M)
    episodes.alive[:] = True
    episodes.alive[:, 2:, 1] = False
    other = dataclasses.replace(episodes, obs=episodes.obs.copy())
    other.obs[:, 2:, 1] += 100.0
    found = []
    for each in (episodes, other):
        torch.manual_seed(5)
        method.zero_grad()
        unrolled = method.unroll(TensorBatch.from_episodes(each, SCHEMA, messages=method.needs_messages))
        total = unrolled.q[:, :, [0, 2]].square().sum() + sum(unrolled.losses.values())
        total.backward()
        grads = [p.grad for p in method.parameters() if p.grad is not None]
        found.append((unrolled.q[:, :, [0, 2]].detach(), unrolled.losses, [g.clone() for g in grads]))
    (q, losses, grads), (q2, losses2, grads2) = found
    torch.testing.assert_close(q, q2)
    for key, value in losses.items():
        torch.testing.assert_close(value, losses2[key])
    for one, two in zip(grads, grads2, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-4, atol=1e-5)


@EVERY
def test_what_a_method_needs_is_what_it_reads(name: str) -> None:
    method = make_method(name)
    extended, carry = torch.randn(3, SCHEMA.extended_dim), method.initial_state(3)
    given = {"messages": torch.randn(3, M), "states": torch.randn(3, SCHEMA.state_dim), "links": everybody_linked(1)}
    other = {"messages": given["messages"] + 1, "states": given["states"] + 1, "links": given["links"] & False}
    needs = {"messages": method.needs_messages, "states": method.needs_state, "links": method.needs_links}

    def utilities(what: str = "", value: Tensor | None = None) -> Tensor:
        now = {**given, what: value}
        return method.step(extended, now["messages"], now["states"], carry, now["links"])[0]

    q = utilities()
    for what, needed in needs.items():
        if needed:
            with pytest.raises(ValueError, match=f"'{name}' needs {what}"):
                utilities(what, None)
        else:
            assert torch.equal(utilities(what, None), q)
        assert torch.equal(utilities(what, other[what]), q) is not needed


@EVERY
def test_an_agent_acts_with_the_parameters_that_are_counted(name: str) -> None:
    """Each weight that is counted changes a utility, if only through a gate; those for training change none."""
    method = make_method(name).eval()
    batch = make_batch(name, [7, 6, 5])
    q = method.unroll(batch).q
    left_out = {id(p) for part in method.training_only for p in method.get_submodule(part).parameters()}
    counted = 0
    for key, parameter in method.named_parameters():
        before = parameter.detach().clone()
        changed = False
        # a gate needs a large push, and a choice among classes may fall on the same one again
        for size, seed in itertools.product((1, 30), range(4)):
            parameter.data = before + size * torch.randn(before.shape, generator=torch.Generator().manual_seed(seed))
            changed = not torch.equal(method.unroll(batch).q, q)
            if changed:
                break
        parameter.data = before
        assert changed is (id(parameter) not in left_out), key
        counted += parameter.numel() * changed
    assert method.executed_parameters == counted


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


@pytest.mark.parametrize("detach", [True, False])
def test_td_reaches_the_encoder_only_where_z_is_not_detached(detach: bool) -> None:
    method = build_method("lmac", MethodInputs.for_schema(SCHEMA, M), MethodConfig(detach_latent=detach)).train()
    method.unroll(make_batch("lmac", [5, 3])).q.square().sum().backward()
    reached = [p.grad is not None and bool(p.grad.any()) for p in method.communication.encoder.parameters()]
    assert all(reached) if not detach else not any(reached)
    # the decoder's losses alone train it, either way
    assert all(p.grad is None for p in method.communication.decoder.parameters())
