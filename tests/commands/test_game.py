"""The commands that look after results, where the treasure game was played."""

import copy
import csv
import html
import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.commands.game import Game, as_observer
from tests.commands.helpers import vlmtom
from tests.loopback.server import Fault, LoopbackServer
from vlmtom.calls import Spending
from vlmtom.commands.games import calls_of, folders_with, pair_in, parts_of, renamed_pair
from vlmtom.commands.places import Places
from vlmtom.commands.verifying_game import game_problems
from vlmtom.jobs.play import CALLS_A_TRIAL, SPOKEN_A_TRIAL
from vlmtom.mosaic.instruments import instruments
from vlmtom.mosaic.table import trials_of
from vlmtom.mosaic.world import DARK
from vlmtom.settings import load_registry, load_settings
from vlmtom.store import JournalWriter, read_rows, read_stream, schemas, write_rows
from vlmtom.store.locks import lock_problems

pytestmark = pytest.mark.timeout(120)

ROOT = Path(__file__).parents[2]
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


def now_t0(game):
    """t1 is called t0 in configuration and registry now."""
    game.config = json.loads(json.dumps(game.config).replace('"t1"', '"t0"'))
    game.registry["models"]["t0"] = game.registry["models"].pop("t1")
    game.save()


def test_a_rename_that_was_killed_goes_on_where_it_was(tmp_path, played):
    game = copied(played, tmp_path)
    other = game.replies("t2") / "journal"
    other.mkdir(parents=True)
    for pair in ("t1+t2", "t2+t1"):
        with JournalWriter(other, f"mosaic.{pair}.coop-tom0.w1") as journal:
            journal.append({"kind": "note"})
    # As a kill leaves it: one journal of t2 has its new name, the other one and t1's have not.
    first = other / "mosaic.t1+t2.coop-tom0.w1.0001.jsonl"
    first.rename(other / "mosaic.t0+t2.coop-tom0.w1.0001.jsonl")
    now_t0(game)
    done = game.vlmtom("rename", "t1", "t0")
    assert done.returncode == 0, done.stderr
    assert game.journal("t2") == [
        "mosaic.t0+t2.coop-tom0.w1.0001.jsonl",
        "mosaic.t2+t0.coop-tom0.w1.0001.jsonl",
    ]
    assert [*read_stream(other, "mosaic.t2+t0.coop-tom0.w1")] == [{"kind": "note"}]
    assert game.journal("t0") == ["mosaic.t0+t0+none.comp-tom1.w1.0001.jsonl"]


def test_a_pair_that_has_a_journal_under_the_new_name_is_not_renamed(tmp_path, played):
    game = copied(played, tmp_path)
    other = game.replies("t2") / "journal"
    for pair in ("t1+t2", "t0+t2"):
        with JournalWriter(other, f"mosaic.{pair}.coop-tom0.w1") as journal:
            journal.append({"kind": "note"})
    now_t0(game)
    done = game.vlmtom("rename", "t1", "t0")
    assert done.returncode == 1
    assert "mosaic.t0+t2.coop-tom0.w1.0001.jsonl: there already" in done.stderr
    assert "Two journals cannot be joined" in done.stderr
    assert game.journal("t1") == [f"{STREAM}.0001.jsonl"]
    assert not (game.results / ".forgotten").exists()


def test_a_player_is_not_renamed_to_one_of_another_kind(tmp_path, played):
    game = copied(played, tmp_path)
    now_t0(game)
    game.registry["models"]["t0"]["kind"] = "observer"
    game.save()
    done = game.vlmtom("rename", "t1", "t0")
    assert done.returncode == 1
    assert "comp-tom1.trials.parquet: 't1' is of the kind model, but 't0'" in done.stderr
    assert game.journal("t1") == [f"{STREAM}.0001.jsonl"]


def test_a_pair_that_the_other_one_plays_now_is_not_renamed(tmp_path, played):
    game = copied(played, tmp_path)
    other = game.replies("t2") / "journal"
    now_t0(game)
    with JournalWriter(other, "mosaic.t1+t2.coop-tom0.w1") as journal:
        journal.append({"kind": "note"})
        done = game.vlmtom("rename", "t1", "t0")
    assert done.returncode == 1
    assert "mosaic.t1+t2.coop-tom0.w1 is being written by process" in done.stderr
    assert game.journal("t1") == [f"{STREAM}.0001.jsonl"]


def test_a_name_with_dots_and_a_name_within_another_are_told_apart_in_pairs():
    assert pair_in("mosaic.qwen-3.5+t.1+face.comp-tom1.w1") == "qwen-3.5+t.1+face"
    assert renamed_pair("t1+t1-next+face", "t1", "t0") == "t0+t1-next+face"
    assert renamed_pair("a+b+face", "face", "t0") == "a+b+face"


def test_a_broken_journal_of_the_game_is_a_problem_of_its_line(tmp_path, played):
    game = copied(played, tmp_path)
    segment = game.replies("t1") / "journal" / f"{STREAM}.0001.jsonl"
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join([*lines[:5], *lines[6:]]))
    for command in ("plan", "status"):
        done = game.vlmtom(command)
        assert done.returncode == 0, done.stderr
        assert f"{STREAM}.0001.jsonl, line 6: its hash does not follow" in done.stdout
    assert "? of 128" in game.vlmtom("plan").stdout
    assert "0/128" in game.vlmtom("status").stdout


def test_tables_of_a_pair_for_which_a_model_spoke_are_found_by_its_calls(tmp_path, played):
    game = copied(played, tmp_path)
    (game.results / "mosaic/t1+t1+none").rename(game.results / "mosaic/pcm+pcm")
    places = Places(game.results)
    assert [path.name for path in folders_with(places, "t1")] == ["pcm+pcm"]
    assert folders_with(places, "t2") == []


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
            ("trials", schemas.MOSAIC_TRIALS),
            ("calls", schemas.MOSAIC_CALLS),
        )
    }
    untouched = tables(game.results / "mosaic" / "t2+t2+none")
    lines = (game.replies("t2") / "journal/mosaic.t1+t2+none.comp-tom1.w1.0001.jsonl").read_bytes()
    folder = game.results / "calls" / "_spending"
    Spending(folder, "tester.t1.mosaic.t1+t2+none.comp-tom1.w1", spent_before=0.5).close()
    Spending(folder, "tester.t2.mosaic.t1+t2+none.comp-tom1.w1", spent_before=0.25).close()
    now_t0(game)
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
        ("trials", schemas.MOSAIC_TRIALS),
        ("calls", schemas.MOSAIC_CALLS),
    ):
        now = read_rows(game.table("t0+t2+none", "comp-tom1", log), schema)
        renamed = [
            {name: "t0" if value == "t1" else value for name, value in row.items()}
            for row in before[log]
        ]
        assert now == renamed
    assert tables(game.results / "mosaic" / "t2+t2+none") == untouched


def first_part(game):
    settings = load_settings(game.folder / "config.yaml")
    parts = parts_of(settings, load_registry(settings, game.folder), "t1")
    return next(part for part in parts if part.spec.condition == "comp-tom1")


def test_a_try_asks_the_first_call_of_each_role_and_shows_what_was_read(tmp_path):
    with LoopbackServer(as_observer) as server:
        game = Game(tmp_path, server.base_url, mosaic={"arms": {}})
        done = game.vlmtom("try", "t1", "--out", "look")
    assert done.returncode == 0, done.stderr
    assert server.stats.requests == 2
    assert game.results.exists() is False
    page = html.unescape((tmp_path / "look" / "index.html").read_text(encoding="utf-8"))
    for body in server.stats.received:
        picture, words = body["messages"][0]["content"]
        assert picture["image_url"]["url"] in page
        assert words["text"] in page
    # In Comp-ToM1 the observer deceives: it goes to the box without the reward, smiling at it. From
    # its place the dark box is to the right.
    reward = trials_of(first_part(game).play)[0].reward
    assert f"<td>move {'left' if reward == DARK else 'right'} forward</td>" in page
    assert "<td>0.6, 0, 0</td>" in page
    assert "<td>stay idle</td>" in page  # of the participant, who has no cue yet
    assert "This try: 2 calls, 0.0020 USD." in done.stdout  # 2 x (900 + 10 x 12) / 1,000,000
    # The whole run at these lengths: 4 conditions x 32 calls
    assert f"about {128 * (900 + 10 * 12) / 1e6:.4f} USD" in done.stdout


def test_a_model_that_only_lends_its_voice_is_tried_on_its_words(tmp_path):
    agents = {"pcm": {"policy": "pcm", "voice": "v1"}}
    with LoopbackServer(as_observer) as server:
        game = Game(tmp_path, server.base_url, mosaic={"agents": agents, "ablations": ["pcm"]})
        game.registry["models"]["v1"] = game.registry["models"]["t1"] | {"gateway_model": "v/v1"}
        game.save()
        done = game.vlmtom("try", "v1", "--out", "look")
    assert done.returncode == 0, done.stderr
    assert server.stats.requests == 2
    assert "said: Is the treasure in the dark brown box, or is it in the" in done.stdout


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """An observer against itself in Comp-ToM1, shown the standard view."""
    game = Game(tmp_path_factory.mktemp("seen"), mosaic={"arms": {}})
    game.play("t1+t1")
    return game


def settings_of(game):
    """The configuration, with the results' place seen from anywhere."""
    settings = load_settings(game.folder / "config.yaml")
    return settings.model_copy(update={"results": str(game.results)})


def test_verify_finds_nothing_in_a_game_as_it_was_played(seen):
    done = seen.vlmtom("verify", "--all")
    assert [
        line for line in done.stdout.splitlines() if "mosaic" in line and "locked" not in line
    ] == []
    assert game_problems(settings_of(seen), every_picture=True) == []


@pytest.mark.parametrize(
    ("log", "schema", "change", "words"),
    [
        (
            "trials",
            schemas.MOSAIC_TRIALS,
            lambda row: row | {"a_traj": -row["a_traj"], "score": 0},
            "comp-tom1.trials.parquet, trial 1: scored otherwise from its steps (score, a_traj).",
        ),
        (
            "steps",
            schemas.MOSAIC_STEPS,
            lambda row: row | {"x": row["x"] + (row["round"] == 10)},
            "trial 1, round 10, subject: it does not follow from the state before it",
        ),
        (
            "steps",
            schemas.MOSAIC_STEPS,
            lambda row: row | {"blocked": row["blocked"] != (row["round"] == 4)},
            "trial 1, round 4, subject: it does not follow",
        ),
        (
            "steps",
            schemas.MOSAIC_STEPS,
            lambda row: row | {"facial": 0.9 if row["round"] == 2 else row["facial"]},
            "round 2, participant: what was there to be seen is another picture than the",
        ),
        (
            "calls",
            schemas.MOSAIC_CALLS,
            lambda row: row | {"picture": row["picture"] and "0" * 64},
            "round 1, subject, action: what was there to be seen is another picture than the 0000",
        ),
    ],
)
def test_what_of_a_game_was_changed_by_hand_is_told(tmp_path, seen, log, schema, change, words):
    game = copied(seen, tmp_path)
    path = game.table("t1+t1", "comp-tom1", log)
    rows = [change(row) for row in read_rows(path, schema)]
    path.unlink()
    write_rows(path, rows, schema)
    assert any(words in problem for problem in game_problems(settings_of(game), True))


def test_another_threshold_than_the_run_s_is_found_in_its_scores(tmp_path, seen):
    game = copied(seen, tmp_path)
    game.config["mosaic"]["face_deadband"] = 0.9  # the observer smiles with 0.6: no face any more
    game.save()
    (problem,) = game_problems(settings_of(game), True)
    assert "scored otherwise from its steps (expressive)" in problem


def test_prompts_and_views_of_the_game_are_locked():
    found = instruments()
    assert lock_problems(ROOT / "resources" / "locks.yaml", found) == []
    # Three states, two roles, two arms, and the blank one
    assert sum(name.endswith(" pixels") for name in found) == 13
    assert len({digest for name, digest in found.items() if name.endswith(" pixels")}) == 13


def test_a_comparison_pairs_trials_and_names_pairs_of_one_side(tmp_path, played):
    game = copied(played, tmp_path / "b")
    (game.results / "mosaic/t1+t1+none").rename(game.results / "mosaic/t1+t1")
    path = game.table("t1+t1", "comp-tom1", "trials")
    (row,) = read_rows(path, schemas.MOSAIC_TRIALS)
    path.unlink()
    write_rows(path, [row | {"reward": 1 - row["reward"]}], schemas.MOSAIC_TRIALS)
    other = game.table("t9+t9", "comp-tom1", "trials")
    write_rows(other, [row | {"subject": "t9", "participant": "t9"}], schemas.MOSAIC_TRIALS)
    done = vlmtom(tmp_path, "compare", str(played.results), str(game.results))
    assert done.returncode == 1, done.stderr
    assert "only in B, not compared: t9+t9+none" in done.stdout
    assert f"none comp-tom1 1: reward {row['reward']} → {1 - row['reward']}" in done.stdout
    again = vlmtom(tmp_path, "compare", str(played.results), str(played.results))
    assert again.returncode == 0, again.stdout


def packed(game, *options):
    done = game.vlmtom("bundle", "--unverified", "--out", "out.tar.gz", *options)
    assert done.returncode == 0, done.stderr
    with tarfile.open(game.folder / "out.tar.gz") as archive:
        return {m.name.split("/", 1)[1]: archive.extractfile(m).read() for m in archive}


def test_a_bundle_that_lacks_a_condition_says_so(played):
    done = played.vlmtom("bundle", "--out", "out.tar.gz")
    assert done.returncode == 1
    assert "mosaic/t1+t1+none/coop-tom0.trials.parquet: not there yet." in done.stderr
    assert "comp-tom1.trials" not in done.stderr


def test_a_bundle_whose_journal_lacks_replies_says_whose(tmp_path, played):
    game = copied(played, tmp_path)
    (game.replies("t1") / "journal" / f"{STREAM}.0001.jsonl").unlink()
    told = packed(game)["README.txt"].decode()
    assert "comp-tom1.calls.parquet: 32 replies are not in the journal of t1." in told


def test_a_bundle_plays_again_from_its_journals(tmp_path, played):
    content = packed(copied(played, tmp_path))
    of_run = {
        f"results/mosaic/t1+t1+none/{name}": data
        for name, data in tables(played.results / "mosaic/t1+t1+none").items()
    }
    assert of_run.items() <= content.items()
    assert f"results/replies/t1/journal/{STREAM}.0001.jsonl" in content
    (remove, make) = json.loads(content["bundle.json"])["rebuild"]
    assert remove.startswith("rm -rf ") and " results/mosaic " in remove
    assert make.endswith(" all")


def test_a_bundle_with_a_trial_that_broke_off_is_not_played_again(tmp_path):
    with LoopbackServer(as_observer, script=[*[None] * 20, Fault(400)]) as server:
        game = Game(tmp_path, server.base_url, mosaic={"trials": 2})
        game.config["allow_missing"] = True
        game.save()
        game.play()
    statuses = [
        row["status"]
        for row in read_rows(game.table("t1+t1+none", "comp-tom1", "trials"), schemas.MOSAIC_TRIALS)
    ]
    assert sorted(statuses) == ["missing", "played"]
    content = packed(game)
    assert "results/mosaic" not in json.loads(content["bundle.json"])["rebuild"][0]
    assert "1 requests have no reply" in " ".join(content["README.txt"].decode().split())
    # What the configuration allows to miss is given up: 3 conditions of 2 trials are left.
    assert rows(game.vlmtom("plan", "--csv", "plan.csv"), tmp_path)["calls"] == str(3 * 2 * 32)


def test_a_bundle_without_text_holds_no_word_of_the_game(tmp_path, played):
    game = copied(played, tmp_path)
    figure = game.results / "figures" / "mosaic_card.png"
    figure.parent.mkdir()
    figure.write_bytes(b"what was said stands in it")
    content = packed(game, "--without-text")
    assert not any("figures/mosaic_card.png" in name for name in content)
    below = "results/without_text/mosaic/t1+t1+none/comp-tom1"
    for log, columns in (("calls", ("prompt", "text")), ("utterances", ("text", "inner"))):
        assert f"results/mosaic/t1+t1+none/comp-tom1.{log}.parquet" not in content
        table = pq.read_table(io.BytesIO(content[f"{below}.{log}.parquet"]))
        assert len(table) == {"calls": 32, "utterances": 6}[log]
        assert all(table[name].null_count == len(table) for name in columns)
    assert {
        f"results/mosaic/t1+t1+none/comp-tom1.{log}.parquet" for log in ("trials", "steps")
    } <= {*content}
    said = read_rows(
        game.table("t1+t1+none", "comp-tom1", "utterances"), schemas.MOSAIC_UTTERANCES
    )[0]["text"]
    assert not any(
        said in text
        for name, data in content.items()
        if name.startswith("results/") and name.endswith(".parquet")
        for text in strings(data)
    )


def strings(parquet):
    table = pq.read_table(io.BytesIO(parquet))
    return [str(value) for column in table.columns for value in column.to_pylist()]
