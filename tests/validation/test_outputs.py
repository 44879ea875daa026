"""Where NumPy takes arrays to write into and dtypes: the rules' tables against NumPy's own signatures."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

from protocol_designer.rules.allowed import ARRAY_METHODS, DTYPES, NUMPY, UFUNCS
from protocol_designer.rules.outputs import DTYPE_PLACES, OUT_PLACES

FUNCTIONS = sorted(
    name for name in NUMPY - DTYPES if callable(getattr(np, name)) and not isinstance(getattr(np, name), type)
)


def places(name: str) -> tuple[int | None, int | None]:
    """The positions of `out` and of `dtype` by NumPy's signature; a ufunc's outputs stand behind its inputs."""
    function = getattr(np, name)
    if isinstance(function, np.ufunc):
        return function.nin, None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    return tuple(names.index(option) if option in names else None for option in ("out", "dtype"))  # type: ignore[return-value]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_tables_say_what_numpy_says(name: str) -> None:
    try:
        out, dtype = places(name)
    except ValueError:
        pytest.skip("NumPy gives no signature")
    assert OUT_PLACES.get(name) == out
    # np.arange(start, stop, step, dtype) shows as (start_or_stop, ...)
    assert name == "arange" or DTYPE_PLACES.get(name) == dtype


@pytest.mark.parametrize("name", sorted(ARRAY_METHODS))
def test_a_method_writes_where_its_function_does(name: str) -> None:
    """By the first line of its documentation: x.sum(axis, dtype, out) is np.sum(x, axis, dtype, out)."""
    shown = re.search(r"a\.\w+\(([^*]*)", getattr(np.ndarray, name).__doc__ or "")
    names = [part.split("=")[0].strip() for part in (shown[1] if shown else "").split(",") if part.strip(" /)")]
    expected = 1 + names.index("out") if "out" in names else None
    assert expected == (2 if name == "choose" else OUT_PLACES.get(name))


def test_every_ufunc_whose_methods_are_allowed_takes_two_numbers() -> None:
    found = {
        name for name in FUNCTIONS if isinstance(getattr(np, name), np.ufunc) and getattr(np, name).signature is None
    }
    assert {name for name in found if (getattr(np, name).nin, getattr(np, name).nout) == (2, 1)} == UFUNCS
