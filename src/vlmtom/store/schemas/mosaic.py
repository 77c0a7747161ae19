"""The tables of the treasure game: trials, steps, utterances and calls."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema

STRINGS = pa.list_(pa.string())
UTC = pa.timestamp("us", tz="UTC")

_PAIR = (
    Column("subject", pa.string(), "the agent that knows where the reward is, by its slug"),
    Column("participant", pa.string(), "the agent that chooses a box, by its slug"),
    Column("arm", pa.string(), "what a tester is shown: standard, blank, face or none"),
    Column(
        "kind",
        pa.string(),
        "model; observer where no agent of the pair is a model; mixed where a model plays beside "
        "an agent with a stated policy, or only speaks for one",
    ),
    Column(
        "condition", pa.string(), "mode x ToM order: coop-tom0, coop-tom1, comp-tom0, comp-tom1"
    ),
    Column("trial", pa.int64(), "independently seeded repetition of a condition, from 1"),
)
_BOX = "0: dark brown, 1: light brown"
_NONE = "null where it is undefined or the trial is missing"

MOSAIC_TRIALS = Schema(
    "mosaic_trials",
    "a trial of the treasure game, scored",
    ("subject", "participant", "arm", "condition", "trial"),
    (
        *_PAIR,
        Column("mode", pa.string(), "coop or comp"),
        Column("tom", pa.int64(), "order of theory of mind imposed on the subject"),
        Column("status", pa.string(), "played, or missing: a call brought no reply"),
        Column("lost", pa.string(), "why a trial is missing", nullable=True),
        Column("reward", pa.int64(), f"the box with the reward; {_BOX}"),
        Column("choice", pa.int64(), f"the box that opened; {_BOX}, -1: neither", nullable=True),
        Column("score", pa.int64(), "p of Eq. 1: 1, 0 or -1", nullable=True),
        Column(
            "conforms", pa.bool_(), "score is the condition's prediction (Eq. 2)", nullable=True
        ),
        Column("b_gaze", pa.int64(), f"majority box of the gaze (Eq. 7); {_NONE}", nullable=True),
        Column("b_traj", pa.int64(), f"majority box of the trajectory; {_NONE}", nullable=True),
        Column("a_gaze", pa.int64(), "alignment of the gaze (Eq. 8): 1, 0, -1", nullable=True),
        Column("a_traj", pa.int64(), "alignment of the trajectory: 1, 0, -1", nullable=True),
        Column("sens_gaze", pa.int64(), "sensitivity to the gaze (Eq. 11)", nullable=True),
        Column("sens_traj", pa.int64(), "sensitivity to the trajectory", nullable=True),
        Column("sensitivity", pa.float64(), "mean over both channels (Eq. 12)", nullable=True),
        Column("expressive", pa.float64(), "share of rounds with a face (Eq. 5)", nullable=True),
        Column("blocked", pa.int64(), "illegal moves of both agents", "moves", True),
        *(
            column
            for role in ("subject", "participant")
            for column in (
                Column(
                    f"unreadable_{role}",
                    pa.int64(),
                    f"answers of the {role}'s model that no re-ask made readable",
                    "answers",
                ),
                Column(
                    f"answers_{role}",
                    pa.int64(),
                    f"answers that the {role}'s model gave, readable or not",
                    "answers",
                ),
            )
        ),
        Column(
            "bias",
            pa.float64(),
            "participant's preference for the dark box less the light one in round 1 (-1 to 1); "
            "null of an agent that is no model",
            nullable=True,
        ),
    ),
)

MOSAIC_STEPS = Schema(
    "mosaic_steps",
    "an agent after a round of a trial; round 0 is the start",
    ("subject", "participant", "arm", "condition", "trial", "round", "role"),
    (
        *_PAIR,
        Column("round", pa.int64(), "0 to 10"),
        Column("role", pa.string(), "subject or participant"),
        Column("x", pa.int64(), "cell, to the right", "cells"),
        Column("y", pa.int64(), "cell, upwards", "cells"),
        Column("hx", pa.float64(), "heading, unit vector"),
        Column("hy", pa.float64(), "heading, unit vector"),
        Column("facial", pa.float64(), "valence that the face shows, -1 to 1"),
        Column("physiological", pa.float64(), "valence that the skin shows, -1 to 1"),
        Column("felt", pa.float64(), "valence that is felt, -1 to 1"),
        Column(
            "action", pa.string(), "move, rotate or stay idle; null at the start", nullable=True
        ),
        Column("direction", pa.string(), "of the move or rotation", nullable=True),
        Column("blocked", pa.bool_(), "the move was illegal: the body stayed"),
        Column("unreadable", pa.bool_(), "no reply could be read: the body stayed"),
        Column("g_dark", pa.float64(), "certainty that the gaze is at the dark box, 0 to 1"),
        Column("g_light", pa.float64(), "certainty that the gaze is at the light box, 0 to 1"),
        Column("own_other", pa.float64(), "own preference for the other, 0 to 1"),
        Column("own_dark", pa.float64(), "own preference for the dark box, 0 to 1"),
        Column("own_light", pa.float64(), "own preference for the light box, 0 to 1"),
        Column("their_other", pa.float64(), "the other's liking of oneself, as believed, 0 to 1"),
        Column("their_dark", pa.float64(), "the other's preference, as believed, 0 to 1"),
        Column("their_light", pa.float64(), "the other's preference, as believed, 0 to 1"),
        Column(
            "picture",
            pa.string(),
            "pixel SHA-256 of what it was shown before it acted; null where it was shown none",
            nullable=True,
        ),
        Column(
            "stated_box",
            pa.int64(),
            f"the box that its reasoning says it goes to; {_BOX}; null where it says none",
            nullable=True,
        ),
        Column(
            "toward_box",
            pa.int64(),
            f"the box that its move brings it nearer to, sideways; {_BOX}; null where neither",
            nullable=True,
        ),
    ),
)

MOSAIC_UTTERANCES = Schema(
    "mosaic_utterances",
    "something said in a trial; an empty text is silence",
    ("subject", "participant", "arm", "condition", "trial", "round", "speaker"),
    (
        *_PAIR,
        Column("round", pa.int64(), "3, 6 or 9"),
        Column("speaker", pa.string(), "participant (a question) or subject (the answer)"),
        Column("text", pa.string(), "what is said"),
        Column("inner", pa.string(), "the speech before it that the other does not hear"),
        Column("flags", STRINGS, "what of the form that was asked for is not kept"),
        Column("unreadable", pa.bool_(), "no reply could be read: silence"),
        Column("updates", STRINGS, "what it changed in the listener: agent | entity | variation"),
        Column("not_taken", pa.bool_(), "the listener's answer could not be read"),
    ),
)

MOSAIC_CALLS = Schema(
    "mosaic_calls",
    "a request of a trial and its reply, raw, and what was read from it",
    ("subject", "participant", "arm", "condition", "trial", "round", "role", "asked_for", "ask"),
    (
        *_PAIR,
        Column("round", pa.int64(), "1 to 10"),
        Column("role", pa.string(), "who was asked: subject or participant"),
        Column("asked_for", pa.string(), "action, question, answer or preferences"),
        Column("ask", pa.int64(), "0, or the number of the re-ask"),
        Column("tester", pa.string(), "the model that was asked, by its slug"),
        Column("request_digest", pa.string(), "SHA-256 of the intended request"),
        Column("prompt", pa.string(), "what it was asked, whole"),
        Column("picture", pa.string(), "pixel SHA-256; null where none is shown", nullable=True),
        Column("status", pa.string(), "of the reply, as in replies"),
        Column(
            "parse", pa.string(), "parsed or unparsed; null of a reply without text", nullable=True
        ),
        Column("reason", pa.string(), "why it could not be read", nullable=True),
        Column("repairs", STRINGS, "what had to be repaired to read it"),
        Column("text", pa.string(), "message content, never edited", nullable=True),
        Column("reasoning", pa.string(), "separate reasoning text", nullable=True),
        Column("served_model", pa.string(), "model id in the reply", nullable=True),
        Column("prompt_tokens", pa.int64(), "usage; null where none was reported", "tokens", True),
        Column("completion_tokens", pa.int64(), "usage; null likewise", "tokens", True),
        Column("cost_usd", pa.float64(), "cost; null if unknown", "USD", True),
        Column("attempts", pa.int64(), "HTTP attempts, failed ones included"),
        Column("started_utc", UTC, "start of the attempt that was answered", "UTC", True),
        Column("duration_s", pa.float64(), "that attempt", "s", True),
    ),
)

SCHEMAS = (MOSAIC_TRIALS, MOSAIC_STEPS, MOSAIC_UTTERANCES, MOSAIC_CALLS)
