"""The whole-sequence recurrence: its hand-written gradient against torch's own, and the published loop by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from marl_runtime.networks.recurrence import Recurrence, Residual


def cell_loop(recurrence: Recurrence, x: Tensor) -> Tensor:
    """The same recurrence through torch's GRUCell, step by step."""
    width = x.shape[-1]
    cell = nn.GRUCell(width, width)
    for own, theirs in zip(recurrence.parameters(), cell.parameters(), strict=True):
        theirs.data = own.data
    h = torch.zeros_like(x[0])
    outputs = []
    for x_t in x:
        g = cell(x_t, h)
        outputs.append(g if recurrence.residual == "none" else g + x_t)
        h = outputs[-1] if recurrence.residual == "carried" else g
    loss = (torch.stack(outputs) * torch.linspace(-1, 1, x.numel()).view_as(x)).sum()
    loss.backward()
    recurrence.zero_grad()
    for own, theirs in zip(recurrence.parameters(), cell.parameters(), strict=True):
        own.grad = theirs.grad
    return torch.stack(outputs)


@pytest.mark.parametrize("residual", ["none", "output", "carried"])
@pytest.mark.parametrize("t", [1, 2, 9])
def test_unroll_and_its_gradients_equal_a_gru_cell_loop(residual: Residual, t: int) -> None:
    recurrence = Recurrence(6, residual)
    x = torch.randn(t, 5, 6, requires_grad=True)
    looped = cell_loop(recurrence, x)
    expected = [x.grad, *(p.grad for p in recurrence.parameters())]
    x.grad = None
    recurrence.zero_grad()
    output = recurrence.unroll(x)
    torch.testing.assert_close(output, looped)
    (output * torch.linspace(-1, 1, x.numel()).view_as(x)).sum().backward()
    for got, want in zip([x.grad, *(p.grad for p in recurrence.parameters())], expected, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("residual", ["none", "carried"])
def test_the_gradient_passes_torchs_numerical_check(residual: Residual) -> None:
    recurrence = Recurrence(3, residual).double()
    x = torch.randn(4, 2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, *_: recurrence.unroll(x), (x, *recurrence.parameters()))


def test_the_published_loop_by_hand() -> None:
    """Width 1, all weights 0 except the candidate's input weight 1 and both gates' biases 0, so r = u = 0.5.

    n = tanh(x); h' = 0.5 n + 0.5 h + x. With x = 1, 1: h = 0.5 tanh 1 + 1, then 0.5 tanh 1 + 0.5 h + 1.
    """
    recurrence = Recurrence(1, "carried")
    with torch.no_grad():
        for parameter in recurrence.parameters():
            parameter.zero_()
        recurrence.gru.all_weights[0][0][2] = 1.0
    first = 0.5 * math.tanh(1) + 1
    second = 0.5 * math.tanh(1) + 0.5 * first + 1
    assert recurrence.unroll(torch.ones(2, 1, 1)).flatten().tolist() == pytest.approx([first, second])


@pytest.mark.parametrize("residual", ["none", "output", "carried"])
def test_steps_equal_unroll(residual: Residual) -> None:
    recurrence = Recurrence(8, residual)
    x = torch.randn(7, 4, 8)
    carry = torch.zeros(4, 8)
    outputs = []
    for x_t in x:
        output, carry = recurrence.step(x_t, carry)
        outputs.append(output)
    torch.testing.assert_close(torch.stack(outputs), recurrence.unroll(x))


def test_the_fused_and_the_published_residual_differ() -> None:
    published, fused = Recurrence(4, "carried"), Recurrence(4, "output")
    fused.load_state_dict(published.state_dict())
    x = torch.randn(3, 2, 4)
    torch.testing.assert_close(published.unroll(x)[0], fused.unroll(x)[0])
    assert (published.unroll(x)[1:] - fused.unroll(x)[1:]).abs().max() > 0.01
