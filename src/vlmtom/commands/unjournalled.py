"""Which tables of replies, verdicts and codes have no journal behind them, by file names.

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
# Of traces; what else lies in that room is no coder's
_CODES = re.compile(r"(?P<topic>report_action|tests)\.parquet")
_SEGMENT = re.compile(r"(?P<topic>.+)\.w\d+\.\d+\.jsonl")


def unjournalled(results: Path) -> list[Path]:
    """Tables of replies, verdicts and codes of whose topic there is no journal segment, sorted.

    Replies of one window may be answered by another one's journal: a segment of any will do.
    """
    return [
        path
        for path, topic in [*tables(results), *_coded(results)]
        if topic not in _topics(path.parent / "journal", _SEGMENT) and _has_rows(path)
    ]


def refuse_unjournalled(
    results: str | Path,
    testers: Collection[str],
    judges: Collection[str],
    coders: Collection[str] = (),
) -> None:
    """Raise BadData for tables of these testers, judges, coders that no journal stands behind."""
    slugs = {"replies": testers, "verdicts": judges, "traces": coders}
    found = [
        path
        for path in unjournalled(Path(results))
        if path.parent.name in slugs[path.parent.parent.name]
    ]
    codes = [path for path in found if path.parent.parent.name == "traces"]
    if adoptable := [path for path in found if path not in codes]:
        raise BadData(
            f"{', '.join(map(str, adoptable))}: no journal holds these replies, so that a run "
            "would ask and pay for all of them again. Run `vlmtom adopt` to keep them, or move the "
            "files away."
        )
    if codes:
        raise BadData(
            f"{', '.join(map(str, codes))}: no journal holds these codes, so that a run would ask "
            "and pay for all of them again. Put the folder `journal` that belongs to them beside "
            "them (`vlmtom adopt` makes none of codes), or move the files away."
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


def _coded(results: Path) -> list[tuple[Path, str]]:
    """Every table of codes of reasoning traces with its journal's topic."""
    found = [
        (path, f"traces.{match['topic']}")
        for folder in _files(results / "traces")
        for path in _files(folder)
        if (match := _CODES.fullmatch(path.name))
    ]
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
