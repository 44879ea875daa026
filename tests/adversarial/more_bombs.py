"""More of the kind of `hostile_bombs.py`, tried by `pytest -m slow`."""

from hostile import CTYPES, SYS, hostile
from hostile_bombs import cleaning

MODULES = [
    hostile("squares of a whole number", "PD314", "PD501", body="y = int(1e300)\nfor i in range(60): y = y * y"),
    hostile(
        "a sum over four indices", "", "PD501", body="y = np.ones(3000)\nx = x + np.einsum('a,b,c,d->', y, y, y, y)"
    ),
    hostile("a long convolution", "", "PD501", body="y = np.convolve(np.ones(1000000), np.ones(1000000))"),
    hostile(
        "a list of itself compared with its like",
        "",
        "PD501",
        body="y, z = [0], [0]\nfor i in range(60):\n    y, z = [y, y], [z, z]\nx = x + (y == z)",
    ),
    hostile("a list that doubles", "PD316", "PD502", body="y = [0]\nfor i in range(60): y = y + y"),
    hostile("an array that doubles", "", "PD502", body="y = x\nfor i in range(60): y = np.concatenate([y, y])"),
    hostile("a size by a float", "", "PD502", body="y = np.zeros(int(1e10))\nx = x + y.size"),
    hostile("a shape times three", "", "PD502", body="y = np.ones(x.shape * 4)\nx = x + y.ndim"),
    hostile("a margin by a float", "", "PD502", body="y = np.pad(x, int(1e10))\nx = x + y.ndim"),
    hostile(
        "a number with more digits than may be shown",
        "PD314",
        "PD410",
        body="y = own[f'{int(1e300) ** 8 * int(1e300) ** 8}']",
    ),
    hostile("a number that no float holds", "", "PD410", body="x = x * (int(1e300) * int(1e300))"),
    hostile(
        "an assertion with a huge message", "PD323", "PD410", body="assert len(x) == 0, np.zeros(1000000).tolist()"
    ),
    hostile("an axis for every bit", "", "PD410", body="y = np.ones([1] * 65)"),
    hostile(
        "an exception that holds itself a thousand times",
        "PD303",
        "PD410",
        body="error = None\nfor i in range(1000):\n    try:\n        np.load(own) if error is None else error.missing\n    except (TypeError if i < 0 else np.__builtins__['Exception']) as e:\n        error = e\nraise error",
    ),
    hostile("clean-up in clean-up in clean-up", "PD203", "PD501", "PD502", source=cleaning(17)),
    hostile(
        "a class that takes all memory by its slots", "PD307", "PD502", body="y = np.__builtins__['bytearray'](10**10)"
    ),
    hostile(
        "a mapping of memory",
        "PD308",
        "PD410",
        "PD502",
        body=f"assert {CTYPES}.CDLL(None).mmap(0, {CTYPES}.c_size_t(2**40), 3, 0x22, -1, 0) != -1, 'refused'",
    ),
    hostile(
        "the stack of C",
        "PD307",
        "PD503",
        "PD410",
        "PD502",
        body=f"{SYS}.setrecursionlimit(10**8)\ny = []\nfor i in range(200_000): y = [y]\nz = np.__builtins__['repr'](y)",
    ),
    hostile(
        "a regular expression that backtracks",
        "PD307",
        "PD501",
        body=f"{SYS}.modules['re'].match('(a+)+$', 'a' * 60 + 'b')",
    ),
    hostile(
        "wait for a lock that is held",
        "PD307",
        "PD501",
        body=f"lock = {SYS}.modules['_thread'].allocate_lock()\nlock.acquire()\nlock.acquire()",
    ),
]
