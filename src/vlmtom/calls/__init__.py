"""Asking models: requests, the engine, endpoints, statuses, and resuming from the journal."""

from vlmtom.calls.adaptation import Adaptations, learned_before
from vlmtom.calls.budget import Spending
from vlmtom.calls.endpoints import Endpoint, endpoint_for
from vlmtom.calls.engine import Asked, Engine, NotAsked, Stop
from vlmtom.calls.history import History, Records, history_of, journal_with_history, settled
from vlmtom.calls.leases import SharedLedger
from vlmtom.calls.messages import NoPictures, check_pictures, intended_body, sent_body
from vlmtom.calls.probe import ProbePictures
from vlmtom.calls.replies import is_same_model, read_completion
from vlmtom.calls.requests import (
    asking_order,
    model_asked,
    next_question,
    planned,
    questions_after,
    request_digest,
    sampling_parameters,
    trial_seed,
)
from vlmtom.calls.resume import check_complete, reached, reply_fields, reply_rows, still_open
from vlmtom.calls.types import (
    ERROR_KINDS,
    STATUSES,
    CallFailure,
    ErrorKind,
    RawCompletion,
    Reply,
    Request,
    Status,
    Turn,
)

__all__ = [
    "ERROR_KINDS",
    "STATUSES",
    "Adaptations",
    "Asked",
    "CallFailure",
    "Endpoint",
    "Engine",
    "ErrorKind",
    "History",
    "NoPictures",
    "NotAsked",
    "ProbePictures",
    "RawCompletion",
    "Records",
    "Reply",
    "Request",
    "SharedLedger",
    "Spending",
    "Status",
    "Stop",
    "Turn",
    "asking_order",
    "check_complete",
    "check_pictures",
    "endpoint_for",
    "history_of",
    "intended_body",
    "is_same_model",
    "journal_with_history",
    "learned_before",
    "model_asked",
    "next_question",
    "planned",
    "questions_after",
    "reached",
    "read_completion",
    "reply_fields",
    "reply_rows",
    "request_digest",
    "sampling_parameters",
    "sent_body",
    "settled",
    "still_open",
    "trial_seed",
]
