"""The asking job killed again and again: what was answered stays, and nothing is asked in vain."""

import os
import random
import signal
import subprocess
import time
from collections import Counter

import pytest

from tests.calls.helpers import STREAM, Place, spec
from tests.jobs.test_ask import command, job, rows
from tests.loopback.server import LoopbackServer
from vlmtom.store import read_stream

IN_FLIGHT, LATENCY_S = 8, 0.05
OF_THE_CLOCK = ("started_utc", "duration_s")


def one_spec(server):
    return spec(server.base_url, model_concurrency=IN_FLIGHT)


def journalled(place):
    """How many replies the journal holds of each digest."""
    records = read_stream(place.journal, STREAM)
    return Counter(record["digest"] for record in records if record["kind"] == "reply")


def asked_again(stats):
    """Requests that arrived whole, and not for the first time; a kill may cut one short."""
    return stats.bodies.total() - len(stats.bodies)


def timeless(place):
    return [{k: v for k, v in row.items() if k not in OF_THE_CLOCK} for row in rows(place)]


def killed_job(place, server, more_replies, seconds):
    """Start the job; SIGKILL its process group so long after so many further replies."""
    before = server.stats.answered.total()
    process = subprocess.Popen(
        command(place, one_spec(server)),
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        cwd=place.folder,
    )
    deadline = time.monotonic() + 60
    while server.stats.answered.total() < before + more_replies and process.poll() is None:
        assert time.monotonic() < deadline, "the job asks nothing"
        time.sleep(0.002)
    time.sleep(seconds)
    assert process.poll() is None, f"the job ended by itself (code {process.returncode})"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)
    while server.stats.live and time.monotonic() < deadline:
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("kills", "items"), [(5, 60), pytest.param(50, 900, marks=pytest.mark.slow)]
)
def test_no_kill_loses_or_repeats_more_than_was_in_flight(tmp_path, kills, items):
    undisturbed, place = Place(tmp_path / "one", items), Place(tmp_path / "other", items)
    with LoopbackServer() as server:
        done = job(undisturbed, one_spec(server))
        assert done.returncode == 0, done.stderr
    rng = random.Random(kills)
    unkept, repeated = 0, 0  # of all kills so far
    with LoopbackServer(latency_s=LATENCY_S) as server:
        stats = server.stats
        for kill in range(kills):
            if kill % 5 == 2:  # while it starts, or before its first reply came
                killed_job(place, server, 0, seconds=rng.uniform(0, 0.6))
            else:
                killed_job(place, server, rng.randint(1, 10), seconds=rng.uniform(0, LATENCY_S / 2))
            found = journalled(place)
            assert set(found.values()) <= {1}
            unkept_before, unkept = unkept, stats.answered.total() - len(found)
            assert 0 <= unkept - unkept_before <= IN_FLIGHT
            repeated_before, repeated = repeated, asked_again(stats)
            assert repeated - repeated_before <= IN_FLIGHT
        assert 0 < len(found) < items
        done = job(place, one_spec(server))
        assert done.returncode == 0, done.stderr
        assert f"{items} requests, {len(found)} of them answered" in done.stderr
        assert asked_again(stats) - repeated <= IN_FLIGHT
    found = journalled(place)
    assert len(found) == len(stats.bodies) == items
    assert set(found.values()) == {1}
    assert timeless(place) == timeless(undisturbed)
