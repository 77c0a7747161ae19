"""Whose a folder of results is: one panel's, so that no table mixes two, and one run's at a time.

Imported by the Snakefile: nothing heavy.
"""

import fcntl
import os
import socket
from pathlib import Path

from vlmtom.errors import BadData

NAME = "panel.txt"
RUN_LOCK = "run.lock"


def refuse_other_panel(results: str | Path, panel: str) -> None:
    """Raise BadData for a folder that another panel has begun."""
    file = Path(results) / NAME
    try:
        found = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return
    if found != panel:
        raise BadData(
            f"{results} belongs to the panel {found!r}; this configuration is the panel {panel!r}. "
            f"Give it a folder of its own (`results: results-{panel}`). If the panel was only "
            f"renamed, write its new name into {file}."
        )


def claim(results: str | Path, panel: str) -> None:
    """Write down whose the folder is, if nobody has; whole or not at all."""
    file = Path(results) / NAME
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f".{NAME}.{os.getpid()}.tmp")
        try:
            temporary.write_text(f"{panel}\n", encoding="utf-8")
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)


def hold(results: str | Path) -> int | None:
    """Take the folder for this run, until its process ends, however it ends.

    Two runs at once would each build what the other has just built, and remove it as their own
    failure. Raises BadData if another run holds the folder. Returns the descriptor that must stay
    open; None where the file system has no locks.
    """
    file = Path(results) / RUN_LOCK
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(lock, 200, 0).decode("utf-8", "replace").strip() or "another process"
        os.close(lock)
        raise BadData(
            f"{results}: another run is at work in this folder ({holder}). Wait for it or stop it."
        ) from error
    except OSError:
        os.close(lock)
        return None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return lock


def at_work(results: str | Path) -> str | None:
    """Who holds the folder at this moment; None if nobody does, or if there are no locks.

    It only looks: for an instant it holds a shared lock.
    """
    try:
        lock = os.open(Path(results) / RUN_LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(lock, 200, 0).decode("utf-8", "replace").strip() or "another process"
    except OSError:
        return None
    finally:
        os.close(lock)
    return None
