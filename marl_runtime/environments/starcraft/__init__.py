"""Real StarCraft II as tasks, through the packages smac (`sc2:…`) and smacv2 (`sc2v2:…`); docs/starcraft.md."""
