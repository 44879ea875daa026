"""Resource bombs: time, memory, processes, widths."""

from hostile import BUILTINS, OS, SYS, hostile


def cleaning(times: int) -> str:
    """A part that cleans up after cleaning up: Python compiles each `finally` twice, and so 2**times copies."""
    head = "".join(" " * i + "try: pass\n" + " " * i + "finally:\n" for i in range(1, times + 1))
    return f"def send(own):\n x = own['enemy_0.x']\n{head}{' ' * (times + 1)}x = x + 0\n return {{'x': x}}\n"


MODULES = [
    hostile("a loop without end", "PD303", "PD501", body="while True: pass"),
    hostile("a loop in C without end", "PD315", "PD501", body="y = 10 ** 10 ** 9"),
    hostile("a recursion without end", "PD313", "PD410", body="send(own)"),
    hostile(
        "two that call each other",
        "PD313",
        "PD410",
        source="def f(x):\n    return g(x)\n\ndef g(x):\n    return f(x)\n\ndef send(own):\n    return {'x': f(own['enemy_0.x'])}\n",
    ),
    hostile("memory at once", "PD315", "PD502", body="y = np.ones(2**32)"),
    hostile("memory by and by", "PD303", "PD501", "PD502", body="y = []\nwhile True: y.append(np.ones(2**20))"),
    hostile("memory by a shape", "PD316", "PD502", body="y = np.zeros((100000, 100000, 10))\nx = x + y.sum()"),
    hostile(
        "memory by broadcasting",
        "PD316",
        "PD502",
        body="y = (own.past('enemy_0.x')[:, :, None, None] + np.ones((1, 1, 3000, 3000))).sum(axis=(1, 2, 3))",
    ),
    hostile("memory by repetition", "PD316", "PD502", body="y = np.tile(x, (10000, 10000))"),
    hostile("memory by a table", "PD316", "PD502", body="y = np.eye(100000)"),
    hostile("a long list", "PD316", "PD502", body="y = [0] * 10**10"),
    hostile("a long text", "PD315", "PD502", body="y = 'a' * 10**10"),
    hostile("a huge number", "PD315", "PD501", body="y = 7 ** 7 ** 7 ** 7"),
    hostile("a huge shift", "PD315", "PD502", body="y = 1 << 10**12"),
    hostile("a huge range summed", "PD315", "PD501", body="y = sum(range(10**12))"),
    hostile("a loop over every row", "PD315", "PD501", body="for i in range(10**9): x = x + 0"),
    hostile(
        "loops in loops",
        "PD312",
        "PD501",
        body="for i in range(10**4):\n    for j in range(10**4):\n        for k in range(10**4): pass",
    ),
    hostile(
        "comprehensions in comprehensions",
        "PD312",
        "PD501",
        "PD502",
        body="y = [[[0 for i in range(1000)] for j in range(1000)] for k in range(1000)]",
    ),
    hostile(
        "functions that double",
        "PD312",
        "PD501",
        "PD502",
        source="def f0(x):\n    return x + 0\n"
        + "".join(f"\ndef f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(x)\n" for i in range(1, 40))
        + "\ndef send(own):\n    return {'x': f39(own['enemy_0.x'])}\n",
    ),
    hostile("fork bomb", "PD303", "PD410", body=f"while True: {OS}.fork()"),
    hostile(
        "thread bomb", "PD303", "PD410", body=f"while True: {SYS}.modules['_thread'].start_new_thread(send, (own,))"
    ),
    hostile("sleep over the limit", "PD307", "PD501", body=f"{BUILTINS}['__import__']('time').sleep(3600)"),
    hostile("very wide", "", "PD504", body="return {'x': np.zeros((len(x), 100_000), dtype=np.float32)}"),
    hostile("very many components", "PD402", "PD501", "PD504", body="return {f'c{i}': x for i in range(100_000)}"),
    hostile("a very long name", "PD402", "PD453", body="return {'x' * 10_000: x}"),
    hostile("a very long exception", "PD303", "PD410", body="raise ValueError('x' * 10**7)"),
    hostile(
        "a field pattern that backtracks",
        "PD331",
        "PD456",
        body="y = own.group('*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b')",
    ),
    hostile("sort what is large", "PD315", "PD502", body="y = np.sort(np.ones(2**29))"),
    hostile(
        "a product of all with all", "PD315", "PD502", body="y = x[:, None] @ np.ones((1, 2**28), dtype=np.float32)"
    ),
    hostile("rows times rows times rows", "", "PD502", body="y = np.ones((len(x), len(x), len(x)))\nx = x + y.ndim"),
    hostile(
        "a shift by an array of whole numbers",
        "PD319",
        "PD502",
        body="y = np.left_shift(np.array([1], dtype=list), np.array([int(1e12)], dtype=list))",
    ),
    hostile("read from nowhere", "PD307", "PD410", body=f"while {OS}.read(0, 1): pass\n{OS}.close(0)\n{OS}.read(0, 1)"),
]
