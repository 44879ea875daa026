"""Mixers: monotone in every utility, and the sums that were worked by hand."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_episodes import make_schema

from buffers.errors import UnknownNameError
from marl_runtime.networks import build_mixer, find_mixer, initialise, mixer_names


@pytest.mark.parametrize("name", mixer_names())
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), agent=st.integers(0, 2), rise=st.floats(1e-3, 10))
def test_q_tot_never_falls_when_a_utility_rises(name: str, seed: int, agent: int, rise: float) -> None:
    mixer = build_mixer(name, make_schema(n_agents=3, state_dim=4))
    generator = torch.Generator().manual_seed(seed)
    initialise(mixer, generator)
    utilities = torch.randn(5, 7, 3, generator=generator) * 5
    state = torch.randn(5, 7, 4, generator=generator)
    raised = utilities.clone()
    raised[..., agent] += rise
    # float32 sums of about 1e2 are exact to 1e-5
    assert (mixer(raised, state) - mixer(utilities, state)).min() >= -1e-4


@pytest.mark.parametrize("name", mixer_names())
def test_a_mixer_keeps_the_leading_axes_and_every_agent_counts(name: str) -> None:
    mixer = build_mixer(name, make_schema())
    initialise(mixer, torch.Generator().manual_seed(3))
    utilities = torch.randn(2, 6, 3, requires_grad=True)
    q_tot = mixer(utilities, torch.randn(2, 6, 4))
    assert q_tot.shape == (2, 6)
    q_tot.sum().backward()
    assert utilities.grad is not None
    assert (utilities.grad.abs().sum(dim=(0, 1)) > 0).all()
    assert mixer(utilities[0, 0], torch.randn(4)).shape == ()


def test_vdn_adds_the_utilities_up() -> None:
    mixer = build_mixer("vdn", make_schema())
    assert mixer(torch.tensor([[1.0, -2.0, 4.5]]), torch.zeros(1, 4)).tolist() == [3.5]


def test_qmix_by_hand() -> None:
    """One agent, one state number, embedding of width 1 after every hypernetwork is set to a constant.

    w1 = |-2| = 2, b1 = -1, w2 = |3| = 3, v = 0.5: q_tot = 3 · elu(2 · q - 1) + 0.5 on one of the 32 mixing units.
    """
    mixer = build_mixer("qmix", make_schema(n_agents=1, state_dim=1))
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.zero_()
        mixer.get_parameter("hyper_w1.bias")[0] = -2
        mixer.get_parameter("hyper_w2.bias")[0] = 3
        mixer.get_parameter("hyper_v.bias")[0] = 0.5
        mixer.get_parameter("hyper_in.bias")[-32] = -1  # the last 32 outputs are b1
    state = torch.zeros(2, 1)
    q_tot = mixer(torch.tensor([[2.0], [0.0]]), state)
    elu_of_minus_one = torch.exp(torch.tensor(-1.0)) - 1
    torch.testing.assert_close(q_tot, torch.stack([torch.tensor(9.5), 3 * elu_of_minus_one + 0.5]))


def test_an_unknown_mixer_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'qmix'"):
        find_mixer("qmx")
