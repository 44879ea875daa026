"""Tampering with the contract, the sandbox's own process and what it answers."""

from hostile import BUILTINS, CTYPES, OS, SYS, hostile

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
        "PD308",
        "PD410",
        body="raise np.exceptions.AxisError('\\x1b[2J' + 'x' * 10_000)",
    ),
]
