"""The journal: every reply on disk the moment it came, in a chain that shows tampering.

A stream (one tester, one experiment, one window) is a row of segment files. Each session opens a
new one, so that a line torn by a kill is never glued to the next. A line holds a record and the
SHA-256 of the line before it plus the record; a segment's first record repeats the last hash of
the segment before.
"""

import fcntl
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from vlmtom.errors import BrokenJournal, StreamBusy
from vlmtom.store.digests import canonical_json, sha256_bytes, sha256_text

START = "0" * 64
LOCK_RETRY_S = 0.1
LOCK_GRACE_S = 2.0  # for a process that was orphaned a moment ago to say so
_FINISHING = ", which finishes its calls in flight"
_PREFIX, _MIDDLE, _END = b'{"hash":"', b'","record":', b"}\n"
_RECORD_AT = len(_PREFIX) + 64 + len(_MIDDLE)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a record stands: a segment file, the line's first byte, its length."""

    path: Path
    offset: int
    length: int


Seen = Callable[[dict[str, object], Spot], None]


class JournalWriter:
    """The only writer of a stream, for as long as it is open.

    Use as a context manager. A segment file is made at the first append, so that a run with
    nothing to ask leaves no trace. wait_s: how long to wait for another process that holds the
    stream and says that it is about to let go (`finishing`): the orphan of a killed run.
    seen: is shown every record of the stream, those that are there and those appended.
    Raises StreamBusy, naming host and process, if another process keeps it; BrokenJournal if
    what is there does not chain.
    """

    def __init__(
        self, folder: str | Path, stream: str, wait_s: float = 0, seen: Seen | None = None
    ) -> None:
        self.folder, self.stream, self.wait_s = Path(folder), stream, wait_s
        self._seen = seen
        self._lock: int | None = None
        self._file: int | None = None
        self._path = self.folder
        self._offset = 0
        self._unsynced = False
        self._last = START

    def __enter__(self) -> "JournalWriter":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = _take_lock(self.folder / f"{self.stream}.lock", self.stream, self.wait_s)
        try:
            for record, digest, spot in _lines(self.folder, self.stream):
                self._last = digest
                if self._seen is not None and record.get("kind") != "segment":
                    self._seen(record, spot)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, record: Mapping[str, object]) -> None:
        """Write one record, in one write; it is synced to disk by the next `sync`."""
        if self._lock is None:
            raise RuntimeError("append to a journal that is not open")
        if self._file is None:
            self._open_segment()
        spot = self._write(record)
        if self._seen is not None:
            self._seen(dict(record), spot)

    def sync(self) -> None:
        """Have the disk keep what was appended; call it at most a second after an append."""
        if self._unsynced and self._file is not None:
            self._unsynced = False
            os.fsync(self._file)

    def finishing(self) -> None:
        """Tell whoever waits for the stream that this process is about to let it go."""
        if self._lock is not None:
            _sign(self._lock, _FINISHING)

    def close(self) -> None:
        """Sync, and let the stream go."""
        try:
            self.sync()
        finally:
            for descriptor in (self._file, self._lock):
                if descriptor is not None:
                    os.close(descriptor)
            self._file = self._lock = None

    def _open_segment(self) -> None:
        number = max((n for n, _ in segments(self.folder, self.stream)), default=0) + 1
        self._path, self._offset = self.folder / f"{self.stream}.{number:04d}.jsonl", 0
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        header = {
            "kind": "segment",
            "stream": self.stream,
            "segment": number,
            "previous": self._last,
            "host": socket.gethostname(),
            "pid": os.getpid(),
        }
        self._write(header)

    def _write(self, record: Mapping[str, object]) -> Spot:
        text = canonical_json(record)
        digest = sha256_text(self._last + text)
        line = _PREFIX + digest.encode() + _MIDDLE + text.encode() + _END
        written = os.write(self._file, line)  # one write: a kill tears at most this line
        if written != len(line):
            os.close(self._file)  # a torn line must stay the last of its segment
            self._file = None
            raise OSError(
                f"{self.folder}: only {written} of {len(line)} bytes of a journal line could be "
                "written (is the disk full?). Make room and run the same command again."
            )
        self._last, self._unsynced = digest, True
        spot = Spot(self._path, self._offset, len(line))
        self._offset += len(line)
        return spot


def read_stream(folder: str | Path, stream: str) -> Iterator[dict[str, object]]:
    """The records of a stream in the order of writing, without the segments' own.

    A line torn at the end of a segment is passed over: its reply is asked again. Anything else
    that does not chain raises BrokenJournal, naming the file and the line.
    """
    for record, _ in read_spots(folder, stream):
        yield record


def read_spots(folder: str | Path, stream: str) -> Iterator[tuple[dict[str, object], Spot]]:
    """As `read_stream`, each record with where it stands."""
    for record, _, spot in _lines(Path(folder), stream):
        if record.get("kind") != "segment":
            yield record, spot


class SpotReader:
    """Reads single records again, whose place and whole chain were seen before."""

    def __init__(self) -> None:
        self._files: dict[Path, int] = {}

    def record(self, spot: Spot) -> dict[str, object]:
        """The record that stands there."""
        if spot.path not in self._files:
            self._files[spot.path] = os.open(spot.path, os.O_RDONLY)
        line = os.pread(self._files[spot.path], spot.length, spot.offset)
        return _record_in(line if line.endswith(b"\n") else line + b"\n")

    def close(self) -> None:
        """Let the files go."""
        while self._files:
            os.close(self._files.popitem()[1])


def streams(folder: str | Path, experiment: str) -> list[str]:
    """The streams of an experiment (one a window) that a folder holds, sorted."""
    pattern = re.compile(rf"({re.escape(experiment)}\.w\d+)\.\d+\.jsonl")
    names = (pattern.fullmatch(path.name) for path in _files(Path(folder)))
    return sorted({match[1] for match in names if match})


def all_streams(folder: str | Path) -> list[str]:
    """Every stream that a journal folder holds, sorted."""
    names = (re.fullmatch(r"(.+)\.\d+\.jsonl", path.name) for path in _files(Path(folder)))
    return sorted({match[1] for match in names if match})


def streams_with(folder: str | Path, needle: bytes) -> list[str]:
    """The streams of which some line holds these bytes: a glance, before their chains are read."""
    folder = Path(folder)
    return [
        s for s in all_streams(folder) if any(_holds(p, needle) for _, p in segments(folder, s))
    ]


def locked_streams(folder: str | Path, topic: str | None = None) -> list[str]:
    """Streams that have a lock file (of one topic, or all), sorted: held now, or once."""
    about = r".+" if topic is None else re.escape(topic)
    names = (re.fullmatch(rf"({about}\.w\d+)\.lock", path.name) for path in _files(Path(folder)))
    return sorted({match[1] for match in names if match})


def holder(folder: str | Path, stream: str) -> str | None:
    """Who writes a stream at this moment, in the words of its lock file; None if nobody does.

    It only looks: for an instant it holds a shared lock, which a job that starts waits out.
    Raises OSError where the file system has no locks.
    """
    try:
        lock = os.open(Path(folder) / f"{stream}.lock", os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(lock, 200, 0).decode("utf-8", "replace").strip() or "another process"
    finally:
        os.close(lock)
    return None


@contextmanager
def streams_kept(folder: str | Path, names: Iterable[str]) -> Iterator[None]:
    """Hold streams, so that nobody writes them meanwhile. Raises StreamBusy naming who does."""
    with ExitStack() as stack:
        for stream in sorted(set(names)):
            lock = _take_lock(Path(folder) / f"{stream}.lock", stream, 0)
            stack.callback(os.close, lock)
        yield


def segments(folder: Path, stream: str) -> list[tuple[int, Path]]:
    """The segment files of a stream with their numbers, in order."""
    pattern = re.compile(rf"{re.escape(stream)}\.(\d+)\.jsonl")
    found = ((pattern.fullmatch(path.name), path) for path in _files(folder))
    return sorted((int(match[1]), path) for match, path in found if match)


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _holds(path: Path, needle: bytes) -> bool:
    with path.open("rb") as file:
        return any(needle in line for line in file)


def _lines(folder: Path, stream: str) -> Iterator[tuple[dict[str, object], str, Spot]]:
    last = START
    for number, path in segments(folder, stream):
        offset = 0
        with path.open("rb") as file:
            for row, line in enumerate(file, 1):
                whole = line if line.endswith(b"\n") else line + b"\n"
                record = _checked(whole, last)
                if record is None and whole is not line:
                    break  # torn by a kill: legal at the end of a segment, and only there
                if record is None:
                    raise _broken(path, row, "its hash does not follow from the line before")
                if row == 1 and (record.get("kind"), record.get("segment")) != ("segment", number):
                    raise _broken(path, row, f"it is not the first line of segment {number}")
                last = line[len(_PREFIX) : len(_PREFIX) + 64].decode()
                yield record, last, Spot(path, offset, len(line))
                offset += len(line)


def _checked(line: bytes, last: str) -> dict[str, object] | None:
    if not (
        line.startswith(_PREFIX)
        and line[len(_PREFIX) + 64 : _RECORD_AT] == _MIDDLE
        and line.endswith(_END)
    ):
        return None
    text = line[_RECORD_AT : -len(_END)]
    if sha256_bytes(last.encode() + text) != line[len(_PREFIX) : len(_PREFIX) + 64].decode(
        "ascii", "replace"
    ):
        return None
    return _record_in(line)


def _record_in(line: bytes) -> dict[str, object]:
    return json.loads(line[_RECORD_AT : -len(_END)].decode("utf-8", "replace"))


def _broken(path: Path, row: int, what: str) -> BrokenJournal:
    return BrokenJournal(
        f"{path}, line {row}: {what}. The journal was changed after it was written, or segments "
        "are missing. Put the original file back, or set the tester's replies aside "
        f"(move {path.parent.parent} away) to ask again."
    )


def _take_lock(path: Path, stream: str, wait_s: float) -> int:
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    started = time.monotonic()
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError as error:
            holder = os.pread(lock, 200, 0).decode("utf-8", "replace").strip()
            patience = wait_s if holder.endswith(_FINISHING) else min(wait_s, LOCK_GRACE_S)
            if time.monotonic() - started < patience:
                time.sleep(LOCK_RETRY_S)
                continue
            os.close(lock)
            raise StreamBusy(
                f"{path.parent}: the journal {stream} is being written by "
                f"{holder or 'another process'}. Wait for it or stop it; two writers would pay "
                "for every reply twice."
            ) from error
    _sign(lock, "")
    return lock


def _sign(lock: int, words: str) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}{words}\n".encode(), 0)
