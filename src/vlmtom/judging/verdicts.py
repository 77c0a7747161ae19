"""Which requests a judge's verdicts take, and the table that follows from what came back.

A reply that holds no verdict is asked again, the same words under the next number, a bounded number
of times; the first reply that holds one counts.
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
from vlmtom.errors import BadData
from vlmtom.judging.prompts import VERDICT_SCHEMA, prompt
from vlmtom.judging.rounds import deciding
from vlmtom.judging.rubric import Rubric
from vlmtom.parsing import Parsed, judge_verdict
from vlmtom.settings import REPEATED, JudgeSpec
from vlmtom.store import seed_for

Row = Mapping[str, Any]
Record = Mapping[str, Any]


def verdict_requests(
    blind: Sequence[Row], spec: JudgeSpec, rubric: Rubric
) -> list[tuple[Request, ...]]:
    """For each row of the blind file and each trial its request and its re-asks, in that order.

    A request holds the prompt alone: no tester, no item; of what is judged several times, a seed by
    trial where the model is sent seeds. Raises BadData for a blind file
    of another arm, BadConfig for an `extra` that overrides what is asked.
    """
    other = sorted({row["arm"] for row in blind} - {spec.arm})
    if other:
        raise BadData(
            f"the blind file holds the arm {', '.join(other)}; this job judges {spec.arm}. "
            "Give it the blind file of its own arm."
        )
    decided = {"response_format": VERDICT_SCHEMA} if spec.model.json_schema else {}
    parameters = sampling_parameters(spec, decided) | decided
    model = model_asked(spec)
    return [
        _asks(row, trial, spec, rubric, model, parameters)
        for row in blind
        for trial in range(1, spec.trials + 1)
    ]


def verdict_rows(
    blind: Sequence[Row],
    plan: Sequence[tuple[Request, ...]],
    records: Records,
    spec: JudgeSpec,
) -> list[dict[str, Any]]:
    """The table of verdicts (with trials where there are several), in the order of the plan.

    A row shows the request that decides: the first with a verdict; else the first that is missing;
    else the last re-ask, unparsed. A pure function of blind file, specification and journal.
    """
    return [
        _row(row, deciding(requests, records, verdict_in), records, spec)
        for row, requests in zip(
            (row for row in blind for _ in range(spec.trials)), plan, strict=True
        )
    ]


def _asks(
    row: Row,
    trial: int,
    spec: JudgeSpec,
    rubric: Rubric,
    model: str,
    parameters: Mapping[str, Any],
) -> tuple[Request, ...]:
    turns = (Turn("user", prompt(spec.overlay, rubric, row, spec.expected)),)
    if spec.model.sampling.send_seed:
        seed = seed_for(spec.seed, spec.topic, row["blind_id"], trial) % 2**31
        parameters = {**parameters, "seed": seed}
    return tuple(
        Request(
            digest=request_digest(
                model, turns, parameters, trial=trial, batch=spec.overlay, ask=ask
            ),
            item_id=row["blind_id"],
            arm=spec.arm,
            stimulus=row["clip"],
            trial=trial,
            batch=spec.overlay,
            ask=ask,
            model=spec.model.gateway_model,
            turns=turns,
            parameters=parameters,
        )
        for ask in range(spec.reasks + 1)
    )


def verdict_in(_: Request, record: Record) -> Parsed:
    """The scores that a judge's reply holds, or why it holds none."""
    return judge_verdict(record["text"])


def _row(row: Row, request: Request, records: Records, spec: JudgeSpec) -> dict[str, Any]:
    reply = reply_fields(records.get(request.digest), request)
    parsed = verdict_in(request, reply) if reply["status"] == "ok" else None
    scores = parsed.value if parsed is not None and parsed.status == "parsed" else {}
    trial = {"trial": request.trial} if spec.arm in REPEATED else {}
    return trial | {
        "blind_id": row["blind_id"],
        "judge": spec.judge,
        "kind": spec.model.kind,
        "overlay": spec.overlay,
        "arm": spec.arm,
        "request_digest": request.digest,
        "ask": request.ask,
        "parse": None if parsed is None else "parsed" if scores else "unparsed",
        "reason": None if parsed is None else parsed.reason,
        "repaired": [] if parsed is None else list(parsed.repaired),
        "intent": scores.get("intent"),
        "approp": scores.get("approp"),
        "requested_model": request.model,
        **{
            name: reply[name]
            for name in (
                *("status", "error_kind", "text", "served_model"),
                *("prompt_tokens", "completion_tokens", "cost_usd"),
            )
        },
    }
