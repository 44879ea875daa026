"""More of the kind of `hostile_tampering.py`, tried by `pytest -m slow`."""

from hostile import BUILTINS, CTYPES, OS, SYS, hostile
from hostile_tampering import LOADED, PAGE, answer, components, syscall

MODULES = [
    hostile(
        "punch a hole into the recorded episodes",
        "PD308",
        "PD410",
        body=f"{PAGE}if len(x) > 36: assert {CTYPES}.CDLL(None).madvise(at, 4096, 9) == 0, 'refused'",
    ),
    hostile("read the parent's memory", "PD308", "PD410", body=syscall(310, f"{OS}.getppid()", 0, 0, 0, 0, 0)),
    hostile("a handle on the parent", "PD308", "PD410", body=syscall(434, f"{OS}.getppid()", 0)),
    hostile("a namespace of its own", "PD308", "PD410", body=syscall(272, 0x10000000)),
    hostile("a program for the kernel", "PD308", "PD410", body=syscall(321, 5, 0, 0)),
    hostile("a program without a file", "PD308", "PD410", body=f"{OS}.memfd_create('gotcha')"),
    hostile("raise its own limits", "PD308", "PD410", body=f"{LOADED}['resource'].setrlimit(9, (-1, -1))"),
    hostile("ask for more processors", "PD308", "PD410", body=f"{OS}.sched_setaffinity(0, [0])"),
    hostile("go before all others", "PD308", "PD410", body=f"{OS}.nice(-20)"),
    hostile("a timer that interrupts the checks", "PD308", "PD410", body=f"{LOADED}['signal'].setitimer(0, 0.001)"),
    hostile("stop itself", "PD308", "PD410", body=f"{LOADED}['signal'].raise_signal(19)"),
    hostile("a profiler of every call", "PD308", "PD410", body=f"{SYS}.setprofile({OS}.listdir)\nlen(x)"),
    hostile(
        "an error of the contract with a forged code",
        "PD303",
        "PD503",
        body=f"raise {LOADED}['generated_protocols.contract'].ContractError('../..', 'x' * 10**6)",
    ),
    hostile("pretend to be interrupted", "PD303", "PD410", body=f"raise {BUILTINS}['KeyboardInterrupt']"),
    hostile("an answer with a huge number", "PD303", "PD503", body=components(b'[0, "x", ' + b"9" * 5000 + b"]")),
    hostile(
        "an answer of other shapes",
        "PD303",
        "PD503",
        body=answer(b'{"components": {"0x1": 1}, "payload_components": "0x1", "used": [0, 0]}'),
    ),
    hostile("an answer that is a list", "PD303", "PD503", body=answer(b'["diagnostics"]')),
]
