"""What the journal already answers, and the table of replies that follows from it."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from vlmtom.calls.types import Reply, Request
from vlmtom.errors import MissingReplies
from vlmtom.settings import AskSpec, CallSpec
from vlmtom.store import canonical_json, read_stream, streams

_REPLY_FIELDS = tuple(field.name for field in fields(Reply))
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMED = 5  # rows that a message names


def settled(journal: str | Path, topic: str) -> set[str]:
    """Digests that need not be asked again: every reply in any window but an api_error."""
    return {
        record["digest"] for record in _replies(journal, topic) if record["status"] != "api_error"
    }


def recorded(
    journal: str | Path, topic: str, digests: Collection[str]
) -> dict[str, dict[str, Any]]:
    """The record that stands for each digest: the last, but an api_error never hides a reply."""
    wanted = frozenset(digests)
    found: dict[str, dict[str, Any]] = {}
    for record in _replies(journal, topic):
        digest = record["digest"]
        if digest not in wanted:
            continue
        before = found.get(digest)
        if before is None or record["status"] != "api_error" or before["status"] == "api_error":
            found[digest] = record
    return found


def reply_rows(
    requests: Sequence[Request], records: Mapping[str, Mapping[str, Any]], spec: AskSpec
) -> list[dict[str, Any]]:
    """The table of replies, in the order of the requests.

    A pure function of items, specification and journal: a table that was deleted comes back
    byte for byte, without a call. A request without a record is an api_error, `not_asked`.
    """
    return [_row(request, records.get(request.digest), spec) for request in requests]


def reply_fields(record: Mapping[str, Any] | None, request: Request) -> dict[str, Any]:
    """The fields of a Reply that a record holds, as Arrow can hold them.

    None, a request without a record, is an api_error: not_asked.
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
    return {name: _writable(record[name]) for name in _REPLY_FIELDS}


def check_complete(
    rows: Sequence[Mapping[str, Any]], spec: CallSpec, out: str | Path, stop: str | None = None
) -> None:
    """Raise MissingReplies if the table (of replies, or of verdicts) must not be written.

    It must not if a request ended as an api_error and `allow_missing` is off, or if no row has
    a usable reply at all. stop: why the job ended early.
    """
    failed = [row for row in rows if row["status"] == "api_error"]
    missing = [row for row in rows if row["status"] != "ok"]
    because = f"{stop}\n" if stop else ""
    if failed and not (spec.allow_missing and len(missing) < len(rows)):
        raise MissingReplies(
            f"{because}{spec.topic}, {spec.slug}: {len(failed)} of {len(rows)} replies are "
            f"missing ({_causes(failed)}): {_first(failed)}. No table was written. Run the same "
            f"command again (under Snakemake: `snakemake {out}`) to ask only for these; what was "
            "answered is in the journal."
        )
    if rows and len(missing) == len(rows):
        raise MissingReplies(
            f"{because}{spec.topic}, {spec.slug}: none of {len(rows)} replies is usable "
            f"({_causes(missing)}): {_first(missing)}. No table was written. These replies are "
            "kept and are not asked again; change what causes them (the status says which: "
            f"max_tokens for truncated, served_as for model_mismatch), take the {spec.role} "
            "out of the configuration, or set its journal aside to ask anew."
        )


def _replies(journal: str | Path, topic: str) -> Iterator[dict[str, Any]]:
    for stream in streams(journal, topic):
        for record in read_stream(journal, stream):
            if record.get("kind") == "reply":
                yield record


def _row(request: Request, record: Mapping[str, Any] | None, spec: AskSpec) -> dict[str, Any]:
    reply = reply_fields(record, request)
    started = reply.pop("started_utc")
    return {
        "request_digest": request.digest,
        "tester": spec.tester,
        "kind": spec.model.kind,
        "experiment": spec.experiment,
        "arm": request.arm,
        "stimulus": request.stimulus,
        "item_id": request.item_id,
        "trial": request.trial,
        "window": spec.window,
        "batch": request.batch,
        "ask": request.ask,
        "requested_model": request.model,
        "started_utc": datetime.fromisoformat(started) if started else None,
        **reply,
    }


def _writable(value: Any) -> Any:
    """Half a surrogate pair, which Arrow cannot hold, as U+FFFD; the journal keeps it."""
    return _SURROGATE.sub("�", value) if isinstance(value, str) else value


def _causes(rows: Sequence[Mapping[str, Any]]) -> str:
    counted = Counter(row["error_kind"] or row["status"] for row in rows)
    ordered = sorted(counted.items(), key=lambda cause: (-cause[1], cause[0]))
    return ", ".join(f"{cause} {n}" for cause, n in ordered)


def _first(rows: Sequence[Mapping[str, Any]]) -> str:
    named = [row.get("blind_id") or f"{row['item_id']} trial {row['trial']}" for row in rows]
    return "; ".join(named[:_NAMED]) + ("; …" if len(rows) > _NAMED else "")
