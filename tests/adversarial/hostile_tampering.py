"""Tampering with the contract, the sandbox's own process and what it answers."""

from hostile import BUILTINS, CTYPES, OS, SYS, hostile

NEVER_THE_SAME = ("PD412", "PD415", "PD416", "PD417", "PD418")

LOADED = f"{SYS}.modules"
CHILD = f"f = {SYS}._getframe()\nwhile f.f_code.co_name != '_child': f = f.f_back\n"
PAGE = f"at = {CTYPES}.c_void_p(own._now.ctypes.data // 4096 * 4096)\n"


def syscall(*arguments: object) -> str:
    """Call the kernel past the C library; what it refuses is an error."""
    return f"assert {CTYPES}.CDLL(None).syscall({', '.join(map(str, arguments))}) >= 0, 'refused'"


def answer(said: bytes) -> str:
    """Write what the child says by hand, and leave before it says anything else."""
    written = f"said = {said!r}\nanswer = f.f_locals['answer']\nanswer[8 : 8 + len(said)] = said\n"
    return f"{CHILD}{written}answer[:8] = len(said).to_bytes(8, 'little')\n{OS}._exit(0)"


def components(kept: bytes, sent: bytes = b"") -> str:
    """Write an answer with these components, and what the run used."""
    return answer(b'{"components": [' + kept + b'], "payload_components": [' + sent + b'], "used": [0, 0]}')


MODULES = [
    hostile("change the observation", "PD308", "PD411", body="own._now.base[...] = 0"),
    hostile("change the observation in place", "PD320", "PD410", body="x *= 0"),
    hostile(
        "change the history", "PD308", body="own.past('enemy_0.x').base[...] = 0\nx = x + own.past('enemy_0.x')[:, -1]"
    ),
    hostile("replace a method of the contract", "PD308", "PD410", body="own.__class__.__getitem__ = send"),
    hostile(
        "another agent's id",
        "PD308",
        "PD410",
        body="own.agent_id = own.agent_id * 0\nown.agent_id.setflags(write=True)\nown.agent_id.base.base[...] = 0",
    ),
    hostile("the schema of the task", "PD308", "PD410", body="own._schema.obs_fields[0].name = 'x'"),
    hostile("replace a function of NumPy", "PD303", "PD410", body="np.where = 1\nnp.where(x > 0, x, x)"),
    hostile("poison a module for those after", "PD308", "PD410", body=f"{SYS}.modules['numpy'].mean = 1\nnp.mean(x)"),
    hostile("no recursion limit", "PD308", "PD501", body=f"{SYS}.setrecursionlimit(10**9)\nsend(own)"),
    hostile(
        "trace every line",
        "PD308",
        "PD410",
        body=f"{SYS}.settrace(np.lib._npyio_impl.os.listdir)\nlen(own.past('enemy_0.x'))\nnp.lib._npyio_impl.os.listdir('/')",
    ),
    hostile("walk the frames", "PD308", "PD410", body=f"{SYS}._getframe(1).f_locals['missing']"),
    hostile(
        "look for the state in memory",
        "PD308",
        "PD410",
        body=f"{BUILTINS}['__import__']('gc').get_objects()\nnp.lib._npyio_impl.os.listdir('/')",
    ),
    hostile(
        "change the environment",
        "PD308",
        "PD410",
        body=f"{OS}.environ['PATH'] = 'CANARY'\n{OS}.execv('/bin/true', ['true'])",
    ),
    hostile("read a secret", "PD308", "PD410", body=f"{OS}.environ['PROTOCOL_CANARY_KEY']"),
    hostile(
        "read a secret of the parent",
        "PD308",
        "PD410",
        body=f"{BUILTINS}['open']('/proc/' + str({OS}.getppid()) + '/environ').read()",
    ),
    hostile(
        "ignore signals",
        "PD308",
        "PD501",
        body=f"{SYS}.modules['signal'].signal(15, {SYS}.modules['signal'].SIG_IGN)\nwhile True: pass",
    ),
    hostile("stop the parent", "PD308", "PD410", body=f"{OS}.kill({OS}.getppid(), 19)"),
    hostile("end the parent", "PD308", "PD410", body=f"{OS}.kill({OS}.getppid(), 9)"),
    hostile("end everybody", "PD308", "PD410", body=f"{OS}.kill(-1, 9)"),
    hostile("a session of its own", "PD308", "PD410", body=f"{OS}.setsid()"),
    hostile("become somebody else", "PD308", "PD410", body=f"{OS}.setuid(0)"),
    hostile(
        "trace another process",
        "PD308",
        "PD410",
        body=f"assert {CTYPES}.CDLL(None).ptrace(16, {OS}.getppid(), 0, 0) == 0, 'refused'",
    ),
    hostile("open a socket", "PD308", "PD410", body=f"assert {CTYPES}.CDLL(None).socket(2, 1, 0) >= 0, 'refused'"),
    hostile("run a program", "PD308", "PD410", body=f"{OS}.execv('/bin/true', ['true'])"),
    hostile("leave a program behind", "PD308", "PD410", body=f"{OS}.posix_spawn('/bin/sleep', ['sleep', '60'], {{}})"),
    hostile("say that all is well and leave", "PD308", "PD503", body=f"{OS}._exit(0)"),
    hostile(
        "forge the answer",
        "PD307",
        "PD503",
        body=f"w = {SYS}.modules['generated_protocols.worker']\nw.json.dumps = lambda said, d=w.json.dumps: d({{'components': [[0, '../x', 1]], 'payload_components': []}})",
    ),
    hostile(
        "forge a width",
        "PD307",
        "PD503",
        body=f"w = {SYS}.modules['generated_protocols.worker']\nw.json.dumps = lambda said, d=w.json.dumps: d({{'components': [[0, 'x', 10**9]], 'payload_components': [[0, 'x', 1]]}})",
    ),
    hostile(
        "forge an answer that does not end",
        "PD307",
        "PD503",
        body=f"w = {SYS}.modules['generated_protocols.worker']\nw.json.dumps = lambda said, d=w.json.dumps: '[' * 100_000",
    ),
    hostile(
        "switch the checks off",
        "PD303",
        "PD410",
        body=f"c = {SYS}.modules['generated_protocols.contract_checks']\nc.np = None\nx = x + len(x)",
    ),
    hostile(
        "write the results by itself",
        "PD308",
        "PD413",
        body=f"for a in {BUILTINS}['__import__']('gc').get_objects():\n    if {BUILTINS}['isinstance'](a, np.ndarray) and a.flags.writeable and a.dtype == np.float32:\n        a[...] = np.nan\nx = x + np.nan",
    ),
    hostile(
        "write the recorded episodes",
        "PD308",
        "PD503",
        body=f"{CTYPES}.memset({CTYPES}.c_void_p(own._now.ctypes.data), 0, 64 * (len(own.age) > 30))",
    ),
    hostile(
        "a terminal's control characters",
        "PD303",
        "PD410",
        body="raise np.exceptions.AxisError('\\x1b[2J' + 'x' * 10_000)",
    ),
    hostile(
        "make the recorded episodes writable",
        "PD308",
        "PD503",
        body=f"{PAGE}if len(x) > 36:\n    {CTYPES}.CDLL(None).mprotect(at, 4096, 3)\n    {CTYPES}.memset(at, 0, 4096)",
    ),
    hostile(
        "others' episodes through a closure",
        "PD308",
        "PD410",
        body="x = x + own._window.__closure__[0].cell_contents[..., 0].sum() / len(x)",
    ),
    hostile(
        "others' episodes through the frames",
        "PD303",
        *NEVER_THE_SAME,
        body=f"{CHILD}trial = f.f_locals['work'].__closure__[1].cell_contents\nepisodes = [e for e, a in trial.data.values()][0]\nx = x + episodes[..., 0].sum() / len(x)",
    ),
    hostile(
        "others' rows through the collector",
        "PD307",
        *NEVER_THE_SAME,
        body=f"y = [a for a in {LOADED}['gc'].get_referrers(own) if {BUILTINS}['type'](a) is dict]\nx = x + len(y) + {LOADED}['gc'].get_count()[0] % 7",
    ),
    hostile(
        "the kernel's ring of requests", "PD308", "PD410", body=syscall(425, 8, f"{CTYPES}.create_string_buffer(120)")
    ),
    hostile("a system call by its other number", "PD308", "PD410", body=syscall(0x40000000 + 39)),
    hostile("the keys of the kernel", "PD308", "PD410", body=syscall(250, 0, -3, 1)),
    hostile("a segment of shared memory that stays", "PD308", "PD410", body=syscall(29, 0, 4096, 0o1600)),
    hostile(
        "speak to the worker's reader",
        "PD308",
        "PD410",
        body=f"{OS}.write(1, b'{{\"ready\": 1}}')\n{OS}.write(3, b'x')",
    ),
    hostile("a hook on every event", "PD307", "PD503", body=f"{SYS}.addaudithook(lambda *a: 1 / 0)"),
    hostile(
        "a hook for what cannot be raised",
        "PD307",
        "PD503",
        body=f"{SYS}.unraisablehook = lambda a: {OS}._exit(0)\nA = {BUILTINS}['type']('A', (), {{'__del__': lambda self: 1 / 0}})\nA()",
    ),
    hostile(
        "a reporter that fails",
        "PD303",
        "PD503",
        body=f"{LOADED}['generated_protocols.worker']._diagnosis = lambda error: 1 / 0\n1 / 0",
    ),
    hostile(
        "an error whose text runs",
        "PD303",
        "PD503",
        body=f"raise {BUILTINS}['type']('E', ({BUILTINS}['ValueError'],), {{'__str__': lambda self: {OS}.listdir('/')}})",
    ),
    hostile(
        "an error with a huge name",
        "PD303",
        "PD410",
        body=f"raise {BUILTINS}['type']('E' * 10**7, ({BUILTINS}['Exception'],), {{}})",
    ),
    hostile(
        "an error in another part's name",
        "PD307",
        "PD410",
        body=f"{BUILTINS}['exec']({BUILTINS}['compile']('1 / 0', 'part7.py', 'exec'))",
    ),
    hostile(
        "an error of the checks with a forged place",
        "PD303",
        "PD503",
        body=f"said = {LOADED}['generated_protocols.diagnostics'].Diagnostic(-5, 10**9, 'PD410', '', '', '/etc/passwd')\nraise {LOADED}['generated_protocols.contract_checks'].BrokenContractError(said)",
    ),
    hostile("pretend to be out of memory", "PD303", "PD502", body=f"raise {BUILTINS}['MemoryError']"),
    hostile(
        "a name that says it is an identifier",
        "PD307",
        "PD503",
        body=f"T, S = {BUILTINS}['type'], {BUILTINS}['str']\nS = T('S', (S,), {{'isidentifier': lambda s: True, 'isascii': lambda s: True, '__len__': lambda s: 3}})\nreturn {{S('../x'): x}}",
    ),
    hostile(
        "a finite that is always true",
        "PD303",
        *NEVER_THE_SAME,
        "PD413",
        body="np.isfinite = lambda a: np.ones(np.shape(a), dtype=bool)\nx = x * np.nan",
    ),
    hostile(
        "numbers that are never unequal", "PD303", "PD417", body="np.array_equal = lambda *a: True\nx = x - x.mean()"
    ),
    hostile(
        "a random generator that is known",
        "PD303",
        "PD415",
        body="np.random.seed(0)\nnp.random.default_rng = lambda n: np.random\nx = np.roll(x, 1)",
    ),
    hostile(
        "an answer longer than its memory",
        "PD303",
        "PD503",
        body=f"{CHILD}f.f_locals['answer'][:8] = b'\\xff' * 8\n{OS}._exit(0)",
    ),
    hostile("an answer that is not ASCII", "PD303", "PD503", body=answer(b'{"components": "\xff"}')),
    hostile("an answer with no number", "PD303", "PD503", body=components(b'[0, "x", NaN]')),
    hostile(
        "an answer that names a file",
        "PD303",
        "PD503",
        body=answer(
            b'{"diagnostics": [{"line": 1, "column": 1, "code": "PD410", "message": "", "hint": "", "file": "/etc/passwd"}]}'
        ),
    ),
    hostile("an answer with nothing found", "PD303", "PD503", body=answer(b'{"diagnostics": []}')),
    hostile("an answer without components", "PD303", "PD503", body=components(b"")),
    hostile(
        "an answer with a component twice",
        "PD303",
        "PD503",
        body=components(b'[0, "x", 1], [0, "x", 1]', b'[0, "x", 1]'),
    ),
    hostile(
        "an answer for a part that is not there", "PD303", "PD503", body=components(b'[7, "x", 1]', b'[7, "x", 1]')
    ),
    hostile(
        "an answer with a truth for a width", "PD303", "PD503", body=components(b'[0, "x", true]', b'[0, "x", true]')
    ),
    hostile(
        "an answer by a sender in other digits",
        "PD303",
        "PD503",
        body=components('[0, "x.from_\u0661", 1]'.encode(), b'[0, "x", 1]'),
    ),
    # the checks of its own process are satisfied; another process finds it
    hostile(
        "checks that are always satisfied",
        "PD303",
        "PD416",
        body=f"checks = {LOADED}['generated_protocols.contract_checks']\nchecks._identical = checks.agree = lambda *a: True\nx = x + x.mean()",
    ),
]
