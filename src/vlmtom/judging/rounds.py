"""Which of a judge's requests are due, and which one decides: the first reply that can be read.

A plan holds for each text its request and its re-asks, the same words under the next number. Only
a reply that came and cannot be read is asked again; whatever else is missing stands as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vlmtom.calls import Records, Request
from vlmtom.parsing import Parsed

Record = Mapping[str, Any]
Reads = Callable[[Request, Record], Parsed]
Plan = Sequence[tuple[Request, ...]]


def due(plan: Plan, records: Records, ask: int, reads: Reads) -> list[Request]:
    """The requests of that number: of texts whose replies so far all came, and none is readable."""
    return [
        requests[ask]
        for requests in plan
        if all(_is_unparsed(one, records.get(one.digest), reads) for one in requests[:ask])
    ]


def deciding(requests: Sequence[Request], records: Records, reads: Reads) -> Request:
    """The first request that is read, else the first that is missing, else the last re-ask."""
    undecided = (r for r in requests if not _is_unparsed(r, records.get(r.digest), reads))
    return next(undecided, requests[-1])


def _is_unparsed(request: Request, record: Record | None, reads: Reads) -> bool:
    if record is None or record["status"] != "ok":
        return False
    return reads(request, record).status != "parsed"
