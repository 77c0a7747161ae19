"""Costs by model: sums over what was reported, its count beside, null where nothing is known."""

import pytest

from vlmtom.publish.costs import cost_rows, costs_tex
from vlmtom.store import schemas


def reply(tester="t1", kind="model", prompt=900, completion=12, cost=0.002, **changes):
    row = {"tester": tester, "kind": kind, "experiment": "director", "status": "ok", "attempts": 1}
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "cost_usd": cost}
    return row | usage | changes


def verdict(judge="j1", **changes):
    row = {"judge": judge, "kind": "model", "overlay": "blinded", "arm": "numbered"}
    usage = {"status": "ok", "prompt_tokens": 600, "completion_tokens": 10, "cost_usd": None}
    return row | usage | changes


def test_sums_are_over_what_was_reported_with_its_count():
    replies = [
        reply(),
        reply(attempts=3),
        reply(prompt=None, completion=None, cost=None, status="api_error"),
    ]
    row = cost_rows(replies, [])[0]
    assert (row["n"], row["n_ok"], row["attempts"]) == (3, 2, 5)
    assert (row["prompt_tokens"], row["completion_tokens"], row["n_usage"]) == (1800, 24, 2)
    assert (row["cost_usd"], row["n_cost"]) == (pytest.approx(0.004), 2)
    schemas.COSTS.table([row])


def test_nothing_known_is_null_and_a_dash_never_zero():
    rows = cost_rows([reply("obs-x", "observer", None, None, None)], [])
    assert rows[0]["prompt_tokens"] is rows[0]["cost_usd"] is None
    line = next(line for line in costs_tex(rows, "p").splitlines() if line.startswith("obs-x"))
    assert line == r"obs-x & tester & director & 1 & -- & -- & -- \\"


def test_judges_stand_beside_testers_and_a_total_below():
    rows = cost_rows([reply(), reply(cost=None)], [verdict(), verdict()])
    assert [(row["role"], row["topic"]) for row in rows] == [
        ("tester", "director"),
        ("judge", "blinded.numbered"),
    ]
    tex = costs_tex(rows, "p")
    # 2 x 900 + 2 x 600 prompt tokens; one cost of four is known
    assert r"total &  &  & 4 & 3,000 & 44 & 0.0020 (1/4) \\" in tex
    assert r"t1 & tester & director & 2 & 1,800 & 24 & 0.0020 (1/2) \\" in tex
