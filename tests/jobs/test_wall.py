"""The walls, tried from processes that entered them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.calls.helpers import png
from vlmtom.wall import _landlock_version

needs_landlock = pytest.mark.skipif(not _landlock_version(), reason="the kernel has no Landlock")

# Each try is a name and an expression; "READ" if it gave something, else the error's name.
PROGRAM = """
import contextlib, json, os, sys
from vlmtom import wall
options = json.loads(sys.argv[1])
kind = wall.enter(options["read"], options["write"], "the test")
def tried(expression):
    try:
        return "READ" if eval(expression) is not None else "NOTHING"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
import ctypes, shutil, socket, subprocess
import cv2
import pyarrow as pa
import pyarrow.parquet as pq
import numpy as np
from pathlib import Path
import vlmtom.calls, vlmtom.store
print(json.dumps({"kind": kind} | {e: tried(e) for e in options["tries"]}))
"""


class Room:
    """A folder with a declared input, a folder to write to, and a key beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.items, self.key = folder / "items.parquet", folder / "keys" / "key.parquet"
        self.picture, self.hidden = folder / "picture.png", folder / "keys" / "hidden.png"
        self.own = folder / "own"
        self.key.parent.mkdir()
        self.own.mkdir()
        for path in (self.items, self.key):
            pq.write_table(pa.table({"a": [1]}), path)
        for path in (self.picture, self.hidden):
            path.write_bytes(png(9))

    def results(self, tries: list[str], kind: str = "", cwd: Path | None = None) -> dict[str, str]:
        names = {"ITEMS": self.items, "KEY": self.key, "PICTURE": self.picture}
        names |= {"HIDDEN": self.hidden, "OWN": self.own, "FOLDER": self.folder}
        filled = {}
        for attempt in tries:
            expression = attempt
            for name, path in names.items():
                expression = expression.replace(name, str(path))
            filled[attempt] = expression
        options = {
            "read": [str(self.items), str(self.picture)],
            "write": [str(self.own)],
            "tries": list(filled.values()),
        }
        done = run(options, kind, cwd or self.folder)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        return {"kind": found["kind"]} | {name: found[e] for name, e in filled.items()}


def run(options: dict, kind: str = "", cwd: Path | None = None):
    environment = {**os.environ, "VLMTOM_WALL": kind}
    command = [sys.executable, "-c", PROGRAM, json.dumps(options)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)


DECLARED = [
    "pq.read_table('ITEMS').num_rows",
    "pa.memory_map('ITEMS').read(4)",
    "cv2.imread('PICTURE').shape",
    "open('ITEMS', 'rb').read()",
    "socket.create_server(('127.0.0.1', 0)).getsockname()",
    "Path('OWN/new.txt').write_text('x')",
    "os.link('OWN/new.txt', 'OWN/linked.txt') or 1",
    "os.rename('OWN/new.txt', 'OWN/renamed.txt') or 1",
    "os.unlink('OWN/renamed.txt') or 1",
    "open('/dev/null', 'w').write('x')",
    "os.urandom(4)",
]
BY_PYTHON = [
    "open('KEY', 'rb').read()",
    "os.open('KEY', os.O_RDONLY)",
    "np.fromfile('KEY', dtype='u1')",
    "pq.read_table(open('KEY', 'rb'))",
    "shutil.copy('KEY', 'OWN/copied')",
    "os.link('KEY', 'OWN/linked')",
    "os.listdir('FOLDER/keys')",
    "os.listdir('.')",
    "os.rename('KEY', 'OWN/moved')",
    "Path('FOLDER/elsewhere.txt').write_text('x')",
    "os.remove('KEY') or 1",
    "os.symlink('KEY', 'OWN/pointer') or open('OWN/pointer', 'rb').read()",
    "open('/proc/1/environ', 'rb').read()",
    f"open('/proc/{os.getpid()}/environ', 'rb').read()",
]
BY_LIBRARIES = [
    "pq.read_table('KEY')",
    "pa.memory_map('KEY')",
    "cv2.imread('HIDDEN')",
    "subprocess.run(['cat', 'KEY'], capture_output=True).stdout or None",
    "os.system('cat KEY > OWN/stolen') or 1",
]


def refused(results: dict[str, str], tries: list[str]) -> None:
    opened = {name: results[name] for name in tries if results[name] == "READ"}
    assert opened == {}


@needs_landlock
def test_landlock_binds_python_libraries_and_child_processes(tmp_path):
    room = Room(tmp_path)
    system = BY_LIBRARIES[-1]
    results = room.results([*DECLARED, *BY_PYTHON, *BY_LIBRARIES])
    assert results["kind"] == "landlock"
    assert {results[name] for name in DECLARED} == {"READ"}
    refused(results, [*BY_PYTHON, *BY_LIBRARIES[:-1]])
    assert results[system] == "READ"  # the shell itself started, and got nothing
    assert not (room.own / "stolen").exists() or (room.own / "stolen").read_bytes() == b""
    assert room.key.exists()


def test_the_hook_binds_python_and_refuses_child_processes(tmp_path):
    room = Room(tmp_path)
    children = BY_LIBRARIES[-2:]
    foreign = "ctypes.CDLL(None).open"
    results = room.results([*DECLARED, *BY_PYTHON, *children, foreign], kind="hook")
    assert results["kind"] == "hook"
    assert {results[name] for name in DECLARED} == {"READ"}
    refused(results, [*BY_PYTHON, *children, foreign])
    assert results["open('KEY', 'rb').read()"] == (
        f"Refused: [Errno 13] the wall around the test refuses to read {room.key}, "
        "which was not declared to it"
    )
    assert "refuses to start another process (subprocess.Popen)" in results[children[0]]
    assert "refuses foreign functions" in results[foreign]


@pytest.mark.parametrize("kind", ["", "hook"])
def test_a_relative_path_is_judged_by_where_it_leads(tmp_path, kind):
    room = Room(tmp_path)
    tries = ["open('../keys/key.parquet', 'rb').read()", "open('../items.parquet', 'rb').read()"]
    results = room.results(tries, kind, cwd=room.own)
    assert results[tries[0]].startswith(("PermissionError", "Refused"))
    assert results[tries[1]] == "READ"


def complaint(options: dict, kind: str = "") -> str:
    done = run({"read": [], "write": [], "tries": []} | options, kind)
    assert done.returncode != 0
    return done.stderr.strip().splitlines()[-1]


def test_what_does_not_exist_cannot_be_declared(tmp_path):
    message = complaint({"read": [str(tmp_path / "none")]})
    assert f"the test declares {tmp_path}/none, which does not exist. Make it first" in message


def test_results_inside_the_python_installation_are_refused(tmp_path):
    inside = str(Path(sys.prefix).resolve() / "lib")
    message = complaint({"write": [inside]})
    assert f"{inside}, where the test writes, lies inside {Path(sys.prefix).resolve()}" in message


def test_an_unknown_kind_of_wall_is_refused():
    assert "VLMTOM_WALL is 'none'; expected landlock, hook" in complaint({}, "none")


@needs_landlock
def test_landlock_is_not_put_up_around_running_threads(tmp_path):
    program = (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n"
        "from vlmtom import wall\n"
        "wall.enter([], [], 'the test')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode != 0
    assert "the test runs 2 threads already; Landlock would bind only this one" in done.stderr


def test_a_kernel_without_landlock_says_so(monkeypatch):
    from vlmtom import wall
    from vlmtom.errors import WallBroken

    monkeypatch.setattr(wall, "_landlock_version", lambda: 0)
    monkeypatch.setenv("VLMTOM_WALL", "landlock")
    with pytest.raises(WallBroken, match="Landlock, which this kernel does not offer"):
        wall.enter([], [])


def test_a_wall_that_does_not_hold_is_noticed(monkeypatch):
    from vlmtom import wall
    from vlmtom.errors import WallBroken

    monkeypatch.setattr(wall, "_enter_hook", lambda *_: None)
    monkeypatch.setenv("VLMTOM_WALL", "hook")
    with pytest.raises(WallBroken, match="the wall around the test does not hold"):
        wall.enter([], [], "the test")


def test_a_refusal_by_the_kernel_s_interface_names_the_way_out():
    from vlmtom.errors import WallBroken
    from vlmtom.wall import _checked

    with pytest.raises(WallBroken, match=r"could not be put up around me: .* VLMTOM_WALL=hook"):
        _checked(-1, "me")
