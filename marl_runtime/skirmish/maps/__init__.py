"""The maps, one declarative file each."""

from marl_runtime.skirmish.maps.bane_vs_hm import BANE_VS_HM
from marl_runtime.skirmish.maps.battle_map import BattleMap, Spawn
from marl_runtime.skirmish.maps.overseer_roaches import OVERSEER_ROACHES

__all__ = ["BANE_VS_HM", "MAPS", "OVERSEER_ROACHES", "BattleMap", "Spawn"]

MAPS = {battle_map.name: battle_map for battle_map in (BANE_VS_HM, OVERSEER_ROACHES)}
