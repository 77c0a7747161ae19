"""Reasoning traces of report before action, and their codes."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import (
    BATCH_COLUMN,
    CONDITION_ASKED_COLUMN,
    INTEGERS,
    ITEM_COLUMN,
    KIND_COLUMN,
    NULL_CHOICE,
    SET_COLUMN,
    STRINGS,
    TESTER_COLUMN,
    TRIAL_COLUMN,
)

_CODER = Column("coder", pa.string(), "who codes traces: a model by its slug, or a person's name")

_TRACE_ID = Column("blind_id", pa.string(), "a trace's opaque id; says nothing of its tester")

_VERSION = Column(
    "version", pa.string(), "with_report, or without_report (the answer shown is the choice alone)"
)

_READING = "director_view, own_view, prior_knowledge, largest_digit or no_rule"

_NONE_GIVEN = "null without a readable code"

_TRACE_CODE_COLUMNS = (
    Column("reading", pa.string(), f"{_READING}; {_NONE_GIVEN}", nullable=True),
    Column(
        "director_sees_choice",
        pa.string(),
        f"the trace takes the director to see the chosen block: yes, no, unclear; {_NONE_GIVEN}",
        nullable=True,
    ),
    Column(
        "visibility_worked_out",
        pa.string(),
        f"the trace works out what the director sees: yes or no; {_NONE_GIVEN}",
        nullable=True,
    ),
)

TRACE_KEY = Schema(
    "trace_key",
    "a reply of the coded conditions, and the ids under which its trace is coded (rater side only)",
    ("tester", "item_id", "trial"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        SET_COLUMN,
        BATCH_COLUMN,
        CONDITION_ASKED_COLUMN,
        Column("stimulus", pa.string(), "scene set and scene"),
        ITEM_COLUMN,
        TRIAL_COLUMN,
        Column(
            "parse", pa.string(), "parsed or unparsed, of the choice; null if missing", "", True
        ),
        Column("visible", INTEGERS, "digits reported as seen; null where none", nullable=True),
        Column("choice", pa.int64(), f"digit chosen; {NULL_CHOICE}", nullable=True),
        Column(
            "hidden_chosen",
            pa.bool_(),
            f"the hidden block was chosen; {NULL_CHOICE}",
            nullable=True,
        ),
        Column(
            "director_view_chosen",
            pa.bool_(),
            f"the largest block that the director sees was chosen; {NULL_CHOICE}",
            nullable=True,
        ),
        Column(
            "trace",
            pa.string(),
            "trace, no_trace (no reasoning came along), no_choice (missing or unparsed)",
        ),
        Column("blind_id", pa.string(), "id of the trace with the report", nullable=True),
        Column("blind_id_without_report", pa.string(), "id without the report", nullable=True),
        Column("recoded", pa.bool_(), "drawn to be coded a second time"),
    ),
)

BLIND_TRACES = Schema(
    "blind_traces",
    "a trace as a coder may see it, in one version",
    ("blind_id",),
    (
        _TRACE_ID,
        _VERSION,
        Column("codings", pa.int64(), "how often each coder codes it", "codings"),
        Column("reply", pa.string(), "the answer that was read, as a JSON object"),
        Column("reasoning", pa.string(), "the reasoning that came with it, unedited"),
    ),
)

TRACE_CODES = Schema(
    "trace_codes",
    "a coder's codes of one trace in one version",
    ("coder", "blind_id", "coding"),
    (
        _CODER,
        KIND_COLUMN,
        _TRACE_ID,
        _VERSION,
        Column("coding", pa.int64(), "1, or 2 where it was coded again"),
        Column("request_digest", pa.string(), "SHA-256 of the intended request that decides"),
        Column("ask", pa.int64(), "0, or the number of the re-ask that decides"),
        Column("status", pa.string(), "status of the coder's reply"),
        Column("error_kind", pa.string(), "cause of an api_error", nullable=True),
        Column("parse", pa.string(), "parsed or unparsed; null if missing", nullable=True),
        Column(
            "reason", pa.string(), "why unparsed: the closed list, quote_not_found", nullable=True
        ),
        Column("repaired", STRINGS, "repairs that parsing made"),
        *_TRACE_CODE_COLUMNS,
        Column("quote", pa.string(), "words of the trace that show the reading", nullable=True),
        Column("text", pa.string(), "the coder's reply, never edited", nullable=True),
        Column("requested_model", pa.string(), "gateway id asked for"),
        Column("served_model", pa.string(), "model id in the reply", nullable=True),
        Column("prompt_tokens", pa.int64(), "usage; null where none was reported", "tokens", True),
        Column(
            "completion_tokens", pa.int64(), "usage; null where none was reported", "tokens", True
        ),
        Column(
            "cost_usd", pa.float64(), "cost as reported or priced; null if unknown", "USD", True
        ),
    ),
)

TRACE_SHEET = Schema(
    "trace_sheet",
    "a trace on the sheet that people code; they never see this",
    ("item_id",),
    (
        Column("sheet", pa.string(), "the sheet, by the digest of all that it shows"),
        Column("place", pa.int64(), "place on the sheet, from 1"),
        Column("item_id", pa.string(), "the trace's opaque id on the sheet"),
        _TRACE_ID,
    ),
)

HUMAN_CODES = Schema(
    "human_codes",
    "one person's codes of one trace",
    ("coder", "item_id"),
    (
        _CODER,
        Column("item_id", pa.string(), "the trace's opaque id on the sheet"),
        *(Column(c.name, c.type, c.meaning.split(";")[0]) for c in _TRACE_CODE_COLUMNS),
    ),
)

_OF_CODED = "coded traces"

REPORT_ACTION_CODER_GATE = Schema(
    "report_action_coder_gate",
    "a coder on the traces written to a known code, in one version",
    ("coder", "version"),
    (
        _CODER,
        KIND_COLUMN,
        _VERSION,
        Column("n_tests", pa.int64(), "traces written to a known code", "traces"),
        Column("n_coded", pa.int64(), "of these, with a readable code", "traces"),
        Column("n_unparsed", pa.int64(), "replies that hold no readable code", "traces"),
        Column("n_reading", pa.int64(), "with the intended reading", "traces"),
        Column("n_director_sees_choice", pa.int64(), "with the intended second code", "traces"),
        Column("n_visibility_worked_out", pa.int64(), "with the intended third code", "traces"),
        Column("reading_share", pa.float64(), f"of {_OF_CODED}; null without one", "share", True),
        Column("director_sees_choice_share", pa.float64(), "likewise", "share", True),
        Column("visibility_worked_out_share", pa.float64(), "likewise", "share", True),
        Column("threshold", pa.float64(), "least share of intended readings", "share"),
        Column("verdict", pa.string(), "PASS: every test is coded and the threshold met; FAIL"),
        Column("other_reading", STRINGS, "tests that got another reading"),
        Column("status", pa.string(), "ok, missing_codes or no_codes"),
    ),
)

REPORT_ACTION_CODING = Schema(
    "report_action_coding",
    "how far two codings of the same traces agree in one field",
    ("comparison", "a", "b", "arm", "choices", "field"),
    (
        Column(
            "comparison",
            pa.string(),
            "again (coded twice), without_report, coders, coder_human or humans",
        ),
        Column("a", pa.string(), "the coder, by slug or name"),
        Column("b", pa.string(), "the other one; the same for again and without_report"),
        Column("arm", pa.string(), "condition of the traces, or all"),
        Column("choices", pa.string(), "all, or hidden: replies that chose the hidden block"),
        Column("field", pa.string(), "reading, director_sees_choice or visibility_worked_out"),
        Column("n_planned", pa.int64(), "traces that both were to code", "traces"),
        Column("n_pairs", pa.int64(), "traces that both coded", "traces"),
        Column("n_equal", pa.int64(), "of these, with equal codes", "traces"),
        Column("equal", pa.float64(), "share of equal codes; null without a pair", "share", True),
        Column("kappa", pa.float64(), "Cohen's kappa, unweighted; null unless ok", "", True),
        Column(
            "status", pa.string(), "of kappa: ok, no_pairs, constant (one code throughout: 0/0)"
        ),
        Column("gate", pa.string(), "FAIL where a coder failed the tests of a version; PASS"),
    ),
)

_READINGS = tuple(part.strip() for part in _READING.replace(" or ", ", ").split(","))

REPORT_ACTION_TRACES = Schema(
    "report_action_traces",
    "readings of a tester's traces in one condition, as one coder codes them",
    ("coder", "tester", "scene_set", "batch", "arm"),
    (
        _CODER,
        Column("coder_kind", pa.string(), "of the coder: model or observer"),
        TESTER_COLUMN,
        KIND_COLUMN,
        SET_COLUMN,
        BATCH_COLUMN,
        CONDITION_ASKED_COLUMN,
        Column("n_planned", pa.int64(), "replies planned", "replies"),
        Column("n_choices", pa.int64(), "of these, with a choice that was read", "replies"),
        Column("n_hidden", pa.int64(), "choices of the hidden block", "replies"),
        Column("n_no_trace", pa.int64(), "choices without a reasoning trace", "replies"),
        Column("n_traces", pa.int64(), "choices with a reasoning trace", "replies"),
        Column("n_coded", pa.int64(), "traces with a code that is used", "traces"),
        *(Column(f"n_{r}", pa.int64(), f"read as {r}", "traces") for r in _READINGS),
        *(
            Column(
                f"{r}_share", pa.float64(), f"{r}, of {_OF_CODED}; null without one", "share", True
            )
            for r in _READINGS
        ),
        Column("n_hidden_coded", pa.int64(), "coded traces of hidden choices", "traces"),
        *(
            Column(
                f"n_hidden_{code}",
                pa.int64(),
                f"of these, taking the director to see the chosen block: {code}",
                "traces",
            )
            for code in ("yes", "no", "unclear")
        ),
        Column(
            "hidden_no_share",
            pa.float64(),
            "hidden choices whose trace takes the director not to see the block; null without one",
            "share",
            True,
        ),
        Column("n_worked_out", pa.int64(), "traces that work out what is seen", "traces"),
        Column(
            "worked_out_share", pa.float64(), f"of {_OF_CODED}; null without one", "share", True
        ),
        Column("status", pa.string(), "ok, missing_codes, no_codes, no_traces or gate_failed"),
    ),
)
