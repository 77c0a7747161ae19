"""Asking models: requests, the engine, endpoints, statuses, and resuming from the journal."""

from vlmtom.calls.adaptation import Adaptations, learned_before
from vlmtom.calls.endpoints import Endpoint, endpoint_for
from vlmtom.calls.engine import Asked, Engine, Stop
from vlmtom.calls.leases import SharedLedger
from vlmtom.calls.messages import NoPictures, check_pictures, intended_body, sent_body
from vlmtom.calls.replies import is_same_model, read_completion
from vlmtom.calls.requests import (
    asking_order,
    model_asked,
    planned,
    request_digest,
    sampling_parameters,
    trial_seed,
)
from vlmtom.calls.resume import check_complete, recorded, reply_fields, reply_rows, settled
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
    "NoPictures",
    "RawCompletion",
    "Reply",
    "Request",
    "SharedLedger",
    "Status",
    "Stop",
    "Turn",
    "asking_order",
    "check_complete",
    "check_pictures",
    "endpoint_for",
    "intended_body",
    "is_same_model",
    "learned_before",
    "model_asked",
    "planned",
    "read_completion",
    "recorded",
    "reply_fields",
    "reply_rows",
    "request_digest",
    "sampling_parameters",
    "sent_body",
    "settled",
    "trial_seed",
]
