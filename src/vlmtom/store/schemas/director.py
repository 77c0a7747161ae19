"""The Director Task: keys, outcomes, cells, and its tables."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import (
    ARM_COLUMN,
    FLOATS,
    INTEGERS,
    ITEM_COLUMN,
    KIND_COLUMN,
    STIMULUS_COLUMN,
    STRINGS,
    TESTER_COLUMN,
    TRIAL_COLUMN,
)

_MEASURE = Column("measure", pa.string(), "a, b, cQ1, cQ2; for cells also ego_b and ego_cQ2")

DIRECTOR_KEYS = Schema(
    "director_keys",
    "the answers and geometry behind one Director Task item (rater side only)",
    ("item_id",),
    (
        ITEM_COLUMN,
        ARM_COLUMN,
        STIMULUS_COLUMN,
        Column("sub_prompt", pa.string(), "a, b or c"),
        Column("polarity", pa.string(), "largest or smallest"),
        Column("labels", STRINGS, "block letters, left to right for the tester"),
        Column("colors", STRINGS, "block colours, in the order of labels"),
        Column("sizes_m", FLOATS, "edge lengths, in the order of labels", "m"),
        Column("x_m", FLOATS, "block centres, right of the table's centre", "m"),
        Column("y_m", FLOATS, "block centres, away from the tester", "m"),
        Column("visible", STRINGS, "letters that the director sees, from the id buffer"),
        Column("hidden", pa.string(), "letter that the director cannot see", nullable=True),
        Column("target", pa.string(), "letter that the director means"),
        Column("own_view", pa.string(), "letter of the extremum in the tester's own view"),
        Column(
            "director_visible_max", FLOATS, "largest visible share over five eye positions", "share"
        ),
        Column(
            "director_visible_min",
            FLOATS,
            "smallest visible share over five eye positions",
            "share",
        ),
        Column("tester_visible", FLOATS, "share visible to the tester", "share"),
        Column("director_area_px", INTEGERS, "unoccluded area from the director's eye", "px"),
        Column("tester_area_px", INTEGERS, "visible area from the tester's eye", "px"),
    ),
)

DIRECTOR_OUTCOMES = Schema(
    "director_outcomes",
    "a Director Task reply, parsed and scored on one measure",
    ("item_id", "trial", "measure"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
        STIMULUS_COLUMN,
        ITEM_COLUMN,
        TRIAL_COLUMN,
        _MEASURE,
        Column("status", pa.string(), "status of the reply; scored only if ok"),
        Column(
            "parse", pa.string(), "parsed or unparsed; null if the reply is missing", nullable=True
        ),
        Column("reason", pa.string(), "why unparsed, from the closed list", nullable=True),
        Column("repaired", STRINGS, "repairs that parsing made"),
        Column(
            "value",
            STRINGS,
            "colours named (a, cQ1), or the colour of the block (b, cQ2)",
            nullable=True,
        ),
        Column("letter", pa.string(), "letter named (b, cQ2)", nullable=True),
        Column("color", pa.string(), "colour named (b, cQ2)", nullable=True),
        Column(
            "failure_mode",
            pa.string(),
            "b and cQ2: correct, letter_only_correct, egocentric, other_block, "
            "other_color, unparsed",
            nullable=True,
        ),
        Column(
            "letter_correct", pa.bool_(), "correct at letter level; null if missing", nullable=True
        ),
        Column(
            "strict_correct", pa.bool_(), "letter and colour agree; null if missing", nullable=True
        ),
        Column("egocentric", pa.bool_(), "b and cQ2: the hidden block was chosen", nullable=True),
        Column(
            "egocentric_strict",
            pa.bool_(),
            "b and cQ2: the hidden block was chosen, letter and colour agree",
            nullable=True,
        ),
    ),
)

DIRECTOR_CELLS = Schema(
    "director_cells",
    "the majority of a tester's usable trials of one scene on one measure",
    ("tester", "arm", "stimulus", "measure", "level"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
        STIMULUS_COLUMN,
        _MEASURE,
        Column("level", pa.string(), "letter or strict"),
        Column(
            "value", pa.bool_(), "true for more than half; null with no usable trial", nullable=True
        ),
        Column("n_trials", pa.int64(), "trials planned"),
        Column("n_usable", pa.int64(), "trials with status ok"),
        Column("n_true", pa.int64(), "usable trials on which the measure holds"),
        Column("n_unparsed", pa.int64(), "usable trials that could not be parsed"),
        Column("tie", pa.bool_(), "usable trials are split evenly (counted as not correct)"),
    ),
)

_COUNT = "cells (scenes) on which the majority holds"

TABLE2 = Schema(
    "table2",
    "a tester's Director Task counts over canonical scenes (cross-task paper, Table 2)",
    ("tester",),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        Column("a", pa.int64(), f"{_COUNT}: the set that the director sees is exact", "scenes"),
        Column("b", pa.int64(), f"{_COUNT}: the block that the director means", "scenes"),
        Column("cQ1", pa.int64(), f"{_COUNT}: as a, asked as the first step of c", "scenes"),
        Column("cQ2", pa.int64(), f"{_COUNT}: as b, asked as the second step of c", "scenes"),
        Column("ego_b", pa.int64(), f"{_COUNT}: b chose the hidden block", "scenes"),
        Column("ego_cQ2", pa.int64(), f"{_COUNT}: cQ2 chose the hidden block", "scenes"),
        Column("a_strict", pa.int64(), "as a, letter and colour agree", "scenes"),
        Column("b_strict", pa.int64(), "as b, letter and colour agree", "scenes"),
        Column("cQ1_strict", pa.int64(), "as cQ1, letter and colour agree", "scenes"),
        Column("cQ2_strict", pa.int64(), "as cQ2, letter and colour agree", "scenes"),
        Column("gap", pa.float64(), "P(a) - P(b) over cells", "share", True),
        Column("recovery", pa.float64(), "P(cQ2) - P(b) over cells", "share", True),
        Column("n_scenes", pa.int64(), "scenes planned", "scenes"),
        Column("n_a", pa.int64(), "scenes with a usable trial of a", "scenes"),
        Column("n_b", pa.int64(), "scenes with a usable trial of b", "scenes"),
        Column("n_cQ1", pa.int64(), "scenes with a usable trial of cQ1", "scenes"),
        Column("n_cQ2", pa.int64(), "scenes with a usable trial of cQ2", "scenes"),
        Column("trials", pa.int64(), "outcomes planned", "trials"),
        Column("missing", pa.int64(), "outcomes without a usable reply", "trials"),
        Column("unparsed", pa.int64(), "outcomes that could not be parsed", "trials"),
        Column("ties", pa.int64(), "cells split evenly, at letter level", "cells"),
    ),
)

ARM_COUNTS = Schema(
    "arm_counts",
    "a tester's Director Task counts over the scenes of one arm (cross-task paper, Tables 3, 4)",
    ("tester", "arm"),
    (
        *TABLE2.columns[:2],
        ARM_COLUMN,
        *TABLE2.columns[2:],
        Column("ego_b_strict", pa.int64(), "as ego_b, letter and colour agree", "scenes"),
        Column("ego_cQ2_strict", pa.int64(), "as ego_cQ2, letter and colour agree", "scenes"),
        Column(
            "floor_pass",
            pa.bool_(),
            "b correct in at least 11 of 12 scenes; null but in no_occluder and same_side",
            nullable=True,
        ),
    ),
)

DIRECTOR_CONTRASTS = Schema(
    "director_contrasts",
    "one question of the Director Task against another, by tester, over the scenes of both",
    ("tester", "contrast"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        Column("contrast", pa.string(), "what is compared"),
        Column("arm", pa.string(), "the arm of the one side"),
        Column("measure", pa.string(), "its measure"),
        Column("other_arm", pa.string(), "the arm of the other side"),
        Column("other_measure", pa.string(), "its measure"),
        Column("difference", pa.float64(), "share correct minus the other's", "share", True),
        Column("gained", pa.int64(), "scenes correct here and not there", "scenes"),
        Column("lost", pa.int64(), "scenes correct there and not here", "scenes"),
        Column("n", pa.int64(), "scenes with a usable trial on both sides", "scenes"),
        Column("n_planned", pa.int64(), "scenes that both arms have", "scenes"),
        Column("status", pa.string(), "ok, or no_cells"),
    ),
)
