"""Retry-After, without a network."""

from datetime import UTC, datetime

import pytest

from vlmtom.calls.failures import http_failure, retry_after_s

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
    ],
)
def test_retry_after_is_seconds_or_a_date(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


def test_an_error_page_is_quoted_in_one_line():
    failure = http_failure(502, b"<html>\n  <h1>Bad\n gateway</h1>", {})
    assert failure.message == "status 502: <html> <h1>Bad gateway</h1>"
    assert (failure.error_kind, failure.retryable) == ("server", True)


def test_a_failure_that_stays_does_not_pause_the_endpoint():
    assert http_failure(402, b"{}", {"retry-after": "10"}).retry_after_s is None
