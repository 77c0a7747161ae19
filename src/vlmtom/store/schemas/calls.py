"""What testers are shown and what they reply, and what that took."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import (
    ARM_COLUMN,
    IMAGE,
    ITEM_COLUMN,
    KIND_COLUMN,
    STIMULUS_COLUMN,
    TESTER_COLUMN,
    TRIAL_COLUMN,
    TURN,
    UTC,
)

_EXPERIMENTS = "director, triangles, representations, report_action or mosaic"

PICTURES = Schema(
    "pictures",
    "a picture, stored once",
    ("pixel_sha256",),
    (
        Column("pixel_sha256", pa.string(), "SHA-256 of shape and raw RGB: the picture's identity"),
        Column("image", IMAGE, "the PNG file as it is sent, with a neutral name"),
        Column("file_sha256", pa.string(), "SHA-256 of the PNG file"),
        Column("width", pa.int64(), "picture width", "px"),
        Column("height", pa.int64(), "picture height", "px"),
    ),
    pictures=("image",),
)

FILMS = Schema(
    "films",
    "a film that an item shows as it is, stored once",
    ("file_sha256",),
    (
        Column("file_sha256", pa.string(), "SHA-256 of the MP4 file: the film's identity"),
        Column("film", IMAGE, "the MP4 file as it is sent, with a neutral name"),
    ),
    films=("film",),
)

ITEMS = Schema(
    "items",
    "an item: exactly what one tester is shown, no answer in it",
    ("item_id",),
    (
        ITEM_COLUMN,
        Column("experiment", pa.string(), _EXPERIMENTS),
        ARM_COLUMN,
        STIMULUS_COLUMN,
        Column("sub_prompt", pa.string(), "a, b, c or cQ2 in the Director Task", nullable=True),
        Column("batch", pa.string(), "arms asked together, interleaved"),
        Column("trials", pa.int64(), "trials planned (K)"),
        Column("reasoning", pa.bool_(), "the tester may reason before it answers"),
        Column("turns", pa.list_(TURN), "role, text, pictures by pixel SHA-256, video"),
    ),
)

REPLIES = Schema(
    "replies",
    "a reply to one request, raw, with provenance",
    ("item_id", "trial", "turn", "ask"),
    (
        Column(
            "request_digest",
            pa.string(),
            "SHA-256 of the intended request; null where an earlier turn has no answer to carry on",
            nullable=True,
        ),
        TESTER_COLUMN,
        KIND_COLUMN,
        Column("experiment", pa.string(), _EXPERIMENTS),
        ARM_COLUMN,
        STIMULUS_COLUMN,
        ITEM_COLUMN,
        TRIAL_COLUMN,
        Column("window", pa.int64(), "stretch of time in which it was planned to be asked, from 1"),
        Column("batch", pa.string(), "arms asked together, interleaved"),
        Column("turn", pa.int64(), "which of the item's questions this answers, from 1"),
        Column("ask", pa.int64(), "0, or the number of the re-ask"),
        Column(
            "status",
            pa.string(),
            "ok, empty, truncated, filtered, refused, model_mismatch or api_error",
        ),
        Column("error_kind", pa.string(), "cause of an api_error", nullable=True),
        Column("error", pa.string(), "what the endpoint said, without secrets", nullable=True),
        Column("text", pa.string(), "message content, never edited", nullable=True),
        Column(
            "reasoning", pa.string(), "separate reasoning text; stored, never parsed", nullable=True
        ),
        Column("refusal", pa.string(), "the provider's refusal field", nullable=True),
        Column("finish_reason", pa.string(), "why the model stopped, as served", nullable=True),
        Column("requested_model", pa.string(), "gateway id asked for"),
        Column("served_model", pa.string(), "model id in the reply", nullable=True),
        Column("provider", pa.string(), "provider field of the gateway", nullable=True),
        Column("fingerprint", pa.string(), "system fingerprint of the reply", nullable=True),
        Column("request_id", pa.string(), "the endpoint's request id", nullable=True),
        Column("parameters", pa.string(), "parameters really sent, JSON"),
        Column("prompt_tokens", pa.int64(), "usage; null where none was reported", "tokens", True),
        Column(
            "completion_tokens", pa.int64(), "usage; null where none was reported", "tokens", True
        ),
        Column(
            "reasoning_tokens", pa.int64(), "usage; null where none was reported", "tokens", True
        ),
        Column(
            "video_tokens",
            pa.int64(),
            "usage: of the prompt's tokens, those of a video; null where none was reported",
            "tokens",
            True,
        ),
        Column(
            "cost_usd", pa.float64(), "cost as reported or priced; null if unknown", "USD", True
        ),
        Column("attempts", pa.int64(), "HTTP attempts, failed ones included"),
        Column("started_utc", UTC, "start of the attempt that was answered", "UTC", True),
        Column("duration_s", pa.float64(), "that attempt, on a monotonic clock", "s", True),
    ),
)

_REPORTED = "over the replies that reported it; null where none did"

COSTS = Schema(
    "costs",
    "what one model was asked in one role on one topic, and what that took",
    ("role", "model", "topic"),
    (
        Column("role", pa.string(), "tester, judge or coder"),
        Column("model", pa.string(), "the model, by its slug"),
        KIND_COLUMN,
        Column("topic", pa.string(), "experiment, overlay and arm, or whose traces"),
        Column("n", pa.int64(), "replies, verdicts or codes", "replies"),
        Column("n_ok", pa.int64(), "of these, with status ok", "replies"),
        Column("attempts", pa.int64(), "HTTP attempts, failed ones included", "attempts", True),
        Column("prompt_tokens", pa.int64(), f"sum {_REPORTED}", "tokens", True),
        Column("completion_tokens", pa.int64(), f"sum {_REPORTED}", "tokens", True),
        Column("n_usage", pa.int64(), "replies that reported their tokens", "replies"),
        Column("cost_usd", pa.float64(), f"sum {_REPORTED}", "USD", True),
        Column("n_cost", pa.int64(), "replies whose cost is known", "replies"),
    ),
)

TIMING = Schema(
    "timing",
    "the answered calls of a tester in one arm and window that began in one hour",
    ("tester", "experiment", "arm", "window", "hour"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        Column("experiment", pa.string(), _EXPERIMENTS),
        ARM_COLUMN,
        Column("window", pa.int64(), "stretch of time in which it was planned to be asked, from 1"),
        Column("hour", UTC, "start of the hour", "UTC"),
        Column("n", pa.int64(), "calls that began in it", "calls"),
        Column("first", UTC, "start of the first of them", "UTC"),
        Column("last", UTC, "start of the last of them", "UTC"),
        Column("median_s", pa.float64(), "median duration of the answered attempt", "s"),
    ),
)
