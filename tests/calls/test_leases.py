"""What jobs of one machine share: pauses, rates, and a file that survives ill treatment."""

import logging
import multiprocessing
import subprocess
import sys
import time

import pytest

from tests.calls.helpers import Place, spec
from tests.loopback.server import Fault, LoopbackServer
from vlmtom.calls.gate import Gate
from vlmtom.calls.leases import Lease, SharedLedger

LEASE = Lease(paused_until=1010.0, requests_free_at=1001.0, tokens_free_at=1002.0)


def file_in(folder):
    (path,) = folder.iterdir()
    return path


def command(place, one, leases):
    paths = {
        "items": place.items,
        "pictures": place.pictures,
        "journal": place.journal,
        "out": place.out,
        "leases": leases,
    }
    options = [part for name, path in paths.items() for part in (f"--{name}", str(path))]
    line = [sys.executable, "-m", "vlmtom.jobs.ask", *options]
    return [*line, "--spec", one.model_dump_json()]


def run_together(tmp_path, one, places, leases):
    jobs = [
        subprocess.Popen(command(place, one, leases), stderr=subprocess.PIPE, text=True)
        for place in places
    ]
    errors = [job.communicate(timeout=60)[1] for job in jobs]
    assert [job.returncode for job in jobs] == [0] * len(jobs), errors
    return errors


def test_two_jobs_at_once_send_nothing_inside_a_pause(tmp_path):
    places = [Place(tmp_path / name, items=120) for name in ("one", "two")]
    script = [None] * 60 + [Fault(429, headers={"Retry-After": "2"})]
    with LoopbackServer(latency_s=0.02, script=script) as server:
        one = spec(server.base_url, model_concurrency=2)
        run_together(tmp_path, one, places, tmp_path / "calls" / "loop")
        stats = server.stats
    assert stats.statuses == {200: 240, 429: 1}
    assert stats.embargo_violations == 0
    assert max(b - a for a, b in zip(stats.times, stats.times[1:], strict=False)) >= 1.8


@pytest.mark.parametrize("wall", ["landlock", "hook"])
def test_a_job_finds_the_pause_that_another_left(tmp_path, monkeypatch, wall):
    monkeypatch.setenv("VLMTOM_WALL", wall)
    leases = tmp_path / "calls" / "loop"
    with LoopbackServer() as server:
        with SharedLedger(leases) as ledger:
            until = time.monotonic() + 4
            Gate(ledger).pause(time.monotonic(), 4)
        run_together(tmp_path, spec(server.base_url), [Place(tmp_path / "one", items=2)], leases)
    assert min(server.stats.times) >= until


def test_jobs_share_one_rate_of_requests(tmp_path):
    places = [Place(tmp_path / name, items=15) for name in ("one", "two")]
    with LoopbackServer() as server:
        one = spec(server.base_url, endpoint_rpm=600)  # one in 0.1 s
        run_together(tmp_path, one, places, tmp_path / "calls" / "loop")
        times = server.stats.times
    # Of 30 requests, 11 may come at once (a second's worth unused, and one); 19 wait 0.1 s each.
    # Two jobs with a rate each would take 0.4 s. A busy machine delays the first arrivals.
    assert times[-1] - times[0] >= 1.2


def test_tokens_per_minute_hold_requests_back(tmp_path):
    with LoopbackServer() as server:  # every reply reports 912 tokens
        one = spec(
            server.base_url,
            endpoint_tpm=120_000,  # 2,000 in a second
            model_sampling={"max_tokens": 24},
            model_concurrency=1,
        )
        asked, _ = Place(tmp_path, items=8).ask(one)
        times = server.stats.times
    assert asked.statuses == {"ok": 8}
    # 8 replies are 3.65 s of the rate; a second's worth is made up for, the last is not waited for
    assert times[-1] - times[0] >= 2.0


def test_a_pause_is_seen_by_another_ledger_and_never_shortened(tmp_path):
    with SharedLedger(tmp_path) as one, SharedLedger(tmp_path) as two:
        Gate(one).pause(1000.0, 10)
        Gate(two).pause(1000.0, 3)
        assert [Gate(ledger).wait_s(1001.0) for ledger in (one, two)] == [9.0, 9.0]
        assert Gate(two).wait_s(1010.0) == 0


def test_a_rate_is_a_bucket_of_one_second():
    gate = Gate(rpm=120)  # one in 0.5 s
    # Unused time counts for a second at most: two requests, and the one that is due.
    assert [gate.take(1000.0) for _ in range(3)] == [0, 0, 0]
    assert gate.take(1000.0) == pytest.approx(0.5)
    assert gate.take(1000.5) == 0


def test_tokens_are_reserved_and_put_right():
    gate = Gate(tpm=6000, expected_tokens=100)  # 100 a second
    assert gate.take(1000.0) == 0  # the second before was unused
    gate.took(1000.0, tokens=400, reserved=100)  # three seconds more than was reserved
    assert gate.wait_s(1000.0) == pytest.approx(3)
    assert gate.expected_tokens == pytest.approx(130)  # a tenth of the way from 100 to 400


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: content[:11], id="short"),
        pytest.param(lambda content: content + b"x", id="long"),
        pytest.param(lambda content: b"\xff" * len(content), id="garbage"),
        pytest.param(
            lambda content: content[:20] + bytes([content[20] ^ 1]) + content[21:], id="one byte"
        ),
    ],
)
def test_a_damaged_file_is_started_anew_with_a_line_in_the_log(tmp_path, caplog, damage):
    with SharedLedger(tmp_path) as ledger:
        ledger.write(LEASE, 1000.0)
        path = file_in(tmp_path)
        path.write_bytes(damage(path.read_bytes()))
        with caplog.at_level(logging.WARNING, "vlmtom.calls"):
            assert ledger.read(1000.0) == Lease()
        assert f"{path}: damaged, or of an earlier boot" in caplog.text
        with ledger.locked():
            ledger.write(LEASE, 1000.0)
        assert ledger.read(1000.0) == LEASE


def test_a_file_of_an_earlier_boot_holds_nobody_back(tmp_path):
    with SharedLedger(tmp_path) as ledger:
        Gate(ledger).pause(500_000.0, 900)  # written after days of uptime
        assert Gate(ledger).wait_s(60.0) == 0  # a minute after the next boot


def test_the_time_of_day_is_of_no_account(tmp_path, monkeypatch):
    with SharedLedger(tmp_path) as ledger:
        gate, now = Gate(ledger), time.monotonic()
        gate.pause(now, 10)
        monkeypatch.setattr(time, "time", lambda: 0.0)
        assert gate.wait_s(now) == pytest.approx(10)


def hold_forever(folder, held):
    ledger = SharedLedger(folder)
    with ledger.locked():
        held.set()
        time.sleep(60)


def test_a_killed_holder_lets_go(tmp_path):
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    holder = context.Process(target=hold_forever, args=(tmp_path, held))
    holder.start()
    assert held.wait(20)
    holder.kill()
    with SharedLedger(tmp_path) as ledger:
        Gate(ledger).pause(1000.0, 10)  # would block for a minute
        assert Gate(ledger).wait_s(1000.0) == 10
    holder.join()
