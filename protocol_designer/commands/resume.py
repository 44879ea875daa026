"""Go on with a run."""

from __future__ import annotations

from protocol_designer.commands.console import Progress, print_run
from protocol_designer.commands.folders import validate_run
from protocol_designer.commands.options import Json, Run


def resume(run: Run, as_json: Json = False) -> None:
    """Go on with a run that was stopped or killed, from its newest whole checkpoint."""
    from marl_runtime.training import resume as resume_run

    validate_run(run)
    print_run(resume_run(run, Progress()), as_json)
