"""A budget over all jobs of a run: never passed, nothing asked twice."""

import os
import signal
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.calls.helpers import STREAM, Place, spec
from tests.jobs.test_ask import command, job, rows
from tests.loopback.server import LoopbackServer, completion
from vlmtom.calls.budget import Spending
from vlmtom.store import read_stream, schemas, write_rows

# The loopback server reports 900 prompt and 12 completion tokens: 0.0009 + 0.0012 dollars.
PRICE = {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 100.0}
COST = 0.0021
PRICED = {"model_price": PRICE, "model_sampling": {"max_tokens": 20}}
WORST = 0.0009 + 0.0020  # once replies have told the length of prompts


def money(place: Place, usd: float | None):
    limit = [] if usd is None else ["--budget", str(usd)]
    return ["--spending", str(place.folder / "spending"), *limit]


def answered(place: Place) -> int:
    return sum(record["kind"] == "reply" for record in read_stream(place.journal, STREAM))


def test_a_job_stops_before_its_budget_is_passed_and_goes_on_with_more(tmp_path):
    place = Place(tmp_path, items=20)
    budget = 10 * COST + 0.0001
    with LoopbackServer() as server:
        one = spec(server.base_url, model_concurrency=4, **PRICED)
        stopped = job(place, one, money(place, budget))
        first = server.stats.requests
        assert stopped.returncode == 1
        assert not place.out.exists()
        assert 7 <= first == answered(place) <= 10
        left = 20 - first
        assert f"{left} of 20 calls of this job are left" in stopped.stderr
        assert "stopped before the budget of 0.0211 USD would be passed" in stopped.stderr
        assert f"{first * COST:.4f} USD are spent" in stopped.stderr
        assert job(place, one, money(place, budget)).returncode == 1
        assert server.stats.requests == first
        done = job(place, one, money(place, 1.0))
    assert done.returncode == 0, done.stderr
    assert server.stats.requests == len(rows(place)) == 20


def test_no_table_with_gaps_is_written_for_want_of_money(tmp_path):
    place = Place(tmp_path, items=20)
    with LoopbackServer() as server:
        one = spec(server.base_url, allow_missing=True, **PRICED)
        assert job(place, one, money(place, 5 * COST)).returncode == 1
    assert not place.out.exists()


def test_testers_and_judges_spend_from_one_budget(tmp_path):
    places = [Place(tmp_path / name, items=30) for name in ("one", "two")]
    shared = ["--spending", str(tmp_path / "spending"), "--budget", str(20 * COST)]
    with LoopbackServer(latency_s=0.05) as server:
        jobs = [
            subprocess.Popen(
                [*command(place, spec(server.base_url, tester=f"t{n}", **PRICED)), *shared],
                stderr=subprocess.PIPE,
                text=True,
            )
            for n, place in enumerate(places)
        ]
        said = [one.communicate(timeout=60)[1] for one in jobs]
    assert [one.returncode for one in jobs] == [1, 1]
    asked = server.stats.requests
    assert 15 <= asked <= 20
    assert all("by all testers and judges together" in text for text in said)


def test_a_cost_that_nobody_tells_counts_as_what_was_feared(tmp_path):
    place = Place(tmp_path, items=10)
    with LoopbackServer(lambda body: completion(body, "A", usage=None)) as server:
        one = spec(server.base_url, model_concurrency=1, **PRICED)
        assert job(place, one, money(place, 0.01)).returncode == 1
    # 1,600 tokens for the picture and the text's at a dollar a million, and 20 at a hundred
    assert server.stats.requests == 2
    assert all(r["cost_usd"] is None for r in read_stream(place.journal, STREAM) if "cost_usd" in r)


def test_what_was_in_flight_when_a_job_ended_badly_counts_as_spent(tmp_path):
    """It may have been charged; nobody will ever know."""
    number = {"killed": signal.SIGKILL, "interrupted": signal.SIGINT}
    for name, sign in number.items():
        shared = ["--spending", str(tmp_path / name / "spending"), "--budget", "1.0"]
        place = Place(tmp_path / name, items=50)
        with LoopbackServer(latency_s=30) as slow:
            one = spec(slow.base_url, model_concurrency=8, model_timeout_s=60, **PRICED)
            process = subprocess.Popen([*command(place, one), *shared], stderr=subprocess.DEVNULL)
            while slow.stats.live < 8:
                time.sleep(0.05)
            os.kill(process.pid, sign)
            process.wait()
        other = Spending(tmp_path / name / "spending", "other")
        feared = 1600 * 1e-6 + 0.0020  # of each call: its picture, a few words, 20 tokens
        assert 8 * feared < other.spent_usd() < 8 * (feared + 0.0001), name
        other.close()


def test_a_first_call_that_is_short_does_not_make_long_ones_cheap(tmp_path):
    place = Place(tmp_path, items=40)
    for row in place.items_rows:
        row["turns"][1]["text"] += " word" * 6000  # 30,000 characters: 10,000 tokens at most
    place.items.unlink()
    write_rows(place.items, place.items_rows, schemas.ITEMS)

    def usage(body):
        short = "Which colour" in str(body["messages"])
        return completion(
            body, "red", usage={"prompt_tokens": 30 if short else 7500, "completion_tokens": 1}
        )

    with LoopbackServer(usage) as server:
        one = spec(server.base_url, model_concurrency=40, model_probe=True, **PRICED)
        assert job(place, one, money(place, 0.05)).returncode == 1
        # 7,500 tokens a call: 0.0076 dollars; with the probe, at most six and a half fit
        assert 3 <= server.stats.requests <= 7


def test_what_a_provider_charges_above_the_list_is_learned(tmp_path):
    place = Place(tmp_path, items=40)
    dear = {"prompt_tokens": 900, "completion_tokens": 12, "cost": 0.01}
    for price in (PRICE, {"input_usd_per_mtok": 0.0, "output_usd_per_mtok": 0.0}):
        with LoopbackServer(lambda body: completion(body, "A", usage=dear)) as server:
            sampling = {"max_tokens": 20}
            one = spec(
                server.base_url, model_concurrency=1, model_price=price, model_sampling=sampling
            )
            shared = [
                "--spending",
                str(tmp_path / str(len(price) + price["input_usd_per_mtok"])),
                "--budget",
                "0.055",
            ]
            assert job(place, one, shared).returncode == 1
            place.journal.rename(tmp_path / f"aside{price['input_usd_per_mtok']}")
        assert server.stats.requests <= 5


def test_money_spent_on_replies_that_were_set_aside_is_spent(tmp_path):
    place = Place(tmp_path, items=4)
    with LoopbackServer() as server:
        one = spec(server.base_url, **PRICED)
        assert job(place, one, money(place, None)).returncode == 0
        place.journal.rename(tmp_path / "aside")
        place.out.unlink()
        assert job(place, one, money(place, 6 * COST)).returncode == 1
    assert 4 < server.stats.requests <= 6


def test_a_lost_file_of_the_spending_is_made_up_for_by_the_journal(tmp_path):
    place = Place(tmp_path, items=8)
    with LoopbackServer() as server:
        one = spec(server.base_url, model_concurrency=1, **PRICED)
        job(place, one, money(place, 5 * COST))
        first = server.stats.requests
        for file in (tmp_path / "spending").iterdir():
            file.write_bytes(b"x" * 3)
        stopped = job(place, one, money(place, 5 * COST))
    assert stopped.returncode == 1
    assert server.stats.requests == first


CALLS = st.lists(
    st.tuples(st.integers(0, 2), st.floats(0.0, 3.0), st.floats(0.0, 1.0)), max_size=40
)


@given(calls=CALLS, limit=st.floats(0.1, 10))
def test_no_order_of_calls_passes_the_budget(calls, limit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spending")
    jobs = [Spending(folder, f"job{n}", limit_usd=limit) for n in range(3)]
    spent, open_calls = 0.0, []
    for number, feared, share in calls:
        leave = jobs[number].reserve(feared)
        assert leave == "refused" or spent + feared <= limit + 1e-9
        if leave == "granted":
            open_calls.append((number, feared, share * feared))
            assert spent + sum(one[1] for one in open_calls) <= limit + 1e-9
        elif open_calls:
            number, reserved, cost = open_calls.pop(0)
            jobs[number].settle(reserved, cost)
            spent += cost
    assert jobs[0].spent_usd() == pytest.approx(spent)
    for one in jobs:
        one.close()
