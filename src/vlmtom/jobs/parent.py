"""Which run a job belongs to, so that it does not go on asking when that run was killed."""

import os
import sys
from pathlib import Path

_RUNS = frozenset({b"snakemake", b"vlmtom", b"vlmtom.cli"})


def watch_run() -> int | None:
    """A descriptor that becomes readable when the Snakemake, or vlmtom, above this one ends.

    None where neither started this process, or where the system has no such descriptors
    (outside Linux): the job then goes on by itself. Call it before the wall, which hides other
    processes.
    """
    if not hasattr(os, "pidfd_open") or not sys.platform.startswith("linux"):
        return None
    pid = os.getppid()
    while pid > 1:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if any(word.rpartition(b"/")[2] in _RUNS for word in words[:4]):
                return os.pidfd_open(pid)
            pid = _parent(pid)
        except (OSError, ValueError, IndexError):
            return None
    return None


def _parent(pid: int) -> int:
    # The command's name stands in brackets and may hold spaces; the parent is the second after it.
    after_name = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    return int(after_name.split()[1])
