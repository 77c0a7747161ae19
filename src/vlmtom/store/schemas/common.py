"""Types and columns that several tables share."""

import pyarrow as pa

from vlmtom.store.schema import Column

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
TURN = pa.struct(
    [
        pa.field("role", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("pictures", pa.list_(pa.string()), nullable=False),
        pa.field("video", pa.string()),
    ]
)

STRINGS = pa.list_(pa.string())
FLOATS = pa.list_(pa.float64())
INTEGERS = pa.list_(pa.int64())
UTC = pa.timestamp("us", tz="UTC")
TESTER_COLUMN = Column("tester", pa.string(), "the model under test, by its slug")
KIND_COLUMN = Column(
    "kind", pa.string(), "model, or observer (an embedded tester with a stated policy)"
)

ARM_COLUMN = Column("arm", pa.string(), "how the item is shown or asked")
STIMULUS_COLUMN = Column("stimulus", pa.string(), "the scene or clip")
ITEM_COLUMN = Column("item_id", pa.string(), "what one tester is shown, by id")
TRIAL_COLUMN = Column("trial", pa.int64(), "independently seeded repetition of an item, from 1")
SET_COLUMN = Column("scene_set", pa.string(), "main, rotated or rearranged")
BATCH_COLUMN = Column("batch", pa.string(), "conditions asked together, interleaved")
CONDITION_ASKED_COLUMN = Column("arm", pa.string(), "the condition: request, report, constraint")
NULL_CHOICE = "null where missing or unparsed"
CLIP_COLUMN = Column("clip", pa.string(), "the animated clip, by name")
CONDITION_COLUMN = Column("condition", pa.string(), "what the clip is: ToM, GD or Random")
JUDGE_COLUMN = Column("judge", pa.string(), "the model that scores descriptions, by its slug")
OVERLAY_COLUMN = Column(
    "overlay", pa.string(), "what judges are told beyond the rubric: blinded, informed"
)

SCORE_COLUMNS = (
    Column("n_scores", pa.int64(), "scores planned: trials x judges", "scores"),
    Column("n_missing", pa.int64(), "of these, without a usable reply or verdict", "scores"),
    Column("n_unparsed", pa.int64(), "of these, no description or no readable verdict", "scores"),
)

DISTANCE_COLUMNS = (
    Column(
        "dist_td",
        pa.float64(),
        "distance of (intent, approp) to the TD-adult means of the condition",
        "level",
        True,
    ),
    Column(
        "dist_hfasd",
        pa.float64(),
        "distance of (intent, approp) to the HF-ASD-adult means of the condition",
        "level",
        True,
    ),
)
