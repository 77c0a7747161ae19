"""The workflow on a real Slurm, through both profiles: the same tables, and nothing lost."""

import os
import signal
import subprocess
import time

import pytest

from tests.loopback.server import LoopbackServer
from tests.workflow.project import Project
from tests.workflow.slurm import Slurm, missing
from vlmtom.observers import answer

REASON = missing()
pytestmark = [
    pytest.mark.skipif(REASON is not None, reason=str(REASON)),
    pytest.mark.timeout(600),
]

TABLE8 = "results/tables/table8.tex"
# Cluster time is not ours to wait for: look every two seconds.
QUICK = {
    "slurm": ("--slurm-init-seconds-before-status-checks", "2", "--seconds-between-status-checks"),
    "sbatch": ("--seconds-between-status-checks",),
}


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    with Slurm(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


def small(folder):
    project = Project(folder, scenes=1, testers=("obs-director",))
    project.config["director"]["arms"]["canonical"]["trials"] = 1
    project.config |= {
        "judges": ["judge-plain"],
        "triangles": {"arms": {"numbered": {"trials": 1}}},
    }
    project.save()
    project.vlmtom("lock", "--config", "config/config.yaml")
    return project


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The same small run without a cluster."""
    project = small(tmp_path_factory.mktemp("here"))
    project.snakemake(TABLE8)
    return project


def profile(name, *arguments):
    flags = ("--latency-wait", "10", *QUICK[name], "2")
    return (*arguments, "--profile", f"profiles/{name}", *flags)


@pytest.mark.parametrize("name", ["sbatch", pytest.param("slurm", marks=pytest.mark.slow)])
def test_a_cluster_makes_the_table_of_this_machine(slurm, here, tmp_path, monkeypatch, name):
    for variable, value in slurm.environment.items():
        monkeypatch.setenv(variable, value)
    project = small(tmp_path / "a folder of größe")
    run = project.snakemake(*profile(name, TABLE8))
    assert run.stderr.count("Finished jobid") >= 10
    for table in ("table8.tex", "table8.parquet", "panel.csv"):
        made = project.results / "tables" / table
        assert made.read_bytes() == (here.results / "tables" / table).read_bytes()
    assert project.planned(TABLE8) == {}


@pytest.fixture
def slow_run(slurm, tmp_path, monkeypatch):
    """A run whose calls go to a slow server: project, server, and how to start it."""
    for variable, value in slurm.environment.items():
        monkeypatch.setenv(variable, value)
    with LoopbackServer(answer, latency_s=1.0) as server:
        project = Project(tmp_path / "run", scenes=6, testers=("obs-director",))
        project.serve_from(server.base_url, concurrency=1)
        yield project, server


TABLE2 = "results/tables/table2.tex"
CALLS = 6 * 3 * 3


def started(project, name):
    return subprocess.Popen(
        project.snakemake_command(*profile(name, TABLE2)),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def wait_for(condition, process):
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, process.communicate()[0][-3000:]
        assert time.monotonic() < deadline
        time.sleep(0.1)


def goes_on(project, server):
    """The same command, here and at once: what was answered is not asked again."""
    before = server.stats.requests
    kept = sum(
        path.read_bytes().count(b'"kind":"reply"')
        for path in project.results.glob("replies/*/journal/*.jsonl")
    )
    assert kept > 0
    server.latency_s = 0.0
    project.snakemake(TABLE2)
    assert server.stats.requests - before == CALLS - kept
    return before - kept  # asked, but lost: what was in flight


@pytest.mark.slow
def test_a_cancelled_job_says_so_and_loses_what_was_in_flight_at_most(slurm, slow_run):
    project, server = slow_run
    process = started(project, "slurm")
    wait_for(lambda: server.stats.statuses[200] >= 3, process)
    for number in slurm.jobs():
        slurm.cancel(number)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Error in rule replies" in said
    assert goes_on(project, server) <= 1


@pytest.mark.slow
def test_ctrl_c_cancels_what_is_in_the_queue(slurm, slow_run):
    project, server = slow_run
    process = started(project, "sbatch")
    wait_for(lambda: server.stats.statuses[200] >= 3, process)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    deadline = time.monotonic() + 30
    while left := slurm.jobs("RUNNING,PENDING,COMPLETING"):
        assert time.monotonic() < deadline, (left, said[-3000:])
        time.sleep(0.2)
    assert goes_on(project, server) <= 1


@pytest.mark.slow
def test_a_failed_job_shows_the_log_of_its_calls(slurm, slow_run):
    project, _ = slow_run
    project.serve_from("http://127.0.0.1:9/v1", concurrency=1)
    done = project.snakemake(*profile("sbatch", TABLE2), ok=False)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "Error in rule replies" in said
    assert "54 of 54 replies are missing (network 54)" in said


@pytest.mark.slow
def test_a_job_that_overruns_its_time_says_so_and_goes_on(slurm, slow_run):
    project, server = slow_run
    server.latency_s = 3.0
    flags = ("--set-resources", "replies:runtime=1")
    done = project.snakemake(*profile("sbatch", TABLE2), *flags, ok=False)
    assert done.returncode == 1
    assert "Error in rule replies" in done.stdout + done.stderr
    logs = [path.read_text() for path in project.folder.glob(".snakemake/slurm_logs/*replies*")]
    assert any("DUE TO TIME LIMIT" in text for text in logs)
    assert goes_on(project, server) <= 1
