"""Mixers: monotone in every utility, and the sums that were worked by hand."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_episodes import make_schema

from buffers.errors import UnknownNameError
from marl_runtime.networks import Mixer, build_mixer, find_mixer, initialise, mixer_names


def mix(mixer: Mixer, chosen: torch.Tensor, state: torch.Tensor, best: torch.Tensor | None = None) -> torch.Tensor:
    """Mix utilities of action 0, which are the greatest unless `best` is given."""
    best = chosen if best is None else best
    return mixer(chosen, best, torch.zeros(chosen.shape, dtype=torch.int64), state)


@pytest.mark.parametrize("name", mixer_names())
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), scale=st.floats(1e-2, 1e2))
def test_the_greatest_joint_action_is_made_of_each_agents_own(name: str, seed: int, scale: float) -> None:
    """All 27 joint actions of three agents, one after another: none is above the one of the greedy agents."""
    mixer = build_mixer(name, make_schema(n_agents=3, state_dim=4, n_actions=3))
    generator = torch.Generator().manual_seed(seed)
    initialise(mixer, generator)
    q = torch.randn(3, 3, generator=generator) * scale
    state = torch.randn(4, generator=generator)
    actions = torch.cartesian_prod(*[torch.arange(3)] * 3)
    best = q.amax(dim=1).expand(27, 3)
    q_tot = mixer(q.gather(1, actions.T).T, best, actions, state.expand(27, 4))
    greedy = (actions == q.argmax(dim=1)).all(dim=1)
    assert q_tot[greedy] >= q_tot.max() - 1e-5 * q_tot.abs().max()


@pytest.mark.parametrize("name", ["qmix", "vdn"])
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
    assert (mix(mixer, raised, state) - mix(mixer, utilities, state)).min() >= -1e-4


@pytest.mark.parametrize("name", mixer_names())
def test_a_mixer_keeps_the_leading_axes_and_every_agent_counts(name: str) -> None:
    mixer = build_mixer(name, make_schema())
    initialise(mixer, torch.Generator().manual_seed(3))
    utilities = torch.randn(2, 6, 3, requires_grad=True)
    q_tot = mix(mixer, utilities, torch.randn(2, 6, 4))
    assert q_tot.shape == (2, 6)
    q_tot.sum().backward()
    assert utilities.grad is not None
    assert (utilities.grad.abs().sum(dim=(0, 1)) > 0).all()
    assert mix(mixer, utilities[0, 0], torch.randn(4)).shape == ()


def test_vdn_adds_the_utilities_up() -> None:
    mixer = build_mixer("vdn", make_schema())
    assert mix(mixer, torch.tensor([[1.0, -2.0, 4.5]]), torch.zeros(1, 4)).tolist() == [3.5]


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
    q_tot = mix(mixer, torch.tensor([[2.0], [0.0]]), state)
    elu_of_minus_one = torch.exp(torch.tensor(-1.0)) - 1
    torch.testing.assert_close(q_tot, torch.stack([torch.tensor(9.5), 3 * elu_of_minus_one + 0.5]))


def test_qplex_by_hand() -> None:
    """Networks of constants: w = |-2| = 2, b = 0.5, and λ = 10 heads · |0.4| · sigmoid(0) · sigmoid(0) = 1.

    The greedy action: 2 · 3 + 0.5 = 6.5 for one agent. Another one, of utility 1: 2 · 1 + 0.5 + (λ - 1) · 2 · (1 - 3),
    which is 2.5 with λ = 1, and 2.5 - 4 = -1.5 with λ = 2.
    """
    mixer = build_mixer("qplex", make_schema(n_agents=1, state_dim=1))
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.zero_()
        mixer.get_parameter("hyper_w.2.bias")[0] = -2
        mixer.get_parameter("hyper_b.2.bias")[0] = 0.5
        state, best = torch.zeros(2, 1), torch.tensor([[3.0], [3.0]])
        chosen = torch.tensor([[3.0], [1.0]])
        for key, expected in ((0.4, [6.5, 2.5]), (-0.8, [6.5, -1.5])):
            mixer.get_parameter("key.bias")[:] = key
            assert mix(mixer, chosen, state, best).tolist() == pytest.approx(expected)


def test_an_unknown_mixer_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'qmix'"):
        find_mixer("qmx")
