"""Which failure it was, whether another attempt can help, and how long to wait before it."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from vlmtom.calls.adaptation import refused_parameter
from vlmtom.calls.types import CallFailure, ErrorKind

# Codes and types by which providers say that money is out, often under status 429 or 400.
QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "insufficient_balance",
        "insufficient_credits",
        "insufficient_funds",
        "payment_required",
        "exceeded_current_quota_error",
        "arrearage",
    }
)
FILTER_CODES = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
)
CONTEXT_CODES = frozenset(
    {"context_length_exceeded", "context_window_exceeded", "exceed_context_size_error"}
)
_CONTEXT_TEXT = re.compile(
    r"maximum context length|context[ _](length|window|size)|prompt is too long|too many tokens",
    re.IGNORECASE,
)
# Some servers say by a 500 that they take no pictures; asking again changes nothing.
_BLIND_TEXT = re.compile(
    r"(image|picture|vision|multimodal|video)s?( input)? (is|are) not supported"
    r"|(does|do) not (support|accept|take) (image|picture|vision|multimodal|video)",
    re.IGNORECASE,
)
# Where a body carries an error without a status of its own, its code stands for one.
_STATUS_OF_CODE = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "too_many_requests": 429,
    "overloaded_error": 529,
    "overloaded": 529,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "unauthorized": 401,
    "permission_denied": 403,
    "permission_error": 403,
    "model_not_found": 404,
    "not_found": 404,
    "not_found_error": 404,
    "bad_request": 400,
    "invalid_request_error": 400,
    "unsupported_value": 400,
    "unsupported_parameter": 400,
    "unknown_parameter": 400,
    "content_filter": 400,
}
_RETRIED = frozenset({408, 409, 425, 429})
_LONGEST_MESSAGE = 500
_LONGEST_WAIT_S = 366 * 86_400.0  # no date is computed beyond it; a job stops far earlier

# Where rates are said to be used up: each limit's name for when it is reset, and for what is left.
_LIMITS = (
    ("x-ratelimit-reset", "x-ratelimit-remaining"),
    ("x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"),
    ("x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"),
    ("x-ratelimit-reset-requests-day", "x-ratelimit-remaining-requests-day"),
    ("x-ratelimit-reset-tokens-minute", "x-ratelimit-remaining-tokens-minute"),
    ("ratelimit-reset", "ratelimit-remaining"),
    *(
        (f"anthropic-ratelimit-{what}-reset", f"anthropic-ratelimit-{what}-remaining")
        for what in ("requests", "tokens", "input-tokens", "output-tokens")
    ),
)
_RATE_STATUSES = frozenset({429, 503})
_SECONDS_IN = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s|m|h|d)")
_DURATION = re.compile(rf"(?:{_PART.pattern})+")
# A number above the first is no wait but a time of day: seconds since 1970, milliseconds above
# the second, and above the third nothing that is known.
_EPOCH_S, _EPOCH_MS, _NO_TIME = 5e8, 1e11, 1e14


def http_failure(status: int, content: bytes, headers: Mapping[str, str]) -> CallFailure:
    """The failure behind an HTTP status other than 2xx."""
    return _failure(status, _error_in(content), asked_wait_s(status, headers))


def error_in_body(error: object, headers: Mapping[str, str] | None = None) -> CallFailure:
    """The failure behind an `error` inside a body that came with status 200.

    Its code decides; an error without a known code is the server's, and is retried.
    """
    details = error if isinstance(error, Mapping) else {"message": str(error)}
    status = _status_in(details)
    return _failure(status, details, asked_wait_s(status, headers or {}))


def undecodable(what: str) -> CallFailure:
    """The failure of a whole reply that is no chat completion."""
    return CallFailure("undecodable", what[:_LONGEST_MESSAGE], retryable=True, status_code=200)


def asked_wait_s(
    status: int | None, headers: Mapping[str, str], now: datetime | None = None
) -> float | None:
    """Seconds to wait that an error asks for; None where it asks for no particular wait.

    Retry-After decides. Only a 429 or 503 without one is judged by the limits it reports.
    """
    wait_s = retry_after_s(headers, now)
    if wait_s is None and status in _RATE_STATUSES:
        wait_s = rate_reset_s(headers, now)
    return wait_s


def retry_after_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by Retry-After (seconds or HTTP date), else by retry-after-ms.

    None without a usable one. A date is measured against the reply's own Date header, so that a
    wrong clock on either side does not matter; `now` is used where there is none.
    """
    value = headers.get("retry-after") or ""
    seconds = _number(value)
    if seconds is None and (until := _http_date(value)) is not None:
        seconds = (until - _sent(headers, now)).total_seconds()
    if seconds is None and (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        seconds = milliseconds / 1000
    return None if seconds is None else _bounded(seconds)


def rate_reset_s(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds until the last of the exhausted limits is reset; None if no limit says so.

    A limit that still has something left is not what refused the request. One that does not say
    what is left counts as exhausted. The reset is a duration (`6m0s`), seconds, a time since 1970
    in seconds or milliseconds, or a date.
    """
    sent = _sent(headers, now)
    waits = [
        wait
        for reset, remaining in _LIMITS
        if (_number(headers.get(remaining)) or 0.0) <= 0
        and (wait := _until_s(headers.get(reset), sent)) is not None
    ]
    return max(waits, default=None)


def _failure(status: int | None, details: Mapping[str, Any], wait_s: float | None) -> CallFailure:
    message = _message(details)
    codes = {str(details.get(key)).strip().lower() for key in ("code", "type") if details.get(key)}
    kind, retryable = _kind(status, codes, message)
    where = f"status {status}" if status is not None else "an error in the reply"
    parameter = None
    if kind == "bad_request":
        parameter = refused_parameter(status, codes, details.get("param"), message)
    return CallFailure(
        kind,
        f"{where}: {message}" if message else where,
        retryable=retryable,
        retry_after_s=wait_s if retryable else None,
        status_code=status,
        filtered=bool(codes & FILTER_CODES),
        parameter=parameter,
    )


def _kind(status: int | None, codes: set[str], message: str) -> tuple[ErrorKind, bool]:
    """The kind of a failure, and whether to try again."""
    if status == 402 or codes & QUOTA_CODES:
        return "quota", False
    if codes & CONTEXT_CODES or (status in {400, 413, 422} and _CONTEXT_TEXT.search(message)):
        return "context_length", False
    if status is not None and status >= 400 and _BLIND_TEXT.search(message):
        return "bad_request", False
    if status is None or status >= 500:
        return "server", True
    if status == 429:
        return "rate_limited", True
    if status in {401, 403}:
        return "auth", False
    if status == 404:
        return "not_found", False
    return ("server", True) if status in _RETRIED else ("bad_request", False)


def _error_in(content: bytes) -> Mapping[str, Any]:
    """The error object of a body: under `error`, the body itself, or its first text."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return {"message": " ".join(content[:_LONGEST_MESSAGE].decode("utf-8", "replace").split())}
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error", body) if isinstance(body, Mapping) else body
    return error if isinstance(error, Mapping) else {"message": str(error)}


def _status_in(details: Mapping[str, Any]) -> int | None:
    for key in ("code", "status", "type"):
        value = details.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
            return value
        if isinstance(value, str):
            word = value.strip().lower()
            if re.fullmatch(r"[1-5]\d\d", word):
                return int(word)
            if word in _STATUS_OF_CODE:
                return _STATUS_OF_CODE[word]
    return None


def _message(details: Mapping[str, Any]) -> str:
    parts = [details.get("message") or details.get("detail") or ""]
    metadata = details.get("metadata")  # a gateway's word on what the provider behind it said
    if isinstance(metadata, Mapping) and metadata.get("raw"):
        parts.append(metadata["raw"])
    code = details.get("code") or details.get("type")
    if code and not isinstance(code, int):
        parts.append(f"({code})")
    return " ".join(str(part) for part in parts if part)[:_LONGEST_MESSAGE]


def _until_s(value: str | None, sent: datetime) -> float | None:
    """Seconds from `sent` until a reset, in whichever way it is written; None if in none."""
    text = (value or "").strip()
    number = _number(text)
    if number is not None:
        if number >= _NO_TIME:
            return None
        if number >= _EPOCH_MS:
            number /= 1000
        return _bounded(number - sent.timestamp() if number >= _EPOCH_S else number)
    duration = text.lower().replace("µ", "u")
    if _DURATION.fullmatch(duration):
        parts = _PART.findall(duration)
        return _bounded(sum(float(amount) * _SECONDS_IN[unit] for amount, unit in parts))
    until = _rfc3339(text) or _http_date(text)
    return None if until is None else _bounded((until - sent).total_seconds())


def _sent(headers: Mapping[str, str], now: datetime | None) -> datetime:
    return _http_date(headers.get("date") or "") or now or datetime.now(UTC)


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), _LONGEST_WAIT_S)


def _number(value: str | None) -> float | None:
    """A finite number; None for anything else."""
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _rfc3339(value: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(value)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _http_date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # the second for a year, or a zone, of twenty digits
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
