"""What all jobs of a machine keep to at one endpoint: a pause, and the next free moments.

Times are monotonic seconds, which all processes of one boot share; a clock that is set does not
move them.
"""

import contextlib
import fcntl
import logging
import os
import re
import socket
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

LONGEST_S = 86_400.0  # a file that asks for a longer wait is damaged

_MAGIC = b"vlmtom1\n"
_BODY = struct.Struct("<8s4d")  # magic, time of writing, and the fields of Lease
_CHECK = struct.Struct("<I")
_SIZE = _BODY.size + _CHECK.size

log = logging.getLogger("vlmtom.calls")


@dataclass(frozen=True, slots=True)
class Lease:
    """Moments before which nothing is sent; each is past where nothing holds requests back."""

    paused_until: float = 0.0
    requests_free_at: float = 0.0  # by requests per minute
    tokens_free_at: float = 0.0  # by tokens per minute


class Ledger(Protocol):
    """Where the lease of an endpoint is kept. Change it only between `locked`'s start and end."""

    def read(self, now: float) -> Lease:
        """The lease as it stands."""

    def write(self, lease: Lease, now: float) -> None:
        """Put another in its place."""

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Nobody else changes the lease meanwhile."""

    def close(self) -> None:
        """Let the file go."""


class OwnLedger:
    """The lease of this process alone."""

    def __init__(self) -> None:
        self._lease = Lease()

    def read(self, now: float) -> Lease:
        """The lease as it stands."""
        return self._lease

    def write(self, lease: Lease, now: float) -> None:
        """Put another in its place."""
        self._lease = lease

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """One thread asks; nobody has to be kept out."""
        return contextlib.nullcontext()

    def close(self) -> None:
        """Nothing to let go."""


class SharedLedger:
    """The lease in a file of a folder that all jobs of the endpoint are given.

    The file is named after the host, because monotonic clocks are a host's own. The kernel frees
    the lock of a killed process. A read takes no lock: a checksum tells a whole record. A
    damaged file, or one of an earlier boot, counts as no lease, with a line in the log.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = _file_in(folder)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._holds = False

    def __enter__(self) -> "SharedLedger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, now: float) -> Lease:
        """The lease as it stands."""
        content = os.pread(self._file, _SIZE + 1, 0)
        lease = _lease_in(content, now)
        if lease is not None:
            return lease
        if not content:
            return Lease()
        # It may have been seen half written; under the lock nobody writes.
        with contextlib.nullcontext() if self._holds else self.locked():
            return self._repaired(now)

    def write(self, lease: Lease, now: float) -> None:
        """Put another in its place, in one write."""
        moments = (lease.paused_until, lease.requests_free_at, lease.tokens_free_at)
        body = _BODY.pack(_MAGIC, now, *moments)
        os.pwrite(self._file, body + _CHECK.pack(zlib.crc32(body)), 0)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else changes the lease meanwhile. Locks of one process do not nest."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._holds = True
        try:
            yield
        finally:
            self._holds = False
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let the file go."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _repaired(self, now: float) -> Lease:
        """The lease after all, or no lease and an empty file."""
        content = os.pread(self._file, _SIZE + 1, 0)
        lease = _lease_in(content, now)
        if lease is not None:
            return lease
        log.warning("%s: damaged, or of an earlier boot; pauses and rates start anew.", self._path)
        os.ftruncate(self._file, 0)
        return Lease()


def paused_s(folder: Path, now: float) -> float:
    """Seconds that this machine's jobs still leave an endpoint alone. folder: its leases'."""
    try:
        content = _file_in(folder).read_bytes()
    except FileNotFoundError:
        return 0.0
    lease = _lease_in(content, now)
    return 0.0 if lease is None else max(0.0, lease.paused_until - now)


def _file_in(folder: Path) -> Path:
    host = re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname()) or "host"
    return folder / f"{host}.lease"


def _lease_in(content: bytes, now: float) -> Lease | None:
    """The lease of a whole record of this boot; None for anything else."""
    if len(content) != _SIZE:
        return None
    body = content[: _BODY.size]
    if _CHECK.unpack_from(content, _BODY.size)[0] != zlib.crc32(body):
        return None
    magic, written, *moments = _BODY.unpack(body)
    # Written in the future: the machine was started again since, and its clock with it.
    if magic != _MAGIC or written > now + 1 or max(moments) > now + LONGEST_S:
        return None
    return Lease(*moments)
