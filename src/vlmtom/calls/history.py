"""What the journal already answers: for each request digest, the record that stands for it."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from vlmtom.store.journal import JournalWriter, Seen, Spot, SpotReader, read_spots, streams


class Records(Protocol):
    """Where the record that stands for a request is found: a History, or a dict."""

    def get(self, digest: str, /) -> Mapping[str, Any] | None:
        """The record; None where there is none."""


class History:
    """The replies of one topic, in every window, by request digest.

    The last reply stands, but an api_error never hides one that came. What is held of a reply is
    its status and where it is; a record is read again when it is asked for, so that a hundred
    thousand of them fit. spent_usd: known costs of one stream, by its name.
    """

    def __init__(self) -> None:
        self._stands: dict[str, tuple[int, str, Spot]] = {}  # window, status, place
        self._reader = SpotReader()
        self.spent_usd: dict[str, float] = {}

    def status(self, digest: str) -> str | None:
        """The status of the reply that stands; None where there is no record."""
        found = self._stands.get(digest)
        return None if found is None else found[1]

    def is_settled(self, digest: str) -> bool:
        """Whether the request need not be asked again: it has a reply, whatever its status."""
        return self.status(digest) not in {None, "api_error"}

    def settled(self) -> set[str]:
        """Every digest that is settled."""
        return {digest for digest, (_, status, _) in self._stands.items() if status != "api_error"}

    def get(self, digest: str) -> dict[str, Any] | None:
        """The record that stands; None where there is none."""
        found = self._stands.get(digest)
        return None if found is None else self._reader.record(found[2])

    def seen(self, stream: str) -> Seen:
        """What takes in the records of a stream, one by one."""
        window = window_of(stream)

        def add(record: dict[str, Any], spot: Spot) -> None:
            if record.get("kind") != "reply":
                return
            digest, status = record["digest"], sys.intern(record["status"])
            cost = record.get("cost_usd")
            if cost is not None and not record.get("adopted"):  # somebody else's money
                self.spent_usd[stream] = self.spent_usd.get(stream, 0.0) + cost
            before = self._stands.get(digest)
            if before is not None:
                failed, failed_before = status == "api_error", before[1] == "api_error"
                # By window, not by the order of reading: any job builds the same table.
                if failed > failed_before or (failed == failed_before and window < before[0]):
                    return
            self._stands[digest] = (window, status, spot)

        return add

    def read(self, folder: str | Path, stream: str) -> None:
        """Take in a stream that nobody writes, or what is written of it so far."""
        add = self.seen(stream)
        for record, spot in read_spots(folder, stream):
            add(record, spot)

    def close(self) -> None:
        """Let the journal's files go."""
        self._reader.close()


def history_of(folder: str | Path, topic: str) -> History:
    """The history of a topic, as its journal stands."""
    history = History()
    for stream in streams(folder, topic):
        history.read(folder, stream)
    return history


@contextmanager
def journal_with_history(
    folder: str | Path, stream: str, wait_s: float = 0
) -> Iterator[tuple[JournalWriter, History]]:
    """Write a stream, and know all windows of its topic: what is appended, too.

    Every record is read once. Raises as JournalWriter does.
    """
    topic = stream.rpartition(".")[0]
    history = History()
    try:
        with JournalWriter(folder, stream, wait_s, history.seen(stream)) as journal:
            for other in streams(folder, topic):
                if other != stream:
                    history.read(folder, other)
            yield journal, history
    finally:
        history.close()


def settled(journal: str | Path, topic: str) -> set[str]:
    """Digests that need not be asked again: every reply in any window but an api_error."""
    return history_of(journal, topic).settled()


def window_of(stream: str) -> int:
    """The window in a stream's name."""
    return int(stream.rpartition(".w")[2])
