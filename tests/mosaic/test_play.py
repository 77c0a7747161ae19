"""The playing job as a process of its own, against a real HTTP server."""

import os
import signal
import subprocess
import time

import pytest

from tests.loopback.server import MIXED, Fault, LoopbackServer, says
from tests.mosaic.helpers import by_chance, command, job, logs, play_spec
from vlmtom.settings import MosaicAgent, MosaicPair
from vlmtom.store import read_stream
from vlmtom.store.journal import all_streams

SELF = MosaicPair(subject="m1", participant="m1", arm="none")
TWO = MosaicPair(subject="m1", participant="m2", arm="none")
PCM = {"pcm": MosaicAgent(policy="pcm")}


def journalled(folder, tester):
    """Replies in a tester's journals, by stream."""
    journal = folder / "replies" / tester / "journal"
    return {
        name: [r for r in read_stream(journal, name) if r["kind"] == "reply"]
        for name in all_streams(journal)
    }


def test_two_models_play_and_each_ones_calls_are_in_its_own_journal(tmp_path):
    with LoopbackServer(by_chance) as one, LoopbackServer(by_chance) as other:
        spec = play_spec(TWO, models={"m1": one.base_url, "m2": other.base_url}, trials=3)
        done = job(tmp_path, spec)
    assert done.returncode == 0, done.stderr
    tables = logs(tmp_path)
    assert [row["trial"] for row in tables["trials"]] == [1, 2, 3]
    assert {row["status"] for row in tables["trials"]} == {"played"}
    assert len(tables["steps"]) == 3 * 22
    assert len(tables["utterances"]) == 3 * 6
    for role, tester in (("subject", "m1"), ("participant", "m2")):
        found = journalled(tmp_path, tester)
        assert list(found) == ["mosaic.m1+m2+none.comp-tom1.w1"]
        rows = [c for c in tables["calls"] if c["tester"] == tester]
        assert {c["role"] for c in rows} == {role}
        assert {c["request_digest"] for c in rows} == {r["digest"] for r in found[_only(found)]}
        # Ten actions, three utterances, and up to three of the other taken in, of each trial.
        first = [c for c in rows if c["ask"] == 0 and c["asked_for"] != "preferences"]
        assert len(first) == 3 * 13
    assert one.stats.requests + other.stats.requests == len(tables["calls"])


def _only(found):
    (name,) = found
    return name


def test_answers_that_cannot_be_read_are_asked_for_again_and_then_the_agent_stays(tmp_path):
    with LoopbackServer(says("I would rather not play.")) as server:
        done = job(tmp_path, play_spec(SELF, models={"m1": server.base_url}, trials=1))
    assert done.returncode == 0, done.stderr
    tables = logs(tmp_path)
    (trial,) = tables["trials"]
    actions = [c for c in tables["calls"] if c["asked_for"] == "action"]
    assert len(actions) == 20 * 3  # two re-asks of each
    assert {c["parse"] for c in actions} == {"unparsed"}
    assert len({c["request_digest"] for c in actions}) == 60
    assert all(c["reason"] for c in actions)
    moved = {(s["x"], s["y"]) for s in tables["steps"]}
    assert moved == {(0, -4), (0, 4)}
    # Its words are an utterance all the same, and no change of preferences.
    assert {u["text"] for u in tables["utterances"]} == {"I would rather not play."}
    for role in ("subject", "participant"):  # ten actions and three times what was taken in
        assert (trial[f"unreadable_{role}"], trial[f"answers_{role}"]) == (13, 16)
    assert (trial["status"], trial["choice"], trial["conforms"]) == ("played", -1, False)


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_reply_is_not_an_answer(tmp_path, text):
    with LoopbackServer(says(text)) as server:
        done = job(tmp_path, play_spec(SELF, models={"m1": server.base_url}, trials=1, reasks=0))
    assert done.returncode == 0, done.stderr
    tables = logs(tmp_path)
    assert {(c["status"], c["parse"]) for c in tables["calls"]} == {("empty", None)}
    assert {(u["text"], u["unreadable"]) for u in tables["utterances"]} == {("", True)}
    assert tables["trials"][0]["bias"] is None


def test_a_call_without_a_reply_stops_the_tables_and_only_it_is_asked_again(tmp_path):
    broken = Fault(400, body={"error": {"message": "bad", "code": "odd"}})
    with LoopbackServer(by_chance, script=[None] * 20 + [broken]) as server:
        spec = play_spec(SELF, models={"m1": server.base_url}, trials=2)
        done = job(tmp_path, spec)
        assert done.returncode == 1
        assert "1 of 2 trials could not be played to their end" in done.stderr
        assert "Run the same command again" in done.stderr
        assert not (tmp_path / "trials.parquet").exists()
        before = server.stats.requests
        assert job(tmp_path, spec).returncode == 0
    tables = logs(tmp_path)
    assert len({c["request_digest"] for c in tables["calls"]}) == len(tables["calls"])
    # The whole of what was answered the first time was not asked a second time.
    assert server.stats.requests - before == len(tables["calls"]) - (before - 1)


def test_where_gaps_are_allowed_the_trial_is_missing_and_has_no_score(tmp_path):
    broken = Fault(400, body={"error": {"message": "bad", "code": "odd"}})
    with LoopbackServer(by_chance, script=[None] * 20 + [broken]) as server:
        spec = play_spec(SELF, models={"m1": server.base_url}, trials=2, allow_missing=True)
        done = job(tmp_path, spec)
    assert done.returncode == 0, done.stderr
    by_status = {row["status"]: row for row in logs(tmp_path)["trials"]}
    assert set(by_status) == {"played", "missing"}
    missing = by_status["missing"]
    assert "api_error, bad_request" in missing["lost"]
    assert (missing["choice"], missing["conforms"], missing["expressive"]) == (None, None, None)
    assert missing["reward"] in (0, 1)
    # What was asked and never answered is no answer, and so not an unreadable one.
    answered = [c for c in logs(tmp_path)["calls"] if c["trial"] == missing["trial"]]
    assert [c["status"] for c in answered].count("api_error") == 1
    counted = missing["answers_subject"] + missing["answers_participant"]
    assert counted == len({(c["round"], c["role"], c["asked_for"]) for c in answered}) - 1


def test_a_model_that_is_paused_keeps_tables_away_whatever_ended_the_other(tmp_path):
    # All eight subjects act; of the participants four, whose subjects are then asked in vain.
    gone = Fault(404, body={"error": {"message": "no such model"}})
    refused = Fault(401, body={"error": {"message": "no key"}})
    with (
        LoopbackServer(by_chance, script=[None] * 8 + [gone] * 50) as one,
        LoopbackServer(by_chance, script=[None] * 4 + [refused] * 50) as other,
    ):
        urls = {"m1": one.base_url, "m2": other.base_url}
        done = job(tmp_path, play_spec(TWO, models=urls, trials=8, allow_missing=True))
    assert done.returncode == 1, done.stderr
    assert "not_found" in done.stderr and "auth" in done.stderr
    assert not (tmp_path / "trials.parquet").exists()


def test_a_stop_that_gaps_are_allowed_for_keeps_what_was_played(tmp_path):
    gone = Fault(404, body={"error": {"message": "no such model"}})
    with LoopbackServer(by_chance, script=[None] * 60 + [gone] * 900) as server:
        one = play_spec(SELF, models={"m1": server.base_url}, trials=3, concurrency=2)
        # One trial is played to its end first: its calls come alone.
        first = one.model_copy(update={"game": one.game.model_copy(update={"trials": 1})})
        assert job(tmp_path, first).returncode == 0
        for table in tmp_path.glob("*.parquet"):
            table.unlink()
        done = job(tmp_path, one.model_copy(update={"allow_missing": True}))
    assert done.returncode == 0, done.stderr
    tables = logs(tmp_path)
    lost = [row for row in tables["trials"] if row["status"] == "missing"]
    assert len(lost) == 2 and all(row["lost"] for row in lost)
    for row in lost:  # the start at least, and every step before the stop
        steps = [s for s in tables["steps"] if s["trial"] == row["trial"]]
        assert {s["role"] for s in steps if s["round"] == 0} == {"subject", "participant"}
        read = [c for c in tables["calls"] if c["trial"] == row["trial"] and c["parse"] == "parsed"]
        acted = [c for c in read if c["asked_for"] == "action"]
        assert len([s for s in steps if s["round"]]) >= len(acted)


def test_another_model_than_asked_for_is_missing_and_the_way_out_is_said(tmp_path):
    def other(body):
        return by_chance(body) | {"model": "vendor/another"}

    with LoopbackServer(other) as server:
        done = job(tmp_path, play_spec(SELF, models={"m1": server.base_url}, trials=1))
    assert done.returncode == 1
    assert "served_as" in done.stderr and "allow_missing" in done.stderr
    assert ".." not in done.stderr.rpartition("The first is")[2]


def test_a_signal_ends_a_job_that_asks_nobody(tmp_path):
    pair = MosaicPair(subject="pcm", participant="pcm")
    spec = play_spec(pair, agents=PCM, trials=2000)
    process = subprocess.Popen(command(tmp_path, spec), stderr=subprocess.PIPE, text=True)
    time.sleep(2.0)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode != 0
    assert not (tmp_path / "trials.parquet").exists()


def test_a_key_that_is_refused_stops_all_and_writes_nothing(tmp_path):
    refused = Fault(401, body={"error": {"message": "no key"}})
    with LoopbackServer(by_chance, script=[refused] * 100) as server:
        spec = play_spec(SELF, models={"m1": server.base_url}, trials=4, allow_missing=True)
        done = job(tmp_path, spec)
    assert done.returncode == 1
    assert "auth" in done.stderr and "no table was written" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_deleted_log_is_rebuilt_byte_for_byte_with_the_server_down(tmp_path):
    with LoopbackServer(by_chance) as server:
        spec = play_spec(SELF, models={"m1": server.base_url}, trials=2)
        assert job(tmp_path, spec).returncode == 0
    tables = sorted(tmp_path.glob("*.parquet"))
    before = {path.name: path.read_bytes() for path in tables}
    for path in tables:
        path.unlink()
    assert job(tmp_path, spec).returncode == 0
    assert {path.name: path.read_bytes() for path in sorted(tmp_path.glob("*.parquet"))} == before


@pytest.mark.parametrize("pair", [("pcm", "m1"), ("m1", "pcm")])
def test_a_model_plays_with_an_agent_that_comes_along(tmp_path, pair):
    named = MosaicPair(subject=pair[0], participant=pair[1], arm="none")
    with LoopbackServer(by_chance) as server:
        spec = play_spec(named, models={"m1": server.base_url}, agents=PCM, trials=1)
        done = job(tmp_path, spec)
    assert done.returncode == 0, done.stderr
    role = ("subject", "participant")[pair.index("m1")]
    assert {c["role"] for c in logs(tmp_path)["calls"]} == {role}
    assert (logs(tmp_path)["trials"][0]["bias"] is None) == (role == "subject")


def test_an_agent_may_have_a_model_speak_and_listen_for_it(tmp_path):
    voiced = {"pcm-llm": MosaicAgent(policy="pcm", voice="m1")}
    pair = MosaicPair(subject="pcm-llm", participant="pcm-llm", arm="none")
    with LoopbackServer(by_chance) as server:
        done = job(tmp_path, play_spec(pair, models={"m1": server.base_url}, agents=voiced))
    assert done.returncode == 0, done.stderr
    tables = logs(tmp_path)
    assert {c["asked_for"] for c in tables["calls"]} == {"question", "answer", "preferences"}
    said = {call["text"] for call in tables["calls"] if call["asked_for"] != "preferences"}
    assert all(any(u["text"] in text for text in said) for u in tables["utterances"])
    assert sum(s["action"] == "move" for s in tables["steps"]) > 10


def disturbed(tmp_path, spec, server, kills):
    """Run the job, killed so many times, to its end."""
    asked = server.stats
    for number in range(kills):
        already = asked.answered.total()
        process = subprocess.Popen(
            command(tmp_path, spec), start_new_session=True, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 120
        while asked.answered.total() < already + 25 + 40 * number:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
    return job(tmp_path, spec)


def both_ways(tmp_path, condition, trials, arm="none"):
    """The logs of an undisturbed run, and of one with faults that is killed twice."""
    pair = MosaicPair(subject="m1", participant="m2", arm=arm)
    found = []
    for name, rate, kills in (("quiet", 0.0, 0), ("rough", 0.1, 2)):
        folder = tmp_path / f"{name}.{condition}"
        folder.mkdir()
        faults = [fault for fault in MIXED if fault.name != "429"]
        with LoopbackServer(by_chance, faults=faults, fault_rate=rate, seed=3) as server:
            urls = dict.fromkeys(("m1", "m2"), server.base_url)
            spec = play_spec(pair, condition, models=urls, trials=trials)
            done = disturbed(folder, spec, server, kills)
            assert done.returncode == 0, done.stderr
            assert bool(server.stats.faults) == bool(rate)
        found.append(logs(folder))
        paid = {c["request_digest"] for c in found[-1]["calls"]}
        again = server.stats.answered.total() - len(paid) - sum(server.stats.faults.values())
        assert again <= kills * 2 * 8, "more than what was in flight was paid for twice"
    return found


def test_killed_twice_under_faults_two_models_leave_the_logs_of_a_quiet_run(tmp_path):
    quiet, rough = both_ways(tmp_path, "comp-tom1", trials=6)
    assert quiet == rough
    assert sum(c["ask"] > 0 for c in quiet["calls"]) > 5  # a tenth cannot be read


@pytest.mark.slow
def test_two_hundred_trials_killed_twice_in_each_condition_are_those_of_a_quiet_run(tmp_path):
    # Pictures in one condition: drawing 4,000 of them again and again would take most of the time.
    arms = {"coop-tom0": "none", "coop-tom1": "none", "comp-tom0": "none", "comp-tom1": "standard"}
    for condition, arm in arms.items():
        quiet, rough = both_ways(tmp_path, condition, trials=50, arm=arm)
        assert quiet == rough
        assert len(quiet["trials"]) == 50
