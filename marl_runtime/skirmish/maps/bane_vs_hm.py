"""bane_vs_hM: three Banelings on three arms of a T must strike a Hydralisk, healed by a Medivac, at the same time.

Source: the map file of the NDQ repository (terrain from its cliff levels, spawn regions and unit overrides from its
triggers and data), read, never run; its map parameters for sizes and options. Departures: the Hydralisk has 90 hit
points and a blast does 35 against it, since with 80 a rush wins too often and with blasts of 30 nobody can win.
Tuned: the Medivac's healing takes a quarter of a second to start.
"""

from __future__ import annotations

from marl_runtime.skirmish.maps.battle_map import BattleMap, Spawn

__all__ = ["BANE_VS_HM"]

BANE_VS_HM = BattleMap(
    name="bane_vs_hM",
    summary=(
        "Three Banelings start on the three arms of a T-shaped corridor: one in the west arm, one in the south stem, "
        "one in the east arm. A Hydralisk and a Medivac that heals it stand still at the junction, at the north wall. "
        "A Baneling is killed by one shot of the Hydralisk and explodes when it attacks or dies; it takes three blasts "
        "close in time to kill the Hydralisk, because the Medivac heals it in between. Agents see 2 map units far, so "
        "that they see neither each other nor the enemy before they are at the junction, and know no positions; only "
        "their own health is visible. The battle is won when only the Medivac is left."
    ),
    source="NDQ, src/smac_plus/sc2_maps/bane_vs_hM.SC2Map and src/smac_plus/starcraft2/maps/__init__.py",
    allies=("baneling", "baneling", "baneling"),
    enemies=("hydralisk", "medivac"),
    episode_limit=30,
    # the bar, the stem, and the three rows of the funnel between them
    open_rects=((0, 29, 32, 32), (15, 0, 17, 29), (12, 28, 20, 29), (13, 27, 19, 28), (14, 26, 18, 27)),
    spawns=(
        Spawn((0,), ((0, 30, 14, 32),)),
        Spawn((1,), ((15, 0.5, 17, 30.5),)),
        Spawn((2,), ((18, 30, 32, 32),)),
        Spawn((3, 4), ((16, 31, 16, 31),)),
    ),
    type_bits={"baneling": 0, "hydralisk": 0, "medivac": 1},
    sight=2.0,
    shoot=2.0,
    others_health=False,
    only_medivac_left_wins=True,
    overrides={
        "hydralisk": {"health": 90, "range": 2, "damage": 30, "scan": 2},
        "medivac": {"heal": 7, "damage_point": 0.25},  # the start-up of healing is tuned: a rush wins 16 %
    },
)
