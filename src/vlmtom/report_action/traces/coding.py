"""Which requests the codes of traces take, and the table that follows from what came back.

A reply without a readable code, or whose quote does not stand in the trace, is asked again, the
same words under the next number, a bounded number of times; the first that holds one counts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vlmtom.calls import (
    Records,
    Request,
    Turn,
    model_asked,
    reply_fields,
    request_digest,
    sampling_parameters,
)
from vlmtom.judging.rounds import Plan, Reads, Record, deciding
from vlmtom.parsing import Parsed, trace_code
from vlmtom.parsing.trace_codes import FIELDS, QUOTE
from vlmtom.report_action.traces.codebook import Codebook
from vlmtom.report_action.traces.prompts import CODE_SCHEMA, prompt
from vlmtom.settings import JudgeSpec
from vlmtom.store import seed_for

Row = Mapping[str, Any]

QUOTE_WORDS = 3  # fewer would stand in nearly every trace


def code_requests(
    blind: Sequence[Row], spec: JudgeSpec, codebook: Codebook
) -> list[tuple[Request, ...]]:
    """For each row of the blind file and each coding of it its request and its re-asks.

    A request holds the prompt alone. Codings differ by a seed where the model is sent seeds. Raises
    BadConfig for an `extra` that overrides what is asked.
    """
    decided = {"response_format": CODE_SCHEMA} if spec.model.json_schema else {}
    parameters = sampling_parameters(spec, decided) | decided
    model = model_asked(spec)
    return [
        _asks(row, coding, spec, codebook, model, parameters) for row, coding in _codings(blind)
    ]


def reader(blind: Sequence[Row]) -> Reads:
    """What reads a coder's reply to a request: its codes, if the quote stands in its trace."""
    traces = {row["blind_id"]: row["reasoning"] for row in blind}

    def reads(request: Request, record: Record) -> Parsed:
        parsed = trace_code(record["text"])
        if parsed.status == "parsed" and not quoted(parsed.value[QUOTE], traces[request.item_id]):
            return Parsed(None, "unparsed", "quote_not_found", parsed.repaired)
        return parsed

    return reads


def quoted(quote: str, trace: str) -> bool:
    """Whether a quote of three words or more (or all of a shorter trace) stands in the trace.

    White space counts as one blank; every other character must be the same.
    """
    words, text = quote.split(), trace.split()
    whole = words == text
    return whole or (len(words) >= QUOTE_WORDS and " ".join(words) in " ".join(text))


def code_rows(
    blind: Sequence[Row], plan: Plan, records: Records, spec: JudgeSpec
) -> list[dict[str, Any]]:
    """The codes (TRACE_CODES) in the order of the plan: a trace, then its second coding.

    A pure function of blind file, specification and journal.
    """
    reads = reader(blind)
    return [
        _row(row, coding, deciding(requests, records, reads), records, reads, spec)
        for (row, coding), requests in zip(_codings(blind), plan, strict=True)
    ]


def _codings(blind: Sequence[Row]) -> list[tuple[Row, int]]:
    return [(row, coding) for row in blind for coding in range(1, row["codings"] + 1)]


def _asks(
    row: Row,
    coding: int,
    spec: JudgeSpec,
    codebook: Codebook,
    model: str,
    parameters: Mapping[str, Any],
) -> tuple[Request, ...]:
    turns = (Turn("user", prompt(codebook, row)),)
    if spec.model.sampling.send_seed:
        seed = seed_for(spec.seed, spec.topic, row["blind_id"], coding) % 2**31
        parameters = {**parameters, "seed": seed}
    return tuple(
        Request(
            digest=request_digest(
                model, turns, parameters, trial=coding, batch=spec.overlay, ask=ask
            ),
            item_id=row["blind_id"],
            arm=spec.arm,
            stimulus="trace",
            trial=coding,
            batch=spec.overlay,
            ask=ask,
            model=spec.model.gateway_model,
            turns=turns,
            parameters=parameters,
        )
        for ask in range(spec.reasks + 1)
    )


def _row(
    row: Row, coding: int, request: Request, records: Records, reads: Reads, spec: JudgeSpec
) -> dict[str, Any]:
    reply = reply_fields(records.get(request.digest), request)
    parsed = reads(request, reply) if reply["status"] == "ok" else None
    codes = parsed.value if parsed is not None and parsed.status == "parsed" else {}
    return {
        "coder": spec.judge,
        "kind": spec.model.kind,
        "blind_id": row["blind_id"],
        "version": row["version"],
        "coding": coding,
        "request_digest": request.digest,
        "ask": request.ask,
        "parse": None if parsed is None else "parsed" if codes else "unparsed",
        "reason": None if parsed is None else parsed.reason,
        "repaired": [] if parsed is None else list(parsed.repaired),
        **{name: codes.get(name) for name in (*FIELDS, QUOTE)},
        "requested_model": request.model,
        **{
            name: reply[name]
            for name in (
                *("status", "error_kind", "text", "served_model"),
                *("prompt_tokens", "completion_tokens", "cost_usd"),
            )
        },
    }
