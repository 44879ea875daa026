"""The `design-protocol` command: wires the rooms together and holds no logic."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line."""


if __name__ == "__main__":
    main()
