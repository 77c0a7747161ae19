"""A provider's key, echoed by the server wherever it can be, is in no file of a run."""

import os
import signal
import subprocess
import time

import pytest

from tests.loopback.server import Fault, LoopbackServer
from tests.workflow.project import Project
from vlmtom.observers import answer

KEY = "sk-planted-4c1d9e7b2a6f8053"
VARIABLE = "PLANTED_API_KEY"
HEADERS = {"x-request-id": KEY, "Set-Cookie": f"session={KEY}", "x-echo": f"Bearer {KEY}"}
TESTER = "obs-director"


def echoes(body):
    """The observer's answer, with the key wherever a completion has room for text."""
    completion = answer(body)
    message = completion["choices"][0]["message"]
    message |= {"content": f"{message['content']}\n{KEY}", "reasoning": KEY}
    return completion | {"id": KEY, "system_fingerprint": KEY, "provider": KEY}


def failure(status):
    words = {"error": {"message": f"Incorrect API key provided: {KEY}", "code": KEY}}
    return Fault(status, words, headers=HEADERS)


def keyed(folder, server, monkeypatch):
    """A project whose tester is asked over HTTP with the planted key."""
    project = Project(folder / "run", scenes=1, testers=(TESTER,))
    project.serve_from(server.base_url, concurrency=2)
    project.registry["endpoints"]["loopback"]["api_key_env"] = VARIABLE
    project.save()
    monkeypatch.setenv(VARIABLE, KEY)
    return project


def files_with(project, words):
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert any(".snakemake" in path.parts for path in files)
    assert any("logs" in path.parts for path in files)
    assert any(path.suffix == ".jsonl" for path in files), "nothing was journalled"
    return [path for path in files if words in path.read_bytes()]


def test_a_run_that_ends_well_keeps_no_key(tmp_path, monkeypatch):
    odd = Fault(200, f"no JSON, but {KEY}", headers=HEADERS)
    script = [failure(500), odd, Fault(200, headers=HEADERS)]
    with LoopbackServer(echoes, script=script) as server:
        project = keyed(tmp_path, server, monkeypatch)
        done = project.snakemake("results/tables/table2.tex")
    assert server.stats.authorizations == {f"Bearer {KEY}"}
    assert server.stats.statuses[200] > 3
    assert files_with(project, KEY.encode()) == []
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("status", [401, 400])
def test_a_run_that_fails_keeps_no_key(tmp_path, monkeypatch, status):
    with LoopbackServer(echoes, script=[None, *[failure(status)] * 99]) as server:
        project = keyed(tmp_path, server, monkeypatch)
        done = project.snakemake("results/tables/table2.tex", ok=False)
    assert done.returncode != 0
    assert server.stats.statuses[status] > 0
    assert files_with(project, KEY.encode()) == []
    assert KEY not in done.stdout + done.stderr
    assert files_with(project, b"[key]") != []  # the server's words are kept, without it


def test_a_run_that_is_killed_keeps_no_key(tmp_path, monkeypatch):
    with LoopbackServer(echoes, latency_s=0.4, script=[failure(500)]) as server:
        project = keyed(tmp_path, server, monkeypatch)
        with (project.folder / "output.txt").open("wb") as output:
            process = subprocess.Popen(
                project.snakemake_command("results/tables/table2.tex"),
                cwd=project.folder,
                env=project.environment(),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            deadline = time.monotonic() + 60
            while server.stats.statuses[200] < 4 and time.monotonic() < deadline:
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert server.stats.statuses[200] >= 4
    assert not (project.results / "tables" / "table2.tex").exists()
    assert files_with(project, KEY.encode()) == []
