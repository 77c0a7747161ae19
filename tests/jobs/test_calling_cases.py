"""What goes wrong with other clients, asked of the whole job: one symptom a case.

A case says what the server does before it answers, and what must come of it: the requests that
arrive, the record, the table, the exit code, and what a second run of the same command does once
the first run's table is deleted.
"""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path

import pytest

from tests.calls.helpers import STREAM, Place, picture_row, png, spec
from tests.jobs.test_ask import job, rows
from tests.loopback.server import Fault, LoopbackServer, completion
from vlmtom.store import read_stream, schemas, write_rows

CASES = Path(__file__).parents[1] / "data" / "calling_cases.jsonl"
CASE_LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
CONTENTS = {
    "png": png(0),
    "jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF and the rest",
    "gif": b"GIF89a and the rest",
}
# Of an expectation, what is a field of the reply, as it is in the journal and in the table.
REPLY_FIELDS = (
    *("status", "error_kind", "text", "attempts", "served_model", "requested_model", "provider"),
    *("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd"),
)


def fault_of(entry):
    """A fault as it is written in a case. A header may be a date so many seconds from now."""
    headers = entry.get("headers", {})

    def written():
        return {
            name: value if isinstance(value, str) else http_date(value["date_in_s"])
            for name, value in headers.items()
        }

    return Fault(**entry | {"headers": written})


def http_date(seconds):
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def answer_of(changes):
    changes = dict(changes)
    without = changes.pop("without", ())

    def answer(body):
        whole = completion(body, "red", **changes)
        return {name: value for name, value in whole.items() if name not in without}

    return answer


def place_of(case, folder):
    place = Place(folder, case.get("items", 1), case.get("trials", 1))
    if picture := case.get("picture"):
        row = picture_row(CONTENTS[picture["content"]])
        row["image"]["path"] = picture["path"]
        place.items_rows[0]["turns"][1]["pictures"] = [row["pixel_sha256"]]
        for path, content, schema in (
            (place.pictures, [row], schemas.PICTURES),
            (place.items, place.items_rows, schemas.ITEMS),
        ):
            path.unlink()
            write_rows(path, content, schema)
    return place


def spec_of(case, base_url):
    return spec(
        base_url,
        allow_missing=case.get("allow_missing", False),
        model_concurrency=1,
        model_sampling={"send_seed": False} | case.get("sampling", {}),
        model_served_as=case.get("served_as", []),
        model_price={"input_usd_per_mtok": 1, "output_usd_per_mtok": 1},
        **{f"calls_{name}": value for name, value in case.get("calls", {}).items()},
    )


def records(place):
    """Records of the journal, by kind."""
    found = {"reply": [], "attempt": [], "learned": []}
    for record in read_stream(place.journal, STREAM):
        found[record["kind"]].append(record)
    return found


def parameters_sent(body):
    return {name: value for name, value in body.items() if name not in {"model", "messages"}}


def check_first_run(expected, place, done, server):
    assert done.returncode == expected["exit"], done.stderr
    assert server.stats.requests == expected["requests"]
    for words in expected.get("said", ()):
        assert words in done.stderr
    assert "Traceback" not in done.stderr
    waits = [after - before for before, after in pairwise(server.stats.times)]
    for wait, at_least in zip(waits, expected.get("min_waits_s", ()), strict=False):
        assert wait >= at_least
    assert place.out.exists() == (expected["exit"] == 0)

    found = records(place)
    assert [r["error_kind"] for r in found["attempt"]] == expected.get("failures", [])
    assert bool(found["reply"]) == ("status" in expected)
    wanted = {name: expected[name] for name in REPLY_FIELDS if name in expected}
    for row in [*found["reply"], *(rows(place) if place.out.exists() else [])]:
        assert {name: row[name] for name in wanted} == wanted
        if "parameters" in expected:
            assert json.loads(row["parameters"]) == expected["parameters"]
    if "sent" in expected:
        assert [parameters_sent(body) for body in server.stats.received] == expected["sent"]
    if "uri" in expected:
        (body,) = server.stats.received
        url = body["messages"][1]["content"][0]["image_url"]["url"]
        assert url.startswith(expected["uri"])


def check_second_run(expected, place, done, requests, table):
    assert done.returncode == expected["exit"], done.stderr
    assert requests == expected["requests"]
    for words in expected.get("said", ()):
        assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert place.out.exists() == (expected["exit"] == 0)
    if expected.get("table") == "identical":
        assert place.out.read_bytes() == table
    if "status" in expected:
        last = {r["digest"]: r["status"] for r in records(place)["reply"]}
        assert set(last.values()) == {expected["status"]}
    if place.out.exists():
        assert {row["status"] for row in rows(place)} == {"ok"}


@pytest.mark.parametrize(
    "case", CASE_LINES, ids=[f"{case['id']}: {case['symptom']}" for case in CASE_LINES]
)
def test_a_known_symptom_of_other_clients_is_not_ours(tmp_path, case):
    place, table = place_of(case, tmp_path), None
    script = [fault_of(entry) for entry in case.get("server", ())]
    second = case["second_run"]
    with LoopbackServer(answer_of(case.get("answer", {})), script=script) as server:
        one = spec_of(case, server.base_url)
        done = job(place, one)
        check_first_run(case["expected"], place, done, server)
        if place.out.exists():
            table = place.out.read_bytes()
            place.out.unlink()
        asked = server.stats.requests
        if not second.get("down"):
            done = job(place, one)
    if second.get("down"):
        done = job(place, one)
    check_second_run(second, place, done, server.stats.requests - asked, table)
