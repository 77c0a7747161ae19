"""What a body says, without a network."""

import math

import pytest

from tests.loopback.server import completion
from vlmtom.calls import CallFailure, RawCompletion, Request, is_same_model, read_completion
from vlmtom.settings import ModelEntry

REQUEST = Request("d", "i", "canonical", "s", 1, "main", 0, "vendor/model-x", (), {"seed": 7})


def model(**changes):
    return ModelEntry(
        **{"endpoint": "e", "gateway_model": "vendor/model-x", "family": "f", "lab": "l"} | changes
    )


def read(content="red", entry=None, **changes):
    body = completion({"model": "vendor/model-x"}, content, **changes)
    return read_completion(RawCompletion(body), REQUEST, entry or model())


@pytest.mark.parametrize(
    ("requested", "served", "same"),
    [
        ("vendor/model-x", "vendor/model-x", True),
        ("vendor/model-x", "Vendor/Model-X", True),
        ("vendor/model-x", "model-x", True),
        ("model-x", "vendor/model-x", True),
        ("vendor/model-x", "other/model-x", False),
        ("gpt-x", "gpt-x-2026-01-01", True),
        ("gpt-x", "vendor/gpt-x-20260101", True),
        ("gpt-x", "gpt-x@20260101", True),
        ("gpt-x", "gpt-x-mini", False),
        ("gpt-x", "gpt-x-mini-2026-01-01", False),
        ("gpt-x", "gpt-x-2507", False),
        ("gpt-x", "gpt-x-2026-13-01", False),
        ("gpt-x-2026-01-01", "gpt-x-2026-01-01", True),
        ("gpt-x-2026-01-01", "gpt-x-2026-06-01", False),
        ("gpt-x-2026-01-01", "gpt-x", False),
        ("gpt-x", "default-model", False),
        ("gpt-x", None, True),
        ("gpt-x", "", True),
    ],
)
def test_which_served_id_is_the_requested_model(requested, served, same):
    assert is_same_model(requested, served) is same


def test_an_alias_is_accepted_where_it_is_configured():
    assert read(model="weights.gguf").status == "model_mismatch"
    assert read(model="weights.gguf", entry=model(served_as=["weights.gguf"])).status == "ok"


def test_another_model_s_filter_says_nothing_about_the_requested_one():
    assert read(None, model="other", finish_reason="content_filter").status == "model_mismatch"


def test_text_parts_are_joined_and_thinking_parts_are_reasoning():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "the "},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "red one"},
    ]
    reply = read(parts)
    assert (reply.status, reply.text, reply.reasoning) == ("ok", "the red one", "hm")


@pytest.mark.parametrize(
    "field",
    [
        {"reasoning": "because"},
        {"reasoning_content": "because"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "because"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "because"}]},
    ],
)
def test_reasoning_is_kept_apart_from_the_text(field):
    reply = read("", **field)
    assert (reply.status, reply.text, reply.reasoning) == ("empty", "", "because")


def test_text_is_never_edited():
    text = "  <think>x</think> red \ud83d \x00\n"
    assert read(text).text == text


@pytest.mark.parametrize("value", [None, "12", True, -1, 1.5, math.nan, math.inf, 2**70, []])
def test_a_token_count_that_is_none_is_null(value):
    reply = read(usage={"prompt_tokens": value, "completion_tokens": 3})
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, 3)


def test_cost_is_reported_or_priced_or_null():
    price = {"input_usd_per_mtok": 2.0, "output_usd_per_mtok": 10.0}
    tokens = {"prompt_tokens": 1000, "completion_tokens": 100}
    priced = model(price=price)
    assert read(usage=tokens | {"cost": 0.5}, entry=priced).cost_usd == 0.5
    # 1000 x 2 + 100 x 10 dollars for a million
    assert read(usage=tokens, entry=priced).cost_usd == pytest.approx(0.003)
    assert read(usage=tokens).cost_usd is None
    assert read(usage={"prompt_tokens": 1000}, entry=priced).cost_usd is None
    assert read(usage=tokens | {"cost": math.nan}).cost_usd is None


def test_an_observer_has_no_tokens_and_no_cost():
    reply = read(entry=model(kind="observer", price=None))
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost_usd) == (None, None, None)


def test_provenance_is_kept():
    reply = read(provider="Acme", system_fingerprint="fp", id="gen-1")
    assert (reply.provider, reply.fingerprint, reply.request_id) == ("Acme", "fp", "gen-1")
    assert reply.parameters == '{"seed":7}'
    raw = RawCompletion(completion({}, "red"), "req-9")
    assert read_completion(raw, REQUEST, model()).request_id == "req-9"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "expected a JSON object, found list"),
        ({"choices": "red"}, "the reply has no choices (found str)"),
        ({"choices": [None]}, "the reply has no choices (found list)"),
        ({"choices": [{"finish_reason": "stop"}]}, "the choice has no message (found NoneType)"),
        ({"choices": [{"message": {"content": {"text": "red"}}}]}, "neither text nor parts: dict"),
    ],
)
def test_a_body_of_another_shape_is_undecodable_and_says_why(body, message):
    with pytest.raises(CallFailure) as failure:
        read_completion(RawCompletion(body), REQUEST, model())
    assert failure.value.error_kind == "undecodable"
    assert failure.value.retryable
    assert message in failure.value.message


def test_what_the_provider_behind_a_gateway_said_is_in_the_message():
    error = {"code": 429, "message": "Provider error", "metadata": {"raw": "try again shortly"}}
    with pytest.raises(CallFailure) as failure:
        read_completion(RawCompletion({"error": error}), REQUEST, model())
    assert failure.value.message == "status 429: Provider error try again shortly"
    assert failure.value.error_kind == "rate_limited"


@pytest.mark.parametrize(
    ("details", "tokens"),
    [
        ({"video_tokens": 11_000, "cached_tokens": 0}, 11_000),
        ({"video_tokens": 0}, 0),
        ({"cached_tokens": 12}, None),
        ({"video_tokens": "many"}, None),
        (None, None),
        ([], None),
    ],
)
def test_video_tokens_are_those_of_the_prompts_details(details, tokens):
    usage = {"prompt_tokens": 11_571, "completion_tokens": 3, "prompt_tokens_details": details}
    assert read(usage=usage).video_tokens == tokens
    assert read(usage=usage, entry=model(kind="observer")).video_tokens is None
