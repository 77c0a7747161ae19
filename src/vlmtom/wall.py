"""The firewalls: from `enter` on, this process opens only what it was given.

Landlock, where the kernel has it (Linux 5.13 and later, no privileges), binds every library and
every child process. Elsewhere an audit hook binds what goes through Python; libraries that open
files in C pass it by, so that the store opens Parquet through Python files, and child processes
and foreign functions are refused outright.
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from vlmtom.errors import WallBroken

WallKind = Literal["landlock", "hook"]

PACKAGE = Path(__file__).resolve().parent

# What Python and its libraries read of the system. Of /proc only this process, so that no other
# one's environment, with its keys, is within reach.
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/etc", "/proc/self",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/sys/vm",
    "/sys/devices/system", "/sys/fs/cgroup", "/dev/null", "/dev/zero", "/dev/urandom",
    "/dev/random", "/run/systemd/resolve", "/System", "/Library",
)  # fmt: skip
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_DEVICES = ("/dev/null",)


class Refused(WallBroken, PermissionError):
    """What the hook raises; a PermissionError, so that code takes it as a file it may not read."""


def enter(
    read: Iterable[str | Path], write: Iterable[str | Path], who: str = "this process"
) -> WallKind:
    """Shut this process in: it reads `read`, reads and writes below `write`, and nothing else.

    Folders stand for all that is in them; they must exist. Python's own installation, the
    package and the system's libraries stay readable; sockets are not touched. There is no way
    back. Call it before threads are started: Landlock binds only threads that come later.
    VLMTOM_WALL=hook or landlock chooses one kind; else Landlock is taken where there is one.

    Raises WallBroken if no wall can be put up, or if it would not hold.
    """
    writable = [_resolved(path, who) for path in (*write, *_existing(_DEVICES))]
    readable = [_resolved(path, who) for path in read] + _readable()
    _refuse_hollow(writable, readable, who)
    wanted = os.environ.get("VLMTOM_WALL", "") or "any"
    if wanted not in {"any", "hook", "landlock"}:
        raise WallBroken(
            f"VLMTOM_WALL is {wanted!r}; expected landlock, hook, or nothing for the best there is."
        )
    version = 0 if wanted == "hook" else _landlock_version()
    if wanted == "landlock" and not version:
        raise WallBroken(
            "VLMTOM_WALL asks for Landlock, which this kernel does not offer (Linux 5.13 or later, "
            "with landlock among its security modules). Unset it to use the audit hook."
        )
    if version:
        _enter_landlock(version, readable, writable, who)
    else:
        _enter_hook(readable, writable, who)
    _check_it_holds(who)
    return "landlock" if version else "hook"


def _resolved(path: str | Path, who: str) -> Path:
    real = Path(os.path.realpath(path))
    if not real.exists():
        raise WallBroken(
            f"{who} declares {path}, which does not exist. "
            "Make it first; nothing can be declared to the wall later."
        )
    return real


def _existing(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path and os.path.exists(path)]  # noqa: PTH110 - also ""


def _readable() -> list[Path]:
    """What stays readable for every process: Python, the package, the system, certificates."""
    libraries = [p for p in sys.path if Path(p).name in {"site-packages", "dist-packages"}]
    certificates = [os.environ.get(name, "") for name in _CERTIFICATES]
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, *libraries]
    package = [str(PACKAGE)]
    if PACKAGE.parent.name == "src":  # an editable install is found by listing this folder
        package.append(str(PACKAGE.parent))
    wanted = [*python, *package, *_SYSTEM, *certificates]
    return [Path(os.path.realpath(path)) for path in _existing(wanted)]


def _refuse_hollow(writable: Sequence[Path], readable: Sequence[Path], who: str) -> None:
    """Raise WallBroken if the neighbours of a folder of results are readable anyway."""
    for folder in writable:
        around = [place for place in readable if folder.is_relative_to(place) and place.is_dir()]
        if around and str(folder) not in _DEVICES:
            raise WallBroken(
                f"{folder}, where {who} writes, lies inside {around[0]}, which every process may "
                "read, so that no wall would hide the files beside it. Keep results elsewhere."
            )


def _check_it_holds(who: str) -> None:
    try:
        os.listdir(os.sep)  # noqa: PTH208 - the plain call is what is tried
    except PermissionError:
        return
    raise WallBroken(f"the wall around {who} does not hold: it can still list {os.sep}.")


# --- Landlock -------------------------------------------------------------------------------

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = (
    _READ_FILE | _READ_DIR | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE
    | _REFER | _TRUNCATE | _IOCTL
)  # fmt: skip
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_PR_SET_NO_NEW_PRIVS = 38


def _landlock_version() -> int:
    """The version of the kernel's Landlock interface; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, _libc().syscall(_long(_CREATE), None, _long(0), _long(1)))


def _enter_landlock(
    version: int, readable: Sequence[Path], writable: Sequence[Path], who: str
) -> None:
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208
    if threads > 1:
        raise WallBroken(
            f"{who} runs {threads} threads already; Landlock would bind only this one. "
            "Enter the wall before libraries that start threads are imported."
        )
    libc = _libc()
    handled = _HANDLED[max(known for known in _HANDLED if known <= version)]
    attributes = struct.pack("=Q", handled)
    rules = _checked(
        libc.syscall(_long(_CREATE), attributes, _long(len(attributes)), _long(0)), who
    )
    try:
        for paths, rights in ((readable, _READ), (writable, _WRITE)):
            for path in paths:
                _allow(rules, path, rights & handled, who)
        _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, _long(1), _long(0), _long(0), _long(0)), who)
        _checked(libc.syscall(_long(_RESTRICT), _long(rules), _long(0)), who)
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int, who: str) -> None:
    if not path.is_dir():
        rights &= _OF_FILES
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights, place)
        added = _libc().syscall(_long(_ADD), _long(rules), _long(1), rule, _long(0))
        _checked(added, f"{who} ({path})")
    finally:
        os.close(place)


def _checked(result: int, who: str) -> int:
    if result < 0:
        reason = os.strerror(ctypes.get_errno())
        raise WallBroken(
            f"Landlock could not be put up around {who}: {reason}. "
            "Set VLMTOM_WALL=hook to use the audit hook instead."
        )
    return result


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _long(value: int) -> ctypes.c_long:
    return ctypes.c_long(value)


# --- Audit hook -----------------------------------------------------------------------------

_CHILDREN = frozenset(
    {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"}
    | {"os.startfile", "os.system", "pty.spawn"}
)
_FOREIGN = frozenset({"ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"})
_LISTS = frozenset({"os.listdir", "os.scandir", "os.chdir"})
_CHANGES = {"os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.truncate": 1, "os.chmod": 1}
_CHANGES |= {"os.chown": 1, "os.utime": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def _enter_hook(readable: Sequence[Path], writable: Sequence[Path], who: str) -> None:
    to_write = tuple(str(path) for path in writable)
    to_read = (*to_write, *(str(path) for path in readable))

    def refuse(what: str) -> None:
        raise Refused(errno.EACCES, f"the wall around {who} refuses {what}")

    def check(path: object, places: tuple[str, ...], verb: str) -> None:
        if isinstance(path, int) or path is None:  # a descriptor was opened, and judged, before
            return
        real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]
        if not any(real == place or real.startswith(place + os.sep) for place in places):
            refuse(f"to {verb} {real}, which was not declared to it")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writing = bool(flags & _WRITING) if isinstance(flags, int) else mode != "r"
            check(path, to_write if writing else to_read, "write" if writing else "read")
        elif event in _LISTS:
            check(arguments[0] if arguments[0] is not None else ".", to_read, "list")
        elif event in _CHANGES:
            for path in arguments[: _CHANGES[event]]:
                check(path, to_write, "change")
        elif event in _CHILDREN:
            refuse(f"to start another process ({event})")
        elif event in _FOREIGN:
            refuse(f"foreign functions ({event})")

    sys.addaudithook(hook)
