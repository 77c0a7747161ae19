"""`vlmtom status`: how far every job of a configuration is, read from files alone."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vlmtom.commands.places import Places, experiments
from vlmtom.commands.progress import Counts, Sum, Tally, counts, status_counts, tally
from vlmtom.errors import BadData, BrokenJournal, VlmtomError
from vlmtom.settings import Registry, Settings, ask_spec, judge_spec
from vlmtom.store.files import read_rows
from vlmtom.store.journal import holder, locked_streams, read_stream, streams
from vlmtom.store.schemas import BLIND, ITEMS

REFRESH_S = 3.0
WIDTH_WITHOUT_TERMINAL = 200
COLUMNS = (
    "who", "asked about", "done", "by status", "api errors", "retries", "tokens in",
    "tokens out", "USD", "last reply", "being written by",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One job: a tester on an experiment, or a judge on an arm under an overlay."""

    who: str
    topic: str
    counts: Counts
    tally: Tally
    holders: tuple[str, ...]  # one a stream that is being written now
    problem: str | None = None


def show(settings: Settings, registry: Registry, watch: bool = False) -> None:
    """Print the table; with `watch` again every few seconds, until Ctrl-C."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH_WITHOUT_TERMINAL)
    try:
        while True:
            lines = look(settings, registry)
            if watch:
                console.clear()
            _print(console, lines)
            if not watch:
                return
            time.sleep(REFRESH_S)
    except KeyboardInterrupt:
        if not watch:
            raise


def look(settings: Settings, registry: Registry) -> list[Line]:
    """Every job of a configuration; a journal that cannot be read is a problem of its line."""
    places = Places(Path(settings.results))
    lines = []
    for experiment in experiments(settings):
        items, problem = _rows(places.items(experiment), ITEMS)
        for tester in settings.testers:
            journal = places.replies(tester) / "journal"
            found, holders, broken = _journal(journal, experiment)
            digests, refused = _digests(items, settings, registry, tester, experiment)
            lines.append(
                Line(
                    *(tester, experiment, counts(digests, found.records), found, holders),
                    broken or refused or problem,
                )
            )
    if settings.triangles is not None:
        lines += _judging(settings, registry, places)
    return lines


def _judging(settings: Settings, registry: Registry, places: Places) -> Iterator[Line]:
    for arm in settings.triangles.arms if settings.triangles is not None else ():
        blind, problem = _rows(places.blind(arm), BLIND)
        for overlay in settings.judging.overlays:
            for judge in settings.judges:
                topic = f"{overlay}.{arm}"
                found, holders, broken = _journal(places.verdicts(judge) / "journal", topic)
                counted = counts(None, found.records)
                if blind is not None:
                    spec = judge_spec(settings, registry, judge, overlay, arm)
                    counted = _verdict_counts(blind, spec, found)
                yield Line(judge, topic, counted, found, holders, broken or problem)


def _verdict_counts(blind: Sequence[dict[str, Any]], spec: Any, found: Tally) -> Counts:
    """Counts over descriptions; one whose reply held no verdict is done after its last re-ask."""
    from vlmtom.judging.rubric import RUBRIC, read_rubric
    from vlmtom.judging.verdicts import verdict_requests, verdict_rows

    plan = verdict_requests(blind, spec, read_rubric(RUBRIC))
    return status_counts(len(blind), verdict_rows(blind, plan, found.records, spec))


def _digests(
    items: list[dict[str, Any]] | None,
    settings: Settings,
    registry: Registry,
    tester: str,
    experiment: str,
) -> tuple[set[str] | None, str | None]:
    from vlmtom.calls import planned

    if items is None:
        return None, None
    windows = range(1, settings.windows + 1)
    specs = (ask_spec(settings, registry, tester, experiment, window) for window in windows)
    try:
        return {request.digest for spec in specs for request in planned(items, spec)}, None
    except VlmtomError as error:
        return None, str(error)


def _rows(path: Path, schema: Any) -> tuple[list[dict[str, Any]] | None, str | None]:
    """The rows of a table; None before it was made, and with a reason if it cannot be read."""
    if not path.exists():
        return None, None
    try:
        return read_rows(path, schema), None
    except BadData as error:
        return None, str(error)


def _journal(folder: Path, topic: str) -> tuple[Tally, tuple[str, ...], str | None]:
    """What a journal holds of a job, who writes it now, and what is wrong with it."""
    try:
        named = (holder(folder, stream) for stream in locked_streams(folder, topic))
        holders = tuple(name for name in named if name is not None)
    except OSError as error:
        holders = (f"cannot tell: {error.strerror}",)
    try:
        try:
            return tally(_records(folder, topic)), holders, None
        except BrokenJournal:
            # A line may have been read while it was written: only what stays broken is.
            return tally(_records(folder, topic)), holders, None
    except (BrokenJournal, OSError) as error:
        return Tally(), holders, str(error)


def _records(folder: Path, topic: str) -> Iterator[dict[str, Any]]:
    for stream in streams(folder, topic):
        yield from read_stream(folder, stream)


def _print(console: Console, lines: Sequence[Line]) -> None:
    now = datetime.now(UTC)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in COLUMNS:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell) for cell in _cells(line, now)))
    console.print(table)
    known = [line for line in lines if line.counts.total is not None]
    done, total = (sum(counts) for counts in _totals(known))
    console.print(f"{done} of {total} done; {len(lines) - len(known)} jobs not planned yet.")
    for problem in dict.fromkeys(line.problem for line in lines if line.problem):
        console.print(Text(problem))


def _totals(lines: Sequence[Line]) -> tuple[list[int], list[int]]:
    return [line.counts.done for line in lines], [line.counts.total or 0 for line in lines]


def _cells(line: Line, now: datetime) -> tuple[str, ...]:
    counted, found = line.counts, line.tally
    total = "?" if counted.total is None else str(counted.total)
    return (
        line.who,
        line.topic,
        f"{counted.done}/{total}",
        _named(counted.statuses),
        str(counted.api_errors or ""),
        _named(found.retries),
        _sum(found.prompt_tokens, ".0f"),
        _sum(found.completion_tokens, ".0f"),
        _sum(found.cost_usd, ".4f"),
        _age(found.last_reply, now),
        "; ".join(line.holders),
    )


def _named(counted: Counter[str]) -> str:
    ordered = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name} {n}" for name, n in ordered)


def _sum(total: Sum, form: str) -> str:
    """A null is a dash; a total of which some replies reported nothing is a lower bound."""
    if total.value is None:
        return "–"
    return f"{'≥ ' if total.unknown else ''}{total.value:{form}}"


def _age(then: datetime | None, now: datetime) -> str:
    if then is None:
        return "–"
    seconds = max(0, int((now - then).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"
