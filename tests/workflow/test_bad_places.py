"""Runs in places that go wrong: no room, no right to write, no home, a clock that was set back."""

import os
import shutil
import subprocess
import time
from contextlib import contextmanager

import pytest

from tests.loopback.server import LoopbackServer
from tests.workflow.project import Project
from vlmtom.observers import answer

TABLE2 = "results/tables/table2.tex"
CALLS = 2 * 2 * 3 * 3  # testers, scenes, prompts, trials
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system needs root")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("undisturbed"))
    project.snakemake(TABLE2)
    return project


def table2(project):
    return (project.folder / TABLE2).read_bytes()


@contextmanager
def mounted(folder, size):
    """A small file system of its own at a folder. remount: with other options."""

    def mount(options):
        subprocess.run(["mount", "-o", options, "-t", "tmpfs", "tmpfs", folder], check=True)

    folder.mkdir(parents=True, exist_ok=True)
    mount(f"size={size}")
    try:
        yield lambda options: subprocess.run(
            ["mount", "-o", f"remount,{options}", folder], check=True
        )
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@needs_root
def test_a_full_disk_is_named_and_no_half_written_file_counts(undisturbed, tmp_path):
    with LoopbackServer(answer) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url)
        with mounted(project.results, "200k") as remount:
            full = project.snakemake(TABLE2, ok=False)
            assert full.returncode == 1
            assert "No space left on device" in full.stdout + full.stderr
            assert not (project.folder / TABLE2).exists()
            remount("size=64m")
            project.snakemake(TABLE2)
            assert table2(project) == table2(undisturbed)
            assert project.planned(TABLE2) == {}


@pytest.mark.slow
@needs_root
def test_a_disk_that_fills_while_calls_come_in_loses_what_it_could_not_hold_and_no_more(
    undisturbed, tmp_path
):
    with LoopbackServer(answer) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url, concurrency=1)
        project.snakemake("results/keys/director.parquet")
        with mounted(project.results / "replies", "16k") as remount:
            full = project.snakemake(TABLE2, ok=False)
            assert full.returncode == 1
            assert (
                "could be written (is the disk full?)" in full.stderr or "No space" in full.stderr
            )
            lines = (
                line
                for path in project.results.glob("replies/*/journal/*.jsonl")
                for line in path.read_bytes().splitlines(keepends=True)
            )
            kept = sum(b'"kind":"reply"' in line and line.endswith(b"\n") for line in lines)
            asked = server.stats.requests
            remount("size=64m")
            project.snakemake(TABLE2)
            assert table2(project) == table2(undisturbed)
            # Of each job the one reply that did not fit is asked a second time.
            assert asked - kept <= 2
            assert server.stats.requests <= CALLS + 2


@needs_root
def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_asked(tmp_path):
    with LoopbackServer(answer) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url)
        with mounted(project.results, "64m") as remount:
            project.snakemake("results/keys/director.parquet")
            remount("ro")
            refused = project.snakemake(TABLE2, ok=False)
            assert refused.returncode != 0
            assert "Read-only file system" in refused.stdout + refused.stderr
            assert "results" in refused.stderr
            # To look is allowed: nothing of it writes.
            assert project.vlmtom("status", "--config", "config/config.yaml").returncode == 0
            assert project.vlmtom("plan", "--config", "config/config.yaml").returncode == 0
        assert server.stats.requests == 0


def test_two_runs_in_one_folder_ask_nothing_twice(undisturbed, tmp_path):
    with LoopbackServer(answer, latency_s=0.2) as server:
        project = Project(tmp_path / "run")
        project.serve_from(server.base_url, concurrency=2)
        project.snakemake("results/keys/director.parquet")
        runs = [
            subprocess.Popen(
                project.snakemake_command(TABLE2),
                cwd=project.folder,
                env=project.environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for _ in range(2)
        ]
        said = [run.communicate(timeout=300)[0] for run in runs]
        ended = sorted(zip((run.returncode for run in runs), said, strict=True))
        assert [code for code, _ in ended] == [0, 1], said
        assert "another run is at work in this folder (process " in ended[1][1]
        assert project.planned(TABLE2) == {}
        assert server.stats.requests == len(server.stats.bodies) == CALLS
    assert table2(project) == table2(undisturbed)


@pytest.mark.slow
def test_a_path_with_spaces_and_umlauts_is_a_path_like_any_other(undisturbed, tmp_path):
    project = Project(tmp_path / "Größe & Maß (neu) 'x'")
    project.snakemake()
    assert table2(project) == table2(undisturbed)
    assert "hold" in project.vlmtom("verify").stdout


@pytest.mark.slow
def test_without_a_home_the_run_is_the_same(undisturbed, tmp_path, monkeypatch):
    for name in ("HOME", "XDG_CACHE_HOME", "USER", "LOGNAME"):
        monkeypatch.delenv(name, raising=False)
    project = Project(tmp_path / "run")
    project.environment = lambda: dict(os.environ)
    project.snakemake("results/figures/figure2.png", TABLE2)
    assert table2(project) == table2(undisturbed)


@pytest.mark.slow
def test_a_clock_that_was_set_back_is_named_and_asks_nothing_again(undisturbed, tmp_path):
    """As after a year in the future: every file there is newer than now."""
    project = Project.__new__(Project)
    project.__dict__.update(undisturbed.__dict__)
    project.folder = tmp_path / "run"
    shutil.copytree(undisturbed.folder, project.folder, symlinks=True)
    later = time.time() + 365 * 86_400
    for path in (project.results, *project.results.rglob("*")):
        os.utime(path, (later, later))
    assert project.planned(TABLE2) == {}
    segments = sorted(project.results.rglob("*.jsonl"))
    shutil.rmtree(project.results / "outcomes")
    refused = project.snakemake(TABLE2, ok=False)
    assert refused.returncode == 1
    assert "clock skew" in refused.stderr
    # As docs/troubleshooting.md says: let nothing be newer than now.
    subprocess.run("find results -newermt now -exec touch {} +", shell=True, cwd=project.folder)
    project.snakemake(TABLE2)
    assert sorted(project.results.rglob("*.jsonl")) == segments
    assert table2(project) == table2(undisturbed)
