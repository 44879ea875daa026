"""The communication module: the encoder by hand, its losses, and who is masked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from torch.nn import functional
from toy_episodes import make_episodes, make_schema

from marl_runtime.methods import MethodConfig, MethodInputs, build_method
from marl_runtime.methods.lmac import Lmac
from marl_runtime.networks import CommunicationModule, TensorBatch, initialise
from marl_runtime.networks.communication import Latent
from marl_runtime.networks.dropout import Dropout

SCHEMA = make_schema()


def small_module(residual: str = "carried", dropout: float = 0.0) -> CommunicationModule:
    module = CommunicationModule(
        7,
        torch.tensor([-2.0, 0.0]),
        torch.tensor([4.0, 10.0]),
        hidden_dim=8,
        latent_dim=3,
        dropout=dropout,
        alpha=0.05,
        residual=residual,
    )
    initialise(module, torch.Generator().manual_seed(1))
    return module


def build_lmac(**config: float) -> Lmac:
    method = build_method("lmac", MethodInputs.for_schema(SCHEMA, 2), MethodConfig(**config))
    assert isinstance(method, Lmac)
    initialise(method, torch.Generator().manual_seed(2))
    return method


def test_the_encoder_equals_the_published_formulas_written_out() -> None:
    encoder = small_module().encoder
    received = torch.randn(4, 5, 7)
    parts = dict(encoder.named_parameters())

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ parts[f"{name}.weight"].T + parts[f"{name}.bias"]

    h = torch.zeros(5, 8)
    w_in, w_hidden, b_in, b_hidden = encoder.memory.gru.all_weights[0]
    latents, gates = [], []
    for received_t in received:
        hidden = functional.relu(linear(received_t, "embed"))
        centred = hidden - hidden.mean(dim=-1, keepdim=True)
        normed = centred / torch.sqrt((centred**2).mean(dim=-1, keepdim=True) + 1e-5)
        x = functional.relu(linear(normed, "embed2"))
        from_x, from_h = x @ w_in.T + b_in, h @ w_hidden.T + b_hidden
        reset, update = torch.sigmoid(from_x[:, :16] + from_h[:, :16]).chunk(2, dim=-1)
        candidate = torch.tanh(from_x[:, 16:] + reset * from_h[:, 16:])
        h = (1 - update) * candidate + update * h + x
        key, value = linear(h, "key_value").chunk(2, dim=-1)
        gates.append(torch.sigmoid((linear(x, "query") * key).sum(dim=-1, keepdim=True)))
        latents.append(gates[-1] * value)
    latent = encoder.unroll(received)
    torch.testing.assert_close(latent.z, torch.stack(latents))
    torch.testing.assert_close(latent.gate, torch.stack(gates))


def test_losses_by_hand() -> None:
    """Two places, two fields of ranges [-2, 4] and [0, 10]; decoder and cycle encoder answer constants.

    Decoded 0.5, 0.5; states (1.6, 5) scale to (0.6, 0.5) and (4, 10) to (1, 1): squared errors 0.01, 0, 0.25, 0.25, so
    reconstruction is 0.1275 and the labels are 1, 1, 0, 0 (an error of 0.1 counts as known: it is squared first). With
    logits of 1 the cross-entropies are ln(1 + 1/e) twice and 1 + ln(1 + 1/e) twice. z is 1 everywhere and the cycle
    encoder returns 3, so the cycle loss is 4.
    """
    module = small_module()
    with torch.no_grad():
        for parameter in [*module.decoder.parameters(), *module.cycle.parameters()]:
            parameter.zero_()
        module.decoder.head.bias.copy_(torch.tensor([0.5, 0.5, 1.0, 1.0]))
        module.cycle.head.bias.fill_(3.0)
    latent = Latent(torch.ones(1, 3, 3), torch.tensor([[[0.2], [0.9], [0.4]]]))
    states = torch.tensor([[1.6, 5.0], [4.0, 10.0]])
    losses, logs = module.losses(latent, states, torch.tensor([0, 2]))
    assert losses["reconstruction"].item() == pytest.approx(0.1275)
    assert losses["sai"].item() == pytest.approx(0.5 + np.log(1 + np.exp(-1)))
    assert losses["cycle"].item() == pytest.approx(4.0)
    assert logs["success"].item() == pytest.approx(0.5)
    assert logs["gate"].item() == pytest.approx(0.3)
    assert logs["z_variance"].item() == 0.0


def test_nobody_to_hear_is_a_loss_of_zero_not_nan() -> None:
    losses, logs = small_module().losses(
        Latent(torch.ones(1, 2, 3), torch.ones(1, 2, 1)), torch.zeros(0, 2), torch.zeros(0, dtype=torch.int64)
    )
    assert all(value.item() == 0.0 for value in losses.values())
    assert all(torch.isfinite(value) for value in logs.values())


def test_the_sai_label_carries_no_gradient() -> None:
    module = small_module()
    latent = Latent(torch.randn(1, 4, 3), torch.ones(1, 4, 1))
    losses, _ = module.losses(latent, torch.randn(4, 2), torch.arange(4))
    losses["sai"].backward()
    fields_head = module.decoder.head.weight.grad
    assert fields_head is not None
    assert not fields_head[:2].any()  # the rows that predict the fields
    assert fields_head[2:].any()


def test_the_dead_are_masked_in_every_loss() -> None:
    """Agent 1 is dead from step 2 on: what it sees and hears from then on changes no loss and no gradient."""
    method = build_lmac(dropout=0.0).train()
    episodes = make_episodes(SCHEMA, [6, 4], message_dim=2)
    episodes.alive[:, 2:, 1] = False
    other = dataclasses.replace(episodes, obs=episodes.obs.copy(), messages=episodes.messages.copy())
    other.obs[:, 2:, 1] += 100.0
    other.messages[:, 2:, 1] -= 50.0
    results = []
    for batch in (episodes, other):
        method.zero_grad()
        unrolled = method.unroll(TensorBatch.from_episodes(batch, SCHEMA))
        sum(unrolled.losses.values()).backward()
        results.append((unrolled.losses, [p.grad.clone() for p in method.communication.parameters()]))
    (losses_a, grads_a), (losses_b, grads_b) = results
    assert {name: value.item() for name, value in losses_a.items()} == {n: v.item() for n, v in losses_b.items()}
    assert all(torch.equal(a, b) for a, b in zip(grads_a, grads_b, strict=True))
    # and the same change in a living agent is seen
    other.obs[:, 1, 0] += 100.0
    changed = method.unroll(TensorBatch.from_episodes(other, SCHEMA)).losses
    assert all(changed[name].item() != losses_a[name].item() for name in changed)


def test_td_never_trains_the_encoder_and_its_losses_never_train_the_utility_network() -> None:
    method = build_lmac().train()
    batch = TensorBatch.from_episodes(make_episodes(SCHEMA, [5, 3], message_dim=2), SCHEMA)
    method.unroll(batch).q.sum().backward()
    assert all(p.grad is None for p in method.communication.parameters())
    assert all(p.grad is not None for p in method.utility.parameters())
    method.zero_grad()
    for loss in ("reconstruction", "sai", "cycle"):
        method.zero_grad()
        method.unroll(batch).losses[loss].backward()
        assert all(p.grad is None for p in method.utility.parameters()), loss
        assert any(p.grad is not None for p in method.communication.encoder.parameters()), loss


def test_dropout_is_on_in_training_alone() -> None:
    method = build_lmac(dropout=0.5)
    batch = TensorBatch.from_episodes(make_episodes(SCHEMA, [5], message_dim=2), SCHEMA)
    method.eval()
    assert torch.equal(method.unroll(batch).q, method.unroll(batch).q)
    method.train()
    assert not torch.equal(method.unroll(batch).q, method.unroll(batch).q)


def test_a_constant_latent_shows_in_the_log_although_its_cycle_loss_is_small() -> None:
    method = build_lmac(dropout=0.0).train()
    with torch.no_grad():
        method.communication.encoder.key_value.weight.zero_()
        method.communication.encoder.query.weight.zero_()
        method.communication.encoder.query.bias.zero_()
    logs = method.unroll(TensorBatch.from_episodes(make_episodes(SCHEMA, [5], message_dim=2), SCHEMA)).logs
    assert logs["z_variance"].item() == pytest.approx(0.0, abs=1e-12)
    assert logs["gate"].item() == pytest.approx(0.5)


def test_dropout_drops_its_share_keeps_the_mean_and_passes_the_same_gradient() -> None:
    dropout = Dropout(0.1).train()
    x = torch.ones(1_000_003, requires_grad=True)
    y = dropout(x)
    # the share of zeros has a standard deviation of 0.0003
    assert (y == 0).float().mean().item() == pytest.approx(0.1, abs=0.0015)
    assert y.detach().unique().tolist() == pytest.approx([0.0, 1 / 0.9])
    # each of the four numbers that one draw decides is dropped as often
    shares = (y[:1_000_000].view(-1, 4) == 0).float().mean(dim=0)
    assert shares.tolist() == pytest.approx([0.1] * 4, abs=0.003)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
    assert dropout.eval()(x) is x
