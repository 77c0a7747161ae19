"""Calls of the treasure game in the tables of costs and times."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from vlmtom.publish.costs import cost_rows, costs_tex
from vlmtom.publish.game_calls import game_replies
from vlmtom.publish.timing import timing_rows
from vlmtom.store import write_rows
from vlmtom.store.schemas.mosaic import MOSAIC_CALLS

BEGAN = datetime(2026, 11, 30, 12, 59, 30, tzinfo=UTC)


def call(number, **changes):
    row = dict.fromkeys(MOSAIC_CALLS.names) | {
        **{"subject": "t1", "participant": "t2", "arm": "face", "kind": "model"},
        **{"condition": "comp-tom1", "trial": 1, "round": number, "role": "subject"},
        **{"asked_for": "action", "ask": 0, "tester": "t1", "request_digest": str(number)},
        **{"prompt": "…", "status": "ok", "repairs": [], "attempts": 1},
        **{"prompt_tokens": 1000, "completion_tokens": 50, "cost_usd": 0.001},
        **{"started_utc": BEGAN + timedelta(minutes=number), "duration_s": 2.0},
    }
    return row | changes


@pytest.fixture
def tables(tmp_path):
    """t1, a model, against t2, an observer: three calls and a re-ask, and two calls."""
    unknown = {"prompt_tokens": None, "completion_tokens": None, "cost_usd": None}
    rows = [
        call(0),
        call(0, ask=1, request_digest="again", attempts=3),
        call(1, status="api_error", **unknown, started_utc=None, duration_s=None),
        call(2),
        call(0, role="participant", tester="t2", **unknown),
        call(1, role="participant", tester="t2", **unknown),
    ]
    path = tmp_path / "comp-tom1.calls.parquet"
    write_rows(path, rows, MOSAIC_CALLS)
    return [path]


def test_costs_of_the_game_are_by_the_model_that_was_asked(tables):
    rows = cost_rows(game_replies(tables, {"t1": "model", "t2": "observer"}), [])
    model, observer = rows
    assert (model["role"], model["topic"], model["kind"]) == ("tester", "mosaic", "model")
    # Four calls with a re-ask among them; 1 + 3 + 1 + 1 attempts; one told nothing.
    assert (model["n"], model["n_ok"], model["attempts"], model["n_usage"]) == (4, 3, 6, 3)
    assert (model["prompt_tokens"], model["completion_tokens"]) == (3000, 150)
    assert Fraction(str(round(model["cost_usd"], 9))) == Fraction(3, 1000)
    # The pair is a model's, the one that was asked here is none.
    assert (observer["kind"], observer["n"], observer["cost_usd"]) == ("observer", 2, None)
    assert "t1 & tester & mosaic & 4 & 3,000 (3/4)" in costs_tex(rows, "p")


def test_times_of_the_game_are_by_arm_and_hour(tables):
    rows = list(timing_rows(game_replies(tables, {"t1": "model", "t2": "observer"})))
    found = [(r["tester"], r["experiment"], r["arm"], r["hour"].hour, r["n"]) for r in rows]
    # Minute 59:30 is in the hour of 12, a minute and two later is 13; what never came is left out.
    assert found == [
        ("t1", "mosaic", "face", 12, 2),
        ("t1", "mosaic", "face", 13, 1),
        ("t2", "mosaic", "face", 12, 1),
        ("t2", "mosaic", "face", 13, 1),
    ]
