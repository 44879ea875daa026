"""List the tasks."""

from __future__ import annotations

from typing import Any

from protocol_designer.commands.console import print_result, print_rows
from protocol_designer.commands.options import Json


def tasks(as_json: Json = False) -> None:
    """List the tasks: agents, enemies, limit, widths, whether messages are needed, and what has to be installed."""
    from buffers.errors import ProtocolDesignerError
    from marl_runtime.tasks import find_task, messages_of, task_names

    rows: list[dict[str, Any]] = []
    for name in task_names():
        try:
            task = find_task(name)
        except ProtocolDesignerError as error:
            rows.append({"task": name, "missing": str(error)})
            continue
        schema = task.schema
        rows.append(
            {
                "task": name,
                "agents": schema.n_agents,
                "enemies": task.enemies,
                "limit": schema.episode_limit,
                "observation": schema.obs_dim,
                "state": schema.state_dim,
                "actions": schema.n_actions,
                "messages": messages_of(name),
                "backend": task.backend,
                "needs": task.requires or "nothing more",
                "scripted": list(task.scripted),
            }
        )
    print_result({"tasks": rows}, as_json, lambda: print_rows(rows))
