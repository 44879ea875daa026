"""Teams and places drawn anew in every battle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from skirmish_stage import arena, random_actions

from marl_runtime.environment import episode_seeds
from marl_runtime.skirmish.environment import BattleOptions, SkirmishEnvironment
from marl_runtime.skirmish.maps import BattleMap

WEIGHTS = {"marine": 0.45, "marauder": 0.45, "medivac": 0.1}
N = 4000


def gen(allies: int = 5, enemies: int = 5, start: str = "surround_and_reflect", **more: object) -> BattleMap:
    battle = arena(("marine",) * allies, ("marine",) * enemies)
    return replace(
        battle,
        random_team=WEIGHTS,
        random_start=start,
        never_alone=("medivac",),
        type_bits={"marine": 0, "marauder": 1, "medivac": 2},
        attack_order=(16, 16),
        ally_race="terran",
        enemy_race="terran",
        **more,  # type: ignore[arg-type]
    )


def begin(battle: BattleMap, count: int = N, seed: int = 0) -> SkirmishEnvironment:
    env = SkirmishEnvironment(battle, count, BattleOptions())
    env.reset(np.ones(count, dtype=bool), episode_seeds(seed, 0, count))
    return env


def test_types_are_drawn_by_weight_and_mirrored() -> None:
    env = begin(gen())
    kinds = env.units["kind"]
    assert [kind.name for kind in env.kinds] == ["marine", "marauder", "medivac"]
    assert (kinds[:, :5] == kinds[:, 5:]).all()
    # 20,000 draws: a standard deviation is 0.0035; that no team is of Medivacs only (1 in 100,000) does not show
    shares = [(kinds[:, :5] == k).mean() for k in range(3)]
    np.testing.assert_allclose(shares, [0.45, 0.45, 0.1], atol=0.018)
    assert len({tuple(row) for row in kinds[:200].tolist()}) > 60  # 3 ** 5 teams are possible


def test_further_enemies_are_drawn_anew_and_fewer_are_the_first() -> None:
    kinds = begin(gen(5, 7)).units["kind"]
    assert (kinds[:, 5:10] == kinds[:, :5]).all()
    np.testing.assert_allclose((kinds[:, 10:] == 2).mean(), 0.1, atol=0.02)
    assert abs(np.corrcoef(kinds[:, 10], kinds[:, 0])[0, 1]) < 0.08  # five standard deviations of 1 / sqrt(4000)
    kinds = begin(gen(5, 3)).units["kind"]
    assert (kinds[:, 5:] == kinds[:, :3]).all()


def test_a_team_is_never_of_medivacs_only() -> None:
    battle = replace(gen(2, 2), random_team={"marine": 0.2, "medivac": 0.8})
    kinds = begin(battle).units["kind"]
    assert not (kinds[:, :2] == 1).all(axis=1).any()
    # of the 0.36 that is left, 0.32 is one of each
    np.testing.assert_allclose((kinds[:, :2].sum(axis=1) == 1).mean(), 0.32 / 0.36, atol=0.03)


def test_reflected_starts() -> None:
    env = begin(gen(start="reflect"))
    x, y = env.units["x"], env.units["y"]
    np.testing.assert_allclose(x[:, 5:], 32 - x[:, :5])
    assert (y[:, 5:] == y[:, :5]).all()
    # anywhere in the western half but for a rim of 1
    assert x[:, :5].min() >= 1
    assert x[:, :5].max() <= 15
    np.testing.assert_allclose(x[:, :5].mean(), 8, atol=0.15)  # 14 / sqrt(12 * 20000) = 0.03
    np.testing.assert_allclose(y[:, :5].mean(), 16, atol=0.3)


def test_surrounding_starts() -> None:
    env = begin(gen(start="surround"))
    x, y = env.units["x"], env.units["y"]
    # agents in a block of 3 by 2 with 1.5 between them
    assert {*x[:, :5].ravel().tolist()} == {14.5, 16, 17.5}
    away_x, away_y = x[:, 5:] - 16, y[:, 5:] - 16
    # on the diagonals outside: the nearest comes to 0.35 of (16 - 1 - 1.5 * 3 / 2) = 4.5, less the block of 1.5
    assert np.hypot(away_x, away_y).min() > 4
    assert abs(abs(away_x) - abs(away_y)).max() <= 3 + 1e-9
    corners = [{(a > 0, b > 0) for a, b in zip(*rows, strict=True)} for rows in zip(away_x, away_y, strict=True)]
    counts = np.bincount([len(corner) for corner in corners], minlength=5)
    assert counts[0] == 0
    # one group, or all five in one of two, three or four: (1 + 1/16 + 1/81 + 1/256) / 4 = 0.27
    np.testing.assert_allclose(counts[1] / N, 0.27, atol=0.04)
    assert counts[4] > 0


def test_half_of_the_battles_surround_and_half_reflect() -> None:
    env = begin(gen(20, 20))
    reflected = (env.units["y"][:, :20] == env.units["y"][:, 20:]).all(axis=1)
    np.testing.assert_allclose(reflected.mean(), 0.5, atol=0.04)
    assert (env.units["x"] >= 0).all()
    assert (env.units["x"] < 32).all()


def test_units_start_on_open_ground_and_apart() -> None:
    holes = ((0, 0, 32, 4), (0, 6, 32, 32), (0, 0, 3, 32), (29, 0, 32, 32))
    env = begin(gen(10, 11, "reflect", open_rects=holes), 500)
    names = np.array([kind.name for kind in env.kinds])[env.units["kind"]]
    ground = names != "medivac"
    cells = env.terrain[env.units["x"].astype(int), env.units["y"].astype(int)]
    assert cells[ground].all()
    x, y = env.units["x"], env.units["y"]
    gaps = np.hypot(x[:, :, None] - x[:, None], y[:, :, None] - y[:, None])
    pairs = ground[:, :, None] & ground[:, None] & ~np.eye(21, dtype=bool)
    assert gaps[pairs].min() >= 0.75  # two Marines


def test_the_most_a_battle_can_pay_is_20_whatever_the_team() -> None:
    env = begin(gen(2, 2), 50)
    health = np.array([45, 125, 150])[env.units["kind"][:, 2:]].sum(axis=1)
    np.testing.assert_allclose(env._battles["reward_divisor"], (10 * 2 + 200 + health) / 20)


def test_the_schema_says_that_roles_vary() -> None:
    env = begin(gen(), 3)
    schema = env.schema
    assert schema.roles == ("unit",) * 5
    assert schema.roles_vary
    assert schema.n_actions == 11
    assert schema.obs_dim == 4 + 5 * 8 + 4 * 8 + 4
    bits = [schema.extended_index(f"own.type_{bit}") for bit in range(3)]
    assert (env.obs[:, :, bits].argmax(axis=-1) == env.units["kind"][:, :5]).all()
    own = schema.obs_fields[schema.extended_index("own.health")]
    assert (own.unit, own.scale) == ("share of full health", 1.0)
    assert any("types anew" in note for note in schema.notes)


@pytest.mark.parametrize("battle", [gen(), gen(10, 11)], ids=["5_vs_5", "10_vs_11"])
def test_a_battle_plays_the_same_alone_and_among_others(battle: BattleMap) -> None:
    together = begin(battle, 8, seed=3)
    rng = np.random.default_rng(1)
    shown, actions = [], []
    for _ in range(40):
        chosen = random_actions(together, rng)
        actions.append(chosen)
        result = together.step(chosen)
        shown.append((together.obs.copy(), together.state.copy(), result.rewards, together.units.copy()))
    seeds = episode_seeds(3, 0, 8)
    for e in range(8):
        alone = SkirmishEnvironment(battle, 1)
        alone.reset(np.ones(1, dtype=bool), seeds[e : e + 1])
        for (obs, state, rewards, units), chosen in zip(shown, actions, strict=True):
            result = alone.step(chosen[e : e + 1])
            assert (alone.obs[0] == obs[e]).all()
            assert (alone.state[0] == state[e]).all()
            assert result.rewards[0] == rewards[e]
            assert (alone.units[0] == units[e]).all()
