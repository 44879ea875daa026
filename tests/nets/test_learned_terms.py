"""What distinguishes each method that learns to talk, with numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from toy_episodes import make_episodes, make_schema

from buffers.episodes import EpisodeBatch
from marl_runtime.methods import MethodInputs, Unrolled, build_method
from marl_runtime.methods.commnet import mean_of_others
from marl_runtime.methods.maic import gaussian_kl
from marl_runtime.methods.sms import kept, shapley
from marl_runtime.methods.t2mac import combine, opinion
from marl_runtime.methods.talking import masked_softmax
from marl_runtime.networks import TensorBatch

SCHEMA = make_schema()


def zeroed(name: str) -> Any:
    """A method of zeros: each test puts in the few numbers that it works with."""
    method = build_method(name, MethodInputs.for_schema(SCHEMA)).train()
    for parameter in method.parameters():
        nn.init.zeros_(parameter)
    return method


def everyone_lives() -> EpisodeBatch:
    episodes = make_episodes(SCHEMA, [3, 3])
    episodes.alive[:] = True
    return episodes


def unrolled(method: Any, episodes: EpisodeBatch) -> Unrolled:
    found: Unrolled = method.unroll(TensorBatch.from_episodes(episodes, SCHEMA))
    return found


def links(*rows: str) -> Tensor:
    """Receivers by senders, "1" where a message arrives."""
    return torch.tensor([[cell == "1" for cell in row] for row in rows])


def test_commnet_hears_the_mean_of_those_that_arrive() -> None:
    """h = 1, 2, 6 and agent 2 is dead: agent 0 hears 2, agent 1 hears 1, agent 2 would hear (1 + 2) / 2."""
    h = torch.tensor([[1.0], [2.0], [6.0]])
    assert mean_of_others(h, links("010", "100", "110"))[:, 0].tolist() == pytest.approx([2.0, 1.0, 1.5])
    assert mean_of_others(h, links("000", "101", "000"))[:, 0].tolist() == pytest.approx([0.0, 3.5, 0.0])


def test_attention_is_a_softmax_over_those_that_arrive() -> None:
    """exp of 0, ln 3 and 5, the last one lost: shares 1/4, 3/4, 0; with nobody there is nothing to share."""
    scores = torch.tensor([0.0, math.log(3), 5.0]).expand(2, 3)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    assert masked_softmax(scores, mask).flatten().tolist() == pytest.approx([0.25, 0.75, 0, 0, 0, 0])


def test_tarmac_weighs_values_by_query_and_signature() -> None:
    """Queries are ones and signatures x ones, so a score is 32 x / √32; x = ln 3 / √32 for agent 0, 0 for the others.

    Agent 2 reaches nobody. Agents 0 and 1 share 3/4 and 1/4, and hear 3/4 · 4 + 1/4 · 8 = 5. Agent 2, which hears all,
    shares 3/5, 1/5, 1/5 (itself, too) and hears 12/5 + 8/5 + 20/5 = 8.
    """
    method = zeroed("tarmac")
    own = torch.zeros(3, 64)
    own[0, 0] = math.log(3) / math.sqrt(32)
    own[:, 1] = torch.tensor([4.0, 8.0, 20.0])
    with torch.no_grad():
        method.query.bias.fill_(1.0)
        method.signature.weight[:, 0] = 1.0
        method.value.weight[0, 1] = 1.0
    heard = method.talk(own, links("010", "100", "110"), learning=False)["heard"]
    assert heard[:, 0].tolist() == pytest.approx([5.0, 5.0, 8.0])


def test_ndq_pays_for_the_size_of_messages_and_for_what_they_do_not_tell() -> None:
    """Means (1, 2, 2): KL to N(0, 1) is (1 + 4 + 4) / 2 = 4.5. A posterior that knows nothing of 4 actions: ln 4."""
    method = zeroed("ndq")
    with torch.no_grad():
        method.sender[2].bias.copy_(torch.tensor([1.0, 2.0, 2.0]).repeat(3))
    losses = unrolled(method, everyone_lives()).losses
    assert losses["succinctness"].item() == pytest.approx(4.5)
    assert losses["expressiveness"].item() == pytest.approx(math.log(4))


def test_ndq_draws_messages_when_learning_and_sends_their_mean_when_acting() -> None:
    method = zeroed("ndq")
    reach = ~torch.eye(3, dtype=torch.bool).expand(2000, 3, 3)
    own = torch.zeros(2000, 3, SCHEMA.extended_dim)
    assert not method.talk(own, reach, learning=False)["heard"].any()
    drawn = method.talk(own, reach, learning=True)["heard"].view(2000, 3, 3, 3)
    # 36,000 draws: the standard error of the standard deviation is 0.004
    assert drawn[reach].std().item() == pytest.approx(1.0, abs=0.02)
    assert not drawn[~reach].any()


def test_maic_adds_biases_to_the_utilities_of_teammates() -> None:
    """All models are alike, so attention is 1/2 on each of two teammates, and a message is (1, 2, 3, 4).

    With everybody alive each hears 2 · 1/2 · (1, 2, 3, 4), its utilities being 0. With agent 2 dead, agents 0 and 1
    hear half of it. The entropy of the attention is ln 2.
    """
    method = zeroed("maic")
    with torch.no_grad():
        method.bias[2].bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    episodes = everyone_lives()
    found = unrolled(method, episodes)
    assert found.q[0, 0].tolist() == [pytest.approx([1.0, 2.0, 3.0, 4.0])] * 3
    assert found.losses["attention_entropy"].item() == pytest.approx(math.log(2))
    assert found.losses["mutual_information"].item() == pytest.approx(0.0, abs=1e-6)
    episodes.alive[..., 2] = False
    assert unrolled(method, episodes).q[0, 0, 0].tolist() == pytest.approx([0.5, 1.0, 1.5, 2.0])


def test_the_divergence_of_two_gaussians() -> None:
    """N(1, 1) from N(0, 2): ½ (ln 2 + (1 + 1) / 2 - 1) = ½ ln 2; a second dimension that agrees adds nothing."""
    one, two = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 0.0])
    kl = gaussian_kl((one, torch.tensor([1.0, 1.0])), (two, torch.tensor([2.0, 1.0])))
    assert kl.item() == pytest.approx(0.5 * math.log(2))


def test_masia_rebuilds_the_state_and_foretells_itself() -> None:
    """State fields lie in [-2, 4] and are all 4, so 1 when scaled; a decoder that says 1/2 is wrong by 1/4 squared.

    Projections are a fixed unit vector: a prediction that is opposite costs 2 + 2, one at a right angle 2, the same 0.
    """
    method = zeroed("masia")
    episodes = everyone_lives()
    episodes.state[:] = 4.0
    with torch.no_grad():
        method.decoder[2].bias.fill_(0.5)
        method.project.bias[0] = 1.0
    for entry, expected in (((0, -1.0), 4.0), ((1, 1.0), 2.0), ((0, 1.0), 0.0)):
        with torch.no_grad():
            method.predict.bias.zero_()
            method.predict.bias[entry[0]] = entry[1]
        losses = unrolled(method, episodes).losses
        assert losses["reconstruction"].item() == pytest.approx(0.25)
        assert losses["prediction"].item() == pytest.approx(expected, abs=1e-6)


def test_t2mac_combines_evidence_by_dempsters_rule() -> None:
    """Evidence (1, 3): S = 6, b = (1/6, 1/2), u = 1/3. Evidence (2, 0): S = 4, b = (1/2, 0), u = 1/2.

    Conflict 1/2 · 1/2 = 1/4, so b = ((1/12 + 1/12 + 1/6), (0 + 1/4 + 0)) / (3/4) = (4/9, 1/3), u = (1/6) / (3/4) = 2/9.
    """
    one, two = opinion(torch.tensor([1.0, 3.0])), opinion(torch.tensor([2.0, 0.0]))
    assert one[0].tolist() == pytest.approx([1 / 6, 1 / 2])
    assert one[1].item() == pytest.approx(1 / 3)
    for belief, doubt in (combine(one, two), combine(two, one)):
        assert belief.tolist() == pytest.approx([4 / 9, 1 / 3])
        assert doubt.item() == pytest.approx(2 / 9)
    nothing = opinion(torch.zeros(2))
    assert combine(one, nothing)[0].tolist() == pytest.approx(one[0].tolist())


def test_t2mac_sends_only_where_the_score_is_above_0() -> None:
    """All evidence is softplus(0) = ln 2 per action of 4, so u = 1 / (1 + ln 2) = 0.5906 alone.

    With two messages the doubt is less; with scores of -1 nothing is sent and it stays.
    """
    method = zeroed("t2mac")
    own, reach = torch.zeros(3, 64), ~torch.eye(3, dtype=torch.bool)
    alone = 1 / (1 + math.log(2))
    b, u = torch.full((4,), (1 - alone) / 4), torch.tensor([alone])
    with_two = combine(combine((b, u), (b, u)), (b, u))[1].item()
    assert method.talk(own, reach, learning=False)["heard"][:, -1].tolist() == pytest.approx([with_two] * 3)
    with torch.no_grad():
        method.query.bias.fill_(1.0)
        method.key.bias.fill_(-2 / 8)  # 64 · 1 · (-1/4) / 8 + 1 = -1
    quiet = method.talk(own, reach, learning=False)
    assert quiet["scores"].unique().tolist() == pytest.approx([-1.0])
    assert quiet["heard"][:, -1].tolist() == pytest.approx([alone] * 3)


def test_cola_pays_for_a_class_that_is_not_the_teammates() -> None:
    """The teammate's classes, sharpened by 0.04, are (3/4, 1/4); one's own, by 0.1, are the same, or all eight alike.

    -3/4 ln 3/4 - 1/4 ln 1/4 = 0.5623, and ln 8 = 2.0794.
    """
    method = zeroed("cola")
    logits = torch.full((2, 3, 8), -100.0)
    logits[:, :, 1] = 0.0
    logits[0, 1, 0] = 0.04 * math.log(3)  # the teacher
    logits[0, 0, 0] = 0.1 * math.log(3)  # a student of the same mind
    logits[0, 2] = 0.0  # and one that knows nothing
    costs = method.disagreement(logits, torch.zeros(8))
    assert costs[0, 0, 1].item() == pytest.approx(0.5623, abs=1e-4)
    assert costs[0, 2, 1].item() == pytest.approx(math.log(8))


def test_shapley_values_of_two_senders() -> None:
    """Worth 0 of none, 1 of the first, 2 of the second, 5 of both. In order they add 1 and 4, in reverse 2 and 3."""
    worths = {(False, False): 0.0, (True, False): 1.0, (False, True): 2.0, (True, True): 5.0}

    def worth(senders: Tensor) -> Tensor:
        first, second = senders.tolist()
        return torch.tensor([worths[first, second]])

    assert shapley(worth, 2, [[0, 1], [1, 0]])[0].tolist() == pytest.approx([2.0, 3.0])
    assert shapley(worth, 2, [[0, 1]])[0].tolist() == pytest.approx([1.0, 4.0])


def test_sms_keeps_the_messages_whose_value_is_foretold_above_0() -> None:
    """The value of a message is its first number less 1/4; tanh of 1 is 0.76, of 0.1 it is 0.10."""
    method = zeroed("sms")
    own = torch.zeros(1, 3, 64)
    own[0, :, 0] = torch.tensor([1.0, 0.1, 1.0])
    with torch.no_grad():
        method.sender.weight[0, 0] = 1.0
        method.value[0].weight[0, 64] = 1.0
        method.value[2].weight[0, 0] = 1.0
        method.value[2].bias.fill_(-0.25)
    heard = method.talk(own, links("011", "101", "110")[None], learning=False)["heard"].view(3, 3, 8)[..., 0]
    said = math.tanh(1.0)
    assert heard.flatten().tolist() == pytest.approx([0, 0, said, said, 0, said, said, 0, 0])
    assert kept(torch.ones(3, 2), links("010", "100", "000")).tolist()[0] == [0, 0, 1, 1, 0, 0]
