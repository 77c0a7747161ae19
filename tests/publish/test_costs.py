"""Costs by model: sums over what was reported, its count beside, null where nothing is known."""

import re
from pathlib import Path

import pytest

from vlmtom.publish.costs import cost_rows, costs_tex
from vlmtom.store import schemas

ROOT = Path(__file__).parents[2]


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


def code(coder="c1", **changes):
    row = {"coder": coder, "kind": "model", "status": "ok"}
    usage = {"prompt_tokens": 700, "completion_tokens": 40, "cost_usd": 0.001}
    return row | usage | changes


def test_coders_stand_below_judges_by_whose_traces_they_read():
    codes = [("report_action", code()), ("report_action", code()), ("tests", code(cost_usd=None))]
    rows = cost_rows([reply()], [verdict()], codes)
    assert [(row["role"], row["model"], row["topic"], row["n"]) for row in rows[1:]] == [
        ("judge", "j1", "blinded.numbered", 1),
        ("coder", "c1", "traces.report_action", 2),
        ("coder", "c1", "traces.tests", 1),
    ]
    assert (rows[2]["prompt_tokens"], rows[2]["cost_usd"]) == (1400, pytest.approx(0.002))
    assert (rows[3]["cost_usd"], rows[3]["attempts"]) == (None, None)
    schemas.COSTS.table(rows)
    # 900 + 600 + 3 x 700 prompt tokens; three costs of five are known
    assert r"total &  &  & 5 & 3,600 & 142 & 0.0040 (3/5) \\" in costs_tex(rows, "p")


def test_the_table_reads_every_file_that_calls_were_paid_for():
    """Whoever adds a room of paid calls to the workflow adds it here too, or its cost is lost."""
    common = (ROOT / "rules" / "common.smk").read_text()
    asked = re.search(r"^TESTER_FILES = \[(.*?)^\]", common, re.M | re.S)[1]
    paid = set(re.findall(r"\*(\w+(?:REPLIES|VERDICTS|CODES)),", asked))
    assert len(paid) >= 7
    products = (ROOT / "rules" / "products.smk").read_text()
    rule = re.search(r"^rule costs:.*?(?=^rule )", products, re.M | re.S)[0]
    given, watched = rule.split("output:")[0], rule.split("gone=gone(")[1]
    assert paid <= set(re.findall(r"\w+", given))
    assert paid <= set(re.findall(r"\w+", watched))
