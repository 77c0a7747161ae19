"""`vlmtom rename`: what moves, that nothing is asked again, and what it refuses."""

import os
import subprocess

import pytest

from tests.commands.helpers import Run
from tests.jobs.test_judge import Place as Judging
from tests.jobs.test_judge import as_embedded
from tests.jobs.test_trace import SAID
from tests.jobs.test_trace import Place as Coding
from tests.jobs.test_trace import as_embedded as coded
from tests.judging.helpers import judge_spec
from tests.loopback.server import LoopbackServer
from tests.report_action.trace_helpers import coding_spec, trace
from vlmtom.calls import Spending
from vlmtom.store import JournalWriter, read_rows, schemas, write_rows

pytestmark = pytest.mark.timeout(120)


STUDY = {
    "testers": ["t1"],
    "sets": {"main": 3},
    "batches": {"question": {"conditions": ["move-visibility", "move-none"]}},
}


def asked(tmp_path, **changes) -> Run:
    """A run in which t1 and t2 were asked, and the server is gone."""
    with LoopbackServer() as server:
        run = Run(tmp_path, server.base_url, **changes)
        run.job("t1")
        run.job("t2")
    return run


def named_anew(run: Run, old: str = "t1", new: str = "t1-next", **entry) -> None:
    """The configuration and the registry take the new name."""
    run.config["testers"] = [new if t == old else t for t in run.config["testers"]]
    run.registry["models"][new] = run.registry["models"].pop(old) | entry
    run.save()


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_renamed_tester_is_not_asked_and_its_rows_are_the_same_but_for_the_name(tmp_path):
    run = asked(tmp_path, trials=2)
    table = run.replies("t1") / "director.w1.parquet"
    before, content = read_rows(table, schemas.REPLIES), table.read_bytes()
    segments = [path.read_bytes() for path in (run.replies("t1") / "journal").glob("*.jsonl")]
    untouched = files(run.replies("t2"))
    named_anew(run)
    done = run.vlmtom("rename", "t1", "t1-next")
    assert done.returncode == 0, done.stderr
    assert "results/replies/t1/journal is results/replies/t1-next/journal now." in done.stdout
    assert "the tables that held the old name are here now (1)." in done.stdout
    assert "without a call" in done.stdout
    (aside,) = (run.results / ".forgotten").iterdir()
    assert (aside / "replies/t1/director.w1.parquet").read_bytes() == content
    assert not run.replies("t1").exists()
    moved = (run.replies("t1-next") / "journal").glob("*.jsonl")
    assert [path.read_bytes() for path in moved] == segments
    run.job("t1-next")  # the server is down: whatever was asked would fail
    expected = tmp_path / "expected.parquet"
    write_rows(expected, [row | {"tester": "t1-next"} for row in before], schemas.REPLIES)
    rebuilt = run.replies("t1-next") / "director.w1.parquet"
    assert rebuilt.read_bytes() == expected.read_bytes()
    assert files(run.replies("t2")) == untouched
    again = run.vlmtom("rename", "t1", "t1-next")
    assert again.returncode == 1
    assert "'t1' has no replies and no verdicts" in again.stderr


def test_a_renamed_judge_takes_its_verdicts_along(tmp_path):
    run = Run(tmp_path)
    place = Judging(tmp_path / "results", 2)
    with LoopbackServer(as_embedded) as server:
        assert place.run(judge_spec(server.base_url)).returncode == 0
    before = place.verdicts()
    run.config |= {"judges": ["j2"], "triangles": {}}
    run.registry["models"]["j2"] = run.registry["models"]["t1"] | {"gateway_model": "vendor/judge"}
    run.save()
    refused = run.vlmtom("rename", "j1", "j2")
    assert refused.returncode == 1
    assert "the replies of 'j1' are of vendor/judge-x, but 'j2' is vendor/judge" in refused.stderr
    assert "A renamed judge keeps its `gateway_model`" in refused.stderr
    run.registry["models"]["j2"]["gateway_model"] = "vendor/judge-x"
    run.save()
    done = run.vlmtom("rename", "j1", "j2")
    assert done.returncode == 0, done.stderr
    assert not place.out.exists()
    place.journal = run.results / "verdicts" / "j2" / "journal"
    place.out = run.results / "verdicts" / "j2" / "blinded.numbered.parquet"
    again = place.run(judge_spec(server.base_url, judge="j2"))
    assert again.returncode == 0, again.stderr
    assert place.verdicts() == [row | {"judge": "j2"} for row in before]


def test_a_renamed_coder_takes_its_codes_along(tmp_path):
    run = Run(tmp_path)
    place = Coding(run.results, [trace(1, SAID)])
    with LoopbackServer(coded) as server:
        spec = coding_spec(server.base_url, judge="c1")
        assert place.run(spec).returncode == 0
    before = place.codes()
    folder = run.results / "calls" / "_spending"
    Spending(folder, "judge.c1.traces.report_action.w1", spent_before=0.5).close()
    traces = {"coders": ["c1"], "conditions": ["move-none"]}
    run.config["report_action"] = STUDY | {"traces": traces}
    run.registry["models"]["c2"] = run.registry["models"]["t1"] | {
        "gateway_model": spec.model.gateway_model
    }
    run.registry["models"]["c1"] = run.registry["models"]["c2"]
    run.save()
    refused = run.vlmtom("rename", "c1", "c2")
    assert refused.returncode == 1
    assert "'c1' is still named under `report_action.traces.coders:`" in refused.stderr
    traces["coders"] = ["c2"]
    run.save()
    done = run.vlmtom("rename", "c1", "c2")
    assert done.returncode == 0, done.stderr
    assert not place.out.exists()
    place.journal = run.results / "traces" / "c2" / "journal"
    place.out = run.results / "traces" / "c2" / "report_action.parquet"
    again = place.run(spec.model_copy(update={"judge": "c2"}))  # the server is down
    assert again.returncode == 0, again.stderr
    assert place.codes() == [row | {"coder": "c2"} for row in before]
    job = Spending(folder, "judge.c2.traces.report_action.w1", spent_before=0.5)
    assert job.spent_usd() == 0.5
    job.close()


def test_a_model_that_is_tester_and_judge_takes_both_journals_along(tmp_path):
    run = asked(tmp_path)
    verdicts = run.results / "verdicts"
    with JournalWriter(verdicts / "t1" / "journal", "blinded.numbered.w1") as journal:
        journal.append({"kind": "reply", "digest": "d", "requested_model": "vendor/t1"})
    run.config |= {"judges": ["t1"], "triangles": {}}
    named_anew(run)
    refused = run.vlmtom("rename", "t1", "t1-next")
    assert refused.returncode == 1  # the judge still has the old name
    assert "'t1' is still named under `judges:`" in refused.stderr
    assert (run.replies("t1") / "journal").is_dir()
    run.config["judges"] = ["t1-next"]
    run.save()
    assert run.vlmtom("rename", "t1", "t1-next").returncode == 0
    assert (run.replies("t1-next") / "journal").is_dir()
    assert (verdicts / "t1-next" / "journal").is_dir()
    assert not (verdicts / "t1").exists()


def test_what_was_spent_counts_once_against_the_budget(tmp_path):
    run = asked(tmp_path)
    folder = run.results / "calls" / "_spending"
    for name in ("tester.t1.director.w1", "tester.t2.director.w1"):
        Spending(folder, name, spent_before=0.5).close()
    named_anew(run)
    assert run.vlmtom("rename", "t1", "t1-next").returncode == 0
    # The job under the new name knows the same 0.5 USD from the journal.
    job = Spending(folder, "tester.t1-next.director.w1", spent_before=0.5)
    assert job.spent_usd() == 1.0
    job.close()


def test_replies_of_an_earlier_gateway_id_come_along_and_are_told(tmp_path):
    run = asked(tmp_path)
    with JournalWriter(run.replies("t1") / "journal", "director.w1") as journal:
        journal.append({"kind": "reply", "digest": "d", "requested_model": "vendor/t0"})
    named_anew(run)
    done = run.vlmtom("rename", "t1", "t1-next")
    assert done.returncode == 0, done.stderr
    assert "1 replies are of earlier gateway ids (vendor/t0); they are kept" in done.stdout


def test_a_lock_file_that_a_failed_job_left_under_the_new_name_is_no_obstacle(tmp_path):
    run = asked(tmp_path)
    named_anew(run)
    with JournalWriter(run.replies("t1-next") / "journal", "director.w1"):
        busy = run.vlmtom("rename", "t1", "t1-next")
    assert busy.returncode == 1
    assert f"is being written by process {os.getpid()} on " in busy.stderr
    assert run.vlmtom("rename", "t1", "t1-next").returncode == 0
    run.job("t1-next")


def test_a_tester_that_is_being_asked_is_not_renamed(tmp_path):
    run = asked(tmp_path)
    named_anew(run)
    before = files(run.results)
    with JournalWriter(run.replies("t1") / "journal", "director.w1"):
        done = run.vlmtom("rename", "t1", "t1-next")
    assert done.returncode == 1
    assert f"is being written by process {os.getpid()} on " in done.stderr
    assert files(run.results).keys() == before.keys()


def refusal(run: Run, *names: str) -> str:
    """What the command says; nothing may have moved."""
    before = files(run.results)
    done: subprocess.CompletedProcess[str] = run.vlmtom("rename", *names)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    assert files(run.results) == before
    return done.stderr


def test_a_name_that_leads_nowhere_is_told(tmp_path):
    run = asked(tmp_path)
    assert "'t11' has no replies and no verdicts" in refusal(run, "t11", "t2")
    assert "Did you mean 't1'?" in refusal(run, "t11", "t2")
    assert "'../t1' has no replies" in refusal(run, "../t1", "t2")
    assert "both names are 't1'" in refusal(run, "t1", "t1")
    assert "'t1' is still named under `testers:`" in refusal(run, "t1", "t2")


def test_a_new_name_that_nobody_configured_is_told(tmp_path):
    run = asked(tmp_path)
    named_anew(run)
    said = refusal(run, "t1", "t1-nxt")
    assert "'t1-nxt' is not named under `testers:`" in said
    assert "Did you mean 't1-next'?" in said
    del run.registry["models"]["t1-next"]
    run.save()
    assert "tester 't1-next' is not in models.yaml" in refusal(run, "t1", "t1-next")


def test_a_new_name_with_replies_of_its_own_is_refused(tmp_path):
    run = asked(tmp_path)
    named_anew(run, new="t2-next")
    run.config["testers"] = ["t2", "t2-next"]
    run.save()
    said = refusal(run, "t1", "t2")
    assert "'t2' has replies already (director.w1), and two journals cannot be joined" in said
    assert "`vlmtom forget t2`" in said


def test_another_model_under_the_new_name_is_refused(tmp_path):
    run = asked(tmp_path)
    named_anew(run, gateway_model="vendor/other")
    said = refusal(run, "t1", "t1-next")
    assert "the replies of 't1' are of vendor/t1, but 't1-next' is vendor/other" in said


def test_a_model_does_not_become_an_observer(tmp_path):
    run = asked(tmp_path)
    named_anew(run, kind="observer")
    said = refusal(run, "t1", "t1-next")
    assert "'t1' is of the kind model, but 't1-next' is of the kind observer" in said


def test_tables_without_a_journal_are_adopted_first(tmp_path):
    run = asked(tmp_path)
    named_anew(run)
    for path in (run.replies("t1") / "journal").iterdir():
        path.unlink()
    assert "Run `vlmtom adopt` first" in refusal(run, "t1", "t1-next")


def test_a_changed_journal_is_not_carried_on(tmp_path):
    run = asked(tmp_path)
    named_anew(run)
    (segment,) = (run.replies("t1") / "journal").glob("*.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"answer", b"amswer", 1))
    assert "its hash does not follow from the line before" in refusal(run, "t1", "t1-next")
