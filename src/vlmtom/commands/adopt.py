"""`vlmtom adopt`: a journal for tables of replies and verdicts that came without one.

A colleague's table is all that is left of calls that were paid for. Its rows become one journal
segment, marked as adopted, so that the table can be rebuilt and only what it lacks is asked.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from vlmtom.calls import History, Reply, Request, history_of, next_question, planned
from vlmtom.commands.places import Places
from vlmtom.commands.unjournalled import tables
from vlmtom.errors import BadData
from vlmtom.settings import (
    EXEMPLARS,
    MOSAIC,
    REPEATED,
    REPRESENTATIONS,
    Registry,
    Settings,
    ask_spec,
    exemplar_spec,
    judge_spec,
    representation_spec,
)
from vlmtom.store.digests import sha256_file
from vlmtom.store.files import read_rows
from vlmtom.store.journal import JournalWriter
from vlmtom.store.schemas import BLIND, ITEMS, REPLIES, verdicts_of

Row = Mapping[str, Any]
_SURROGATE = re.compile("[\ud800-\udfff]")
_REQUEST_FIELDS = ("item_id", "arm", "stimulus", "trial", "batch", "turn", "ask")
_REPLY_FIELDS = tuple(field.name for field in fields(Reply))


@dataclass(frozen=True)
class Table:
    """A table that was read and checked, as the journal records that it stands for."""

    path: Path
    topic: str
    stream: str
    records: tuple[Row, ...]  # of its rows, api_errors left out
    failed: int  # rows that are an api_error
    earlier: tuple[Row, ...] = ()  # askings before a re-ask that decided; see `_earlier`
    undecided: int = 0  # rows that a re-ask decided whose earlier askings cannot be named
    read_otherwise: int = 0  # verdicts in whose words this version reads other scores
    asked_now: int | None = None  # of `records`, what the configuration asks; null: not known


@dataclass(frozen=True)
class Adopted:
    """What one call did with one table, in rows.

    earlier: records beside the rows, of askings before a re-ask. differing: what the journal
    answers otherwise.
    """

    table: Table
    new: int
    earlier: int
    differing: int


@dataclass(frozen=True)
class _Plan:
    """What the configuration would ask: digests, and for a judge its requests.

    by_description: by blind id and repetition.
    """

    digests: frozenset[str]
    by_description: Mapping[tuple[str, int], Sequence[Request]] = field(default_factory=dict)


def adopt(settings: Settings, registry: Registry, files: Sequence[str | Path]) -> list[Adopted]:
    """Journal what the tables hold and their journals lack; files: all of the results if empty.

    Every table is read and checked before the first line is written. Raises BadData for one that
    is not whole, not where it belongs, or another's; StreamBusy while a process writes its stream.
    """
    places = Places(Path(settings.results))
    chosen = tables(places.results)
    if files:
        known = {path.resolve(): (path, topic) for path, topic in chosen}
        chosen = [_chosen(Path(file), known, places.results) for file in dict.fromkeys(files)]
    read = [_read(path, topic, settings, registry, places) for path, topic in chosen]
    done = []
    for table in read:
        lacking = _lacking(table)
        if lacking or files:
            done.append(_journalled(table) if lacking else _counted(table, ()))
    return done


def _chosen(file: Path, known: Mapping[Path, tuple[Path, str]], results: Path) -> tuple[Path, str]:
    if not file.is_file():
        raise BadData(f"{file}: no such file. Give the path of a table of replies or verdicts.")
    if file.resolve().parent.parent == (results / MOSAIC).resolve():
        raise BadData(
            f"{file}: a table of the treasure game, which is not adopted: a trial is played again "
            "from its journals, of which each reply leads to the next question. Put the journals "
            f"(mosaic.{file.parent.name}.….jsonl) where they belong, {results}/replies/TESTER/"
            "journal/, or move the table away."
        )
    if file.resolve() not in known:
        raise BadData(
            f"{file}: not where a table of this run lies. Put replies at "
            f"{results}/replies/TESTER/EXPERIMENT.wWINDOW.parquet, verdicts at "
            f"{results}/verdicts/JUDGE/OVERLAY.ARM.parquet, {EXEMPLARS}.parquet or "
            f"{REPRESENTATIONS}.parquet there, and "
            "run `vlmtom adopt` again."
        )
    return known[file.resolve()]


def _read(path: Path, topic: str, settings: Settings, registry: Registry, places: Places) -> Table:
    is_replies = path.parent.parent.name == "replies"
    rows = read_rows(path, REPLIES if is_replies else verdicts_of(topic))
    source = {"adopted": True, "adopted_from": path.name, "adopted_sha256": sha256_file(path)}
    # A question that was never reached has no request; its row follows from the one before it.
    rows = [row for row in rows if row["request_digest"] is not None]
    _refuse_twins(path, rows)
    usable = [row for row in rows if row["status"] != "api_error"]
    if is_replies:
        window = int(path.stem.rpartition(".w")[2])
        owner = {"tester": path.parent.name, "experiment": topic, "window": window}
        _check_owner(path, rows, owner)
        plan = _asked_of_tester(settings, registry, places, path.parent.name, topic, usable)
        records = tuple(_reply_record(row, owner, source) for row in usable)
        stream, earlier, undecided, otherwise = f"{topic}.w{window}", (), 0, 0
    else:
        overlay, _, arm = (f"blinded.{topic}" if topic in REPEATED else topic).partition(".")
        owner = {"judge": path.parent.name, "overlay": overlay}
        _check_owner(path, rows, owner | {"arm": arm})
        plan = _asked_of_judge(settings, registry, places, path.parent.name, overlay, arm)
        requests = {} if plan is None else plan.by_description
        owner |= {"window": 1}
        records = tuple(
            _verdict_record(row, owner, source, requests.get(_judged(row))) for row in usable
        )
        stream = f"{topic}.w1"
        earlier, undecided = _earlier(usable, owner, source, requests)
        otherwise = sum(map(_is_read_otherwise, usable))
    for record in records:
        _refuse_nan(path, record)
    asked_now = None
    if plan is not None:
        asked_now = sum(record["digest"] in plan.digests for record in records)
    failed = len(rows) - len(usable)
    return Table(*(path, topic, stream, records, failed, earlier, undecided, otherwise, asked_now))


def _refuse_twins(path: Path, rows: Iterable[Row]) -> None:
    seen: set[str] = set()
    for row in rows:
        digest = row["request_digest"]
        if digest in seen:
            raise BadData(
                f"{path}: the request {digest[:16]}… is answered by two rows, so that one reply "
                "would be counted twice. Ask for the file as it was written; nothing was adopted."
            )
        seen.add(digest)


def _check_owner(path: Path, rows: Iterable[Row], owner: Row) -> None:
    for number, row in enumerate(rows, 1):
        for name, expected in owner.items():
            if row[name] != expected:
                raise BadData(
                    f"{path}, row {number}: {name} is {row[name]!r}, but the path says "
                    f"{expected!r}. Put the file where it belongs, or run `vlmtom rename` where a "
                    "name was changed; nothing was adopted."
                )


def _refuse_nan(path: Path, record: Row) -> None:
    """A journal is JSON, which knows no NaN and no infinity; nor does any engine write one."""
    for name, value in record.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise BadData(
                f"{path}, request {record['digest'][:16]}…: {name} is {value}; expected a number, "
                "or null where it is not known. The file was changed after it was written."
            )


def _reply_record(row: Row, owner: Row, source: Row) -> Row:
    """What the engine would have journalled, but for failed attempts, which no table keeps."""
    return {
        "kind": "reply",
        "digest": row["request_digest"],
        **owner,
        **{name: row[name] for name in _REQUEST_FIELDS},
        "requested_model": row["requested_model"],
        **{name: _plain(row[name]) for name in _REPLY_FIELDS},
        "attempts_failed": [],
        **source,
    }


def _verdict_record(row: Row, owner: Row, source: Row, requests: Sequence[Request] | None) -> Row:
    """As a reply's; what a table of verdicts does not hold is null."""
    return {
        "kind": "reply",
        "digest": row["request_digest"],
        **owner,
        "item_id": row["blind_id"],
        "arm": row["arm"],
        "stimulus": requests[0].stimulus if requests else None,
        "trial": _judged(row)[1],
        "batch": row["overlay"],
        "turn": 1,
        "ask": row["ask"],
        "requested_model": row["requested_model"],
        **{name: _plain(row.get(name)) for name in _REPLY_FIELDS},
        "attempts_failed": [],
        **source,
    }


def _earlier(
    rows: Iterable[Row],
    owner: Row,
    source: Row,
    requests: Mapping[tuple[str, int], Sequence[Request]],
) -> tuple[tuple[Row, ...], int]:
    """Records of the askings before a re-ask that decided, and of how many rows there are none.

    That a re-ask was scored says that each asking before it was answered without a verdict. Their
    words are not in the table, so that they are null; without a record of them the job would ask
    again. Their digests follow from the blind file, where it is the one that was judged.
    """
    records: list[Row] = []
    undecided = 0
    for row in (row for row in rows if row["ask"]):
        asks = requests.get(_judged(row), ())
        if len(asks) <= row["ask"] or asks[row["ask"]].digest != row["request_digest"]:
            undecided += 1
            continue
        unknown = dict.fromkeys([*_REPLY_FIELDS, "request_digest"]) | {"status": "ok"}
        for request in asks[: row["ask"]]:
            before = {**row, **unknown, "request_digest": request.digest, "ask": request.ask}
            record = _verdict_record(before, owner, source, asks)
            records.append(record | {"adopted_without_text": True})
    return tuple(records), undecided


def _is_read_otherwise(row: Row) -> bool:
    """Whether the scores of a verdict are not what this version reads in its words."""
    from vlmtom.parsing import judge_verdict

    parsed = judge_verdict(row["text"]) if row["status"] == "ok" else None
    scores = parsed.value if parsed is not None and parsed.status == "parsed" else {}
    return (scores.get("intent"), scores.get("approp")) != (row["intent"], row["approp"])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _asked_of_tester(
    settings: Settings,
    registry: Registry,
    places: Places,
    tester: str,
    experiment: str,
    rows: Iterable[Row],
) -> _Plan | None:
    """What a tester is asked now; None where the configuration or its items do not say.

    An item's further questions carry on the answers that the rows hold.
    """
    path = places.items(experiment)
    known = experiment in settings.experiments and tester in settings.testers_of(experiment)
    if not known or not path.exists():
        return None
    items = read_rows(path, ITEMS)
    answers = {row["request_digest"]: row["text"] for row in rows if row["status"] == "ok"}
    digests = set()
    for window in range(1, settings.windows_of(experiment) + 1):
        spec = ask_spec(settings, registry, tester, experiment, window)
        for first in planned(items, spec):
            request: Request | None = first
            while request is not None:
                digests.add(request.digest)
                answer = answers.get(request.digest)
                request = None if answer is None else next_question(request, answer, spec)
    return _Plan(frozenset(digests))


def _asked_of_judge(
    settings: Settings, registry: Registry, places: Places, judge: str, overlay: str, arm: str
) -> _Plan | None:
    """What a judge is asked now; None where the configuration or the blind file do not say."""
    path = places.blind(arm)
    of_topic = {EXEMPLARS: settings.battery, REPRESENTATIONS: settings.representation_judges}
    judges = of_topic.get(arm, settings.judges)
    if judge not in judges or not path.exists():
        return None
    from vlmtom.judging.rubric import RUBRIC, read_rubric
    from vlmtom.judging.verdicts import verdict_requests

    if arm == EXEMPLARS:
        spec = exemplar_spec(settings, registry, judge)
    elif arm == REPRESENTATIONS:
        spec = representation_spec(settings, registry, judge)
    else:
        spec = judge_spec(settings, registry, judge, overlay, arm)
    plan = verdict_requests(read_rows(path, BLIND), spec, read_rubric(RUBRIC))
    return _Plan(
        frozenset(request.digest for asks in plan for request in asks),
        {(asks[0].item_id, asks[0].trial): asks for asks in plan},
    )


def _judged(row: Row) -> tuple[str, int]:
    """Which description a verdict is on, and in which repetition; descriptions have one."""
    return row["blind_id"], row.get("trial", 1)


@contextmanager
def _journal_of(table: Table) -> Iterator[History]:
    history = history_of(table.path.parent / "journal", table.topic)
    try:
        yield history
    finally:
        history.close()


def _lacking(table: Table) -> list[Row]:
    """The records that the journal has no reply for."""
    with _journal_of(table) as history:
        wanted = (*table.earlier, *table.records)
        return [record for record in wanted if not history.is_settled(record["digest"])]


def _journalled(table: Table) -> Adopted:
    with JournalWriter(table.path.parent / "journal", table.stream) as journal:
        lacking = _lacking(table)  # again: nobody writes the stream from here on
        for record in lacking:
            journal.append(record)
    return _counted(table, lacking)


def _counted(table: Table, added: Sequence[Row]) -> Adopted:
    new = {record["digest"] for record in added}
    rows = sum(record["digest"] in new for record in table.records)
    with _journal_of(table) as history:
        standing = ((record, history.get(record["digest"])) for record in table.records)
        differing = sum(
            stands is not None and _told(stands) != _told(record) for record, stands in standing
        )
    return Adopted(table, rows, len(added) - rows, differing)


def _told(record: Row) -> tuple[object, ...]:
    """What a reply says, as a table can hold it: half a surrogate pair is U+FFFD there."""
    text = record["text"]
    return record["status"], record["served_model"], text and _SURROGATE.sub("\ufffd", text)


def sentence(done: Adopted) -> str:
    """What a person is told of one table."""
    table = done.table
    known = len(table.records) - done.new
    parts = [f"{done.new} rows adopted, {known} already in the journal."]
    if done.earlier:
        parts.append(f"{done.earlier} askings before a re-ask noted, whose words are not known.")
    if table.failed:
        parts.append(f"{table.failed} rows without a reply (api_error) are asked again.")
    if done.differing:
        parts.append(
            f"{done.differing} of its rows differ from what the journal holds, which stands."
        )
    if table.asked_now is not None:
        parts.append(
            f"{table.asked_now} of {len(table.records)} answer what this configuration asks; "
            "the others are kept, and not used."
        )
    if table.read_otherwise:
        parts.append(
            f"In the words of {table.read_otherwise} verdicts this version of vlmtom reads other "
            "scores; a table that is rebuilt holds these."
        )
    if table.undecided:
        parts.append(
            f"{table.undecided} verdicts came from a re-ask whose earlier askings are not in the "
            "table; these descriptions are judged again, unless the blind file that was judged is "
            "there and `vlmtom adopt` is run once more."
        )
    return f"{table.path}: {' '.join(parts)}"


def report(done: Sequence[Adopted], say: Callable[[str], object]) -> None:
    """Tell of every table, or that there was nothing to adopt."""
    for one in done:
        say(sentence(one))
    if not any(one.new or one.earlier for one in done):
        say("Nothing to adopt: the journals hold every reply of these tables.")
