"""Rows of outcomes, replies, keys and codes, and specifications of coding jobs."""

from pathlib import Path
from typing import Any

from tests.judging.helpers import judge_spec
from vlmtom.report_action.traces.blinding import blind_row
from vlmtom.settings import JudgeSpec

UNSEEN = Path(__file__).parent / "unseen_traces.csv"
CODES = {
    "reading": "own_view",
    "director_sees_choice": "no",
    "visibility_worked_out": "yes",
}


def outcome(n: int, **changes: Any) -> dict[str, Any]:
    arm = changes.get("arm", "move-visibility")
    return {
        "tester": "t1",
        "kind": "model",
        "arm": arm,
        "stimulus": f"main/R{n:03d}",
        "item_id": f"report_action/main/question/{arm}/R{n:03d}",
        "scene_set": "main",
        "batch": "question",
        "trial": 1,
        "parse": "parsed",
        "visible": [2, 5],
        "choice": 8,
        "hidden_chosen": True,
        "director_view_chosen": False,
    } | changes


def reply_to(of: dict[str, Any], reasoning: str | None, **changes: Any) -> dict[str, Any]:
    return {
        **{name: of[name] for name in ("tester", "item_id", "trial")},
        "request_digest": f"{of['tester']} {of['item_id']} {of['trial']}",
        "turn": 1,
        "ask": 0,
        "text": '{"visible": [2, 5], "choice": 8}',
        "reasoning": reasoning,
    } | changes


def trace(number: int, reasoning: str, codings: int = 1, **changes: Any) -> dict[str, Any]:
    """A row of BLIND_TRACES."""
    row = blind_row(f"{number:016x}", "with_report", [2, 5], 8, reasoning, codings > 1)
    return row | changes


def code(blind_id: str, **changes: Any) -> dict[str, Any]:
    """What tables read of a row of TRACE_CODES."""
    return {
        "coder": "c1",
        "blind_id": blind_id,
        "version": "with_report",
        "coding": 1,
        "parse": "parsed",
        **CODES,
    } | changes


def coding_spec(base_url: str, **changes: Any) -> JudgeSpec:
    return judge_spec(base_url, overlay="traces", arm="report_action", **changes)
