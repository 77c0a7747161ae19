"""Which tables of replies and verdicts have no journal behind them, by file names.

The Snakefile asks this before it plans anything, so that nothing heavy is imported here. A table is
opened only where its journal is not there: one without a row never had any.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from vlmtom.errors import BadData

_REPLIES = re.compile(r"(?P<topic>[^.].*)\.w\d+\.parquet")
# OVERLAY.ARM, or these
_VERDICTS = re.compile(r"(?P<topic>[^.]+\.[^.]+|exemplars|representations)\.parquet")
_SEGMENT = re.compile(r"(?P<topic>.+)\.w\d+\.\d+\.jsonl")


def unjournalled(results: Path) -> list[Path]:
    """Tables of replies and verdicts of whose topic there is no journal segment, sorted.

    Replies of one window may be answered by another one's journal: a segment of any will do.
    """
    return [
        path
        for path, topic in tables(results)
        if topic not in _topics(path.parent / "journal", _SEGMENT) and _has_rows(path)
    ]


def refuse_unjournalled(
    results: str | Path, testers: Collection[str], judges: Collection[str]
) -> None:
    """Raise BadData for tables of these testers and judges that no journal stands behind."""
    slugs = {"replies": testers, "verdicts": judges}
    found = [
        path
        for path in unjournalled(Path(results))
        if path.parent.name in slugs[path.parent.parent.name]
    ]
    if found:
        raise BadData(
            f"{', '.join(map(str, found))}: no journal holds these replies, so that a run would "
            "ask and pay for all of them again. Run `vlmtom adopt` to keep them, or move the files "
            "away."
        )


def tables(results: Path) -> list[tuple[Path, str]]:
    """Every table of replies and verdicts with its topic (experiment; overlay and arm)."""
    found = []
    for room, pattern in (("replies", _REPLIES), ("verdicts", _VERDICTS)):
        for folder in _files(results / room):
            for path in _files(folder):
                if match := pattern.fullmatch(path.name):
                    found.append((path, match["topic"]))
    return sorted(found)


def _has_rows(path: Path) -> bool:
    """Whether a table has rows; one that cannot be read may have."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.read_metadata(path).num_rows > 0
    except (OSError, pa.ArrowException):
        return True


def _topics(folder: Path, pattern: re.Pattern[str]) -> set[str]:
    names = (pattern.fullmatch(path.name) for path in _files(folder))
    return {match["topic"] for match in names if match}


def _files(folder: Path) -> Iterator[Path]:
    """What is in a folder, without hidden names; nothing where there is no such folder."""
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if not path.name.startswith("."))
