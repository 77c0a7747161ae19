"""How long a failure asks to wait, without a network."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmtom.calls.failures import error_in_body, http_failure, rate_reset_s, retry_after_s

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
LATER = "Thu, 01 Jan 2026 12:00:30 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": LATER}, 30.0),
        # The server's own clock counts, ten seconds ahead of ours here.
        ({"retry-after": LATER, "date": "Thu, 01 Jan 2026 12:00:10 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:00 +99999999999999999999"}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "-1"}, 0.0),
        ({"retry-after": "7", "retry-after-ms": "100"}, 7.0),
        ({"retry-after": "soon", "retry-after-ms": "100"}, 0.1),
        ({"retry-after": "1e300"}, 366 * 86_400),  # a date so far away could not be computed
    ],
)
def test_retry_after_is_seconds_or_a_date_or_milliseconds(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


EPOCH = 1767268800  # 2026-01-01 12:00:00 UTC


def requests_and_tokens(requests, left, tokens, tokens_left):
    return {
        "x-ratelimit-reset-requests": requests,
        "x-ratelimit-remaining-requests": left,
        "x-ratelimit-reset-tokens": tokens,
        "x-ratelimit-remaining-tokens": tokens_left,
    }


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-reset-tokens": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-reset-tokens": "250µs"}, 0.00025),
        ({"x-ratelimit-reset-tokens": "1d2h"}, 93_600.0),
        ({"x-ratelimit-reset-requests": "12"}, 12.0),
        ({"x-ratelimit-reset": "42"}, 42.0),
        ({"x-ratelimit-reset": str(EPOCH + 42)}, 42.0),
        ({"x-ratelimit-reset": f"{EPOCH + 42}500"}, 42.5),
        ({"x-ratelimit-reset": str(EPOCH - 42)}, 0.0),
        ({"x-ratelimit-reset": f"{EPOCH + 42}000000"}, None),  # microseconds: nobody's
        ({"x-ratelimit-reset": LATER}, 30.0),
        ({"anthropic-ratelimit-requests-reset": "2026-01-01T12:00:07Z"}, 7.0),
        ({"anthropic-ratelimit-input-tokens-reset": "2026-01-01T13:00:07+01:00"}, 7.0),
        # The server's own clock counts, ten seconds ahead of ours here.
        ({"x-ratelimit-reset": str(EPOCH + 42), "date": "Thu, 01 Jan 2026 12:00:10 GMT"}, 32.0),
        ({"x-ratelimit-reset": "in a while"}, None),
        ({"x-ratelimit-reset": "1s, 2s"}, None),
        ({"x-ratelimit-reset": "nan"}, None),
        # Of the exhausted limits the one that takes longest; what has something left is not one.
        (requests_and_tokens("1s", "0", "6m0s", "0"), 360.0),
        (requests_and_tokens("1s", "0", "6m0s", "150"), 1.0),
        (requests_and_tokens("1s", "3", "6m0s", "150"), None),
        (requests_and_tokens("1s", "0", "soon", "0"), 1.0),
    ],
)
def test_an_exhausted_limit_says_when_it_is_reset(headers, seconds):
    assert rate_reset_s(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (429, {"x-ratelimit-reset": "5"}, 5.0),
        (503, {"x-ratelimit-reset": "5"}, 5.0),
        (500, {"x-ratelimit-reset": "5"}, None),  # sent with every reply, and no reason for a 500
        (500, {"retry-after": "2"}, 2.0),
        (429, {"x-ratelimit-reset": "5", "retry-after": "2"}, 2.0),
        (429, {"x-ratelimit-reset": "5", "retry-after-ms": "20"}, 0.02),
        (429, {"x-ratelimit-reset": "5", "retry-after": "soon"}, 5.0),
    ],
)
def test_limits_are_asked_only_where_a_rate_was_refused_without_retry_after(
    status, headers, seconds
):
    assert http_failure(status, b"{}", headers).retry_after_s == seconds
    assert error_in_body({"code": status}, headers).retry_after_s == seconds


_NAMES = [
    *("retry-after", "retry-after-ms", "date", "x-ratelimit-reset", "x-ratelimit-remaining"),
    *("x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"),
    *("x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"),
    *("anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"),
]
_DATES = st.datetimes().map(datetime.isoformat) | st.from_regex(
    r"(Mon|Thu), [0-9]{1,3} (Jan|Foo) [0-9]{1,25} ([0-9]{2}:){2}[0-9]{2} ([+-][0-9]{1,25}|GMT)",
    fullmatch=True,
)
_VALUES = (
    st.text(max_size=30)
    | st.floats().map(repr)
    | st.integers().map(str)
    | st.from_regex(r"([0-9]{1,400}(\.[0-9]+)?(h|m|s|ms|µs|d)){1,4}", fullmatch=True)
    | st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}([+-][0-9:]{5}|Z)", fullmatch=True)
    | _DATES
    | st.sampled_from(["", " ", "inf", "-inf", "NaN", "0", "-1", "1e400", "9" * 5000, "1_0"])
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(_NAMES), _VALUES))
def test_no_header_whatever_makes_a_wait_that_cannot_be_waited(headers):
    for status in (429, 500):
        wait = http_failure(status, b"{}", headers).retry_after_s
        assert wait is None or (math.isfinite(wait) and wait >= 0)


def test_an_error_page_is_quoted_in_one_line():
    failure = http_failure(502, b"<html>\n  <h1>Bad\n gateway</h1>", {})
    assert failure.message == "status 502: <html> <h1>Bad gateway</h1>"
    assert (failure.error_kind, failure.retryable) == ("server", True)


def test_a_failure_that_stays_does_not_pause_the_endpoint():
    assert http_failure(402, b"{}", {"retry-after": "10"}).retry_after_s is None
