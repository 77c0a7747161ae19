"""What is asked and what comes back: values that the rooms around the engine share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Status = Literal[
    "ok", "empty", "truncated", "filtered", "refused", "model_mismatch", "api_error"
]  # every one but ok is missing: never wrong, never in a denominator

ErrorKind = Literal[
    "rate_limited",
    "quota",
    "auth",
    "bad_request",
    "not_found",  # the URL or the model is unknown there
    "context_length",
    "server",
    "network",  # no whole reply arrived: timeout, reset, cut body
    "undecodable",  # a whole reply arrived that is no chat completion
    "budget",
    "not_asked",  # the job ended before this request's turn
]

STATUSES: tuple[Status, ...] = get_args(Status)
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)

# Asking the other requests would fail alike: such a failure ends the job.
STOPS_THE_JOB: frozenset[ErrorKind] = frozenset({"auth", "quota", "not_found"})
# Of these, what is put right without a change of the configuration: money and keys. The same
# command then goes on; no table with gaps is written meanwhile.
WAITED_FOR: frozenset[ErrorKind] = frozenset({"auth", "quota"})


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of an item. pictures: pixel SHA-256, shown before the text.

    video: SHA-256 of a film's file, shown after the pictures; None for no film.
    """

    role: str
    text: str
    pictures: tuple[str, ...] = ()
    video: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question of one trial of one item, ready to be asked.

    parameters: sampling fields of the body. turn: which of the item's questions, from 1. later: the
    turns that follow once this one is answered; the answer is carried into the next question.
    """

    digest: str
    item_id: str
    arm: str
    stimulus: str
    trial: int
    batch: str
    ask: int
    model: str
    turns: tuple[Turn, ...]
    parameters: Mapping[str, Any]
    turn: int = 1
    later: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class RawCompletion:
    """The decoded body of an answered call, the request id of its headers, and all headers."""

    body: Any
    request_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a request; field by field as in the table of replies.

    Missing is None: a count of tokens that nobody reported is not zero.
    """

    status: Status
    parameters: str
    error_kind: ErrorKind | None = None
    error: str | None = None
    text: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    provider: str | None = None
    fingerprint: str | None = None
    request_id: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    video_tokens: int | None = None
    cost_usd: float | None = None
    attempts: int = 0
    started_utc: str | None = None  # ISO 8601
    duration_s: float | None = None


class CallFailure(Exception):
    """One attempt brought no usable reply.

    retry_after_s: the wait that the endpoint asked for. status_code: None where there was none.
    filtered: the provider's filter refused the request, which some say by an error.
    parameter: the sampling parameter that the model says it does not support.
    """

    def __init__(
        self,
        error_kind: ErrorKind,
        message: str,
        *,
        retryable: bool,
        retry_after_s: float | None = None,
        status_code: int | None = None,
        filtered: bool = False,
        parameter: str | None = None,
    ) -> None:
        super().__init__(message)
        self.error_kind: ErrorKind = error_kind
        self.message = message
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status_code = status_code
        self.filtered = filtered
        self.parameter = parameter

    @property
    def stops_the_job(self) -> bool:
        """True if every other request would fail alike."""
        return self.error_kind in STOPS_THE_JOB
