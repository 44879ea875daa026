"""`--set NAME=VALUE`: any option of training, read as a sweep file reads it."""

from __future__ import annotations

import pytest

from buffers.errors import UsageError
from marl_runtime.training_config import TrainConfig
from protocol_designer.commands.folders import overridden

BASE = TrainConfig("bane_vs_hM", seed=3)


def test_what_is_set_goes_over_everything_else_and_the_rest_stays() -> None:
    config = overridden(
        BASE, ["learner.sai_coef=0", "network.alpha=5e-4", "network.detach_latent=false", "epsilon.steps=1_000"]
    )
    assert (config.learner.sai_coef, config.network.alpha, config.network.detach_latent) == (0.0, 0.0005, False)
    assert (config.epsilon.steps, config.epsilon.end, config.seed) == (1_000, 0.05, 3)
    assert overridden(BASE, []) == BASE


@pytest.mark.parametrize(
    ("assignment", "says"),
    [
        ("learner.sai=0", "did you mean 'sai_coef'"),
        ("network.alpha=much", "--set network.alpha=much: Expected `float`, got `str`"),
        ("network.alpha=-1", "alpha -1.0 is not above 0"),
        ("network.state_fields=some", "--set network.state_fields=some: Invalid enum value 'some'"),
        ("alpha", "--set 'alpha' is not NAME=VALUE"),
        ("seed.x=1", "'seed' holds no options"),
        ("seed={", "'{' is no value"),
    ],
)
def test_a_wrong_one_is_named(assignment: str, says: str) -> None:
    with pytest.raises((UsageError, ValueError)) as caught:
        overridden(BASE, [assignment])
    assert says in str(caught.value)
