"""A new run whose networks begin as another run's: another schedule, seed, protocol or task of the same layout."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from buffers.errors import UsageError
from buffers.progress import Progress, silent
from buffers.schema import TaskSchema
from marl_runtime.assembly import load_protocol, method_inputs
from marl_runtime.checkpoints import Start
from marl_runtime.evaluation import Which, stored_policy
from marl_runtime.methods import MethodInputs
from marl_runtime.run_folder import RunFolder
from marl_runtime.run_index import read_config
from marl_runtime.tasks import find_task
from marl_runtime.training import prepare, resume
from marl_runtime.training_config import EpsilonSchedule, TrainConfig

__all__ = ["FineTuning", "fine_tune", "fine_tuning_config"]


@dataclass(frozen=True)
class FineTuning:
    """What is different from the run that it starts from; None and empty keep what that one had.

    Exploration stays where that run's ended. The optimiser and the replay buffer begin anew.
    """

    steps: int
    task: str = ""
    protocol: str = ""
    seed: int | None = None
    checkpoint: Which = "last"

    def __post_init__(self) -> None:
        if self.checkpoint not in ("last", "best"):
            raise ValueError(f"checkpoint {self.checkpoint!r} is neither 'last' nor 'best'")


def fine_tuning_config(run: Path, told: FineTuning) -> TrainConfig:
    """Return the configuration of the new run; a folder that is no run raises `UsageError`."""
    folder = RunFolder.open(run)
    config = read_config(run)
    own = folder.protocol
    return replace(
        config,
        steps=told.steps,
        task=told.task or config.task,
        protocol=told.protocol or (None if own is None else str(own)),
        seed=config.seed if told.seed is None else told.seed,
        epsilon=EpsilonSchedule(config.epsilon.end, config.epsilon.end, 1),
    )


def fine_tune(
    run: Path, config: TrainConfig, which: Which = "last", root: Path = Path("runs"), progress: Progress = silent
) -> Path:
    """Train a new run under `root` as `config` says, from the networks of `run`, and return its folder.

    Another layout raises `LayoutMismatchError`; a protocol or method whose networks are of other sizes `UsageError`.
    """
    folder, before = RunFolder.open(run), read_config(run)
    checkpoint = stored_policy(run, which)
    schema = find_task(config.task).schema
    then = TaskSchema.from_json(folder.read_json("environment.json")["schema"])
    schema.require_same_layout(then, f"run {run.name}")
    old = method_inputs(then, load_protocol(before.method, folder.protocol, then, trust=before.trust))
    protocol = None if config.protocol is None else Path(config.protocol)
    new = method_inputs(schema, load_protocol(config.method, protocol, schema, trust=config.trust))
    for what, one, other in (
        ("the method", before.method, config.method),
        ("the mixer", before.mixer, config.mixer),
        ("numbers that an agent keeps of messages", old.message_dim, new.message_dim),
        ("state fields that are rebuilt, and their scales", _targets(old), _targets(new)),
    ):
        if one != other:
            raise UsageError(
                f"{run.name} cannot be gone on with, since its networks would not fit: {what} there {one}, here {other}"
            )
    weights = {name: checkpoint.tree["learner"][name] for name in ("method", "mixer")}
    start = Start(run.name, which, checkpoint.steps, weights)
    config = replace(config, started_from=start.name)
    return resume(prepare(config, root, start), progress)


def _targets(inputs: MethodInputs) -> list[str]:
    fields = inputs.schema.state_fields
    bounds = zip(inputs.target_fields, inputs.target_low, inputs.target_high, strict=True)
    return [f"{fields[index].name} {low:.6g}..{high:.6g}" for index, low, high in bounds]
