"""The embedded battle simulator: SMAC-Comm-like tasks, never StarCraft (docs/simulator.md says what differs)."""
