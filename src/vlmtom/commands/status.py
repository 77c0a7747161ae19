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

from vlmtom.commands.games import parts_of, records_of, still_open
from vlmtom.commands.places import Places, with_items
from vlmtom.commands.progress import Counts, Sum, Tally, counts, status_counts, tally
from vlmtom.errors import BadData, BrokenJournal, VlmtomError
from vlmtom.settings import (
    EXEMPLARS,
    MOSAIC,
    REPRESENTATIONS,
    TRACE_TOPICS,
    JudgeSpec,
    Registry,
    Settings,
    ask_spec,
    coder_spec,
    exemplar_spec,
    judge_spec,
    representation_spec,
)
from vlmtom.store.files import read_rows
from vlmtom.store.journal import holder, locked_streams, read_stream, streams
from vlmtom.store.schemas import BLIND, BLIND_TRACES, ITEMS

REFRESH_S = 3.0
WIDTH_WITHOUT_TERMINAL = 200
COLUMNS = (
    "who", "asked about", "done", "by status", "api errors", "retries", "tokens in",
    "tokens out", "USD", "last reply", "left", "being written by",
)  # fmt: skip


@dataclass(frozen=True)
class Line:
    """One job: a tester on an experiment, a judge on an arm under an overlay, or on a topic."""

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
            _print(console, lines, settings, registry)
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
    for experiment in with_items(settings):
        items, problem = _rows(places.items(experiment), ITEMS)
        for tester in settings.testers_of(experiment):
            journal = places.replies(tester) / "journal"
            found, holders, broken = _journal(journal, experiment)
            counted, refused = _counts(items, found, settings, registry, tester, experiment)
            said = broken or refused or problem
            lines.append(Line(tester, experiment, counted, found, holders, said))
    lines += [_playing(settings, registry, who, places) for who in settings.mosaic_testers]
    if settings.triangles is not None:
        lines += _judging(settings, registry, places)
    lines += _coding(settings, registry, places)
    return lines


def _playing(settings: Settings, registry: Registry, tester: str, places: Places) -> Line:
    """A tester in the treasure game, over all its pairs and conditions.

    What is left of a trial is told by its last call: one in which nothing was said takes fewer.
    """
    folder = places.replies(tester) / "journal"
    parts = parts_of(settings, registry, tester)
    every: list[dict[str, Any]] = []
    statuses: Counter[str] = Counter()
    total, failed = 0, 0
    problem = None
    try:
        for part in parts:
            records = records_of(folder, part)
            opened = still_open(part, tally(records).records)
            every += records
            statuses += opened.answered
            failed += opened.failed
            total += opened.answered.total() + opened.calls
        # Jobs of several pairs are at work at once: the last replies are the last of all of them.
        found = tally(sorted(every, key=lambda record: record.get("started_utc") or ""))
    except (VlmtomError, OSError) as error:
        found, problem = Tally(), str(error)
        statuses, failed = Counter(), 0
        total = sum(part.planned for part in parts)
    counted = Counts(total, statuses, failed)
    topics = [part.spec.topic for part in parts]
    return Line(tester, MOSAIC, counted, found, _holders(folder, topics), problem)


def _judging(settings: Settings, registry: Registry, places: Places) -> Iterator[Line]:
    for arm in settings.triangles.arms if settings.triangles is not None else ():
        blind, problem = _rows(places.blind(arm), BLIND)
        for overlay, arms in settings.judged.items():
            for judge in settings.judges if arm in arms else ():
                spec = judge_spec(settings, registry, judge, overlay, arm)
                yield _judge_line(spec, blind, problem, places)
    blind, problem = _rows(places.blind(EXEMPLARS), BLIND)
    for judge in settings.battery:
        yield _judge_line(exemplar_spec(settings, registry, judge), blind, problem, places)
    blind, problem = _rows(places.blind(REPRESENTATIONS), BLIND)
    for judge in settings.representation_judges:
        yield _judge_line(representation_spec(settings, registry, judge), blind, problem, places)


def _coding(settings: Settings, registry: Registry, places: Places) -> Iterator[Line]:
    """A line a coder of reasoning traces and topic."""
    from vlmtom.report_action.traces import read_codebook
    from vlmtom.report_action.traces.coding import code_requests, code_rows

    for topic, name in zip(TRACE_TOPICS, ("traces", "trace_tests"), strict=True):
        blind, problem = _rows(places.blind(name), BLIND_TRACES)
        for coder in settings.trace_coders:
            spec = coder_spec(settings, registry, coder, topic)
            found, holders, broken = _journal(places.codes(coder) / "journal", spec.topic)
            if blind is None:
                counted = counts(None, found.records)
            else:
                plan = code_requests(blind, spec, read_codebook())
                rows = code_rows(blind, plan, found.records, spec)
                counted = status_counts(len(plan), rows)
            yield Line(coder, spec.topic, counted, found, holders, broken or problem)


def _judge_line(
    spec: JudgeSpec, blind: list[dict[str, Any]] | None, problem: str | None, places: Places
) -> Line:
    found, holders, broken = _journal(places.verdicts(spec.judge) / "journal", spec.topic)
    counted = counts(None, found.records) if blind is None else _verdict_counts(blind, spec, found)
    return Line(spec.judge, spec.topic, counted, found, holders, broken or problem)


def _verdict_counts(blind: Sequence[dict[str, Any]], spec: Any, found: Tally) -> Counts:
    """Counts over descriptions; one whose reply held no verdict is done after its last re-ask."""
    from vlmtom.judging.rubric import RUBRIC, read_rubric
    from vlmtom.judging.verdicts import verdict_requests, verdict_rows

    plan = verdict_requests(blind, spec, read_rubric(RUBRIC))
    return status_counts(len(plan), verdict_rows(blind, plan, found.records, spec))


def _counts(
    items: list[dict[str, Any]] | None,
    found: Tally,
    settings: Settings,
    registry: Registry,
    tester: str,
    experiment: str,
) -> tuple[Counts, str | None]:
    """Counts over the questions of all windows; what is wrong with the items, if anything is."""
    from vlmtom.calls import planned, questions_after, reached

    if items is None:
        return counts(None, found.records), None
    total, digests = 0, []
    try:
        for window in range(1, settings.windows_of(experiment) + 1):
            spec = ask_spec(settings, registry, tester, experiment, window)
            for first in planned(items, spec):
                total += 1 + questions_after(first)
                digests += [one.digest for one in reached(first, found.records, spec)]
    except VlmtomError as error:
        return counts(None, found.records), str(error)
    return counts(digests, found.records, total), None


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
    holders = _holders(folder, [topic])
    try:
        try:
            return tally(_records(folder, topic)), holders, None
        except BrokenJournal:
            # A line may have been read while it was written: only what stays broken is.
            return tally(_records(folder, topic)), holders, None
    except (BrokenJournal, OSError) as error:
        return Tally(), holders, str(error)


def _holders(folder: Path, topics: Sequence[str]) -> tuple[str, ...]:
    """Who writes streams of these topics now."""
    try:
        locked = (stream for topic in topics for stream in locked_streams(folder, topic))
        named = (holder(folder, stream) for stream in locked)
        return tuple(name for name in named if name is not None)
    except OSError as error:
        return (f"cannot tell: {error.strerror}",)


def _records(folder: Path, topic: str) -> Iterator[dict[str, Any]]:
    for stream in streams(folder, topic):
        yield from read_stream(folder, stream)


def _print(console: Console, lines: Sequence[Line], settings: Settings, registry: Registry) -> None:
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
    paid = [line for line in lines if _is_paid(line, registry)]
    for said in (_spent(paid, settings), *_pauses(settings, registry)):
        if said:
            console.print(Text(said))
    for problem in dict.fromkeys(line.problem for line in lines if line.problem):
        console.print(Text(problem))


def _spent(lines: Sequence[Line], settings: Settings) -> str:
    """What is spent by the journals, or by the jobs' own sums, which know what was set aside."""
    from vlmtom.calls.budget import spent_in

    total = Sum()
    for line in lines:
        total.unknown += line.tally.cost_usd.unknown
        if line.tally.cost_usd.value is not None:
            total.value = (total.value or 0) + line.tally.cost_usd.value
    put_down = spent_in(Places(Path(settings.results)).spending)
    if put_down > (total.value or 0.0):
        total.value = put_down
    of = "" if settings.budget is None else f" of a budget of {settings.budget:g} USD"
    return f"Spent: {_sum(total, '.4f')} USD{of}." if total.value is not None or of else ""


def _is_paid(line: Line, registry: Registry) -> bool:
    """Whether a server answers it: what this machine answers costs nothing, and reports nothing."""
    return registry.endpoints[registry.models[line.who].endpoint].kind != "embedded"


def _pauses(settings: Settings, registry: Registry) -> Iterator[str]:
    """Endpoints that jobs of this machine must leave alone for now."""
    from vlmtom.calls.leases import paused_s

    models = (registry.models[slug] for slug in (*settings.asked_testers, *settings.asked_judges))
    for endpoint in dict.fromkeys(model.endpoint for model in models):
        wait_s = paused_s(Path(settings.results) / "calls" / endpoint, time.monotonic())
        if wait_s:
            yield f"{endpoint}: paused for {wait_s:.0f} s more."


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
        _left(line),
        "; ".join(line.holders),
    )


def _left(line: Line) -> str:
    """While it is asked, how long the rest takes at the pace of the last replies."""
    if line.counts.total is None or not line.holders:
        return ""
    seconds = line.tally.seconds_left(line.counts.total - line.counts.done)
    return "" if seconds is None else _span(seconds)


def _named(counted: Counter[str]) -> str:
    ordered = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name} {n}" for name, n in ordered)


def _sum(total: Sum, form: str) -> str:
    """A null is a dash; a total of which some replies reported nothing is a lower bound."""
    if total.value is None:
        return "–"
    return f"{'≥ ' if total.unknown else ''}{total.value:{form}}"


def _age(then: datetime | None, now: datetime) -> str:
    return "–" if then is None else f"{_span(max(0, (now - then).total_seconds()))} ago"


def _span(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"
