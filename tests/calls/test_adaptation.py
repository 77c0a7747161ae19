"""Parameters that a model refuses: learned once, recorded, and used from the start later."""

import json

import pytest
from aiohttp import web

from tests.calls.helpers import STREAM, Place, ask_one, spec
from tests.loopback.server import Fault, LoopbackServer, says
from vlmtom.calls import Adaptations, learned_before, planned
from vlmtom.calls.failures import http_failure
from vlmtom.store import read_stream

SAMPLING = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 64, "reasoning_effort": "none"}


def unsupported(name, code="unsupported_parameter", **more):
    return Fault(400, {"error": {"code": code, "param": name, "message": "no"} | more})


class Picky(LoopbackServer):
    """A server that refuses every body with one of the given parameters, the first one first."""

    def __init__(self, *refused, **options):
        super().__init__(says("red"), **options)
        self.refused = refused

    async def _respond(self, request, body, fault):
        for name in self.refused:
            if name in body:
                error = {"code": "unsupported_parameter", "param": name, "message": "no"}
                return web.json_response({"error": error}, status=400), 400
        return await super()._respond(request, body, fault)


def learned(place, stream=STREAM):
    return [r for r in read_stream(place.journal, stream) if r["kind"] == "learned"]


def test_a_refused_temperature_is_left_out_and_the_row_says_so(tmp_path):
    fault = Fault(400, {"error": {"code": "unsupported_value", "param": "temperature"}})
    record, server = ask_one(tmp_path, [fault], says("red"), model_sampling=SAMPLING)
    assert server.stats.requests == 2
    assert (record["status"], record["attempts"]) == ("ok", 2)
    first, second = server.stats.received
    assert first["temperature"] == 0.0
    assert second == {name: value for name, value in first.items() if name != "temperature"}
    sent = {key: second[key] for key in second if key not in {"model", "messages"}}
    assert json.loads(record["parameters"]) == sent
    assert record["attempts_failed"][0]["error_kind"] == "bad_request"


def test_max_tokens_is_sent_under_its_new_name(tmp_path):
    message = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead."
    )
    fault = Fault(400, {"error": {"message": message, "type": "invalid_request_error"}})
    record, server = ask_one(tmp_path, [fault], says("red"), model_sampling=SAMPLING)
    assert record["status"] == "ok"
    body = server.stats.received[1]
    assert (body["max_completion_tokens"], "max_tokens" in body) == (64, False)
    assert json.loads(record["parameters"])["max_completion_tokens"] == 64


def test_the_digest_stays_that_of_the_intended_request(tmp_path):
    place = Place(tmp_path)
    with Picky("temperature") as server:
        one = spec(server.base_url, model_sampling=SAMPLING)
        _, records = place.ask(one)
    assert records[0]["digest"] == planned(place.items_rows, one)[0].digest


def test_several_refusals_are_learned_one_by_one_and_do_not_use_up_the_attempts(tmp_path):
    refused = ("temperature", "top_p", "seed", "max_tokens")
    with Picky(*refused) as server:
        place = Place(tmp_path)
        one = spec(server.base_url, model_sampling=SAMPLING, calls_attempts=1)
        _, records = place.ask(one)
    assert (records[0]["status"], server.stats.requests) == ("ok", 5)
    assert [(r["parameter"], r["action"]) for r in learned(place)] == [
        *((name, "dropped") for name in refused[:-1]),
        ("max_tokens", "renamed"),
    ]
    assert json.loads(records[0]["parameters"]) == {
        "max_completion_tokens": 64,
        "reasoning_effort": "none",
    }


def test_only_what_is_in_flight_meets_the_refusal(tmp_path):
    with Picky("temperature", latency_s=0.05) as server:
        place = Place(tmp_path, items=40)
        one = spec(server.base_url, model_sampling=SAMPLING, model_concurrency=4)
        asked, _ = place.ask(one)
    assert asked.statuses == {"ok": 40}
    assert server.stats.statuses[400] <= 4
    assert len(learned(place)) == 1
    assert learned(place)[0]["model"] == "vendor/model-x"


def test_a_later_job_of_another_experiment_starts_with_what_was_learned(tmp_path):
    with Picky("temperature") as server:
        place = Place(tmp_path)
        place.ask(spec(server.base_url, model_sampling=SAMPLING))
    assert learned_before(place.journal, "vendor/model-x", "loop").actions == {
        "temperature": "dropped"
    }
    assert learned_before(place.journal, "vendor/other", "loop").actions == {}
    assert learned_before(place.journal, "vendor/model-x", "elsewhere").actions == {}


def test_a_refusal_that_stays_is_a_bad_request_and_no_loop(tmp_path):
    script = [unsupported("temperature")] * 10
    record, server = ask_one(tmp_path, script, model_sampling=SAMPLING)
    assert (record["status"], record["error_kind"]) == ("api_error", "bad_request")
    assert server.stats.requests == 2
    assert "temperature" not in json.loads(record["parameters"])


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(unsupported("logit_bias"), id="not a known one"),
        pytest.param(unsupported("messages.[0].content"), id="the messages"),
        pytest.param(unsupported("temperature", code="invalid_value"), id="a value out of range"),
        pytest.param(
            Fault(400, {"error": {"message": "max_tokens is too large: at most 16 for top_p"}}),
            id="too large",
        ),
        pytest.param(
            Fault(400, {"error": {"message": "temperature and top_p are not supported together"}}),
            id="two named",
        ),
        pytest.param(
            Fault(400, {"error": {"message": "response_format is not supported"}}), id="not sent"
        ),
        pytest.param(Fault(413, {"error": {"message": "seed not supported"}}), id="status 413"),
    ],
)
def test_any_other_refusal_is_a_bad_request_asked_once(tmp_path, fault):
    record, server = ask_one(tmp_path, [fault], model_sampling=SAMPLING)
    assert (record["status"], record["error_kind"]) == ("api_error", "bad_request")
    assert server.stats.requests == 1


@pytest.mark.parametrize(
    ("status", "error", "parameter"),
    [
        (400, {"message": "`temperature` is deprecated for this model."}, "temperature"),
        (
            400,
            {"message": "Unsupported value: 'temperature' does not support 0 with this model."},
            "temperature",
        ),
        (400, {"message": "Unrecognized request argument supplied: seed"}, "seed"),
        (400, {"message": "Unknown field: top_p"}, "top_p"),
        (
            400,
            {"message": "Invalid parameter: 'response_format' ('json_schema') is not supported"},
            "response_format",
        ),
        (400, {"message": "json_object is not supported", "param": None}, "response_format"),
        (400, {"param": "response_format.type", "code": "unsupported_value"}, "response_format"),
        (422, {"message": "seed: Extra inputs are not permitted"}, "seed"),
        (422, {"message": "reasoning_effort: Extra inputs are not permitted"}, None),
        (400, {"message": "This model does not support image input"}, None),
        (500, {"message": "temperature is not supported"}, None),
    ],
)
def test_a_refused_parameter_is_recognised(status, error, parameter):
    failure = http_failure(status, json.dumps({"error": error}).encode(), {})
    assert failure.parameter == parameter


def test_what_was_learned_is_known():
    adaptations = Adaptations()
    assert adaptations.learn("max_tokens") == "renamed"
    assert adaptations.learn("max_tokens") is None
    assert adaptations.learn("seed") == "dropped"
    sent = adaptations.sent({"max_tokens": 5, "seed": 1, "top_p": 1.0})
    assert sent == {"max_completion_tokens": 5, "top_p": 1.0}
