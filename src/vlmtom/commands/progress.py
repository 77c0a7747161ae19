"""How far a job is, from what it planned to ask and what its journal holds."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

RECENT = 50  # replies whose pace tells how long the rest will take


@dataclass
class Sum:
    """A total of which parts may be unknown: null if nobody reported anything."""

    value: float | None = None
    unknown: int = 0  # replies that reported nothing

    def add(self, part: float | None) -> None:
        """Count one reply."""
        if part is None:
            self.unknown += 1
        else:
            self.value = (self.value or 0) + part

    def plus(self, other: "Sum") -> "Sum":
        """Both totals together."""
        known = [value for value in (self.value, other.value) if value is not None]
        return Sum(sum(known) if known else None, self.unknown + other.unknown)


@dataclass
class Tally:
    """What a journal holds of one job. Sums are over every reply paid for, superseded ones too."""

    records: dict[str, dict[str, Any]] = field(default_factory=dict)  # by digest; see `counts`
    retries: Counter[str] = field(default_factory=Counter)  # failed attempts by cause
    prompt_tokens: Sum = field(default_factory=Sum)
    completion_tokens: Sum = field(default_factory=Sum)
    cost_usd: Sum = field(default_factory=Sum)
    last_reply: datetime | None = None
    recent: deque[datetime] = field(default_factory=lambda: deque(maxlen=RECENT))

    def seconds_left(self, open_requests: int) -> float | None:
        """At the pace of the last replies; None where there are too few to tell."""
        if len(self.recent) < 3 or not open_requests:
            return None
        took = (max(self.recent) - min(self.recent)).total_seconds()
        return open_requests * took / (len(self.recent) - 1)


@dataclass(frozen=True)
class Counts:
    """The planned requests by what became of them. total: null where the plan is not known yet."""

    total: int | None
    statuses: Counter[str]  # of those that are settled
    api_errors: int  # recorded without a reply; the next run asks them again

    @property
    def done(self) -> int:
        """Requests that are not asked again."""
        return self.statuses.total()


def tally(records: Iterable[Mapping[str, Any]]) -> Tally:
    """Add up the records of a job's streams, in the order of writing."""
    sums = Tally()
    for record in records:
        if record.get("kind") == "attempt":
            sums.retries[record["error_kind"]] += 1
        elif record.get("kind") == "reply":
            _count_reply(sums, record)
    return sums


def counts(
    digests: Iterable[str] | None,
    records: Mapping[str, Mapping[str, Any]],
    total: int | None = None,
) -> Counts:
    """Count the planned requests. digests: None counts whatever the journal holds.

    total: of all that is planned, where more is than can be named yet.
    """
    wanted = list(records if digests is None else digests)
    found = [records[digest] for digest in wanted if digest in records]
    if total is None and digests is not None:
        total = len(wanted)
    return status_counts(total, found)


def status_counts(total: int | None, rows: Iterable[Mapping[str, Any]]) -> Counts:
    """Count rows by status; an api_error is settled by nothing, one not asked is not even that."""
    statuses: Counter[str] = Counter()
    api_errors = 0
    for row in rows:
        if row["status"] != "api_error":
            statuses[row["status"]] += 1
        elif row["error_kind"] != "not_asked":
            api_errors += 1
    return Counts(total, statuses, api_errors)


def _count_reply(sums: Tally, record: Mapping[str, Any]) -> None:
    before = sums.records.get(record["digest"])
    # As in the table: the last counts, but an api_error never hides a reply.
    if before is None or record["status"] != "api_error" or before["status"] == "api_error":
        sums.records[record["digest"]] = dict(record)
    if record["status"] == "api_error":
        return  # no reply came, so that none is older for it, and none failed to say its cost
    sums.prompt_tokens.add(record["prompt_tokens"])
    sums.completion_tokens.add(record["completion_tokens"])
    if not record.get("adopted"):  # paid for by somebody else
        sums.cost_usd.add(record["cost_usd"])
    if record["started_utc"]:
        came = datetime.fromisoformat(record["started_utc"])
        came += timedelta(seconds=record["duration_s"] or 0)
        sums.last_reply = max(came, sums.last_reply or came)
        sums.recent.append(came)
