"""How failures of an endpoint end, asked over real HTTP.

What other clients are known to do wrong is asked of the whole job in test_calling_cases.py.
"""

import asyncio
import base64

import pytest

from tests.calls.helpers import Place, ask_one, png, spec
from tests.loopback.server import HTML, RESET, Fault, LoopbackServer, says
from vlmtom.calls import Engine, check_pictures, endpoint_for, planned
from vlmtom.errors import BadData
from vlmtom.store import PictureStore, schemas


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([Fault(408), Fault(409), Fault(425)], id="4xx that pass"),
        pytest.param([Fault(body={"error": "no reason given"})], id="bare error in 200"),
        pytest.param([Fault(body={"choices": []}), Fault(body={"choices": None})], id="no choice"),
        pytest.param([Fault(body={"id": "x"})], id="choices absent"),
        pytest.param([Fault(body="null")], id="null body"),
        pytest.param([Fault(body='{"id": "x", "choices": [{"mess')], id="half JSON"),
        pytest.param([HTML], id="HTML in 200"),
        pytest.param([RESET], id="reset"),
    ],
)
def test_a_passing_failure_is_tried_again(tmp_path, script):
    record, server = ask_one(tmp_path, script, says("red"))
    assert (record["status"], record["text"]) == ("ok", "red")
    assert server.stats.requests == record["attempts"] == len(script) + 1
    assert len(record["attempts_failed"]) == len(script)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (
            Fault(400, {"error": {"code": 400, "type": "exceed_context_size_error"}}),
            "context_length",
        ),
        (Fault(400, {"error": {"message": "maximum context length is 8192"}}), "context_length"),
        (Fault(400, {"error": {"code": "unsupported_value", "param": "x"}}), "bad_request"),
        (Fault(413), "bad_request"),
        (Fault(422), "bad_request"),
        (Fault(401), "auth"),
        (Fault(403), "auth"),
        (Fault(404), "not_found"),
        (Fault(429, {"error": {"code": "insufficient_quota"}}), "quota"),
        (Fault(429, {"error": {"type": "insufficient_quota", "code": None}}), "quota"),
        (Fault(body={"error": {"code": "insufficient_quota"}}), "quota"),
    ],
)
def test_a_failure_that_stays_is_asked_once(tmp_path, fault, kind):
    record, server = ask_one(tmp_path, [fault])
    assert (record["status"], record["error_kind"]) == ("api_error", kind)
    assert server.stats.requests == record["attempts"] == 1
    assert record["text"] is None


def test_attempts_are_finite_and_the_last_cause_is_kept(tmp_path):
    record, server = ask_one(tmp_path, [Fault(500)] * 10)
    assert (record["status"], record["error_kind"]) == ("api_error", "server")
    assert server.stats.requests == 4  # calls.attempts
    assert record["error"] == "status 500: loopback fault 500 (fault)"


def test_total_time_is_finite(tmp_path):
    waits = {"calls_total_time_s": 0.5, "calls_attempts": 100, "calls_backoff_s": 0.2}
    record, server = ask_one(tmp_path, [Fault(500)] * 100, **waits)
    assert record["status"] == "api_error"
    assert 2 <= server.stats.requests <= 6  # waits of 0.1 to 0.2 s within 0.5 s


@pytest.mark.parametrize("fault", [Fault(hang_s=5), Fault(dribble_s=5)], ids=["silence", "dribble"])
def test_a_reply_that_does_not_end_is_given_up(tmp_path, fault):
    record, _ = ask_one(tmp_path, [fault], says("red"), model_timeout_s=0.4)
    assert (record["status"], record["attempts"]) == ("ok", 2)
    failure = record["attempts_failed"][0]
    assert failure["error_kind"] == "network"
    assert "within 0.4 s" in failure["message"]


def test_a_server_that_is_down_is_a_network_error(tmp_path):
    with LoopbackServer() as server:
        url = server.base_url
    _, records = Place(tmp_path).ask(spec(url, calls_attempts=2))
    assert (records[0]["error_kind"], records[0]["attempts"]) == ("network", 2)
    assert f"connection to {url}" in records[0]["error"]


@pytest.mark.parametrize("status", [401, 402, 404])
def test_a_failure_of_the_account_stops_the_job_at_once(tmp_path, status):
    with LoopbackServer(script=[Fault(status)] * 50) as server:
        asked, records = Place(tmp_path, items=50).ask(spec(server.base_url, model_concurrency=2))
    assert server.stats.requests <= 2  # those in flight
    assert len(records) == server.stats.requests
    # money and keys are put right without a change of what is asked; a wrong address is not
    assert asked.stop.resumable == (status != 404)
    assert "every other request would fail alike" in asked.stop.message


def test_a_bad_request_does_not_stop_the_others(tmp_path):
    with LoopbackServer(script=[None, Fault(400)]) as server:
        asked, records = Place(tmp_path, items=10).ask(spec(server.base_url, model_concurrency=1))
    assert asked.stop is None
    assert sorted(r["status"] for r in records) == ["api_error"] + ["ok"] * 9
    assert server.stats.requests == 10


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (says(None), "empty"),
        (says(" \n"), "empty"),
        (says("red", finish_reason="length"), "truncated"),
        (says(None, finish_reason="length"), "truncated"),
        (says(None, finish_reason="content_filter"), "filtered"),
        (says(None, refusal="I cannot help with that."), "refused"),
    ],
)
def test_a_missing_reply_has_its_own_status_and_is_not_asked_again(tmp_path, answer, status):
    record, server = ask_one(tmp_path, [], answer)
    assert record["status"] == status
    assert server.stats.requests == 1
    assert record["error_kind"] is None


def test_a_picture_goes_out_untouched_before_its_text(tmp_path):
    _, server = ask_one(tmp_path, [])
    system, user = server.stats.received[0]["messages"]
    assert system == {"role": "system", "content": "Answer briefly."}
    picture, text = user["content"]
    assert text == {"type": "text", "text": "Question 0?"}
    assert picture["image_url"]["url"] == (
        "data:image/png;base64," + base64.b64encode(png(0)).decode()
    )


def test_no_more_than_the_allowed_number_is_ever_in_flight(tmp_path):
    with LoopbackServer(latency_s=0.02) as server:
        one = spec(server.base_url, model_concurrency=5)
        Place(tmp_path, items=40).ask(one)
    assert server.stats.max_live == 5


def test_a_request_that_waits_for_its_next_attempt_takes_no_slot(tmp_path):
    # One slot; the first request waits for at least 1 s, in which the others are answered.
    with LoopbackServer(script=[Fault(500)]) as server:
        one = spec(server.base_url, model_concurrency=1, calls_backoff_s=2, calls_max_backoff_s=2)
        Place(tmp_path, items=10).ask(one)
    times = server.stats.times
    assert len(times) == 11
    assert times[9] - times[0] < 0.9
    assert times[10] - times[0] >= 1


def test_a_pause_holds_for_every_request_of_the_endpoint(tmp_path):
    with LoopbackServer(
        latency_s=0.01, script=[None] * 5 + [Fault(503, headers={"Retry-After": "1"})]
    ) as server:
        Place(tmp_path, items=40).ask(spec(server.base_url, model_concurrency=4))
    assert server.stats.embargo_violations == 0
    assert server.stats.requests == 41


def test_a_journal_that_cannot_be_written_ends_the_asking(tmp_path):
    class FullDisk:
        def append(self, record):
            raise OSError(28, "No space left on device")

        def sync(self):
            pass

    async def session(one, place):
        endpoint = endpoint_for(one)
        pictures = PictureStore(place.pictures, schemas.PICTURES)
        try:
            await Engine(one, endpoint, pictures, FullDisk()).ask(planned(place.items_rows, one))
        finally:
            pictures.close()
            await endpoint.close()

    with LoopbackServer() as server:
        place, one = Place(tmp_path, items=30), spec(server.base_url, model_concurrency=3)
        with pytest.raises(OSError, match="No space left"):
            asyncio.run(session(one, place))
    assert server.stats.requests <= 3


def test_a_picture_of_another_format_is_refused_before_any_call(tmp_path):
    place = Place(tmp_path, content=b"GIF89a, and more")
    pictures = PictureStore(place.pictures, schemas.PICTURES)
    with pytest.raises(BadData, match=r"neither PNG nor JPEG \(it starts with 47 49 46 38"):
        check_pictures(planned(place.items_rows, spec("http://127.0.0.1:9/v1")), pictures)
    pictures.close()


def test_a_filter_that_answers_by_an_error_is_a_filtered_reply(tmp_path):
    script = [Fault(400, {"error": {"code": "content_filter", "message": "flagged"}}), None]
    with LoopbackServer(script=script) as server:
        asked, records = Place(tmp_path, items=2).ask(spec(server.base_url, model_concurrency=1))
    assert asked.stop is None
    assert server.stats.requests == 2
    assert sorted(record["status"] for record in records) == ["filtered", "ok"]
    assert all(record["error_kind"] is None for record in records)


def test_a_retry_after_of_nothing_still_backs_off(tmp_path):
    script = [Fault(429, headers={"Retry-After": "0"})] * 3
    with LoopbackServer(script=script) as server:
        one = spec(server.base_url, calls_backoff_s=0.2, calls_max_backoff_s=0.2)
        _, records = Place(tmp_path).ask(one)
    assert records[0]["status"] == "ok"
    # three waits of at least half the back-off
    assert server.stats.times[-1] - server.stats.times[0] >= 0.3


def test_a_wait_that_comes_with_an_error_inside_a_200_is_kept_to(tmp_path):
    error = {"error": {"code": 429, "message": "slow down"}}
    record, server = ask_one(tmp_path, [Fault(200, error, {"Retry-After": "1"})])
    assert record["status"] == "ok"
    assert server.stats.requests == 2
    assert server.stats.times[1] - server.stats.times[0] >= 0.95


@pytest.mark.parametrize(
    "message",
    [
        "image input is not supported - hint: if this is unexpected, you may need to provide it",
        "This model does not support images.",
        "Multimodal is not supported by this deployment",
    ],
)
def test_a_500_that_says_no_pictures_is_not_asked_again(tmp_path, message):
    fault = Fault(500, {"error": {"code": 500, "message": message, "type": "server_error"}})
    record, server = ask_one(tmp_path, [fault] * 4)
    assert (record["status"], record["error_kind"]) == ("api_error", "bad_request")
    assert server.stats.requests == 1
