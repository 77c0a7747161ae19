"""The commands that look after results, where the treasure game was played."""

import copy
import csv
import json
import os
import shutil

import pytest

from tests.commands.game import Game, as_observer
from tests.loopback.server import Fault, LoopbackServer
from vlmtom.calls import Spending
from vlmtom.commands.games import calls_of
from vlmtom.jobs.play import CALLS_A_TRIAL, SPOKEN_A_TRIAL
from vlmtom.store import JournalWriter, mosaic_schemas, read_rows

pytestmark = pytest.mark.timeout(120)

STREAM = "mosaic.t1+t1+none.comp-tom1.w1"
BOTH = {"pairs": [{"subject": "t1", "participant": "t2", "arm": "none"}]}


def tables(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


def rows(done, folder):
    """The one line of the plan that the command has written beside the configuration."""
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.csv")
    with file.open(encoding="utf-8", newline="") as lines:
        (row,) = csv.DictReader(lines)
    file.unlink()
    return row


def copied(game, folder):
    """The same run in a folder of its own."""
    shutil.copytree(game.folder, folder, dirs_exist_ok=True)
    other = copy.deepcopy(game)
    other.folder = folder
    return other


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """t1 against itself in Comp-ToM1 over HTTP; the server is gone."""
    with LoopbackServer(as_observer) as server:
        game = Game(tmp_path_factory.mktemp("game"), server.base_url)
        game.play()
    return game


@pytest.mark.parametrize("role", ["subject", "participant"])
def test_a_role_s_calls_are_as_many_as_a_job_reckons_with(role):
    assert len(calls_of(role, voice=False)) == CALLS_A_TRIAL
    assert len(calls_of(role, voice=True)) == SPOKEN_A_TRIAL


def test_a_plan_counts_sixteen_calls_a_role_and_then_those_that_are_left(tmp_path, played):
    fresh = Game(tmp_path, "http://127.0.0.1:9/v1")
    before = rows(fresh.vlmtom("plan", "--csv", "plan.csv"), tmp_path)
    # 4 conditions of one trial, in which t1 plays both roles: 4 x 2 x 16
    assert (before["planned"], before["calls"], before["tokens_from"]) == ("128", "128", "estimate")
    assert before["completion_tokens"] == str(128 * 250)
    done = played.vlmtom("plan", "--csv", "plan.csv")
    left = rows(done, played.folder)
    assert (left["planned"], left["calls"], left["tokens_from"]) == ("128", "96", "journal")
    # The server reports 900 tokens in and 12 out; 1 and 10 USD for a million.
    assert float(left["cost_usd"]) == pytest.approx(96 * (900 + 10 * 12) / 1e6)
    assert float(left["spent_usd"]) == pytest.approx(32 * (900 + 10 * 12) / 1e6)
    assert "16 calls of each role in a trial" in done.stdout


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tom_triple": False}, "what is believed is told otherwise"),
        ({"arms": {}}, "a picture is shown: the pair is another one"),
        ({"trials": 2}, "a second trial of each condition"),
    ],
)
def test_a_plan_takes_no_reply_for_what_is_asked_otherwise_now(tmp_path, played, change, words):
    game = copied(played, tmp_path)
    game.config["mosaic"] |= change
    game.save()
    left = int(rows(game.vlmtom("plan", "--csv", "plan.csv"), tmp_path)["calls"])
    assert left == (256 - 32 if "trials" in change else 128), words


def test_a_model_that_only_lends_its_voice_is_asked_six_times_a_trial(tmp_path):
    agents = {"pcm": {"policy": "pcm", "voice": "t1"}}
    pairs = [{"subject": "pcm", "participant": "t1"}]
    game = Game(tmp_path, "http://127.0.0.1:9/v1", mosaic={"agents": agents, "pairs": pairs})
    # With itself 4 x 32; beside it, it speaks for the subject and plays the participant: 4 x (6+16)
    assert rows(game.vlmtom("plan", "--csv", "p.csv"), tmp_path)["planned"] == str(4 * (32 + 22))


def test_a_trial_in_which_nothing_is_said_is_done_with_fewer_calls(tmp_path):
    def silent(body):
        said = as_observer(body)
        if "next question for Marie" in json.dumps(body["messages"]):
            said["choices"][0]["message"]["content"] = ""
        return said

    with LoopbackServer(silent) as server:
        game = Game(tmp_path, server.base_url, mosaic={"reasks": 0})
        game.play()
    # Three questions are empty, and so Marie is asked three times less what they change: 29 of 32.
    assert server.stats.requests == 29
    assert rows(game.vlmtom("plan", "--csv", "plan.csv"), tmp_path)["calls"] == "96"
    done = game.vlmtom("status")
    assert "29/125" in done.stdout
    assert "ok 26, empty 3" in done.stdout


def test_a_trial_that_broke_off_is_planned_from_where_it_broke(tmp_path):
    with LoopbackServer(as_observer, script=[*[None] * 20, Fault(400)]) as server:
        game = Game(tmp_path, server.base_url)
        game.play(ok=False)
    assert rows(game.vlmtom("plan", "--csv", "plan.csv"), tmp_path)["calls"] == str(128 - 20)
    assert "20/128" in game.vlmtom("status").stdout


def test_status_tells_of_the_game_and_of_who_writes_its_journal(played):
    with JournalWriter(played.replies("t1") / "journal", STREAM):
        done = played.vlmtom("status")
    assert done.returncode == 0, done.stderr
    assert "32/128  ok 32" in done.stdout
    assert f"process {os.getpid()} on" in done.stdout
    assert "Spent: 0.0326 USD." in done.stdout  # 32 x (900 + 10 x 12) / 1,000,000


@pytest.mark.parametrize("options", [(), ("--experiment", "mosaic")])
def test_what_is_forgotten_of_the_game_lies_aside_with_the_tables_that_hold_it(
    tmp_path, played, options
):
    game = copied(played, tmp_path)
    other = game.results / "mosaic" / "silent+silent"
    other.mkdir()
    done = game.vlmtom("forget", "t1", *options)
    assert done.returncode == 0, done.stderr
    (aside,) = (game.results / ".forgotten").iterdir()
    assert tables(aside / "mosaic/t1+t1+none") == tables(played.results / "mosaic/t1+t1+none")
    assert (aside / f"replies/t1/journal/{STREAM}.0001.jsonl").exists()
    assert other.is_dir()
    assert not game.journal()
    assert rows(game.vlmtom("plan", "--csv", "plan.csv"), tmp_path)["calls"] == "128"


def test_another_experiment_leaves_the_game_where_it_is_when_it_is_forgotten(tmp_path, played):
    game = copied(played, tmp_path)
    game.config["director"] = {"arms": {"canonical": {"scenes": 1}}}
    game.save()
    with JournalWriter(game.replies("t1") / "journal", "director.w1") as journal:
        journal.append({"kind": "note"})
    assert game.vlmtom("forget", "t1", "--experiment", "director").returncode == 0
    assert game.journal() == [f"{STREAM}.0001.jsonl"]
    assert tables(game.results / "mosaic/t1+t1+none")


def test_a_table_of_the_game_is_not_adopted(played):
    done = played.vlmtom("adopt", "results/mosaic/t1+t1+none/comp-tom1.calls.parquet")
    assert done.returncode == 1
    assert "a table of the treasure game, which is not adopted" in done.stderr
    assert "mosaic.t1+t1+none.….jsonl" in done.stderr


def test_a_renamed_tester_asks_nothing_and_its_tables_differ_in_the_name_alone(tmp_path):
    with LoopbackServer(as_observer) as server:
        game = Game(tmp_path, server.base_url, testers=("t1", "t2"), mosaic=BOTH)
        game.play("t1+t2+none")
        game.play("t1+t1+none")
        game.play("t2+t2+none")
    before = {
        log: read_rows(game.table("t1+t2+none", "comp-tom1", log), schema)
        for log, schema in (
            ("trials", mosaic_schemas.MOSAIC_TRIALS),
            ("calls", mosaic_schemas.MOSAIC_CALLS),
        )
    }
    untouched = tables(game.results / "mosaic" / "t2+t2+none")
    lines = (game.replies("t2") / "journal/mosaic.t1+t2+none.comp-tom1.w1.0001.jsonl").read_bytes()
    folder = game.results / "calls" / "_spending"
    Spending(folder, "tester.t1.mosaic.t1+t2+none.comp-tom1.w1", spent_before=0.5).close()
    Spending(folder, "tester.t2.mosaic.t1+t2+none.comp-tom1.w1", spent_before=0.25).close()
    game.config = json.loads(json.dumps(game.config).replace('"t1"', '"t0"'))
    game.registry["models"]["t0"] = game.registry["models"].pop("t1")
    game.save()
    done = game.vlmtom("rename", "t1", "t0")
    assert done.returncode == 0, done.stderr
    # t1's own journals of two pairs, and t2's of the pair with t1
    assert "3 journals of the treasure game carry the pair's new name." in done.stdout
    assert "the tables that held the old name are here now (8)." in done.stdout  # of two pairs
    assert game.journal("t0") == [
        "mosaic.t0+t0+none.comp-tom1.w1.0001.jsonl",
        "mosaic.t0+t2+none.comp-tom1.w1.0001.jsonl",
    ]
    assert game.journal("t2") == [
        "mosaic.t0+t2+none.comp-tom1.w1.0001.jsonl",
        "mosaic.t2+t2+none.comp-tom1.w1.0001.jsonl",
    ]
    moved = game.replies("t2") / "journal/mosaic.t0+t2+none.comp-tom1.w1.0001.jsonl"
    assert moved.read_bytes() == lines
    assert not game.replies("t1").exists()
    (aside,) = (game.results / ".forgotten").iterdir()
    assert sorted(path.name for path in (aside / "mosaic").iterdir()) == [
        "t1+t1+none",
        "t1+t2+none",
    ]
    assert sorted(path.name for path in folder.glob("*.spent")) == [
        "tester.t0.mosaic.t0+t2+none.comp-tom1.w1.spent",
        "tester.t2.mosaic.t0+t2+none.comp-tom1.w1.spent",
    ]
    game.play("t0+t2+none")  # the server is gone: whatever was asked would fail
    game.play("t0+t0+none")
    for log, schema in (
        ("trials", mosaic_schemas.MOSAIC_TRIALS),
        ("calls", mosaic_schemas.MOSAIC_CALLS),
    ):
        now = read_rows(game.table("t0+t2+none", "comp-tom1", log), schema)
        renamed = [
            {name: "t0" if value == "t1" else value for name, value in row.items()}
            for row in before[log]
        ]
        assert now == renamed
    assert tables(game.results / "mosaic" / "t2+t2+none") == untouched
