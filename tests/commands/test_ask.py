"""`vlmtom ask`: a user's own items over real HTTP, asked once, resumed, refused with reasons."""

import base64
import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import cv2
import numpy as np
import pytest

from tests.calls.helpers import item, png
from tests.commands.helpers import vlmtom
from tests.loopback.server import Fault, LoopbackServer, completion, says
from vlmtom.commands.ask import slug
from vlmtom.rendering.images import decode_image, pixel_sha256
from vlmtom.store import JournalWriter, read_rows, read_stream, schemas, write_rows

pytestmark = pytest.mark.timeout(120)

MODEL = "Vendor/Model-X:free"
KEY = "sk-planted-5f0a1c7e93d24b86"
NOWHERE = "http://127.0.0.1:9/v1"


def jpeg(shade: int) -> bytes:
    picture = np.full((10, 12, 3), shade, np.uint8)
    picture[:, :6] = (0, 0, 255 - shade)
    return cv2.imencode(".jpg", picture)[1].tobytes()


def written(folder, rows, header=("item_id", "prompt", "picture"), name="items.csv", bom=False):
    with (folder / name).open("w", encoding="utf-8-sig" if bom else "utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def three_kinds(folder):
    """An item with a PNG, one with a JPEG and the PNG, one of text alone."""
    (folder / "pictures").mkdir()
    (folder / "pictures" / "a.png").write_bytes(png(10))
    (folder / "b.jpg").write_bytes(jpeg(40))
    rows = [("one", "What, “so”?", "pictures/a.png"), ("two", "Which?", "b.jpg;pictures/a.png")]
    written(folder, [*rows, ("three", "Just text.\nTwo lines.", "")])


def arguments(base_url, *options, out="replies.parquet", model=MODEL, items="items.csv"):
    return ("ask", items, "--base-url", base_url, "--model", model, "--out", out, *options)


def ask(folder, base_url, *options, out="replies.parquet", model=MODEL, items="items.csv", **env):
    """Run the command, without the first call that shows a red square unless a test asks for it."""
    probe = () if "--probe" in options else ("--no-probe",)
    options = tuple(option for option in options if option != "--probe")
    line = arguments(base_url, *options, *probe, out=out, model=model, items=items)
    done = vlmtom(folder, *line, **env)
    assert "Traceback" not in done.stderr
    return done


def replies(folder):
    return read_rows(folder / "replies.parquet", schemas.REPLIES)


def journalled(folder):
    records = read_stream(folder / "replies.parquet.ask" / "journal", "ask.w1")
    return [record for record in records if record["kind"] == "reply"]


def test_pngs_jpegs_and_text_alone_are_sent_untouched_and_answered_once(tmp_path):
    three_kinds(tmp_path)
    with LoopbackServer() as server:
        done = ask(tmp_path, server.base_url)
        assert done.returncode == 0, done.stderr
        assert "behind the wall" in done.stderr
        assert server.stats.requests == 3
        first = (tmp_path / "replies.parquet").read_bytes()
        again = ask(tmp_path, server.base_url)
        assert again.returncode == 0, again.stderr
        assert server.stats.requests == 3
    # The loopback server reports 900 and 12 tokens a reply, and no cost.
    assert done.stdout == again.stdout
    assert done.stdout.splitlines() == [
        "3 ok, 0 missing",
        "tokens: 2700 in, 36 out; cost in USD: not known",
        "replies.parquet",
    ]
    third = ask(tmp_path, server.base_url)  # the server is down
    assert third.returncode == 0, third.stderr
    assert (tmp_path / "replies.parquet").read_bytes() == first
    contents = [body["messages"][0]["content"] for body in server.stats.received]
    by_text = {parts[-1]["text"]: parts for parts in contents if isinstance(parts, list)}
    sent = [
        base64.b64decode(part["image_url"]["url"].split(",")[1]) for part in by_text["Which?"][:-1]
    ]
    assert sent == [jpeg(40), png(10)]
    assert by_text["Which?"][0]["image_url"]["url"].startswith("data:image/jpeg;base64,")
    assert "Just text.\nTwo lines." in contents
    table = replies(tmp_path)
    assert [(row["item_id"], row["tester"], row["experiment"], row["arm"]) for row in table] == [
        (name, "vendor-model-x-free", "ask", "ask") for name in ("one", "two", "three")
    ]
    assert {row["requested_model"] for row in table} == {MODEL}


def test_a_picture_is_known_by_its_decoded_pixels(tmp_path):
    three_kinds(tmp_path)
    with LoopbackServer() as server:
        assert ask(tmp_path, server.base_url).returncode == 0
    stored = read_rows(tmp_path / "replies.parquet.ask" / "pictures.parquet", schemas.PICTURES)
    found = {row["pixel_sha256"]: row for row in stored}
    for content, width, height in ((png(10), 8, 8), (jpeg(40), 12, 10)):
        row = found[pixel_sha256(decode_image(content))]
        assert row["image"]["bytes"] == content
        assert row["file_sha256"] == hashlib.sha256(content).hexdigest()
        assert (row["width"], row["height"]) == (width, height)


def test_a_red_square_is_shown_once_before_the_pictures(tmp_path):
    three_kinds(tmp_path)
    with LoopbackServer(says("Red.")) as server:
        assert ask(tmp_path, server.base_url, "--probe").returncode == 0
        assert server.stats.requests == 3 + 1
        assert "Which colour" in server.stats.received[0]["messages"][0]["content"][1]["text"]
        assert ask(tmp_path, server.base_url, "--probe").returncode == 0
        assert server.stats.requests == 3 + 1
    assert [row["item_id"] for row in replies(tmp_path)] == ["one", "two", "three"]


def test_the_questions_of_an_item_follow_each_other_and_its_film_is_sent(tmp_path):
    film = b"\0\0\0\x18ftypmp42" + bytes(40)
    digest = hashlib.sha256(film).hexdigest()
    turns = [
        {"role": "user", "text": text, "pictures": [], "video": video}
        for text, video in (("First?", digest), ("Second?", None))
    ]
    row = {"file_sha256": digest, "film": {"bytes": film, "path": "f.mp4"}}
    write_rows(tmp_path / "films.parquet", [row], schemas.FILMS)
    write_rows(tmp_path / "pictures.parquet", [], schemas.PICTURES)
    write_rows(tmp_path / "items.parquet", [item(0, "", turns=turns)], schemas.ITEMS)
    with LoopbackServer(says("yes")) as server:
        done = ask(tmp_path, server.base_url, items="items.parquet")
        assert done.returncode == 0, done.stderr
        assert ask(tmp_path, server.base_url, items="items.parquet").returncode == 0
    assert server.stats.requests == 2
    assert [(row["turn"], row["text"]) for row in replies(tmp_path)] == [(1, "yes"), (2, "yes")]
    assert base64.b64encode(film).decode() in json.dumps(server.stats.received[0])
    (tmp_path / "films.parquet").unlink()
    lost = ask(tmp_path, server.base_url, items="items.parquet")
    assert "films.parquet: no such file" in lost.stderr


def test_text_alone_needs_no_picture_at_all(tmp_path):
    written(tmp_path, [("one", "Yes?", ""), ("two", "Yes?", "")], bom=True)
    with LoopbackServer(says("yes")) as server:
        done = ask(tmp_path, server.base_url)
    assert done.returncode == 0, done.stderr
    assert [row["text"] for row in replies(tmp_path)] == ["yes", "yes"]
    assert server.stats.requests == 2


def test_optional_columns_and_options_decide_what_is_sent(tmp_path):
    header = ("item_id", "prompt", "picture", "system", "trials", "batch", "arm", "stimulus")
    rows = [("i1", "A?", "", "Be brief.", "3", "b1", "long", "s1"), ("i2", "B?", *[""] * 6)]
    written(tmp_path, rows, header)
    with LoopbackServer(says("yes")) as server:
        done = ask(
            tmp_path,
            server.base_url,
            *("--trials", "2", "--temperature", "0.5", "--max-tokens", "7", "--seed", "3"),
            *("--concurrency", "1", "--price-in", "2", "--price-out", "10"),
        )
    assert done.returncode == 0, done.stderr
    table = replies(tmp_path)
    found = [
        tuple(row[k] for k in ("item_id", "trial", "batch", "arm", "stimulus")) for row in table
    ]
    assert found == [
        *(("i1", trial, "b1", "long", "s1") for trial in (1, 2, 3)),
        *(("i2", trial, "main", "ask", "i2") for trial in (1, 2)),
    ]
    assert server.stats.max_live == 1
    for body in server.stats.received:
        assert (body["temperature"], body["max_tokens"], body["model"]) == (0.5, 7, MODEL)
        expected = ["system", "user"] if body["messages"][-1]["content"] == "A?" else ["user"]
        assert [message["role"] for message in body["messages"]] == expected
    assert len({body["seed"] for body in server.stats.received}) == 5
    # 5 replies of 900 and 12 tokens, at 2 and 10 USD a million: 0.009 + 0.0006
    assert "tokens: 4500 in, 60 out; cost in USD: 0.0096" in done.stdout


def test_a_table_of_items_is_asked_with_the_pictures_beside_it(tmp_path):
    content = png(99)
    digest = pixel_sha256(decode_image(content))
    row = {
        "pixel_sha256": digest,
        "image": {"bytes": content, "path": "p.png"},
        "file_sha256": hashlib.sha256(content).hexdigest(),
        "width": 8,
        "height": 8,
    }
    write_rows(tmp_path / "pictures.parquet", [row], schemas.PICTURES)
    write_rows(tmp_path / "items.parquet", [item(n, digest) for n in range(2)], schemas.ITEMS)
    with LoopbackServer() as server:
        done = ask(tmp_path, server.base_url, items="items.parquet")
        assert done.returncode == 0, done.stderr
        assert ask(tmp_path, server.base_url, items="items.parquet").returncode == 0
    assert server.stats.requests == 2
    assert [row["arm"] for row in replies(tmp_path)] == ["canonical"] * 2
    (tmp_path / "items.parquet").unlink()
    write_rows(tmp_path / "items.parquet", [item(1, "ab" * 32)], schemas.ITEMS)
    lost = ask(tmp_path, server.base_url, items="items.parquet")
    assert "item director.canonical.01 shows abababababababab…, which is not in" in (lost.stderr)


def test_changed_items_are_asked_and_the_others_are_not_paid_again(tmp_path):
    rows = [("one", "A?", ""), ("two", "B?", ""), ("three", "C?", "")]
    written(tmp_path, rows)
    with LoopbackServer() as server:
        assert ask(tmp_path, server.base_url).returncode == 0
        written(tmp_path, [rows[2], ("two", "Changed?", ""), ("four", "D?", "")])
        assert ask(tmp_path, server.base_url).returncode == 0
        assert server.stats.requests == 5
        assert [row["item_id"] for row in replies(tmp_path)] == ["three", "two", "four"]
        written(tmp_path, rows)
        assert ask(tmp_path, server.base_url).returncode == 0
        assert server.stats.requests == 5
    assert [row["item_id"] for row in replies(tmp_path)] == ["one", "two", "three"]
    assert len(journalled(tmp_path)) == 5


def test_a_csv_is_written_where_a_csv_is_wanted(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    with LoopbackServer(says("=1+1, or\ntwo")) as server:
        done = ask(tmp_path, server.base_url, out="made/replies.csv")
        assert done.returncode == 0, done.stderr
        assert ask(tmp_path, server.base_url, out="made/replies.csv").returncode == 0
    assert server.stats.requests == 1
    with (tmp_path / "made" / "replies.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["item_id"], row["status"]) == ("one", "ok")
    assert row["text"] == "'=1+1, or\ntwo"  # not a formula of a spreadsheet
    assert row["started_utc"][10] == "T"


def test_what_is_missing_is_counted_by_status_and_failures_need_leave(tmp_path):
    written(tmp_path, [(f"i{n}", f"{n}?", "") for n in range(4)])

    def answer(body):
        return completion(body, "" if body["messages"][0]["content"] == "1?" else "yes")

    script = [Fault(400)] * 2
    with LoopbackServer(answer, script=script) as server:
        failed = ask(tmp_path, server.base_url, "--concurrency", "1")
        assert failed.returncode == 1
        assert "2 of 4 replies are missing (bad_request 2)" in failed.stderr
        assert not (tmp_path / "replies.parquet").exists()
        server.script = [Fault(400)]
        allowed = ask(tmp_path, server.base_url, "--concurrency", "1", "--allow-missing")
        assert allowed.returncode == 0, allowed.stderr
        assert "missing (api_error 1" in allowed.stdout
        done = ask(tmp_path, server.base_url)
    assert done.returncode == 0, done.stderr
    assert "3 ok, 1 missing (empty 1)" in done.stdout
    assert "tokens: 3600 in, 48 out" in done.stdout
    assert server.stats.requests == 4 + 2 + 1


def started(folder, *line, **options):
    command = [sys.executable, "-m", "vlmtom.cli", *line]
    return subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options
    )


def until(condition, process):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.005)


def test_killed_in_the_middle_it_goes_on_and_nothing_finished_is_asked_twice(tmp_path):
    written(tmp_path, [(f"i{n:02d}", f"{n}?", "") for n in range(40)])
    with LoopbackServer(latency_s=0.05) as server:
        line = arguments(server.base_url, "--concurrency", "4")
        process = started(tmp_path, *line, start_new_session=True)
        until(lambda: server.stats.answered.total() >= 12, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
        kept = {record["item_id"] for record in journalled(tmp_path)}
        assert 8 <= len(kept) < 40
        while server.stats.live:
            time.sleep(0.005)
        before = len(server.stats.received)
        done = ask(tmp_path, server.base_url, "--concurrency", "4")
        assert done.returncode == 0, done.stderr
        asked = [body["messages"][0]["content"] for body in server.stats.received[before:]]
        assert not {f"{int(name[1:])}?" for name in kept} & set(asked)
        assert server.stats.requests <= 40 + 4  # twice: at most what was in flight
    assert f"40 requests, {len(kept)} of them answered in the journal" in done.stderr
    assert len(replies(tmp_path)) == len(journalled(tmp_path)) == 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("whom", ["the parent", "the group"])
def test_a_signal_reaches_the_job_which_ends_cleanly_with_its_exit_code(tmp_path, number, whom):
    written(tmp_path, [(f"i{n:02d}", f"{n}?", "") for n in range(40)])
    with LoopbackServer(latency_s=0.1) as server:
        line = arguments(server.base_url, "--concurrency", "2")
        process = started(tmp_path, *line, start_new_session=True)
        until(lambda: server.stats.answered.total() >= 4, process)
        # Ctrl-C in a terminal goes to the group; `kill` to the one process that is named.
        (os.kill if whom == "the parent" else os.killpg)(process.pid, number)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 128 + number, said
        kept = len(journalled(tmp_path))
        assert f"stopped by {signal.Signals(number).name} with {kept} of 40 replies" in said
        assert "Traceback" not in said
        asked = server.stats.requests
        time.sleep(0.3)
        assert server.stats.requests == asked  # nobody goes on asking
    assert not (tmp_path / "replies.parquet").exists()


def test_a_key_goes_into_the_header_and_into_no_file(tmp_path):
    written(tmp_path, [(f"i{n}", f"{n}?", "") for n in range(3)])
    script = [Fault(500, {"error": {"message": f"key {KEY} is slow"}})]
    with LoopbackServer(lambda body: completion(body, KEY), script=script) as server:
        done = ask(tmp_path, server.base_url, "--api-key-env", "LOOP_KEY", LOOP_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert server.stats.authorizations == {f"Bearer {KEY}"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 6
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in done.stdout + done.stderr
    # What is answered needs neither a key nor a server.
    assert ask(tmp_path, server.base_url, "--api-key-env", "LOOP_KEY").returncode == 0


def test_a_missing_key_is_told_before_anything_is_asked(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    with LoopbackServer() as server:
        done = ask(tmp_path, server.base_url, "--api-key-env", "LOOP_KEY")
    assert done.returncode == 1
    assert "the environment variable LOOP_KEY is not set" in done.stderr
    assert server.stats.requests == 0
    assert not (tmp_path / "replies.parquet.ask").exists()


def test_a_key_in_the_place_of_its_variable_or_in_the_url_is_not_shown_or_stored(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    given = ask(tmp_path, NOWHERE, "--api-key-env", KEY)
    assert given.returncode == 1
    assert "--api-key-env: " in given.stderr
    assert "the name of an environment variable" in given.stderr
    for url in (f"http://me:{KEY}@127.0.0.1:9/v1", f"{NOWHERE}?key={KEY}"):
        in_url = ask(tmp_path, url)
        assert in_url.returncode == 1
        assert "no user, password, query or fragment" in in_url.stderr
        assert KEY not in in_url.stderr
    assert KEY not in given.stderr
    assert not (tmp_path / "replies.parquet.ask").exists()


@pytest.mark.parametrize("out", ["replies.parquet", "replies.csv"])
def test_a_file_that_vlmtom_did_not_make_is_kept_and_nothing_is_asked(tmp_path, out):
    written(tmp_path, [("one", "A?", "")])
    (tmp_path / out).write_bytes(b"mine")
    with LoopbackServer() as server:
        done = ask(tmp_path, server.base_url, out=out)
    assert done.returncode == 1
    assert f"{out} was not made by vlmtom, or was changed since." in done.stderr
    assert (tmp_path / out).read_bytes() == b"mine"
    assert server.stats.requests == 0


def test_an_output_that_was_changed_since_is_kept(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    with LoopbackServer() as server:
        assert ask(tmp_path, server.base_url).returncode == 0
        (tmp_path / "replies.parquet").write_bytes(b"edited")
        written(tmp_path, [("two", "B?", "")])
        assert "was changed since" in ask(tmp_path, server.base_url).stderr
    assert server.stats.requests == 1
    assert (tmp_path / "replies.parquet").read_bytes() == b"edited"


def test_a_folder_of_somebody_else_s_is_left_alone(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    folder = tmp_path / "replies.parquet.ask"
    folder.mkdir()
    (folder / "items.parquet").write_bytes(b"mine")
    done = ask(tmp_path, NOWHERE)
    assert done.returncode == 1
    assert "replies.parquet.ask is there, but `vlmtom ask` did not make it" in done.stderr
    assert (folder / "items.parquet").read_bytes() == b"mine"


def test_another_model_or_place_needs_another_output(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    with LoopbackServer() as server, LoopbackServer() as other:
        assert ask(tmp_path, server.base_url).returncode == 0
        before = (tmp_path / "replies.parquet.ask" / "spec.json").read_bytes()
        model = ask(tmp_path, server.base_url, model="vendor/other")
        place = ask(tmp_path, other.base_url)
        assert server.stats.requests == 1
        assert other.stats.requests == 0
    assert model.returncode == place.returncode == 1
    assert f"holds the replies of {MODEL} at {server.base_url}; now vendor/other" in model.stderr
    assert f"now {MODEL} at {other.base_url} is to be asked. Give another --out" in place.stderr
    assert (tmp_path / "replies.parquet.ask" / "spec.json").read_bytes() == before
    recorded = json.loads(before)
    assert recorded["endpoint"]["base_url"] == server.base_url
    assert recorded["model"]["gateway_model"] == MODEL


def test_a_second_call_beside_a_running_one_is_refused_and_disturbs_nothing(tmp_path):
    written(tmp_path, [("one", "A?", "")])
    with LoopbackServer() as server:
        assert ask(tmp_path, server.base_url).returncode == 0
        written(tmp_path, [("two", "B?", "")])
        items = (tmp_path / "replies.parquet.ask" / "items.parquet").read_bytes()
        with JournalWriter(tmp_path / "replies.parquet.ask" / "journal", "ask.w1"):
            done = ask(tmp_path, server.base_url)
    assert done.returncode == 1
    assert f"is being written by process {os.getpid()} on " in done.stderr
    assert (tmp_path / "replies.parquet.ask" / "items.parquet").read_bytes() == items
    assert server.stats.requests == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"out": "replies.txt"},
            "--out replies.txt: expected a name that ends in .parquet or .csv",
        ),
        ({"out": "folder.csv"}, "--out folder.csv: a folder"),
        ({"out": "items.csv/x.csv"}, "--out items.csv/x.csv: cannot be written"),
        ({"items": "nowhere.csv"}, "nowhere.csv: no such file. Give a CSV with the columns"),
        ({"items": "items.tsv"}, "items.tsv: expected a .csv, or an items.parquet"),
        ({"base_url": "localhost:8000"}, "--base-url: expected the URL of an OpenAI-compatible"),
        ({"options": ("--price-in", "1")}, "--price-in and --price-out belong together"),
        ({"options": ("--price-in", "inf", "--price-out", "1")}, "expected numbers, in USD"),
        ({"options": ("--price-in", "-1", "--price-out", "1")}, "--price-in: Input should be"),
        ({"options": ("--concurrency", "0")}, "--concurrency: Input should be greater than or"),
        ({"options": ("--temperature", "3")}, "--temperature: Input should be less than or"),
        ({"options": ("--max-tokens", "0")}, "--max-tokens: Input should be greater than 0"),
        ({"options": ("--trials", "0")}, "--trials: expected a whole number from 1"),
    ],
)
def test_an_option_that_cannot_be_used_is_told(tmp_path, changes, message):
    written(tmp_path, [("one", "A?", "")])
    (tmp_path / "folder.csv").mkdir()
    given = {"base_url": NOWHERE, "options": ()} | changes
    done = ask(tmp_path, given.pop("base_url"), *given.pop("options"), **given)
    assert done.returncode == 1
    assert message in done.stderr
    assert not list(tmp_path.glob("*.ask"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "items.csv: the file is empty. Give a header with item_id, prompt, picture"),
        (b"item_id,prompt,picture\n", "items.csv: no items. Give at least one row"),
        (b"item_id,promt,picture\n", "row 1: no column 'prompt', which is needed; unknown column"),
        (b"item_id,promt,picture\n", "unknown column 'promt'; did you mean 'prompt'?"),
        (b"item_id,prompt,picture,prompt\n", "column 'prompt' is there 2 times"),
        (b"item_id;prompt;picture\n", "row 1: the columns are separated by ';'; expected commas"),
        (b"item_id,prompt,picture\none,caf\xe9,\n", "not UTF-8 (byte 30: "),
        (b'item_id,prompt,picture\none,"a"b,\n', "row 2: not CSV"),
        (b"item_id,prompt,picture\none,a,b,c\n", "row 2: 4 cells, but 3 columns"),
        (b"item_id,prompt,picture\n\n ,a,\n", "row 3, column item_id: empty"),
        (b"item_id,prompt,picture\none,a,\none,b,\n", "row 3, column item_id: 'one' is the name"),
        (b"item_id,prompt,picture\none,,\n", "row 2, column prompt: empty, and no picture either"),
        (b"item_id,prompt,picture\none,a,no.png\n", "row 2, column picture: no.png: no such file"),
        (
            b"item_id,prompt,picture\none,a,a.gif\n",
            "a.gif: neither PNG nor JPEG (it starts with 47",
        ),
        (b"item_id,prompt,picture\none,a,empty.png\n", "empty.png: an empty file"),
        (b"item_id,prompt,picture\none,a,cut.png\n", "cut.png: a damaged picture"),
        (b"item_id,prompt,picture\none,a,folder\n", "folder: Is a directory. Give a PNG or JPEG"),
        (b"item_id,prompt,picture\none,a,a.png;b.png\n", "b.png: the same colours as a.png, but"),
        (b"item_id,prompt,picture,trials\none,a,,0\n", "column trials: '0'; expected 1 to 10,000"),
        (b"item_id,prompt,picture,trials\none,a,,%s\n" % (b"9" * 5000), "9…'; expected 1 to"),
        (b"item_id,prompt,picture\none,a,a\0.png\n", "null byte. Give a PNG or JPEG"),
    ],
)
def test_a_csv_that_cannot_be_asked_is_told_by_row_and_column(tmp_path, content, message):
    (tmp_path / "items.csv").write_bytes(content)
    (tmp_path / "a.gif").write_bytes(b"GIF89a")
    (tmp_path / "empty.png").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.png").write_bytes(png(1))
    (tmp_path / "cut.png").write_bytes(png(1)[:20])
    rgb = np.ones((8, 8, 3), np.uint8)  # the colours of a.png, compressed by another program
    (tmp_path / "b.png").write_bytes(cv2.imencode(".png", rgb)[1].tobytes())
    done = ask(tmp_path, NOWHERE)
    assert done.returncode == 1
    assert message in done.stderr
    assert "items.csv" in done.stderr
    assert not (tmp_path / "replies.parquet.ask").exists()


def test_all_bad_rows_are_told_at_once_the_first_ten_by_name(tmp_path):
    written(tmp_path, [(f"i{n}", "A?", f"{n}.png") for n in range(13)])
    said = ask(tmp_path, NOWHERE).stderr
    assert "items.csv: nothing was asked; 13 cells must be put right first:" in said
    assert "row 11, column picture: 9.png: no such file" in said
    assert "row 12" not in said
    assert said.rstrip().endswith("… and 3 more.")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("qwen/qwen3.5-plus", "qwen-qwen3.5-plus"),
        ("Vendor/Model_X:free", "vendor-model-x-free"),
        ("../..", "model"),
        ("模型", "model"),
        ("-a..b-", "a..b"),
    ],
)
def test_a_model_id_becomes_a_name_for_paths(model, name):
    assert slug(model) == name


def test_killed_alone_the_command_leaves_no_job_that_goes_on_asking(tmp_path):
    written(tmp_path, [(f"i{n:02d}", f"{n}?", "") for n in range(60)])
    with LoopbackServer(latency_s=0.1) as server:
        line = arguments(server.base_url, "--concurrency", "2")
        process = started(tmp_path, *line, start_new_session=True)
        until(lambda: server.stats.answered.total() >= 4, process)
        process.kill()
        process.communicate(timeout=20)  # to the end of the orphan, which holds the pipe
        done = ask(tmp_path, server.base_url, "--concurrency", "2")
        assert done.returncode == 0, done.stderr
        # The orphan finished its calls in flight, and let the journal go.
        assert server.stats.requests == len(set(server.stats.bodies)) == 60
