"""1o_2r_vs_4r: an Overseer stands over four Reapers in a corner; two Roaches far away have to find and kill them.

Source: the map file of the NDQ repository (terrain from its cliff levels, spawn regions and unit overrides from its
triggers and data), read, never run; its map parameters for sizes. Tuned: the rim of two or three cells that nobody can
walk on, how far Reapers follow and help, and how units that appear together stand (docs/simulator.md says why).
"""

from __future__ import annotations

from marl_runtime.skirmish.maps.battle_map import BattleMap, Spawn

__all__ = ["OVERSEER_ROACHES"]

OVERSEER_ROACHES = BattleMap(
    name="1o_2r_vs_4r",
    summary=(
        "A square ring of open ground around a pit. An Overseer, which flies slowly and has no weapon, starts over "
        "four Reapers in one of the four corners. Two Roaches start together at a random place of the ring, usually "
        "too far away to see them, and have to find and kill the Reapers together; one Roach alone loses. Agents see 9 "
        "map units far and know no positions: where they are shows only in which directions they can move. In its "
        "corner the Overseer has the closed rim of the map beside it on the west or east side, and in the southern "
        "corners on the south side too. Time is short: a search of the whole ring takes longer than the episode."
    ),
    source="NDQ, src/smac_plus/sc2_maps/1o_2r_vs_4r.SC2Map and src/smac_plus/starcraft2/maps/__init__.py",
    allies=("overseer", "roach", "roach"),
    enemies=("reaper", "reaper", "reaper", "reaper"),
    episode_limit=50,
    # the ring, four cells wide, between the rim and the pit (x 7 to 25, y 6 to 26)
    open_rects=((3, 2, 29, 6), (3, 26, 29, 30), (3, 2, 7, 30), (25, 2, 29, 30)),
    spawns=(
        Spawn(
            (0, 3, 4, 5, 6),
            ((3.5, 2, 3.5, 2), (3.5, 28.86, 3.5, 28.86), (28.5, 28, 28.5, 28), (28.5, 2, 28.5, 2)),
            ((0, 0), (-0.4, 0), (0.4, 0), (-0.4, 0.8), (0.4, 0.8)),
        ),
        Spawn(
            (1, 2),
            ((0, 0, 32, 5), (1, 6, 6, 26), (26, 6, 31, 26), (0, 27, 32, 32)),
            ((-0.5, 0), (0.5, 0)),
        ),
    ),
    type_bits={"roach": 0, "overseer": 1, "reaper": 0},
    enemy_leash=6.0,
    enemy_help=4.0,
    overrides={
        "roach": {"period": 1.0, "scan": 3},
        "reaper": {"range": 3, "scan": 3},
    },
)
