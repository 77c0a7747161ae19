"""`vlmtom forget`: what it moves, what is asked again, and what it refuses."""

import os

import pytest

from tests.commands.helpers import Run
from tests.loopback.server import LoopbackServer
from vlmtom.store import JournalWriter

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("options", [(), ("--experiment", "director")])
def test_what_is_forgotten_lies_aside_and_is_asked_again(tmp_path, options):
    with LoopbackServer() as server:
        run = Run(tmp_path, server.base_url)
        run.job("t1")
        run.job("t2")
        before = (run.replies("t1") / "director.w1.parquet").read_bytes()
        done = run.vlmtom("forget", "t1", *options)
        assert done.returncode == 0, done.stderr
        (aside,) = (run.results / ".forgotten").iterdir()
        assert str(aside.relative_to(tmp_path)) in done.stdout
        assert "snakemake" in done.stdout
        assert (aside / "replies/t1/director.w1.parquet").read_bytes() == before
        assert list((aside / "replies/t1/journal").glob("director.w1.*.jsonl"))
        assert (run.replies("t2") / "director.w1.parquet").exists()
        run.job("t1")
    assert server.stats.requests == 2 + 2 + 2


def test_another_experiment_stays_where_it_is(tmp_path):
    run = Run(tmp_path)
    run.config |= {"judges": ["t2"], "triangles": {}}
    run.save()
    for stream in ("director.w1", "triangles.w1"):
        with JournalWriter(run.replies("t1") / "journal", stream) as journal:
            journal.append({"kind": "note"})
    assert run.vlmtom("forget", "t1", "--experiment", "triangles").returncode == 0
    left = [path.name for path in (run.replies("t1") / "journal").glob("*.jsonl")]
    assert left == ["director.w1.0001.jsonl"]


def test_a_tester_that_is_being_asked_is_not_forgotten(tmp_path):
    run = Run(tmp_path)
    with JournalWriter(run.replies("t1") / "journal", "director.w1") as journal:
        journal.append({"kind": "note"})
        done = run.vlmtom("forget", "t1")
    assert done.returncode == 1
    assert f"is being written by process {os.getpid()} on " in done.stderr
    assert (run.replies("t1") / "journal").is_dir()
    assert not (run.results / ".forgotten").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("t11",), "no tester 't11'. Did you mean 't1'?"),
        (("../t1",), "no tester '../t1'."),
        (("t1", "--experiment", "directr"), "no experiment 'directr'. Did you mean 'director'?"),
        (("t1",), "replies/t1: no replies; there is nothing to forget."),
    ],
)
def test_a_name_that_leads_nowhere_is_told(tmp_path, arguments, message):
    done = Run(tmp_path).vlmtom("forget", *arguments)
    assert done.returncode == 1
    assert message in done.stderr
