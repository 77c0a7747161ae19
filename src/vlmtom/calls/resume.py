"""What is left to ask, and the table of replies that follows from the journal."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from vlmtom.calls.history import History, Records
from vlmtom.calls.messages import writable
from vlmtom.calls.requests import next_question, questions_after
from vlmtom.calls.types import Reply, Request
from vlmtom.errors import MissingReplies
from vlmtom.settings import AskSpec, CallSpec
from vlmtom.store import canonical_json

_REPLY_FIELDS = tuple(field.name for field in fields(Reply))
_NAMED = 5  # rows that a message names
_NAMING = ("status", "error_kind", "blind_id", "item_id", "trial")


def still_open(requests: Sequence[Request], history: History, spec: CallSpec) -> list[Request]:
    """What is left to ask, in the order given: of each conversation, where it goes on."""
    fronts = [deque(reached(request, history, spec), maxlen=1)[0] for request in requests]
    return [request for request in fronts if not history.is_settled(request.digest)]


def reached(request: Request, records: Records, spec: CallSpec) -> Iterator[Request]:
    """A first question and those after it, as far as answers that are there carry on."""
    following: Request | None = request
    while following is not None:
        yield following
        # A record is read again only where its text is needed.
        record = records.get(following.digest) if following.later else None
        following = _following(following, record, spec)


def reply_rows(
    requests: Iterable[Request], history: History, spec: AskSpec
) -> Iterator[dict[str, Any]]:
    """The table of replies, in the order of the requests, an item's questions in theirs.

    A pure function of items, specification and journal: a table that was deleted comes back
    byte for byte, without a call. A request without a record is an api_error, `not_asked`; a
    question that is never reached, because the one before it brought no answer to carry on, has
    that one's status.
    """
    for first in requests:
        request: Request | None = first
        while request is not None:
            record = history.get(request.digest)
            yield _row(request, reply_fields(record, request), spec)
            following = _following(request, record, spec)
            if following is None:
                yield from _never_reached(request, record, spec)
            request = following


def reply_fields(record: Mapping[str, Any] | None, request: Request) -> dict[str, Any]:
    """The fields of a Reply that a record holds, as Arrow can hold them.

    None, a request without a record, is an api_error: not_asked. A field that was not kept yet
    when the record was written is null.
    """
    if record is None:
        record = {
            **dict.fromkeys(_REPLY_FIELDS),
            "status": "api_error",
            "error_kind": "not_asked",
            "error": "the job ended before this request was asked",
            "parameters": canonical_json(dict(request.parameters)),
            "attempts": 0,
        }
    return {name: writable(record.get(name)) for name in _REPLY_FIELDS}


def check_complete(
    table: pa.Table, spec: CallSpec, out: str | Path, stop: str | None = None
) -> None:
    """Raise MissingReplies if the table (of replies, or of verdicts) must not be written.

    It must not if a request ended as an api_error and `allow_missing` is off, or if no row has
    a usable reply at all. stop: why the job ended early.
    """
    missing = _missing(table)
    failed = [row for row in missing if row["status"] == "api_error"]
    because = f"{stop}\n" if stop else ""
    if failed and not (spec.allow_missing and len(missing) < table.num_rows):
        raise MissingReplies(
            f"{because}{spec.topic}, {spec.slug}: {len(failed)} of {table.num_rows} replies are "
            f"missing ({_causes(failed)}): {_first(failed)}. No table was written ({out}). Run the "
            "same command again to ask only for these; what was answered is in the journal."
        )
    if missing and len(missing) == table.num_rows:
        raise MissingReplies(
            f"{because}{spec.topic}, {spec.slug}: none of {table.num_rows} replies is usable "
            f"({_causes(missing)}): {_first(missing)}. No table was written. These replies are "
            "kept and are not asked again; change what causes them (the status says which: "
            f"max_tokens for truncated, served_as for model_mismatch), take the {spec.role} "
            "out of the configuration, or set its journal aside to ask anew."
        )


def _missing(table: pa.Table) -> list[dict[str, Any]]:
    """The rows without a usable reply, by what names them.

    In Python: Arrow's compute functions would cost each job 9 MB.
    """
    places = [n for n, status in enumerate(table["status"].to_pylist()) if status != "ok"]
    if not places:
        return []
    names = [name for name in _NAMING if name in table.column_names]
    columns = [table[name].to_pylist() for name in names]
    return [{name: column[n] for name, column in zip(names, columns, strict=True)} for n in places]


def _following(
    request: Request, record: Mapping[str, Any] | None, spec: CallSpec
) -> Request | None:
    if record is None or record["status"] != "ok":
        return None
    return next_question(request, record["text"], spec)


def _never_reached(
    request: Request, record: Mapping[str, Any] | None, spec: AskSpec
) -> Iterator[dict[str, Any]]:
    if record is None or record["status"] == "api_error":
        fields = reply_fields(None, request)
    else:
        why = f"not asked: question {request.turn} is {record['status']}"
        fields = reply_fields(None, request)
        fields |= {"status": record["status"], "error_kind": None, "error": why}
    for number in range(1, questions_after(request) + 1):
        later = replace(request, digest="", turn=request.turn + number)
        yield _row(later, dict(fields), spec)


def _row(request: Request, reply: dict[str, Any], spec: AskSpec) -> dict[str, Any]:
    started = reply.pop("started_utc")
    return {
        "request_digest": request.digest or None,
        "tester": spec.tester,
        "kind": spec.model.kind,
        "experiment": spec.experiment,
        "arm": request.arm,
        "stimulus": request.stimulus,
        "item_id": request.item_id,
        "trial": request.trial,
        "window": spec.window,
        "batch": request.batch,
        "turn": request.turn,
        "ask": request.ask,
        "requested_model": request.model,
        "started_utc": datetime.fromisoformat(started) if started else None,
        **reply,
    }


def _causes(rows: Sequence[Mapping[str, Any]]) -> str:
    counted = Counter(row["error_kind"] or row["status"] for row in rows)
    ordered = sorted(counted.items(), key=lambda cause: (-cause[1], cause[0]))
    return ", ".join(f"{cause} {n}" for cause, n in ordered)


def _first(rows: Sequence[Mapping[str, Any]]) -> str:
    named = [row.get("blind_id") or f"{row['item_id']} trial {row['trial']}" for row in rows]
    return "; ".join(named[:_NAMED]) + ("; …" if len(rows) > _NAMED else "")
