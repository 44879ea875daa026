"""A drafted task file: what random episodes show of an environment, and in comments what a person has to write."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from buffers.episodes import Float32Array
from marl_runtime.environments.exploring import MAX_STEPS, Exploration
from marl_runtime.environments.task_file import TODO

__all__ = ["draft", "roles_of"]


def draft(name: str, found: Exploration) -> str:
    """Return the YAML text of a task file for `name`, with TODO where only a person knows."""
    roles = roles_of(found)
    members = {
        role: [agent for agent in found.agents if roles[agent] == role] for role in dict.fromkeys(roles.values())
    }
    obs = {role: np.concatenate([found.obs[agent] for agent in those]) for role, those in members.items()}
    lines = [
        f"# Task file of {name}, drafted from {len(found.lengths)} random episodes ({found.rows:,} steps).",
        f"# Write what it is wherever it says {TODO}: the file is refused before. Names can be changed; they are",
        "# dotted identifiers, as enemy_0.relative_x. A column with drop: true is left out of the task. Those that",
        "# never varied are, since nothing can be learnt from them: look whether they should have varied.",
        f"summary: {TODO} what the agents have to do, what each sees, and what they are paid for",
        *_limit(found),
        "# The environment's agents, in its order, and the role of each: one role for all who see and do the same.",
        "agents:",
        *(f"  {agent}: {role}" for agent, role in roles.items()),
        "# What each action does, in the order of its numbers; these names stand in prompts and tables.",
        *_by_role(
            "actions",
            {role: [f"action_{k}" for k in range(found.actions[those[0]])] for role, those in members.items()},
        ),
        *_reward(found),
        *_success(found),
        *_notes(found),
        "# What an agent observes, number by number.",
    ]
    names = {role: _candidate_names("own" if len(obs) == 1 else role, "obs", rows) for role, rows in obs.items()}
    fields = {role: _fields(names[role], rows, {}) for role, rows in obs.items()}
    if len(fields) == 1:
        lines += ["observation:", *next(iter(fields.values()))]
    else:
        lines += ["observation:", *(line for role, own in fields.items() for line in (f"  {role}:", *_indented(own)))]
    same = _same_columns(found, roles, names)
    own = [
        same[k][0] if k in same else known for k, known in enumerate(_candidate_names("state", "column", found.state))
    ]
    lines += [
        "# The global state, number by number. What is observed already is worth little as a target of messages; the",
        "# comments say where a column repeats another.",
        "state:",
        *_fields(_distinct(own), found.state, {k: comment for k, (_, comment) in same.items()}),
    ]
    return "\n".join(lines) + "\n"


def roles_of(found: Exploration) -> dict[str, str]:
    """Return agent → role; names that differ in their number alone, with the same spaces, share one."""
    kinds: dict[tuple[str, int, int], str] = {}
    roles = {}
    for agent in found.agents:
        stem = re.sub(r"_?\d+$", "", agent) or "agent"
        kind = (stem, found.sizes[agent], found.actions[agent])
        if kind not in kinds:
            taken = sum(known[0] == stem for known in kinds)
            kinds[kind] = f"{stem}_{taken}" if taken else stem
        roles[agent] = kinds[kind]
    return roles


def _limit(found: Exploration) -> list[str]:
    longest = max(found.lengths)
    if found.endless:
        return [
            f"# {found.endless} episodes had not ended after {MAX_STEPS:,} steps. Which limit do you want?",
            f"episode_limit: {TODO}",
        ]
    if found.cut and min(found.lengths) == longest:
        return [f"episode_limit: {longest}  # every episode was cut there"]
    return [
        f"# Episodes had {min(found.lengths)} to {longest} steps; {found.cut} of {len(found.lengths)} were cut by a",
        "# limit of the environment's own. Episodes that are longer than this one are cut here.",
        f"episode_limit: {longest}",
    ]


def _by_role(key: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    if len(names) == 1:
        return [f"{key}: [{', '.join(next(iter(names.values())))}]"]
    return [f"{key}:", *(f"  {role}: [{', '.join(own)}]" for role, own in names.items())]


def _reward(found: Exploration) -> list[str]:
    if _pays_alike(found):
        return [
            "# All agents were always paid the same, so the team's reward is their mean; sum is the other choice.",
            "reward: mean",
        ]
    return ["# The team's reward is the sum of the agents' rewards; mean is the other choice.", "reward: sum"]


def _pays_alike(found: Exploration) -> bool:
    return found.same_reward and len(found.agents) > 1


def _success(found: Exploration) -> list[str]:
    returns = np.array(found.means if _pays_alike(found) else found.sums)
    low, middle, high = np.quantile(returns, [0.05, 0.5, 0.95])
    lines = [
        f"# When an episode counts as a success. Random play returned {middle:.4g} in the middle, 90 % of it between",
        f"# {low:.4g} and {high:.4g}.",
    ]
    if found.info_flags:
        lines.append(f"# Or by an entry of infos; true or false at the end were: {', '.join(sorted(found.info_flags))}")
        lines.append(f"# success: {{info: {min(found.info_flags)}}}")
    return [*lines, f"success: {{return_at_least: {TODO}}}"]


def _notes(found: Exploration) -> list[str]:
    lines = []
    if found.left_early:
        lines.append(f"# In {found.left_early} episodes agents left before the others: they stay as rows of zeros.")
    if found.masked:
        lines.append("# Action masks are given, and kept to.")
    return lines


def _candidate_names(entity: str, quantity: str, rows: Float32Array) -> list[str]:
    """Return a name for each column; columns of 0 and 1 of which one is 1 in every row are named as one choice."""
    rows = rows[~np.isnan(rows).any(axis=1)]
    names = [f"{entity}.{quantity}_{k}" for k in range(rows.shape[1])]
    k, groups = 0, 0
    while k < rows.shape[1]:
        width = _one_hot_width(rows[:, k:])
        if width:
            names[k : k + width] = [f"{entity}.choice_{groups}_is_{j}" for j in range(width)]
            groups += 1
        k += width or 1
    return names


def _one_hot_width(rows: Float32Array) -> int:
    """Return how many columns from the first one on are one choice of 3 or more; 0 when they are none."""
    binary = ((rows == 0) | (rows == 1)).all(axis=0) & (rows != rows[:1]).any(axis=0)
    run = int(np.argmin(binary)) if not binary.all() else len(binary)
    for width in range(run, 2, -1):
        if (rows[:, :width].sum(axis=1) == 1).all():
            return width
    return 0


def _fields(names: Sequence[str], rows: Float32Array, comments: Mapping[int, str]) -> list[str]:
    rows = rows[~np.isnan(rows).any(axis=1)]
    return [_field(names[k], rows[:, k], comments.get(k, "")) for k in range(rows.shape[1])]


def _field(name: str, values: Float32Array, comment: str) -> str:
    low, high = float(values.min()), float(values.max())
    if low == high:
        return f"  - {{drop: true}}  # {name}: always {low:g}"
    kind = "continuous"
    if np.isin(values, (0, 1)).all():
        kind, low, high = "binary", 0.0, 1.0
    elif (values == np.rint(values)).all():
        kind = "count"
    large = max(abs(low), abs(high))
    notes = [comment, f"up to {large:.3g}: networks learn better from numbers around 1" if large > 20 else ""]
    said = "; ".join(filter(None, notes))
    unit = "" if kind == "binary" else ', unit: "1"'
    span = f"low: {_outward(low, up=False)}, high: {_outward(high, up=True)}"
    return f"  - {{name: {name}, meaning: {TODO}{unit}, {span}, kind: {kind}}}{f'  # {said}' if said else ''}"


def _outward(value: float, *, up: bool) -> str:
    """Return `value` with two digits, rounded away from the range's middle."""
    if value == int(value):
        return f"{int(value)}"
    digits = 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10**digits
    whole = math.ceil(scaled) if up else math.floor(scaled)
    return f"{whole / 10**digits:.{max(digits, 0)}f}"


def _same_columns(
    found: Exploration, roles: Mapping[str, str], names: Mapping[str, Sequence[str]]
) -> dict[int, tuple[str, str]]:
    """Return state column → (a name, what it repeats), for columns that always equal an observed or an earlier one."""
    same: dict[int, tuple[str, str]] = {}
    for k in range(found.state.shape[1]):
        column = found.state[:, k]
        if (column == column[0]).all():
            continue
        for agent in found.agents:
            rows = found.obs[agent]
            here = ~np.isnan(rows).any(axis=1)
            equal = (rows[here] == column[here, None]).all(axis=0) if here.any() else np.zeros(0, dtype=bool)
            if equal.any():
                known = names[roles[agent]][int(np.argmax(equal))]
                same[k] = (f"{agent}.{known.rpartition('.')[2]}", f"always what {agent} observes as {known}")
                break
        for j in range(k):
            if (found.state[:, j] == column).all():
                own = same[k][0] if k in same else f"state.column_{k}"
                same[k] = (own, f"always the same as state column {j}: drop one")
                break
    return same


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names with a number behind those that stand there already."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_again_{seen[name] - 1}")
    return found


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
