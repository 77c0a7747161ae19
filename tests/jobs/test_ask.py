"""The asking job as a process of its own, against a real HTTP server."""

import base64
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.calls.helpers import STREAM, Place, spec
from tests.loopback.server import Fault, LoopbackServer, completion, says
from vlmtom.store import JournalWriter, read_rows, read_stream, schemas

KEY = "sk-loopback-0123456789abcdef"


def command(place: Place, one) -> list[str]:
    file = place.folder / "spec.json"
    file.write_text(one.model_dump_json(), encoding="utf-8")
    paths = {"items": place.items, "pictures": place.pictures, "journal": place.journal}
    options = [part for name, path in paths.items() for part in (f"--{name}", str(path))]
    out = ["--out", str(place.out), "--spec", str(file)]
    return [sys.executable, "-m", "vlmtom.jobs.ask", *options, *out]


def job(
    place: Place, one, options: Sequence[str] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command(place, one), *options],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment,
        cwd=place.folder,
    )


def rows(place: Place) -> list[dict]:
    return read_rows(place.out, schemas.REPLIES)


@pytest.mark.parametrize("wall", ["", "hook"])
def test_a_job_asks_every_trial_and_writes_the_table(tmp_path, wall):
    place = Place(tmp_path, items=4, trials=3)
    with LoopbackServer() as server:
        done = job(place, spec(server.base_url), VLMTOM_WALL=wall)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert server.stats.requests == len(server.stats.bodies) == 12
    table = rows(place)
    assert [(row["stimulus"], row["trial"]) for row in table] == [
        (f"scene-{n:02d}", t) for n in range(4) for t in (1, 2, 3)
    ]
    row = table[0]
    assert (row["status"], row["tester"], row["kind"], row["window"]) == ("ok", "t1", "model", 1)
    assert (row["requested_model"], row["served_model"]) == ("vendor/model-x", "vendor/model-x")
    assert (row["prompt_tokens"], row["reasoning_tokens"], row["cost_usd"]) == (900, None, None)
    assert (row["attempts"], row["ask"], row["request_id"]) == (1, 0, "chatcmpl-loopback")
    assert row["started_utc"].tzinfo is not None
    assert 0 < row["duration_s"] < 5
    assert f"behind the wall ({wall or 'landlock'})" in done.stderr or not wall


@pytest.mark.parametrize("wall", ["", "hook"])
def test_an_observer_is_asked_behind_either_wall_and_has_no_tokens(tmp_path, wall):
    place = Place(tmp_path, items=2, trials=2)
    embedded = {"endpoint_kind": "embedded", "endpoint_base_url": None}
    one = spec("", **embedded, model_gateway_model="obs-guess", model_kind="observer")
    done = job(place, one, VLMTOM_WALL=wall)
    assert done.returncode == 0, done.stderr
    for row in rows(place):
        assert (row["status"], row["kind"], row["served_model"]) == ("ok", "observer", "obs-guess")
        assert (row["prompt_tokens"], row["completion_tokens"], row["cost_usd"]) == (None,) * 3


def test_a_table_is_rebuilt_from_the_journal_byte_for_byte_with_the_server_down(tmp_path):
    place = Place(tmp_path, items=3, trials=2)
    with LoopbackServer() as server:
        one = spec(server.base_url, endpoint_api_key_env="LOOPBACK_KEY")
        assert job(place, one, LOOPBACK_KEY=KEY).returncode == 0
    before = place.out.read_bytes()
    segments = sorted(place.journal.iterdir())
    place.out.unlink()
    done = job(place, one)  # neither a server nor a key is needed for what is answered
    assert done.returncode == 0, done.stderr
    assert "6 requests, 6 of them answered" in done.stderr
    assert place.out.read_bytes() == before
    assert sorted(place.journal.iterdir()) == segments


def test_a_table_is_never_overwritten(tmp_path):
    place = Place(tmp_path)
    with LoopbackServer() as server:
        assert job(place, spec(server.base_url)).returncode == 0
        done = job(place, spec(server.base_url))
    assert done.returncode == 1
    assert f"{place.out} exists, and results are never overwritten. Delete it" in done.stderr
    assert server.stats.requests == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_job_ended_in_the_middle_goes_on_without_asking_anything_twice(tmp_path, number):
    place = Place(tmp_path, items=40)
    with LoopbackServer(latency_s=0.05) as server:
        one = spec(server.base_url, model_concurrency=4)
        process = subprocess.Popen(command(place, one), stderr=subprocess.PIPE, text=True)
        while server.stats.answered.total() < 15:
            time.sleep(0.005)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
        assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number), said
        assert not place.out.exists()
        kept = sum(r["kind"] == "reply" for r in read_stream(place.journal, STREAM))
        assert 11 <= kept < 40  # at least the 15 answered, less those on their way
        if number != signal.SIGKILL:
            assert f"stopped by {signal.Signals(number).name} with {kept} of 40 replies" in said
            assert "Traceback" not in said
        done = job(place, one)
    assert done.returncode == 0, done.stderr
    assert f"40 requests, {kept} of them answered" in done.stderr
    assert len(rows(place)) == len(server.stats.bodies) == 40
    # Asked twice: at most what was in flight.
    assert server.stats.requests <= 40 + 4
    finished = {r["digest"] for r in read_stream(place.journal, STREAM) if r["kind"] == "reply"}
    assert len(finished) == 40


def test_a_line_torn_by_a_kill_is_asked_again_and_only_that(tmp_path):
    place = Place(tmp_path, items=5)
    with LoopbackServer() as server:
        one = spec(server.base_url)
        assert job(place, one).returncode == 0
        place.out.unlink()
        (segment,) = place.journal.glob("*.jsonl")
        segment.write_bytes(segment.read_bytes()[:-30])
        done = job(place, one)
    assert done.returncode == 0, done.stderr
    assert "5 requests, 4 of them answered" in done.stderr
    assert server.stats.requests == 6
    assert [row["status"] for row in rows(place)] == ["ok"] * 5


def test_a_second_writer_stops_and_names_the_first(tmp_path):
    place = Place(tmp_path)
    with LoopbackServer() as server, JournalWriter(place.journal, STREAM):
        done = job(place, spec(server.base_url))
    assert done.returncode == 1
    assert f"is being written by process {os.getpid()} on" in done.stderr
    assert server.stats.requests == 0


def test_a_changed_journal_is_refused(tmp_path):
    place = Place(tmp_path, items=2)
    with LoopbackServer(says("red")) as server:
        assert job(place, spec(server.base_url)).returncode == 0
        place.out.unlink()
        (segment,) = place.journal.glob("*.jsonl")
        segment.write_bytes(segment.read_bytes().replace(b'"text":"red"', b'"text":"tan"', 1))
        done = job(place, spec(server.base_url))
    assert done.returncode == 1
    assert "its hash does not follow from the line before" in done.stderr
    assert server.stats.requests == 2


def test_a_missing_reply_fails_the_job_and_names_the_rows(tmp_path):
    place = Place(tmp_path, items=10)
    with LoopbackServer(says("red"), script=[Fault(400)] * 7) as server:
        one = spec(server.base_url)
        done = job(place, one)
        assert done.returncode == 1
        assert not place.out.exists()
        assert "director, t1: 7 of 10 replies are missing (bad_request 7): " in done.stderr
        assert done.stderr.count("director.canonical.") == 5  # the first five by name
        assert "Run the same command again to ask only for these" in done.stderr
        assert job(place, one).returncode == 0  # the same command asks the seven, only
    assert server.stats.requests == 17


def test_missing_replies_are_rows_where_that_is_allowed(tmp_path):
    place = Place(tmp_path, items=6)
    with LoopbackServer(script=[None, None, Fault(404)]) as server:
        done = job(place, spec(server.base_url, allow_missing=True, model_concurrency=1))
    assert done.returncode == 0, done.stderr
    assert server.stats.requests == 3
    found = sorted((row["status"], row["error_kind"] or "") for row in rows(place))
    assert found == [
        *[("api_error", "not_asked")] * 3,
        ("api_error", "not_found"),
        *[("ok", "")] * 2,
    ]
    assert [r["attempts"] for r in rows(place) if r["error_kind"] == "not_asked"] == [0, 0, 0]


def test_a_job_that_ran_out_of_money_leaves_no_table_and_goes_on_later(tmp_path):
    place = Place(tmp_path, items=6)
    with LoopbackServer(script=[None, None, Fault(402)]) as server:
        one = spec(server.base_url, allow_missing=True, model_concurrency=1)
        done = job(place, one)
        assert done.returncode == 1
        assert "4 of 6 replies are missing (not_asked 3, quota 1)" in done.stderr
        assert not place.out.exists()
        assert job(place, one).returncode == 0
        assert server.stats.requests == 3 + 4
    assert {row["status"] for row in rows(place)} == {"ok"}


def test_a_job_without_any_usable_reply_fails_even_where_gaps_are_allowed(tmp_path):
    place = Place(tmp_path, items=3)
    with LoopbackServer(script=[Fault(401)] * 3) as server:
        done = job(place, spec(server.base_url, allow_missing=True))
        assert done.returncode == 1
        assert "3 of 3 replies are missing (auth" in done.stderr
        assert "every other request would fail alike (auth: status 401" in done.stderr
    assert not place.out.exists()


def test_a_job_of_empty_replies_only_says_what_could_be_changed(tmp_path):
    place = Place(tmp_path, items=3)
    with LoopbackServer(says(None, finish_reason="length")) as server:
        one = spec(server.base_url)
        for _ in range(2):
            done = job(place, one)
            assert done.returncode == 1
            assert "none of 3 replies is usable (truncated 3)" in done.stderr
    assert server.stats.requests == 3


def test_other_missing_statuses_are_rows_without_leave(tmp_path):
    place = Place(tmp_path, items=3)

    def sometimes_empty(body):
        asked = body["messages"][1]["content"][1]["text"]
        return completion(body, "" if asked == "Question 1?" else "red")

    with LoopbackServer(sometimes_empty) as server:
        assert job(place, spec(server.base_url)).returncode == 0
    assert [row["status"] for row in rows(place)] == ["ok", "empty", "ok"]


def test_a_long_pause_leaves_no_table_even_where_gaps_are_allowed(tmp_path):
    place = Place(tmp_path, items=3)
    script = [None, Fault(429, headers={"Retry-After": "3600"})]
    with LoopbackServer(script=script) as server:
        one = spec(server.base_url, allow_missing=True, model_concurrency=1)
        done = job(place, one)
        assert done.returncode == 1
        assert "Come back after 20" in done.stderr
        assert "2 of 3 replies are missing (not_asked 1, rate_limited 1)" in done.stderr
        assert not place.out.exists()
        assert job(place, one).returncode == 0
    assert server.stats.requests == 4


def test_half_a_surrogate_pair_is_kept_raw_in_the_journal_only(tmp_path):
    place = Place(tmp_path)
    with LoopbackServer(says("red \ud83d!")) as server:
        done = job(place, spec(server.base_url))
    assert done.returncode == 0, done.stderr
    assert rows(place)[0]["text"] == "red �!"
    (record,) = read_stream(place.journal, STREAM)
    assert record["text"] == "red \ud83d!"


def test_every_failed_attempt_is_in_the_journal(tmp_path):
    place = Place(tmp_path)
    with LoopbackServer(says("red"), script=[Fault(500), Fault(503)]) as server:
        assert job(place, spec(server.base_url)).returncode == 0
    first, second, reply = read_stream(place.journal, STREAM)
    assert [r["kind"] for r in (first, second, reply)] == ["attempt", "attempt", "reply"]
    assert (first["error_kind"], first["status_code"]) == ("server", 500)
    assert first["digest"] == reply["digest"]
    assert [f["status_code"] for f in reply["attempts_failed"]] == [500, 503]
    assert reply["attempts"] == 3


def test_the_key_is_in_no_file_and_no_message_and_other_keys_are_not_even_seen(tmp_path):
    place = Place(tmp_path, items=3)
    script = [Fault(500, {"error": {"message": f"key {KEY} is slow"}})]
    with LoopbackServer(lambda body: completion(body, KEY), script=script) as server:
        one = spec(server.base_url, endpoint_api_key_env="LOOPBACK_KEY")
        done = job(place, one, LOOPBACK_KEY=KEY, OTHER_API_KEY="sk-other")
    assert done.returncode == 0, done.stderr
    assert server.stats.authorizations == {f"Bearer {KEY}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in done.stderr


def test_the_process_is_started_with_no_other_provider_s_key(tmp_path):
    place = Place(tmp_path, items=20)
    with LoopbackServer(latency_s=0.2) as server:
        one = spec(server.base_url, endpoint_api_key_env="LOOPBACK_KEY", model_concurrency=2)
        environment = os.environ | {"LOOPBACK_KEY": KEY, "OTHER_API_KEY": "sk-other"}
        process = subprocess.Popen(command(place, one), env=environment, stderr=subprocess.DEVNULL)
        while not server.stats.requests:
            time.sleep(0.01)
        started_with = Path(f"/proc/{process.pid}/environ").read_bytes()
        process.kill()
        process.wait()
    assert b"sk-other" not in started_with
    assert KEY.encode() in started_with


def test_a_missing_key_is_a_message_and_not_a_traceback(tmp_path):
    with LoopbackServer() as server:
        one = spec(server.base_url, endpoint_api_key_env="LOOPBACK_KEY")
        done = job(Place(tmp_path), one)
    assert done.returncode == 2
    assert "vlmtom ask: the environment variable LOOPBACK_KEY is not set" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere.json", "nowhere.json: no such file. Give JSON, or the path"),
        ("{", "--spec: not valid JSON"),
        ("{}", "--spec is not the specification of a job: tester: Field required"),
    ],
)
def test_a_specification_that_cannot_be_used_is_bad_usage(tmp_path, given, message):
    place = Place(tmp_path)
    line = [*command(place, spec("http://127.0.0.1:9/v1"))[:-1], given]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_input_is_named(tmp_path):
    place = Place(tmp_path)
    place.pictures.unlink()
    done = job(place, spec("http://127.0.0.1:9/v1"))
    assert done.returncode == 1
    assert f"{place.pictures}: no such file" in done.stderr


def test_a_missing_option_is_bad_usage():
    line = [sys.executable, "-m", "vlmtom.jobs.ask", "--items", "x"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 2
    assert "the following arguments are required" in done.stderr


def test_pictures_are_sent_as_they_are_stored(tmp_path):
    place = Place(tmp_path, items=3)
    with LoopbackServer() as server:
        assert job(place, spec(server.base_url)).returncode == 0
    sent = {
        hashlib.sha256(base64.b64decode(part["image_url"]["url"].split(",")[1])).hexdigest()
        for body in server.stats.received
        for part in body["messages"][1]["content"][:1]
    }
    assert sent == {row["turns"][1]["pictures"][0] for row in place.items_rows}


def test_a_job_loads_no_library_that_calls_do_not_need(tmp_path):
    with LoopbackServer() as server:
        done = job(Place(tmp_path), spec(server.base_url), PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0, done.stderr
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert {"openai", "pyarrow"} <= loaded
    assert not {"pandas._libs", "scipy", "matplotlib", "cv2", "snakemake"} & loaded


def test_a_refused_parameter_is_met_once_and_left_out_by_the_next_job(tmp_path):
    place = Place(tmp_path, items=3)
    refusal = {"error": {"code": "unsupported_value", "param": "temperature", "message": "no"}}
    sampling = {"temperature": 0.0}
    with LoopbackServer(says("red"), script=[Fault(400, refusal), None, Fault(402)]) as server:
        one = spec(server.base_url, model_sampling=sampling, model_concurrency=1)
        first = job(place, one)  # stopped by 402 with one reply
        assert first.returncode == 1
        assert "t1 refuses the parameter temperature: dropped" in first.stderr
        assert server.stats.requests == 3
        done = job(place, one)
    assert done.returncode == 0, done.stderr
    assert ["temperature" in body for body in server.stats.received] == [True, *[False] * 4]
    assert all("temperature" not in row["parameters"] for row in rows(place))
    assert place.out.exists()


def test_a_long_pause_that_stops_one_job_keeps_the_others_from_asking(tmp_path):
    first, second = Place(tmp_path / "one", items=3), Place(tmp_path / "two", items=3)
    shared = ("--leases", str(tmp_path / "leases"))
    wait = Fault(429, headers={"Retry-After": "300"})
    with LoopbackServer(script=[wait]) as server:
        one = spec(server.base_url, model_concurrency=1, calls_max_pause_s=60)
        said = [job(place, one, shared) for place in (first, first, second)]
        assert server.stats.requests == 1
        patient = spec(server.base_url, calls_max_pause_s=600)
        (tmp_path / "leases").rename(tmp_path / "ended")  # as docs/calls.md says to end a pause
        assert job(second, patient, shared).returncode == 0
    assert [done.returncode for done in said] == [1, 1, 1]
    assert all("longer than max_pause_s (60 s). Come back after 20" in d.stderr for d in said)
    assert not first.out.exists()
