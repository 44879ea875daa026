"""One run in a process of its own: `python -m marl_runtime.worker RUN` trains it to its end."""

from __future__ import annotations

import sys
from pathlib import Path

from buffers.errors import ProtocolDesignerError

__all__ = ["main"]


def main(run: Path) -> int:
    """Train `run` from where it is and return the exit status; what went wrong is one line on stderr."""
    from marl_runtime.training import resume

    try:
        resume(run)
    except ProtocolDesignerError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as stop:
        print(stop if str(stop) else "stopped before the first round", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
