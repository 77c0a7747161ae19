"""A real llama.cpp server behind the engine, the jobs and the workflow.

The model is small and its eye is random: what it says means nothing, and nothing here depends on
it. What is claimed is what comes with it: counts of tokens, statuses, failures, names.
"""

import csv
import re
import subprocess
import time

import pytest

from tests.calls.helpers import STREAM, Place, item, spec
from tests.calls.test_turns import turn
from tests.jobs.test_ask import command, job, rows
from tests.jobs.test_judge import Place as JudgePlace
from tests.judging.helpers import blind, judge_spec
from tests.workflow.project import Project
from vlmtom.calls.probe import NAME as PROBE
from vlmtom.store import read_rows, read_stream, schemas, write_rows

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(300)]

# Words, then an end: else such a model says nothing to a picture, or never stops.
SENTENCE = {"grammar": 'root ::= [a-z] [a-z ]{8,40} "."'}
SHORT = {"temperature": 0, "max_tokens": 64, "extra": SENTENCE}


def place_of(folder, *turns_of_items):
    """A folder with an item for each list of turns; `P0` and `P1` stand for two pictures."""
    place = Place(folder, items=2)
    pictures = {f"P{n}": row["turns"][1]["pictures"][0] for n, row in enumerate(place.items_rows)}
    place.items_rows = [
        item(
            number,
            pictures["P0"],
            turns=[one | {"pictures": [pictures[p] for p in one["pictures"]]} for one in turns],
        )
        for number, turns in enumerate(turns_of_items)
    ]
    place.items.unlink()
    write_rows(place.items, place.items_rows, schemas.ITEMS)
    return place


def asking(server, **changes):
    """A specification for the server; changes as in tests.calls.helpers.spec."""
    usual = {
        "model_gateway_model": server.name,
        "model_sampling": SHORT,
        "model_concurrency": 1,
        "model_timeout_s": 120,
    }
    return spec(server.base_url, **usual | changes)


def records(place, kind):
    return [record for record in read_stream(place.journal, STREAM) if record["kind"] == kind]


def test_text_is_answered_twice_alike_with_tokens_counted_and_the_model_named(seeing, tmp_path):
    answers = []
    for name in ("first", "second"):
        place = place_of(tmp_path / name, [turn("Name a colour.")])
        done = job(place, asking(seeing))
        assert done.returncode == 0, done.stderr
        (row,) = rows(place)
        assert (row["status"], row["finish_reason"], row["attempts"]) == ("ok", "stop", 1)
        assert (row["requested_model"], row["served_model"]) == ("smol", "smol")
        assert row["prompt_tokens"] > 10
        assert 0 < row["completion_tokens"] <= 64
        assert row["request_id"]
        answers.append((row["text"], row["request_digest"]))
    assert answers[0] == answers[1]


def test_without_a_grammar_the_model_s_own_end_decides_the_status(seeing, tmp_path):
    plain = {"temperature": 0, "max_tokens": 48}
    _, (record,) = place_of(tmp_path, [turn("Name a colour.")]).ask(
        asking(seeing, model_sampling=plain)
    )
    expected = {"length": "truncated", "stop": "ok"}[record["finish_reason"]]
    assert record["status"] == expected


def test_every_picture_takes_the_projector_s_places_in_the_prompt(seeing, tmp_path):
    question = "What do you see?"
    place = place_of(
        tmp_path,
        [turn(question)],
        [turn(question, pictures=("P0",))],
        [turn(question, pictures=("P0", "P1"))],
    )
    done = job(place, asking(seeing, model_probe=True))
    assert done.returncode == 0, done.stderr
    assert [row["status"] for row in rows(place)] == ["ok"] * 3
    none, one, two = (row["prompt_tokens"] for row in rows(place))
    # (224 / 28) ** 2 = 64 patches; a few more for what stands around them
    assert 64 <= one - none <= 68
    assert two - one == one - none
    # The red square came first, and whatever was said to it, asking went on.
    first, *others = records(place, "reply")
    assert (first["item_id"], first["attempts"]) == (PROBE, 1)
    assert first["status"] != "api_error"
    assert first["prompt_tokens"] > 64
    assert len(others) == 3
    assert ("did not say red" in done.stderr) == ("red" not in (first["text"] or "").lower())


def test_whatever_is_said_to_a_picture_the_job_ends_with_a_table_or_a_reason(seeing, tmp_path):
    # No grammar: such a model mostly ends at once, with nothing said.
    place = Place(tmp_path, items=3)
    sampling = {"temperature": 0, "max_tokens": 32}
    done = job(place, asking(seeing, model_sampling=sampling, model_probe=True))
    statuses = {record["status"] for record in records(place, "reply")}
    assert statuses <= {"ok", "empty", "truncated"}
    assert place.out.exists() == (done.returncode == 0)
    if done.returncode:
        assert done.returncode == 1
        assert "none of 3 replies is usable" in done.stderr
        assert "Traceback" not in done.stderr


def test_the_verdict_schema_is_enforced_by_the_server(seeing, tmp_path):
    accounts = ("The small one hides to trick the big one.", "Two shapes drift.", "Bananas.")
    place = JudgePlace(tmp_path, [blind(n, text) for n, text in enumerate(accounts)])
    one = judge_spec(
        seeing.base_url,
        model_gateway_model=seeing.name,
        model_json_schema=True,
        model_timeout_s=120,
        model_concurrency=1,
        model_sampling={"temperature": 0, "send_seed": False, "max_tokens": 128},
    )
    done = place.run(one)
    assert done.returncode == 0, done.stderr
    for row in place.verdicts():
        assert (row["status"], row["parse"], row["repaired"]) == ("ok", "parsed", []), row["text"]
        assert 0 <= row["intent"] <= 5
        assert 0 <= row["approp"] <= 3
        assert row["served_model"] == "smol"
        assert row["prompt_tokens"] > 200
    assert "3 verdicts, 0 of them missing" in done.stderr


def test_verdicts_cut_short_are_truncated_and_never_scored(seeing, tmp_path):
    place = JudgePlace(tmp_path, 2)
    one = judge_spec(
        seeing.base_url,
        model_gateway_model=seeing.name,
        model_timeout_s=120,
        model_sampling={"temperature": 0, "send_seed": False, "max_tokens": 3},
    )
    done = place.run(one)
    assert done.returncode == 1
    assert "none of 2 replies is usable (truncated 2)" in done.stderr
    assert "Traceback" not in done.stderr
    assert not place.out.exists()


def test_a_reply_of_three_tokens_is_truncated(seeing, tmp_path):
    place = place_of(tmp_path, [turn("Count to a hundred.")])
    sampling = {"temperature": 0, "max_tokens": 3}
    _, (record,) = place.ask(asking(seeing, model_sampling=sampling))
    assert (record["status"], record["finish_reason"]) == ("truncated", "length")
    assert record["completion_tokens"] == 3


def test_a_prompt_over_the_context_fails_after_one_request(seeing, tmp_path):
    place = place_of(tmp_path, [turn("Name a colour.")], [turn("word " * 6000)])
    done = job(place, asking(seeing, allow_missing=True))
    assert done.returncode == 0, done.stderr
    short, long = rows(place)
    assert (short["status"], short["attempts"]) == ("ok", 1)
    assert (long["status"], long["error_kind"]) == ("api_error", "context_length")
    assert long["attempts"] == 1
    assert "exceeds the available context size (4096 tokens)" in long["error"]
    assert len(records(place, "attempt")) == 1


def test_a_name_that_the_server_does_not_know_is_answered_by_the_loaded_model(seeing, tmp_path):
    turns = [turn("Name a colour.")]
    wrong = {"model_gateway_model": "another/model"}
    _, (record,) = place_of(tmp_path / "wrong", turns).ask(asking(seeing, **wrong))
    assert (record["status"], record["served_model"]) == ("model_mismatch", "smol")
    known = wrong | {"model_served_as": (seeing.name,)}
    _, (record,) = place_of(tmp_path / "known", turns).ask(asking(seeing, **known))
    assert (record["status"], record["served_model"]) == ("ok", "smol")


def test_with_pictures_another_model_is_noticed_by_the_first_call(seeing, tmp_path):
    place = Place(tmp_path, items=5)
    done = job(place, asking(seeing, model_gateway_model="another/model", model_probe=True))
    assert done.returncode == 1
    assert [record["item_id"] for record in records(place, "reply")] == [PROBE]
    assert "Asked for 'another/model', the endpoint served 'smol'" in done.stderr
    assert "served_as" in done.stderr
    assert not place.out.exists()


def test_a_server_without_a_projector_is_noticed_by_one_call(blind_server, tmp_path):
    place = Place(tmp_path, items=5)
    done = job(place, asking(blind_server, model_probe=True, allow_missing=True))
    assert done.returncode == 1
    (record,) = records(place, "reply")
    assert (record["item_id"], record["status"], record["attempts"]) == (PROBE, "api_error", 1)
    assert len(records(place, "attempt")) == 1
    assert "image input is not supported" in done.stderr
    assert "A server may need a vision model, or its projector" in done.stderr
    assert not place.out.exists()


def test_without_a_probe_a_picture_is_still_refused_once_and_text_is_answered(
    blind_server, tmp_path
):
    question = "What do you see?"
    place = place_of(tmp_path, [turn(question)], [turn(question, pictures=("P0",))])
    done = job(place, asking(blind_server, allow_missing=True))
    assert done.returncode == 0, done.stderr
    text, picture = rows(place)
    assert text["status"] == "ok"
    assert (picture["status"], picture["error_kind"]) == ("api_error", "bad_request")
    assert picture["attempts"] == 1


def test_a_killed_job_goes_on_without_asking_anything_twice(seeing, tmp_path):
    count = 12
    place = place_of(tmp_path, *([turn(f"Name colour number {n}.")] for n in range(count)))
    one = asking(seeing)
    process = subprocess.Popen(command(place, one), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while sum(f.read_bytes().count(b"\n") for f in place.journal.glob("*.jsonl")) < 4:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert not place.out.exists()
    kept = {record["digest"] for record in records(place, "reply")}
    assert 0 < len(kept) < count
    done = job(place, one)
    assert done.returncode == 0, done.stderr
    assert f"{count} requests, {len(kept)} of them answered" in done.stderr
    answered = [record["digest"] for record in records(place, "reply")]
    assert len(answered) == len(set(answered)) == count
    assert [row["status"] for row in rows(place)] == ["ok"] * count


CONFIG = ("--config", "config/local.yaml")


@pytest.fixture(scope="module")
def project(seeing, tmp_path_factory):
    """README's way to a model of one's own, with one scene, all clips and one trial."""
    made = Project(tmp_path_factory.mktemp("run"), scenes=1)
    made.config["director"]["arms"]["canonical"]["trials"] = 1
    made.config |= {
        "judges": ["judge-plain"],
        "triangles": {"arms": {"numbered": {"trials": 1}}},
    }
    made.registry["endpoints"]["local"]["base_url"] = seeing.base_url
    made.registry["models"]["local-model"] |= {"gateway_model": seeing.name, "sampling": SHORT}
    made.save()
    made.vlmtom("lock", "--config", "config/config.yaml")
    return made


def test_a_try_of_a_local_model_makes_its_page(project):
    tried = project.vlmtom("try", "local-model", *CONFIG, "--items", "1", "--out", "tried")
    assert "Traceback" not in tried.stderr
    page = (project.folder / "tried" / "index.html").read_text(encoding="utf-8")
    assert "smol" in page
    assert page.count("data:image/png;base64,") >= 2  # a scene and a sheet


def test_a_run_ends_with_its_tables_and_counts_what_it_could_not_read(project):
    assert re.search(r"local-model +director +3 of 3", project.vlmtom("plan", *CONFIG).stdout)
    tables = [f"results-local/tables/{name}" for name in ("table2.tex", "table8.tex")]
    project.snakemake("--configfile", "config/local.yaml", "--", *tables)
    results = project.folder / "results-local"
    asked = {"director": 3, "triangles": 12}  # prompts a, b and c of a scene; clips
    for experiment, count in asked.items():
        file = results / "replies" / "local-model" / f"{experiment}.w1.parquet"
        replies = read_rows(file, schemas.REPLIES)
        assert [(row["status"], row["served_model"]) for row in replies] == [("ok", "smol")] * count
        assert all(row["prompt_tokens"] > 64 for row in replies)
    # Whatever was said, each of a, b, cQ1 and cQ2 is one trial, read or counted as unreadable.
    outcomes = read_rows(
        results / "outcomes" / "local-model" / "director.parquet", schemas.DIRECTOR_OUTCOMES
    )
    unread = sum(row["parse"] == "unparsed" for row in outcomes)
    with (results / "tables" / "table2.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["tester"], row["trials"], row["missing"]) == ("local-model", "4", "0")
    assert int(row["unparsed"]) == unread
    for table in tables:
        assert "local-model" in (project.folder / table).read_text(encoding="utf-8")

    assert re.search(r"local-model +director +0 of 3", project.vlmtom("plan", *CONFIG).stdout)
    status = project.vlmtom("status", *CONFIG).stdout
    assert re.search(r"local-model +director +3/3 +ok 3", status)
    assert re.search(r"local-model +triangles +12/12 +ok 12", status)
