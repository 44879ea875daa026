"""One run in a process of its own: `python -m marl_runtime.worker RUN` trains it to its end."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from buffers.errors import ProtocolDesignerError

__all__ = ["main"]


def main(run: Path) -> int:
    """Train `run` from where it is and return the exit status; what went wrong is one line on stderr."""
    from marl_runtime.training import resume

    threading.Thread(target=_stop_without_parent, args=(os.getppid(),), daemon=True).start()
    try:
        resume(run)
    except ProtocolDesignerError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as stop:
        print(stop if str(stop) else "stopped before the first round", file=sys.stderr)
        return 130
    return 0


def _stop_without_parent(parent: int) -> None:
    """Stop at the next checkpoint once the process that started this one is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
