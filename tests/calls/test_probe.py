"""The first call of a model that is shown pictures: does it take them at all?"""

import base64
import os
import signal
import subprocess
import time

import pytest

from tests.calls.helpers import Place, spec
from tests.calls.test_turns import place_with, turn
from tests.jobs.test_ask import command, job, rows
from tests.loopback.server import Fault, LoopbackServer, completion
from vlmtom.calls.probe import PICTURE, PIXELS
from vlmtom.rendering.images import decode_image, pixel_sha256
from vlmtom.store import schemas, write_rows


def is_probe(body):
    return any("Which colour is this picture?" in str(m["content"]) for m in body["messages"])


def answers(probe_text, **changes):
    def answer(body):
        return completion(body, probe_text if is_probe(body) else "A", **changes)

    return answer


def test_the_probe_shows_the_picture_that_its_digest_names():
    assert pixel_sha256(decode_image(PICTURE.read_bytes())) == PIXELS


def test_one_probe_comes_before_everything_and_never_again(tmp_path):
    place = Place(tmp_path, items=3)
    with LoopbackServer(answers("Red.")) as server:
        one = spec(server.base_url, model_probe=True)
        assert job(place, one).returncode == 0
        assert [is_probe(body) for body in server.stats.received] == [True, False, False, False]
        shown = server.stats.received[0]["messages"][0]["content"][0]["image_url"]["url"]
        place.out.unlink()
        again = job(place, one)
        assert again.returncode == 0
        # Another experiment of the same tester asks nothing about pictures any more.
        place.items_rows = [row | {"experiment": "triangles"} for row in place.items_rows]
        place.items.unlink()
        place.out.unlink()
        write_rows(place.items, place.items_rows, schemas.ITEMS)
        other = one.model_copy(update={"experiment": "triangles"})
        assert job(place, other).returncode == 0
    assert base64.b64decode(shown.partition(",")[2]) == PICTURE.read_bytes()
    assert sum(map(is_probe, server.stats.received)) == 1
    assert len(rows(place)) == 3  # the probe is in the journal, not in the table
    assert "did not say red" not in again.stderr


@pytest.mark.parametrize(
    "fault",
    [
        Fault(500, {"error": {"message": "image input is not supported - hint: use a mmproj"}}),
        Fault(400, {"error": {"message": "this model does not take images"}}),
    ],
)
def test_a_model_that_takes_no_pictures_costs_a_few_calls_and_says_so(tmp_path, fault):
    place = Place(tmp_path, items=9)
    with LoopbackServer(script=[fault] * 4) as server:
        done = job(place, spec(server.base_url, model_probe=True, allow_missing=True))
    assert done.returncode == 1
    assert not place.out.exists()
    assert server.stats.requests <= 4
    assert "to see whether the model takes pictures" in done.stderr
    assert "image" in done.stderr
    assert "probe: false" in done.stderr


def test_another_model_than_asked_is_noticed_by_the_first_call(tmp_path):
    place = Place(tmp_path, items=9)
    with LoopbackServer(answers("Red.", model="default-model")) as server:
        one = spec(server.base_url, model_probe=True)
        assert job(place, one).returncode == 1
        again = job(place, one)
        assert server.stats.requests == 1  # it is known already
        assert "served 'default-model'" in again.stderr
        assert (
            job(
                place, spec(server.base_url, model_probe=True, model_served_as=("default-model",))
            ).returncode
            == 0
        )
    assert server.stats.requests == 10


def test_a_picture_that_was_passed_over_is_a_warning(tmp_path):
    place = Place(tmp_path)
    with LoopbackServer(answers("I see no picture.")) as server:
        done = job(place, spec(server.base_url, model_probe=True))
    assert done.returncode == 0
    assert "did not say red (ok: 'I see no picture.')" in done.stderr


def test_text_alone_is_asked_without_a_probe(tmp_path):
    place = place_with(tmp_path, [turn("Which?")])
    with LoopbackServer() as server:
        assert job(place, spec(server.base_url, model_probe=True)).returncode == 0
    assert server.stats.requests == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_probe_ends_the_job_before_anything_else_is_asked(tmp_path, number):
    place = Place(tmp_path, items=9)
    with LoopbackServer(answers("Red."), latency_s=1.5) as server:
        one = spec(server.base_url, model_probe=True)
        process = subprocess.Popen(command(place, one), stderr=subprocess.PIPE, text=True)
        while not server.stats.live:
            time.sleep(0.02)
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 128 + number, said
        assert server.stats.requests == 1
    assert f"stopped by {signal.Signals(number).name} with 0 of" in said
