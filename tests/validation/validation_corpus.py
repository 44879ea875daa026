"""Protocol parts in many styles that must pass, for the task of `small_schema`."""

from __future__ import annotations

from pathlib import Path

from buffers.schema import Field, TaskSchema

__all__ = ["GOOD", "small_schema"]


def small_schema() -> TaskSchema:
    """An overseer and two roaches, who see three enemies and each other."""
    fields = [Field(f"move.{way}", f"can move {way}", kind="binary") for way in ("north", "south", "east", "west")]
    for index in range(3):
        fields += [
            Field(f"enemy_{index}.{quantity}", quantity, low=-1.0)
            for quantity in ("available", "distance", "relative_x", "relative_y", "health")
        ]
    for index in range(2):
        fields += [
            Field(f"ally_{index}.{quantity}", quantity, low=-1.0)
            for quantity in ("visible", "distance", "relative_x", "relative_y", "health")
        ]
    fields += [Field("own.health", "own health"), Field("own.x", "own position"), Field("own.y", "own position")]
    return TaskSchema(
        name="small",
        summary="an overseer looks for three enemies",
        roles=("overseer", "roach", "roach"),
        obs_fields=tuple(fields),
        state_fields=(Field("enemy_0.x", "x"), Field("enemy_0.health", "health")),
        action_names=("no_op", "stop", "north", "south", "east", "west"),
        episode_limit=40,
    )


GOOD = {path.stem: path.read_bytes().decode() for path in sorted((Path(__file__).parent / "good").glob("*.py"))}
"""Sources by name: `good/`, one file per module."""
