"""The number of requests in flight: additive increase, multiplicative decrease."""

import logging

import pytest
from pydantic import ValidationError

from tests.calls.helpers import Place, spec
from tests.loopback.server import Fault, LoopbackServer, digest_of
from vlmtom.calls import engine
from vlmtom.calls.limit import Limit, is_overload
from vlmtom.calls.types import CallFailure


def test_an_overload_takes_a_fifth_once_for_all_that_was_in_flight():
    limit = Limit(10, most=32)
    for _ in range(10):
        limit.overloaded(sent=0.0, now=1.0)
    assert limit.now == 8
    limit.overloaded(sent=1.5, now=2.0)
    assert limit.now == 6  # 6.4


def test_the_limit_never_falls_below_one():
    limit = Limit(2, most=4)
    for second in range(20):
        limit.overloaded(sent=second, now=second + 0.5)
    assert limit.now == 1


def test_a_limits_worth_of_successes_in_a_row_adds_one_up_to_the_most():
    limit = Limit(2, most=4)
    seen = []
    for _ in range(12):
        limit.succeeded(in_flight=limit.now)
        seen.append(limit.now)
    assert seen == [2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4]  # after 2, then after 3 more


def test_successes_below_the_limit_say_nothing_of_it():
    limit = Limit(4, most=8)
    for _ in range(50):
        limit.succeeded(in_flight=3)
    assert limit.now == 4


def test_an_overload_breaks_the_streak():
    limit = Limit(3, most=8)
    for success in (True, True, False, True, True):
        limit.succeeded(3) if success else limit.overloaded(sent=-1.0, now=0.0)
    assert limit.now == 3  # 2.4, then raised by two successes at 2


def test_without_a_most_the_limit_stays():
    limit = Limit(5)
    limit.overloaded(sent=0.0, now=1.0)
    limit.succeeded(5)
    assert (limit.now, limit.adaptive) == (5, False)


@pytest.mark.parametrize(
    ("kind", "status", "overload"),
    [
        ("rate_limited", 429, True),
        ("server", 503, True),
        ("server", 529, True),
        ("server", 500, False),
        ("quota", 429, False),
        ("network", None, False),
    ],
)
def test_what_counts_as_an_overload(kind, status, overload):
    assert is_overload(CallFailure(kind, "", retryable=True, status_code=status)) is overload


def test_a_most_below_the_start_is_refused():
    with pytest.raises(ValidationError, match=r"max_concurrency \(4\) is below concurrency \(8\)"):
        spec("http://127.0.0.1:9/v1", model_max_concurrency=4)


def test_a_server_that_bears_more_is_given_more_and_never_beyond_the_most(tmp_path):
    with LoopbackServer(latency_s=0.03) as server:
        one = spec(server.base_url, model_concurrency=2, model_max_concurrency=6)
        asked, _ = Place(tmp_path, items=80).ask(one)
    assert asked.statuses == {"ok": 80}
    # 2 + 3 + 4 + 5 successes at the limit lead to 6
    assert server.stats.max_live == 6


def test_a_server_that_bears_less_is_asked_less_and_everything_is_answered(tmp_path):
    script = [None] * 8 + [Fault(503), Fault(429)] * 10
    with LoopbackServer(latency_s=0.03, script=script) as server:
        one = spec(server.base_url, model_concurrency=8, model_max_concurrency=8, calls_attempts=20)
        run = Place(tmp_path, items=60)
        asked, _ = run.ask(one)
    assert asked.statuses == {"ok": 60}
    assert asked.failed_attempts == {"rate_limited": 10, "server": 10}
    assert server.stats.requests == 80


def test_a_fixed_limit_is_kept_through_overloads(tmp_path):
    with LoopbackServer(latency_s=0.03, script=[Fault(503)] * 4) as server:
        asked, _ = Place(tmp_path, items=30).ask(spec(server.base_url, model_concurrency=4))
    assert asked.statuses == {"ok": 30}
    assert server.stats.max_live == 4


def test_the_progress_line_shows_what_is_allowed(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(engine, "PROGRESS_S", 0.05)
    with LoopbackServer(latency_s=0.1) as server, caplog.at_level(logging.INFO, "vlmtom.calls"):
        one = spec(server.base_url, model_concurrency=2, model_max_concurrency=4)
        Place(tmp_path, items=12).ask(one)
    assert "2 in flight of 2 allowed" in caplog.text


def test_after_a_wave_of_overloads_fewer_are_in_flight(tmp_path):
    lives = []

    def answer(body):
        lives.append(server.stats.live)
        return digest_of(body)

    with LoopbackServer(answer, latency_s=0.05, script=[Fault(529)] * 8) as server:
        one = spec(server.base_url, model_concurrency=8, model_max_concurrency=8)
        asked, _ = Place(tmp_path, items=40).ask(one)
    assert asked.statuses == {"ok": 40}
    assert server.stats.max_live == 8
    # 6.4 after the wave; six answers at the limit would raise it again
    assert max(lives[:6]) <= 6
