"""The limits that the validator enforces; messages, prompts and the guide quote these very numbers."""

from __future__ import annotations

__all__ = [
    "DEFAULT_AGENTS",
    "MAX_ARRAY_SIZE",
    "MAX_AXES",
    "MAX_AXIS",
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_EXPONENT",
    "MAX_FINDINGS",
    "MAX_INTEGER",
    "MAX_LOOP_STEPS",
    "MAX_MESSAGE",
    "MAX_NAME_LENGTH",
    "MAX_PATTERN_BRACKETS",
    "MAX_SHIFT",
    "MAX_TRIES",
    "PARSE_SECONDS",
]

MAX_BYTES = 16 * 1024
"""Bytes of source per part. The longest published protocol part is under half of it."""

MAX_DEPTH = 100
"""Levels of nesting in the syntax tree. LibCST's visitors overflow Python's stack at about 400."""

MAX_PATTERN_BRACKETS = 5
"""Brackets that may be open where a module holds a `match`: LibCST takes ten times as long for each two more."""

MAX_TRIES = 8
"""Levels of `try` in each other: Python compiles what stands under `finally` twice, so 30 levels never end."""

MAX_INTEGER = 1_000_000
"""Largest integer that may be written, or that written integers may make together."""

MAX_EXPONENT = 8
"""Largest exponent of `**` where the base may be an integer: larger ones build numbers that fill the memory."""

MAX_SHIFT = 32
"""Largest right operand of `<<` and `>>`."""

MAX_LOOP_STEPS = 10_000
"""Steps that nested loops may take together: 22 agents x 22 agents x a window of 10 is 4,840."""

MAX_ARRAY_SIZE = 1_000_000
"""Elements that a literal shape may ask for."""

MAX_AXES = 64
"""Axes that a NumPy array may have."""

MAX_AXIS = 16
"""Assumed length of an array axis behind the rows, in the bound of a loop over `x.shape[1]`."""

DEFAULT_AGENTS = 64
"""Assumed number of agents where no task schema is given."""

MAX_NAME_LENGTH = 64
"""Characters of a component name."""

MAX_MESSAGE = 400
"""Characters of a finding's message and of its hint: both may quote the source."""

MAX_FINDINGS = 30
"""Findings that one check reports; the rest is counted."""

PARSE_SECONDS = 10.0
"""Wall-clock limit of the child that parses the source."""
