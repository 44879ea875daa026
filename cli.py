"""The `design-protocol` command: one line for each command, and what becomes of an error.

Only typer and the standard library are imported here and by the commands; each imports the rooms that it needs when it
runs, so `--help` answers at once. Results go to stdout (as JSON with `--json`), progress and errors to stderr.
"""

from __future__ import annotations

import os
import signal
import warnings
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from protocol_designer.commands.check import check
from protocol_designer.commands.compare import compare
from protocol_designer.commands.console import fail, show_warning
from protocol_designer.commands.design import design
from protocol_designer.commands.diff import diff
from protocol_designer.commands.doctor import doctor
from protocol_designer.commands.evaluate import evaluate
from protocol_designer.commands.export import export, run_agents
from protocol_designer.commands.finetune import finetune
from protocol_designer.commands.freeze import freeze
from protocol_designer.commands.gather import gather
from protocol_designer.commands.importing import import_protocol
from protocol_designer.commands.new_task import new_task
from protocol_designer.commands.plot import plot
from protocol_designer.commands.probe import probe
from protocol_designer.commands.report import report
from protocol_designer.commands.resume import resume
from protocol_designer.commands.review import review
from protocol_designer.commands.score import score
from protocol_designer.commands.show import show
from protocol_designer.commands.sweep import sweep
from protocol_designer.commands.tasks import tasks
from protocol_designer.commands.train import train
from protocol_designer.commands.watch import watch

__all__ = ["app", "main"]


class _Group(TyperGroup):
    """Says what was kept when Ctrl-C stops a command; typer itself would only say "Aborted"."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            fail(str(interrupt) or "stopped", 130)


app = typer.Typer(
    cls=_Group,
    name="design-protocol",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)

app.callback(invoke_without_command=True)(design)
for command in (
    tasks,
    gather,
    check,
    freeze,
    score,
    show,
    diff,
    review,
    train,
    resume,
    finetune,
    evaluate,
    export,
    compare,
    probe,
    sweep,
    plot,
    report,
    watch,
    doctor,
):
    app.command()(command)
app.command("new-task")(new_task)
app.command("import")(import_protocol)
app.command("run-agents")(run_agents)


def _stop_as_ctrl_c_does() -> None:
    """Let SIGTERM (a scheduler's time limit) and SIGHUP (a terminal that is gone) keep what Ctrl-C keeps.

    One that is ignored, as SIGHUP is under nohup, stays ignored.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def main() -> None:
    """Run the command line; an error that this project raises on purpose is one line and its own exit status."""
    # Matrices here are small: more threads only wait for each other. It has to be said before NumPy loads.
    for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(library, "1")
    from buffers.errors import ProtocolDesignerError

    warnings.showwarning = show_warning
    _stop_as_ctrl_c_does()
    try:
        app()
    except ProtocolDesignerError as error:
        fail(str(error), error.exit_code)
    except OSError as error:
        fail(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), 1)
    except MemoryError:
        fail("out of memory; gather fewer --episodes or train with fewer --envs", 1)


if __name__ == "__main__":
    main()
