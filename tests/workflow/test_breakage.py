"""Runs that are killed, damaged or misconfigured: a clear error, nothing lost, the same result."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from tests.loopback.server import LoopbackServer
from tests.workflow.project import Project
from vlmtom.observers import answer

CALLS = 2 * 3 * 3  # scenes x prompts x trials, for each tester


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("undisturbed"))
    project.snakemake()
    return project


def test_over_http_the_tables_are_those_of_the_embedded_run(undisturbed, tmp_path):
    with LoopbackServer(answer) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url)
        project.snakemake()
        assert server.stats.requests == 2 * CALLS
    assert project.tables() == undisturbed.tables()


@pytest.mark.parametrize(
    "victim", ["process group", pytest.param("snakemake alone", marks=pytest.mark.slow)]
)
def test_sigkill_in_the_middle_of_the_calls_loses_no_reply(undisturbed, tmp_path, victim):
    with LoopbackServer(answer, latency_s=0.4) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url, concurrency=2)
        process = subprocess.Popen(
            project.snakemake_command(),
            cwd=project.folder,
            env=project.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 120
        while server.stats.statuses[200] < 8 and time.monotonic() < deadline:
            time.sleep(0.05)
        if victim == "process group":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        journalled = _journalled(project)
        assert 0 < journalled < 2 * CALLS, "killed too early or too late to show anything"

        project.snakemake()
        asked = dict(server.stats.bodies)
        # At most the calls in flight at the kill (2 testers x 2) are asked a second time.
        repeated = sum(times - 1 for times in asked.values())
        assert len(asked) == 2 * CALLS
        assert repeated <= (4 if victim == "process group" else 0)
    assert project.tables() == undisturbed.tables()


def _journalled(project):
    lines = 0
    for path in (project.results / "replies").glob("*/journal/*.jsonl"):
        lines += path.read_bytes().count(b'"kind":"reply"')
    return lines


def test_faulty_replies_are_asked_again_and_the_tables_are_the_same(undisturbed, tmp_path):
    from tests.loopback.server import HTML, RESET, Fault

    faults = (Fault(500), Fault(429), RESET, HTML, Fault(body={"error": {"code": 502}}))
    with LoopbackServer(answer, faults=faults, fault_rate=0.2) as server:
        project = Project(tmp_path / "run")
        project.config["calls"] = {"backoff_s": 0.02, "attempts": 12}
        project.serve_from(server.base_url)
        project.snakemake()
        assert server.stats.requests > 2 * CALLS
    assert project.tables() == undisturbed.tables()


@pytest.mark.slow
def test_a_cut_file_of_replies_is_named(undisturbed, tmp_path):
    project = Project(tmp_path / "run")
    project.snakemake()
    path = project.results / "replies" / "obs-director" / "director.w1.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    failed = project.snakemake(ok=False)
    assert failed.returncode != 0
    assert "director.w1.parquet: not a whole Parquet file" in failed.stderr
    assert "Delete it" in failed.stderr
    problems = project.vlmtom("verify", ok=False)
    assert problems.returncode == 1
    assert "director.w1.parquet: not the file of the manifest" in problems.stdout
    path.unlink()
    project.snakemake()
    assert project.tables() == undisturbed.tables()


def test_a_changed_instrument_stops_the_run(tmp_path):
    project = Project(tmp_path / "run")
    locks = project.folder / "resources" / "locks.yaml"
    text = locks.read_text()
    line = next(line for line in text.splitlines() if "seed 11 Q01 pixels" in line)
    locks.write_text(text.replace(line, line[:-4] + "beef"))
    failed = project.snakemake(ok=False)
    assert failed.returncode != 0
    assert "director/canonical seed 11 Q01 pixels: locked" in failed.stderr
    assert "vlmtom lock --config" in failed.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"testres": ["x"]}, "testres: unknown key. Did you mean 'testers'?"),
        ({"testers": ["obs-directr"]}, "Did you mean 'obs-director'?"),
        ({"director": {"arms": {"canonica": {}}}}, "no arm 'canonica'. Did you mean 'canonical'?"),
    ],
)
def test_a_wrong_configuration_is_said_before_anything_runs(undisturbed, change, words):
    project = Project.__new__(Project)
    project.__dict__.update(undisturbed.__dict__)
    path = project.folder / "config" / "wrong.yaml"
    import yaml

    path.write_text(yaml.safe_dump(change))
    failed = project.snakemake("-n", "--configfile", str(path), ok=False)
    assert failed.returncode != 0
    assert words in failed.stderr + failed.stdout


def test_missing_replies_are_allowed_only_if_the_configuration_says_so(tmp_path):
    from tests.loopback.server import Fault

    bad = Fault(400, {"error": {"message": "no", "code": "bad_request"}})
    with LoopbackServer(answer, script=[bad, bad]) as server:
        project = Project(tmp_path / "run", testers=("obs-director",))
        project.config["allow_missing"] = True
        project.serve_from(server.base_url, concurrency=1)
        project.snakemake()
        assert _missing(project) > 0
        assert "Where replies are missing" in (project.results / "tables/table2.tex").read_text()
        asked = server.stats.requests
        project.config["allow_missing"] = False
        project.save()
        project.snakemake()
        assert server.stats.requests == asked + 2, "the two gaps are asked, and nothing else"
    assert _missing(project) == 0


def _missing(project):
    table = (project.results / "tables" / "table2.csv").read_text().splitlines()
    return int(table[1].split(",")[table[0].split(",").index("missing")])


def test_a_table_without_its_journal_is_refused_before_anything_is_asked(undisturbed, tmp_path):
    sent = undisturbed.results / "replies" / "obs-director" / "director.w1.parquet"
    with LoopbackServer(answer) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url)
        place = project.results / "replies" / "obs-director"
        place.mkdir(parents=True)
        shutil.copy(sent, place)
        refused = project.snakemake("results/tables/table2.tex", ok=False)
        assert refused.returncode == 1
        assert "Run `vlmtom adopt` to keep them" in refused.stderr
        assert server.stats.requests == 0
        assert (place / sent.name).read_bytes() == sent.read_bytes()


def test_a_folder_of_another_panel_is_refused_and_says_how_to_go_on(undisturbed, tmp_path):
    project = Project(tmp_path / "run")
    project.snakemake("results/keys/director.parquet")
    project.config["panel"] = "other"
    project.save()
    refused = project.snakemake(ok=False)
    assert refused.returncode == 1
    assert "results belongs to the panel 'test'" in refused.stderr
    assert "results: results-other" in refused.stderr
    (project.results / "panel.txt").write_text("other\n")
    assert "director_stimuli" not in project.planned()
