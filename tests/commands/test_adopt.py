"""`vlmtom adopt`: tables that came without a journal get one, and stand for what was paid."""

import os
import shutil

import pytest

from tests.commands.helpers import Run
from tests.jobs.test_judge import GOOD, NAMELESS, in_turn
from tests.jobs.test_judge import Place as Judging
from tests.judging.helpers import blind
from tests.loopback.server import Fault, LoopbackServer, completion, says
from vlmtom.commands.unjournalled import unjournalled
from vlmtom.settings import judge_spec, load_registry, load_settings
from vlmtom.store import JournalWriter, read_rows, read_stream, schemas, sha256_file, write_rows

pytestmark = pytest.mark.timeout(120)

NOTHING = "Nothing to adopt: the journals hold every reply of these tables."


def sent(tmp_path, script=(), answer=None, **changes) -> Run:
    """A run with a table of t1 that a colleague made and sent: no journal came with it."""
    options = {} if answer is None else {"answer": answer}
    with LoopbackServer(script=script, **options) as server:
        run = Run(tmp_path, server.base_url, concurrency=1, **changes)
        run.config["allow_missing"] = True
        run.save()
        run.job("t1")
    shutil.rmtree(run.replies("t1") / "journal")
    return run


def table(run: Run):
    return run.replies("t1") / "director.w1.parquet"


def records(run: Run):
    return list(read_stream(run.replies("t1") / "journal", "director.w1"))


def changed(path, change):
    """Write a table again, its rows changed."""
    rows = read_rows(path, schemas.REPLIES)
    path.unlink()
    write_rows(path, change(rows), schemas.REPLIES)


def test_an_adopted_table_is_rebuilt_byte_for_byte_with_the_server_down(tmp_path):
    def answer(body):
        asked = body["messages"][1]["content"][1]["text"]
        if asked == "Question 1?":
            return completion(body, None, finish_reason="length", reasoning="long \ud83d thoughts")
        return completion(body, "red", system_fingerprint="fp", provider="P")

    price = {"input_usd_per_mtok": 1.0, "output_usd_per_mtok": 3.0}
    run = sent(tmp_path, [Fault(500)], answer, items=3, trials=2, price=price)
    before, source = table(run).read_bytes(), sha256_file(table(run))
    assert unjournalled(run.results) == [table(run)]
    done = run.vlmtom("adopt")
    assert done.returncode == 0, done.stderr
    assert "results/replies/t1/director.w1.parquet: 6 rows adopted, 0 already" in done.stdout
    assert "6 of 6 answer what this configuration asks" in done.stdout
    assert table(run).read_bytes() == before
    assert unjournalled(run.results) == []
    found = records(run)
    assert len(found) == 6
    for record in found:
        assert (record["kind"], record["adopted"], record["adopted_from"]) == (
            *("reply", True, "director.w1.parquet"),
        )
        assert record["adopted_sha256"] == source
        assert record["attempts_failed"] == []
        assert (record["tester"], record["experiment"], record["window"]) == ("t1", "director", 1)
    table(run).unlink()
    run.job("t1")
    assert table(run).read_bytes() == before


def test_an_adopted_record_has_every_field_of_one_that_was_asked(tmp_path):
    with LoopbackServer() as server:
        run = Run(tmp_path, server.base_url)
        run.job("t1")
    (first, second) = records(run)
    shutil.rmtree(run.replies("t1") / "journal")
    run.vlmtom("adopt")
    for record in records(run):
        asked = first if record["digest"] == first["digest"] else second
        added = {"adopted", "adopted_from", "adopted_sha256"}
        assert {name: record[name] for name in record.keys() - added} == asked


def test_a_second_call_adopts_nothing_and_says_so(tmp_path):
    run = sent(tmp_path)
    assert run.vlmtom("adopt").returncode == 0
    segments = {path: path.read_bytes() for path in (run.replies("t1") / "journal").iterdir()}
    again = run.vlmtom("adopt")
    assert (again.returncode, again.stdout.strip()) == (0, NOTHING)
    named = run.vlmtom("adopt", str(table(run)))
    assert "0 rows adopted, 2 already in the journal." in named.stdout
    assert NOTHING in named.stdout
    after = {path: path.read_bytes() for path in (run.replies("t1") / "journal").glob("*.jsonl")}
    assert after == {path: segments[path] for path in after}
    assert len(after) == 1


def test_only_what_the_journal_lacks_is_adopted_and_what_it_holds_stands(tmp_path):
    run = sent(tmp_path, items=3)
    theirs = table(run).read_bytes()
    table(run).unlink()
    # Our own run answered two of the three otherwise, before it ran out of money.
    with LoopbackServer(says("mine"), script=[None, None, Fault(402)]) as server:
        run.registry["endpoints"]["loop"]["base_url"] = server.base_url
        run.save()
        run.job("t1", ok=False)
        asked = server.stats.requests
    own = sorted((run.replies("t1") / "journal").glob("*.jsonl"))
    kept = [path.read_bytes() for path in own]
    table(run).write_bytes(theirs)
    done = run.vlmtom("adopt")
    assert done.returncode == 0, done.stderr
    assert "1 rows adopted, 2 already in the journal." in done.stdout
    assert "2 of its rows differ from what the journal holds, which stands" in done.stdout
    assert [path.read_bytes() for path in own] == kept
    assert len(list((run.replies("t1") / "journal").glob("*.jsonl"))) == len(own) + 1
    table(run).unlink()
    run.job("t1")  # the server is down
    texts = [row["text"] for row in read_rows(table(run), schemas.REPLIES)]
    assert texts.count("mine") == 2
    assert asked == 3


def test_rows_without_a_reply_are_asked_again_and_only_these(tmp_path):
    run = sent(tmp_path, [None, Fault(400)], items=4)
    done = run.vlmtom("adopt")
    assert "3 rows adopted, 0 already in the journal. 1 rows without a reply (api_error)" in (
        done.stdout
    )
    again = run.vlmtom("adopt")
    assert again.stdout.strip() == NOTHING
    table(run).unlink()
    with LoopbackServer() as server:
        run.registry["endpoints"]["loop"]["base_url"] = server.base_url
        run.save()
        run.job("t1")
    assert server.stats.requests == 1


def test_rows_that_the_configuration_does_not_ask_are_kept_and_counted(tmp_path):
    run = sent(tmp_path, items=3)

    def other_digest(rows):
        return [rows[0] | {"request_digest": "0" * 64}, *rows[1:]]

    changed(table(run), other_digest)
    done = run.vlmtom("adopt")
    assert "3 rows adopted, 0 already in the journal. 2 of 3 answer what this configuration" in (
        done.stdout
    )
    assert "the others are kept, and not used" in done.stdout
    (run.stimuli / "items.parquet").unlink()
    assert "answer what" not in run.vlmtom("adopt", str(table(run))).stdout


def test_the_questions_of_a_conversation_are_adopted_with_those_never_reached(tmp_path):
    def answer(body):
        if len(body["messages"]) == 1 or "item-1" not in body["messages"][0]["content"]:
            return completion(body, "yes")
        return completion(body, None, finish_reason="length")

    def turns(number):
        texts = (f"Of item-{number}: first?", "Second?", "Third?")
        return [{"role": "user", "text": t, "pictures": [], "video": None} for t in texts]

    with LoopbackServer(answer) as server:
        run = Run(tmp_path, server.base_url)
        items = run.stimuli / "items.parquet"
        rows = [row | {"turns": turns(n)} for n, row in enumerate(read_rows(items, schemas.ITEMS))]
        items.unlink()
        write_rows(items, rows, schemas.ITEMS)
        run.job("t1")
    shutil.rmtree(run.replies("t1") / "journal")
    before = table(run).read_bytes()
    done = run.vlmtom("adopt")
    # Of item 1 the second question was cut off, so that the third was never asked.
    assert "5 rows adopted, 0 already in the journal. 5 of 5 answer what" in done.stdout
    table(run).unlink()
    run.job("t1")
    assert table(run).read_bytes() == before
    assert run.vlmtom("adopt").stdout.strip() == NOTHING


def test_a_window_is_adopted_into_its_own_stream(tmp_path):
    run = sent(tmp_path)
    second = run.replies("t1") / "director.w2.parquet"
    table(run).rename(second)
    changed(second, lambda rows: [row | {"window": 2} for row in rows])
    assert run.vlmtom("adopt").returncode == 0
    assert list((run.replies("t1") / "journal").glob("director.w2.0001.jsonl"))
    run.job("t1")  # what another window answered is not asked


def judged(tmp_path, *replies, descriptions=2) -> tuple[Run, Judging]:
    """A run with verdicts of the judge j1, each description answered in turn; no journal."""
    run = Run(tmp_path)
    texts = ("They dance together.", "They float.", "One hides.")
    rows = [blind(n, texts[n]) for n in range(descriptions)]
    place = Judging(run.results, rows)
    run.config |= {"judges": ["j1"], "triangles": {}}
    run.registry["models"]["j1"] = run.registry["models"]["t1"] | {"gateway_model": "vendor/j1"}
    run.save()
    with LoopbackServer(in_turn(*replies)) as server:
        run.registry["endpoints"]["loop"]["base_url"] = server.base_url
        run.save()
        done = place.run(spec_of(run))
        assert done.returncode == 0, done.stderr
    shutil.rmtree(place.journal)
    return run, place


def spec_of(run: Run):
    settings = load_settings(run.folder / "config.yaml")
    registry = load_registry(settings, run.folder)
    return judge_spec(settings, registry, "j1", "blinded", "numbered")


@pytest.mark.parametrize(
    "replies",
    [(GOOD,), (NAMELESS, GOOD), (NAMELESS, NAMELESS, GOOD), (NAMELESS,)],
    ids=["first", "first re-ask", "second re-ask", "never"],
)
def test_adopted_verdicts_are_rebuilt_with_the_server_down_however_often_was_asked(
    tmp_path, replies
):
    run, place = judged(tmp_path, *replies)
    before = place.out.read_bytes()
    assert unjournalled(run.results) == [place.out]
    done = run.vlmtom("adopt")
    assert done.returncode == 0, done.stderr
    assert "results/verdicts/j1/blinded.numbered.parquet: 2 rows adopted, 0 already" in done.stdout
    assert "2 of 2 answer what this configuration asks" in done.stdout
    place.out.unlink()
    again = place.run(spec_of(run))
    assert again.returncode == 0, again.stderr
    assert place.out.read_bytes() == before
    assert run.vlmtom("adopt").stdout.strip() == NOTHING
    found = list(read_stream(place.journal, "blinded.numbered.w1"))
    unknown = [record for record in found if record.get("adopted_without_text")]
    (ask,) = {row["ask"] for row in place.verdicts()}
    assert len(unknown) == 2 * ask
    assert all(record["text"] is None for record in unknown)
    assert {record["judge"] for record in found} == {"j1"}


def test_re_asks_are_completed_once_the_blind_file_is_there(tmp_path):
    run, place = judged(tmp_path, NAMELESS, GOOD)
    before, hidden = place.out.read_bytes(), tmp_path / "blind.parquet"
    place.blind.rename(hidden)
    done = run.vlmtom("adopt")
    assert "2 rows adopted" in done.stdout
    assert "2 verdicts came from a re-ask whose earlier askings are not in the table" in done.stdout
    assert unjournalled(run.results) == []
    hidden.rename(place.blind)
    again = run.vlmtom("adopt")
    assert "0 rows adopted, 2 already in the journal. 2 askings before a re-ask" in again.stdout
    place.out.unlink()
    assert place.run(spec_of(run)).returncode == 0
    assert place.out.read_bytes() == before


def test_verdicts_whose_words_say_other_scores_are_told(tmp_path):
    run, place = judged(tmp_path, GOOD)
    rows = place.verdicts()
    place.out.unlink()
    write_rows(place.out, [rows[0] | {"intent": 5}, *rows[1:]], schemas.VERDICTS)
    assert "In the words of 1 verdicts this version of vlmtom reads other scores" in (
        run.vlmtom("adopt").stdout
    )


def refusal(run: Run, *arguments: str) -> str:
    """What the command says; no journal may come of it."""
    done = run.vlmtom("adopt", *arguments)
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    assert not list(run.results.rglob("*.jsonl"))
    return done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tester": "t2"}, "row 1: tester is 't2', but the path says 't1'"),
        ({"experiment": "triangles"}, "row 1: experiment is 'triangles', but the path says"),
        ({"window": 2}, "row 1: window is 2, but the path says 1"),
        ({"request_digest": "ab" * 32}, "the request abababababababab… is answered by two rows"),
        ({"cost_usd": float("nan")}, "cost_usd is nan; expected a number, or null"),
    ],
)
def test_rows_that_do_not_belong_there_are_refused(tmp_path, change, message):
    run = sent(tmp_path)
    changed(table(run), lambda rows: [row | change for row in rows])
    assert message in refusal(run)


def test_a_table_that_is_cut_or_of_another_schema_or_elsewhere_is_refused(tmp_path):
    run = sent(tmp_path)
    whole = table(run).read_bytes()
    (run.folder / "sent.parquet").write_bytes(whole)
    assert "sent.parquet: not where a table of this run lies. Put replies at" in (
        refusal(run, "sent.parquet")
    )
    assert "nowhere.parquet: no such file" in refusal(run, "nowhere.parquet")
    table(run).write_bytes(whole[:-100])
    assert "director.w1.parquet: not a whole Parquet file" in refusal(run)
    shutil.copy(run.stimuli / "items.parquet", table(run))
    assert "expected the schema 'replies' version" in refusal(run)


def test_nothing_is_adopted_if_one_of_several_tables_is_not_whole(tmp_path):
    run = sent(tmp_path)
    broken = run.replies("t2") / "director.w1.parquet"
    broken.parent.mkdir()
    broken.write_bytes(table(run).read_bytes()[:-1])
    assert "t2/director.w1.parquet: not a whole Parquet file" in refusal(run)


def test_a_stream_that_is_being_written_is_left_alone(tmp_path):
    run = sent(tmp_path)
    with JournalWriter(run.replies("t1") / "journal", "director.w1"):
        assert f"is being written by process {os.getpid()} on " in refusal(run)
