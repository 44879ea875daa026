"""Everything that a protocol may name. What is not listed is refused; there is no list of what is forbidden.

The lists hold names that compute on numbers and nothing that reads, writes, evaluates text or reaches the interpreter.
"""

from __future__ import annotations

from types import MappingProxyType

__all__ = [
    "ANNOTATIONS",
    "ARRAY_ATTRIBUTES",
    "ARRAY_METHODS",
    "BUILTINS",
    "CONSTANT_MEMBERS",
    "CONTAINER_METHODS",
    "CONTRACT_IMPORTS",
    "DTYPES",
    "IMPORTS",
    "INBOX_ATTRIBUTES",
    "INBOX_METHODS",
    "MATH",
    "MUTATING_METHODS",
    "NUMPY",
    "NUMPY_LINALG",
    "NUMPY_MEANT",
    "OBSERVATION_ATTRIBUTES",
    "OBSERVATION_METHODS",
    "UFUNCS",
    "UFUNC_METHODS",
    "words",
]


def words(*texts: str) -> frozenset[str]:
    """Return the words of some texts as a set of names."""
    return frozenset(name for text in texts for name in text.split())


IMPORTS = (
    "import numpy as np",
    "import math",
    "from generated_protocols import Array, Inbox, Observation",
    "from __future__ import annotations",
)

UFUNCS = words(
    """add subtract multiply divide true_divide floor_divide mod fmod remainder power float_power maximum minimum fmax
    fmin arctan2 hypot copysign heaviside logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
    left_shift right_shift equal not_equal less less_equal greater greater_equal"""
)
"""Functions of two numbers: they have `reduce`, `accumulate`, `outer` and `at`."""

UFUNC_METHODS = words("accumulate reduce outer at")

DTYPES = words(
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool bool_ intp single double"
)

NUMPY = (UFUNCS | DTYPES) | words(
    # constants and limits of dtypes
    "pi e inf nan newaxis finfo iinfo",
    # making arrays
    """array asarray zeros ones full zeros_like ones_like full_like arange linspace eye identity tri meshgrid copy""",
    # elementwise
    """abs absolute fabs sign sqrt cbrt square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan
    arctan2 sinh cosh tanh arcsinh arccosh arctanh hypot degrees radians deg2rad rad2deg floor ceil trunc rint
    round around fix clip divide true_divide floor_divide mod fmod remainder divmod modf power float_power
    negative positive reciprocal copysign heaviside nan_to_num isfinite isnan isinf isclose equal not_equal less
    less_equal greater greater_equal logical_not bitwise_xor bitwise_not invert left_shift right_shift signbit
    where select interp unwrap sinc""",
    # over an axis
    """sum prod mean average std var median quantile percentile min max amin amax ptp argmin argmax any all
    count_nonzero cumsum cumprod nansum nanmean nanmin nanmax nanprod nanstd nanvar nanmedian nanargmin
    nanargmax nancumsum diff gradient sort argsort partition argpartition searchsorted digitize trapezoid""",
    # shape and order
    """reshape ravel transpose swapaxes moveaxis rollaxis expand_dims squeeze broadcast_to broadcast_arrays atleast_1d
    atleast_2d atleast_3d stack concatenate vstack hstack dstack column_stack split array_split hsplit vsplit
    tile repeat roll flip fliplr flipud rot90 pad append delete insert take take_along_axis put_along_axis
    nonzero flatnonzero argwhere compress extract diag diagonal fill_diagonal tril triu unravel_index
    ravel_multi_index ix_ ndim shape size isin""",
    # products
    "dot vdot inner outer matmul tensordot einsum kron cross trace convolve correlate vecdot matvec vecmat",
)

NUMPY_LINALG = words("norm")

MATH = words(
    """pi e tau inf nan sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh
    asinh acosh atanh hypot dist degrees radians floor ceil trunc fabs fmod remainder copysign isfinite isinf
    isnan isclose fsum prod modf gcd erf erfc"""
)

ARRAY_ATTRIBUTES = words("shape ndim size dtype T eps tiny")

ARRAY_METHODS = words(
    """astype copy reshape ravel flatten transpose swapaxes squeeze sum prod mean std var min max argmin argmax any
    all cumsum cumprod clip round dot nonzero argsort sort take repeat diagonal trace fill compress choose
    searchsorted item tolist conj argpartition partition"""
)

CONTAINER_METHODS = words("append extend insert pop reverse index count items keys values get update setdefault")

MUTATING_METHODS = words("fill sort partition append extend insert pop reverse update setdefault")

OBSERVATION_ATTRIBUTES = words("age agent_id n_agents")
OBSERVATION_METHODS = words("group allies past is_role")
INBOX_ATTRIBUTES = words("delivered")
INBOX_METHODS = words("addressed past")

BUILTINS = words(
    """abs all any bool dict divmod enumerate float int len list max min range reversed round slice sorted sum tuple
    zip True False None"""
)

ANNOTATIONS = words("Array Inbox Observation dict list tuple float int bool str None")
"""Names that may stand in annotations, beside `np.ndarray` and the NumPy dtypes."""

CONTRACT_IMPORTS = words("Array Inbox Observation")

MEANT = MappingProxyType(
    {
        "print": "a protocol prints nothing; return what matters as a component",
        "open": "a protocol reads and writes no files",
        "eval": "write the expression out",
        "exec": "write the statements out",
        "getattr": "write the attribute out",
        "setattr": "arrays are changed by indexing, x[mask] = 0, on an array of your own",
        "map": "use a comprehension: [f(x) for x in names]",
        "filter": "use a comprehension with `if`",
        "set": "the order of a set differs from run to run; use a tuple or a list",
        "frozenset": "the order of a set differs from run to run; use a tuple",
        "str": "write the name as an f-string: own[f'enemy_{i}.health']",
        "isinstance": "the contract fixes the types; remove the test",
        "type": "the contract fixes the types; remove the test",
        "hasattr": "the contract fixes what own and inbox offer; remove the test",
        "pow": "write base ** exponent, or np.power(base, exponent)",
        "next": "index the list: names[0]",
        "iter": "loop over the tuple or range itself",
        "torch": "protocols are batched NumPy; use np",
        "numpy": "import numpy as np, and write np.",
        "random": "a protocol is deterministic: same input, same output",
        "state": "a protocol sees observations only; the state is what the decoder has to rebuild",
        "obs": 'the observation is the parameter `own`: own["field name"]',
        "o": 'the observation is the parameter `own`: own["field name"]',
    }
)
"""What to do instead, for names that people and language models reach for."""

NUMPY_MEANT = MappingProxyType(
    {
        "empty": "np.empty holds whatever was in memory; use np.zeros",
        "empty_like": "np.empty_like holds whatever was in memory; use np.zeros_like",
        "ndarray": "use np.zeros or np.array",
        "random": "a protocol is deterministic: same input, same output",
        "copyto": "assign to a slice: out[:] = values",
        "putmask": "index with the mask: out[mask] = values",
        "place": "index with the mask: out[mask] = values",
        "unique": "it mixes rows, and its width changes from call to call",
        "float": "use float or np.float32",
        "int": "use int or np.int64",
        "bincount": "it mixes rows",
        "histogram": "it mixes rows",
        "vectorize": "write the expression on whole arrays",
        "apply_along_axis": "write the expression on whole arrays, with axis=1",
        "piecewise": "use np.where or np.select",
        "load": "a protocol reads no files",
        "loadtxt": "a protocol reads no files",
        "fromfile": "a protocol reads no files",
        "save": "a protocol writes no files",
    }
)
"""What to do instead, for NumPy names that are left out."""

CONSTANT_MEMBERS = words("pi e inf nan tau")
"""Members of np and math that are plain numbers, and so may make constants of the module."""
