"""One battle as text, for people: a map seen from above, north at the top, and a line per unit."""

from __future__ import annotations

from marl_runtime.skirmish.environment import SkirmishEnvironment

__all__ = ["render_text"]


def render_text(env: SkirmishEnvironment, index: int) -> str:
    """Return battle `index` as text: `#` blocked, `.` open, agents as digits, enemies as capital letters.

    Where several units stand in one cell, the last of them shows; the dead do not.
    """
    cells = [["." if free else "#" for free in column] for column in env.terrain]
    n_allies = env.schema.n_agents
    lines = []
    for slot, unit in enumerate(env.units[index]):
        kind = env.kinds[unit["kind"]]
        is_agent = slot < n_allies
        mark = str(slot % 10) if is_agent else chr(ord("A") + slot - n_allies)
        who = f"agent {slot}" if is_agent else f"enemy {slot - n_allies}"
        if unit["health"] <= 0:
            lines.append(f"{mark} {who} {kind.name}: dead")
            continue
        cells[int(unit["x"])][int(unit["y"])] = mark
        shield = f" and {unit['shield']:.1f} of {kind.shield:g} shield" if kind.shield else ""
        energy = f", energy {unit['energy']:.1f}" if kind.energy_limit else ""
        lines.append(
            f"{mark} {who} {kind.name}: {unit['health']:.1f} of {kind.health:g} hp{shield} at "
            f"({unit['x']:.2f}, {unit['y']:.2f}){energy}"
        )
    rows = ["".join(column[y] for column in cells) for y in reversed(range(env.map.size))]
    state = "running" if env.running[index] else "over"
    return "\n".join([f"{env.map.name}, step {env.steps[index]} of {env.map.episode_limit}, {state}", *rows, *lines])
