"""What the process that runs an unreviewed protocol gives up before it runs it: layer by layer, as the kernel has them.

Every layer is applied after all that the run needs is open and imported. A layer that the kernel lacks is named with
the reason; none is silently left out.

Sources: Linux `Documentation/userspace-api/landlock.rst`, `seccomp_filter.rst`; system call numbers from the kernel's
`arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

# before confinement, for nothing can be imported after it
try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

__all__ = ["Layer", "become_subreaper", "close_files", "confine", "usage"]

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 1, 22, 36, 38
_SECCOMP_MODE_FILTER = 2
_SECCOMP_ALLOW, _SECCOMP_ERRNO_EPERM = 0x7FFF0000, 0x00050001
_BPF_LOAD_WORD, _BPF_JUMP_IF_EQUAL, _BPF_RETURN = 0x20, 0x15, 0x06
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_VERSION_FLAG = 1

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# What an interpreter needs that computes on memory it has: all else, files, sockets, programs, processes and signals
# to others included, is refused.
_COMPUTING = {
    #                    x86_64, aarch64
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "exit": (60, 93),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "times": (100, 153),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "rseq": (334, 293),
}


class _Instruction(ctypes.Structure):
    """`struct sock_filter`."""

    _fields_ = (("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`; older kernels read a prefix of it."""

    _fields_ = (("access_fs", ctypes.c_uint64), ("access_net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


@dataclass(frozen=True)
class Layer:
    """One layer of the sandbox: whether it holds, and what it does, or why it is missing."""

    name: str
    active: bool
    detail: str

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}" if self.active else f"{self.name}: MISSING, {self.detail}"


class _UnavailableError(Exception):
    """A layer that this kernel does not have, or refuses."""


def close_files() -> None:
    """Point the standard streams to nowhere and close every other descriptor; maps of memory stay."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    highest = os.sysconf("SC_OPEN_MAX")
    os.closerange(3, min(highest, 65_536) if highest > 0 else 65_536)


def become_subreaper() -> bool:
    """Make this process the parent of what its children leave behind, so that it can end that, too."""
    try:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    except _UnavailableError:
        return False
    return True


def usage() -> tuple[float, int]:
    """Return the processor seconds that this process used, and the most bytes of memory that it held; 0 unknown."""
    if resource is None:
        return time.process_time(), 0
    used = resource.getrusage(resource.RUSAGE_SELF)
    # macOS counts bytes, everybody else KiB
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def confine(seconds: float, memory: int, parent: int) -> tuple[Layer, ...]:
    """Give up all that computing does not need, for good, and return the layers.

    `seconds` of processor time, `memory` bytes beyond what is mapped now. `parent` is the process with which this one
    ends; raises `ProcessLookupError` when it is gone already.
    """
    address_space = _mapped() + memory
    ends = _layer("ends with its parent", lambda: _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL))
    if os.getppid() != parent:
        raise ProcessLookupError("the sandbox worker is gone")
    return (
        ends,
        _layer("no new privileges", lambda: _prctl(_PR_SET_NO_NEW_PRIVS, 1)),
        _layer("Landlock", _landlock),
        _layer("resource limits", lambda: _limit(seconds, address_space)),
        _layer("seccomp", _seccomp),
    )


def _layer(name: str, apply: Callable[[], str | None]) -> Layer:
    try:
        return Layer(name, True, apply() or "on")
    except _UnavailableError as error:
        return Layer(name, False, str(error))


def _limit(seconds: float, address_space: int) -> str:
    if resource is None:
        raise _UnavailableError("this system has no resource limits")
    whole = math.ceil(seconds) + 1
    wanted = {
        "processor time": (resource.RLIMIT_CPU, whole),
        "file size": (resource.RLIMIT_FSIZE, 0),
        "core dumps": (resource.RLIMIT_CORE, 0),
        "open files": (resource.RLIMIT_NOFILE, 0),
        "processes": (getattr(resource, "RLIMIT_NPROC", -1), 0),
        "memory": (getattr(resource, "RLIMIT_AS", -1), address_space),
    }
    missing = []
    for name, (limit, value) in wanted.items():
        try:
            resource.setrlimit(limit, (value, value + (name == "processor time")))  # first a signal that says so
        except (ValueError, OSError):
            missing.append(name)
    if "memory" in missing or "processor time" in missing:
        raise _UnavailableError(f"cannot limit {', '.join(missing)}")
    without = f"; cannot limit {', '.join(missing)}" if missing else ""
    return f"processor time, memory, no new files, no core dumps{without}"


def _mapped() -> int:
    """Bytes of address space that this process has now."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 4 * 2**30  # without /proc: what NumPy and a data set take, generously


def _landlock() -> str:
    libc = _libc()
    version = libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION_FLAG)
    if version < 1:
        raise _UnavailableError("the kernel has none, or it is switched off (Linux 5.13 or newer is needed)")
    # Version 1 knows 13 kinds of access to files, 2 linking across folders, 3 truncating, 5 ioctl on devices; version
    # 4 knows two to the network; version 6 keeps signals and abstract sockets inside.
    file_accesses = 13 + (version >= 2) + (version >= 3) + (version >= 5)
    rules = _Ruleset((1 << file_accesses) - 1, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(_LANDLOCK_CREATE_RULESET, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        raise _UnavailableError(f"no rule set: {os.strerror(ctypes.get_errno())}")
    if libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0:
        raise _UnavailableError(f"not applied: {os.strerror(ctypes.get_errno())}")
    os.close(ruleset)
    what = "no files" + (", no TCP" if version >= 4 else "") + (", no signals to others" if version >= 6 else "")
    return f"version {version}: {what}"


def _seccomp() -> str:
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _AUDIT_ARCH:
        raise _UnavailableError(f"no filter for {sys.platform} on {machine}")
    numbers = [pair[list(_AUDIT_ARCH).index(machine)] for pair in _COMPUTING.values()]
    program = [
        (_BPF_LOAD_WORD, 0, 0, 4),  # the architecture of the call
        (_BPF_JUMP_IF_EQUAL, 1, 0, _AUDIT_ARCH[machine]),
        (_BPF_RETURN, 0, 0, _SECCOMP_ERRNO_EPERM),
        (_BPF_LOAD_WORD, 0, 0, 0),  # its number
        *((_BPF_JUMP_IF_EQUAL, len(numbers) - index, 0, number) for index, number in enumerate(numbers)),
        (_BPF_RETURN, 0, 0, _SECCOMP_ERRNO_EPERM),
        (_BPF_RETURN, 0, 0, _SECCOMP_ALLOW),
    ]
    instructions = (_Instruction * len(program))(*(_Instruction(*line) for line in program))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(_Program(len(program), instructions)))
    return f"{len(numbers)} system calls left: memory, clocks, exit"


def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise _UnavailableError("Linux only")
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, *values: object) -> None:
    words = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in values]
    words += [ctypes.c_ulong(0)] * (4 - len(words))
    if _libc().prctl(ctypes.c_int(option), *words) != 0:
        raise _UnavailableError(os.strerror(ctypes.get_errno()))
