"""`vlmtom status`: what it shows, of finished jobs and of jobs that write while it looks."""

import os
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.commands.helpers import Run
from tests.loopback.server import Fault, LoopbackServer, completion
from vlmtom.commands.progress import counts, tally
from vlmtom.commands.status import _age
from vlmtom.store import JournalWriter

pytestmark = pytest.mark.timeout(120)


def lines(text: str) -> dict[str, list[str]]:
    """Cells by tester; columns are two spaces or more apart, empty ones fall out."""
    split = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
    return {cells[0]: cells[1:] for cells in split if len(cells) > 1}


def reply(digest: str, status: str = "ok", **changes):
    return {
        "kind": "reply", "digest": digest, "status": status, "error_kind": None,
        "prompt_tokens": 100, "completion_tokens": 10, "cost_usd": 0.5,
        "started_utc": "2026-01-01T00:00:00+00:00", "duration_s": 2.0,
    } | changes  # fmt: skip


def test_a_reply_is_not_hidden_by_a_later_api_error_and_an_unplanned_one_only_costs():
    missing = dict.fromkeys(("prompt_tokens", "completion_tokens", "cost_usd", "started_utc"))
    found = tally(
        [
            {"kind": "attempt", "digest": "a", "error_kind": "server"},
            reply("a"),
            reply("a", "api_error", error_kind="quota", **missing),
            reply("b", "truncated"),
            reply("c", "api_error", error_kind="network", **missing),
            reply("old", cost_usd=None),
        ]
    )
    counted = counts(["a", "b", "c", "d"], found.records)
    assert (counted.total, counted.done, counted.api_errors) == (4, 2, 1)
    assert counted.statuses == {"ok": 1, "truncated": 1}
    assert found.retries == {"server": 1}
    # a, b and old: 100 tokens each; 0.5 USD for a and b, and old did not say
    assert (found.prompt_tokens.value, found.prompt_tokens.unknown) == (300, 0)
    assert (found.cost_usd.value, found.cost_usd.unknown) == (1.0, 1)
    assert found.last_reply == datetime(2026, 1, 1, 0, 0, 2, tzinfo=UTC)


def test_what_nobody_reported_is_null_and_not_zero():
    found = tally([reply("a", cost_usd=None)])
    assert found.cost_usd.value is None
    assert tally([]).prompt_tokens.value is None


def test_an_age_is_told_in_the_largest_unit_of_which_there_are_two():
    now = datetime(2026, 1, 3, tzinfo=UTC)
    told = [_age(now - timedelta(seconds=s), now) for s in (0, 119, 120, 7200, 2 * 86400)]
    assert told == ["0 s ago", "119 s ago", "2 min ago", "2 h ago", "2 d ago"]
    assert _age(None, now) == "–"


def test_every_tester_has_its_line_with_statuses_errors_retries_tokens_and_cost(tmp_path):
    def sometimes_empty(body):
        asked = body["messages"][1]["content"][1]["text"]
        return completion(body, "" if asked == "Question 1?" else "red")

    script = [Fault(500), Fault(400)]
    price = {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 0.0}
    with LoopbackServer(sometimes_empty, script=script) as server:
        run = Run(tmp_path, server.base_url, items=5, concurrency=1, price=price)
        failed = run.job("t1", ok=False)
        assert "1 of 5 replies are missing (bad_request 1)" in failed.stderr, failed.stderr
    done = run.vlmtom("status")
    assert done.returncode == 0, done.stderr
    shown = lines(done.stdout)
    # Of 5 requests one got the status 400; 4 replies of 900 and 12 tokens, at 1 USD a million.
    assert shown["t1"][:6] == [
        "director", "4/5", "ok 3, empty 1", "1", "bad_request 1, server 1", "3600",
    ]  # fmt: skip
    assert shown["t1"][6:8] == ["48", "0.0036"]
    assert re.fullmatch(r"\d+ s ago", shown["t1"][8])
    assert shown["t2"] == ["director", "0/5", "–", "–", "–", "–"]
    assert "4 of 10 done; 0 jobs not planned yet." in done.stdout
    assert "\x1b" not in done.stdout


def test_before_there_are_items_the_total_is_unknown(tmp_path):
    run = Run(tmp_path)
    (run.stimuli / "items.parquet").unlink()
    done = run.vlmtom("status")
    assert lines(done.stdout)["t1"][:2] == ["director", "0/?"]
    assert "0 of 0 done; 2 jobs not planned yet." in done.stdout


def test_a_job_that_is_writing_is_named_and_goes_on(tmp_path):
    with LoopbackServer(latency_s=0.1) as server:
        run = Run(tmp_path, server.base_url, items=30, concurrency=2)
        job = subprocess.Popen(run.job_command("t1"), cwd=tmp_path, stderr=subprocess.PIPE)
        while server.stats.answered.total() < 4:
            assert job.poll() is None, job.stderr.read()
            time.sleep(0.02)
        done = run.vlmtom("status")
        assert job.poll() is None
        assert job.wait(60) == 0, job.stderr.read()
        job.stderr.close()
    assert f"process {job.pid} on " in done.stdout
    assert 4 <= int(lines(done.stdout)["t1"][1].split("/")[0]) < 30
    after = run.vlmtom("status")
    assert lines(after.stdout)["t1"][1] == "30/30"
    assert "process" not in after.stdout


def test_a_job_may_start_while_its_lock_is_looked_at(tmp_path):
    program = (
        "import sys, time\nfrom vlmtom.store.journal import holder\n"
        "end = time.monotonic() + 60\n"
        "while time.monotonic() < end: holder(sys.argv[1], 'director.w1')"
    )
    with LoopbackServer() as server:
        run = Run(tmp_path, server.base_url)
        folder = str(run.replies("t1") / "journal")
        looking = subprocess.Popen([sys.executable, "-c", program, folder])
        try:
            run.job("t1")
        finally:
            looking.kill()
            looking.wait()


def test_a_line_torn_at_the_end_is_passed_over_and_a_changed_one_is_told(tmp_path):
    with LoopbackServer() as server:
        run = Run(tmp_path, server.base_url)
        run.job("t1")
    (segment,) = (run.replies("t1") / "journal").glob("*.jsonl")
    whole = segment.read_bytes()
    segment.write_bytes(whole[:-40])
    assert lines(run.vlmtom("status").stdout)["t1"][1] == "1/2"
    segment.write_bytes(whole.replace(b"answer", b"amswer", 1))
    done = run.vlmtom("status")
    assert lines(done.stdout)["t1"][1] == "0/2"
    assert f"{segment.name}, line " in done.stdout
    assert "The journal was changed after it was written" in done.stdout


def test_a_judge_has_a_line_for_each_overlay_and_arm(tmp_path):
    run = Run(tmp_path)
    run.config |= {"judges": ["t2"], "triangles": {}, "testers": ["t1"]}
    run.save()
    with JournalWriter(run.results / "verdicts/t2/journal", "blinded.numbered.w1") as journal:
        journal.append(reply("a"))
        shown = lines(run.vlmtom("status").stdout)
    assert shown["t2"][:3] == ["blinded.numbered", "1/?", "ok 1"]
    assert f"process {os.getpid()} on " in shown["t2"][-1]


def test_an_embedded_judge_costs_nothing_so_that_what_is_spent_is_known(tmp_path):
    run = Run(tmp_path, testers=("t1",))
    embedded = {"endpoint": "embedded", "kind": "observer", "family": "f", "lab": "l"}
    run.registry["endpoints"]["embedded"] = {"kind": "embedded"}
    run.registry["models"]["judge-plain"] = embedded | {"gateway_model": "judge-plain"}
    run.config |= {"judges": ["judge-plain"], "triangles": {}}
    run.save()
    with JournalWriter(run.replies("t1") / "journal", "director.w1") as journal:
        journal.append(reply("a"))
    judging = run.results / "verdicts" / "judge-plain" / "journal"
    with JournalWriter(judging, "blinded.numbered.w1") as journal:
        journal.append(reply("b", prompt_tokens=None, completion_tokens=None, cost_usd=None))
    assert "Spent: 0.5000 USD." in run.vlmtom("status").stdout


def test_watching_shows_the_table_again_until_it_is_interrupted(tmp_path):
    Run(tmp_path)
    command = [sys.executable, "-m", "vlmtom.cli", "status", "--watch", "--config", "config.yaml"]
    watching = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    )
    tables = 0
    while tables < 2:
        line = watching.stdout.readline()
        assert line, "it ended by itself"
        tables += line.startswith(b"who")
    watching.send_signal(signal.SIGINT)
    assert watching.wait(20) == 0
    watching.stdout.close()


def test_a_tester_that_the_registry_lacks_is_named_with_the_nearest(tmp_path):
    run = Run(tmp_path)
    run.config["testers"] = ["t1x"]
    run.save()
    done = run.vlmtom("status")
    assert done.returncode == 1
    assert "tester 't1x' is not in models.yaml. Did you mean 't1'?" in done.stderr
