"""Report before action: keys, outcomes, cells, and its tables."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import (
    BATCH_COLUMN,
    CONDITION_ASKED_COLUMN,
    FLOATS,
    INTEGERS,
    ITEM_COLUMN,
    KIND_COLUMN,
    NULL_CHOICE,
    SET_COLUMN,
    STRINGS,
    TESTER_COLUMN,
    TRIAL_COLUMN,
)

REPORT_ACTION_KEYS = Schema(
    "report_action_keys",
    "the answers and geometry behind one item of report before action (rater side only)",
    ("item_id",),
    (
        ITEM_COLUMN,
        CONDITION_ASKED_COLUMN,
        Column("stimulus", pa.string(), "scene set and scene"),
        SET_COLUMN,
        BATCH_COLUMN,
        Column("request", pa.string(), "mean, move, want or will"),
        Column("report", pa.string(), "none, visibility, count, stated, after, first_turn, knows"),
        Column("constraint", pa.string(), "none, both, knowledge, reference or padding"),
        Column("labels", INTEGERS, "digits of the blocks, left to right for the tester"),
        Column("sizes_m", FLOATS, "edge lengths, in the order of labels", "m"),
        Column("hidden", pa.int64(), "digit of the block that the director cannot see"),
        Column("visible", INTEGERS, "digits that the director sees, from the id buffer"),
        Column("director_view", pa.int64(), "digit of the largest block that the director sees"),
        Column("largest_digit", pa.int64(), "largest digit in the scene"),
        Column("hidden_has_largest_digit", pa.bool_(), "the hidden block carries it"),
        Column(
            "smaller_visible_has_larger_digit",
            pa.bool_(),
            "a visible block smaller than the director-view block carries a larger digit",
        ),
        Column(
            "misleading_size",
            pa.bool_(),
            "a visible block other than the director-view block looks largest from her eye",
        ),
        Column("tester_area_px", INTEGERS, "visible area from the tester's eye", "px"),
        Column("director_area_px", INTEGERS, "unoccluded area from the director's eye", "px"),
    ),
)

REPORT_ACTION_OUTCOMES = Schema(
    "report_action_outcomes",
    "a reply of report before action (of all its turns), parsed and scored",
    ("item_id", "trial"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        CONDITION_ASKED_COLUMN,
        Column("stimulus", pa.string(), "scene set and scene"),
        ITEM_COLUMN,
        SET_COLUMN,
        BATCH_COLUMN,
        TRIAL_COLUMN,
        Column("status", pa.string(), "ok, or that of the first turn that was not answered"),
        Column(
            "parse",
            pa.string(),
            "parsed or unparsed, of the choice; null if missing",
            nullable=True,
        ),
        Column("reason", pa.string(), "why unparsed, from the closed list", nullable=True),
        Column("repaired", STRINGS, "repairs that parsing made"),
        Column(
            "visible",
            INTEGERS,
            "digits reported as seen; null where not asked or not read",
            nullable=True,
        ),
        Column("count", pa.int64(), "blocks counted; null where not asked", nullable=True),
        Column("choice", pa.int64(), f"digit chosen; {NULL_CHOICE}", nullable=True),
        Column(
            "visible_correct",
            pa.bool_(),
            "the report is exactly what the director sees",
            nullable=True,
        ),
        Column(
            "hidden_chosen",
            pa.bool_(),
            f"the hidden block was chosen; {NULL_CHOICE}",
            nullable=True,
        ),
        Column(
            "director_view_chosen",
            pa.bool_(),
            f"what the director means; {NULL_CHOICE}",
            nullable=True,
        ),
        Column(
            "largest_digit_chosen",
            pa.bool_(),
            f"largest digit of all; {NULL_CHOICE}",
            nullable=True,
        ),
        Column(
            "largest_visible_digit_chosen",
            pa.bool_(),
            f"largest digit that the director sees; {NULL_CHOICE}",
            nullable=True,
        ),
        Column(
            "joint",
            pa.bool_(),
            "correct report and hidden block chosen; null without a report",
            nullable=True,
        ),
        Column(
            "report_excludes_hidden",
            pa.bool_(),
            "the report leaves the hidden block out",
            nullable=True,
        ),
    ),
)

# Counts of replies of report before action: what was lost, and report by choice of the rest.
ACTION_LOST = {
    "n_planned": "replies planned",
    "n_missing": "not answered: any status but ok, or no reply at all",
    "n_refused": "of these, refused (the provider's refusal field)",
    "n_unparsed": "answered, and without a choice that can be read",
    "n_refused_in_words": "of these, refusals as ordinary text",
    "n_answered": "answered with a choice: what every share is over",
}

ACTION_REPORTS = ("correct", "incorrect", "no_report")

ACTION_CHOICES = ("hidden", "director_view", "largest_digit", "other")

_REPORTED_AS = {
    "correct": "report exactly right",
    "incorrect": "report not right",
    "no_report": "no report asked or read",
}

_CHOSE = {
    "hidden": "hidden block chosen",
    "director_view": "what the director means",
    "largest_digit": "another visible block, with the largest visible digit",
    "other": "another block",
}

_ACTION_COUNTS = (
    *(Column(name, pa.int64(), meaning, "replies") for name, meaning in ACTION_LOST.items()),
    *(
        Column(
            f"{report}_{choice}",
            pa.int64(),
            f"{_REPORTED_AS[report]}; {_CHOSE[choice]}",
            "replies",
        )
        for report in ACTION_REPORTS
        for choice in ACTION_CHOICES
    ),
    Column("n_excluding", pa.int64(), "the report leaves the hidden block out", "replies"),
    Column("excluding_hidden", pa.int64(), "of these, hidden block chosen", "replies"),
)

_ACTION_SUBSET = Column(
    "subset", pa.string(), "scenes: all, hidden_not_largest_digit or without_misleading"
)

_ACTION_MEASURE = Column(
    "measure",
    pa.string(),
    "hidden_chosen, visible_correct, joint, director_view_chosen, hidden_despite_report (of "
    "reports that leave it out) or largest_digit_of_others (of what is neither hidden nor meant)",
)

_ACTION_SHARE = "share of replies, 0 to 1"

_ACTION_LOW = "lower end of the 95 % interval over scenes"

_ACTION_HIGH = "upper end"

REPORT_ACTION_CELLS = Schema(
    "report_action_cells",
    "a tester's replies to one item of report before action, counted",
    ("tester", "item_id"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ITEM_COLUMN,
        CONDITION_ASKED_COLUMN,
        Column("stimulus", pa.string(), "scene set and scene"),
        SET_COLUMN,
        BATCH_COLUMN,
        Column("asks_visible", pa.bool_(), "the condition asks for a report of what is visible"),
        Column("hidden_has_largest_digit", pa.bool_(), "the hidden block carries it"),
        Column(
            "misleading_size",
            pa.bool_(),
            "a visible block other than the director-view block looks largest from her eye",
        ),
        *_ACTION_COUNTS,
    ),
)

REPORT_ACTION_CHOICES = Schema(
    "report_action_choices",
    "a tester's replies in one condition of one batch: report by choice, and what was lost",
    ("tester", "scene_set", "batch", "arm", "subset"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        SET_COLUMN,
        BATCH_COLUMN,
        CONDITION_ASKED_COLUMN,
        _ACTION_SUBSET,
        Column("n_scenes", pa.int64(), "scenes asked of", "scenes"),
        *_ACTION_COUNTS,
    ),
)

REPORT_ACTION_RATES = Schema(
    "report_action_rates",
    "a measure of a tester in one condition of one batch, with its interval",
    ("tester", "scene_set", "batch", "arm", "subset", "measure"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        SET_COLUMN,
        BATCH_COLUMN,
        CONDITION_ASKED_COLUMN,
        _ACTION_SUBSET,
        _ACTION_MEASURE,
        Column("n_scenes", pa.int64(), "scenes with a reply that counts", "scenes"),
        Column("n", pa.int64(), "replies that count", "replies"),
        Column("events", pa.int64(), "of these, with the event", "replies"),
        Column("share", pa.float64(), _ACTION_SHARE, "", True),
        Column("lo", pa.float64(), _ACTION_LOW, "", True),
        Column("hi", pa.float64(), _ACTION_HIGH, "", True),
        Column("method", pa.string(), "bootstrap, bounded or not_estimable"),
    ),
)

REPORT_ACTION_ESTIMATES = Schema(
    "report_action_estimates",
    "a difference between two conditions of one batch, by tester, measure and scenes",
    ("comparison", "tester", "measure", "subset"),
    (
        Column("comparison", pa.string(), "the comparison, as the configuration names it"),
        TESTER_COLUMN,
        KIND_COLUMN,
        _ACTION_MEASURE,
        _ACTION_SUBSET,
        Column("primary", pa.bool_(), "the comparison's own measure, over all scenes"),
        Column("family", pa.string(), "comparisons corrected together; null: none", nullable=True),
        SET_COLUMN,
        BATCH_COLUMN,
        Column("without", pa.string(), "condition 0"),
        Column("with", pa.string(), "condition 1"),
        Column("n_scenes", pa.int64(), "scenes with a reply that counts in either", "scenes"),
        Column("n_paired", pa.int64(), "scenes with one in both", "scenes"),
        *(
            column
            for number, name in enumerate(("without", "with"))
            for column in (
                Column(f"n{number}", pa.int64(), f"replies that count, {name}", "replies"),
                Column(f"p{number}", pa.float64(), f"{_ACTION_SHARE}, {name}", "", True),
                Column(f"p{number}_lo", pa.float64(), _ACTION_LOW, "", True),
                Column(f"p{number}_hi", pa.float64(), _ACTION_HIGH, "", True),
            )
        ),
        Column("method", pa.string(), "gee, cluster_t, bounded or not_estimable"),
        Column("diff", pa.float64(), "with minus without, of shares", "", True),
        Column("se", pa.float64(), "standard error of diff", "", True),
        Column("df", pa.int64(), "degrees of freedom", "", True),
        Column("lo", pa.float64(), "lower end of the 95 % interval of diff", "", True),
        Column("hi", pa.float64(), _ACTION_HIGH, "", True),
        Column("p", pa.float64(), "two-sided, not adjusted", "", True),
        Column("p_adj", pa.float64(), "Benjamini-Hochberg within the family", "", True),
        Column("family_size", pa.int64(), "comparisons that were corrected together", "", True),
        Column("changed", pa.bool_(), "interval excludes 0 and p_adj <= 0.05", nullable=True),
        Column("within_margin", pa.bool_(), "interval inside the margin", nullable=True),
    ),
)

REPORT_ACTION_BATCHES = Schema(
    "report_action_batches",
    "a base prompt's measure in one batch, beside its other batches",
    ("tester", "scene_set", "arm", "measure", "batch"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        SET_COLUMN,
        Column("arm", pa.string(), "the base prompt: move-visibility or mean-visibility"),
        _ACTION_MEASURE,
        BATCH_COLUMN,
        Column("place", pa.int64(), "of the batch in the order of asking, from 1"),
        Column("n", pa.int64(), "replies that count", "replies"),
        Column("events", pa.int64(), "of these, with the event", "replies"),
        Column("share", pa.float64(), _ACTION_SHARE, "", True),
        Column("lo", pa.float64(), _ACTION_LOW, "", True),
        Column("hi", pa.float64(), _ACTION_HIGH, "", True),
        Column("drift", pa.float64(), "share minus that of the first batch", "", True),
        Column("spread", pa.float64(), "largest minus smallest share of its batches", "", True),
    ),
)

REPORT_ACTION_SCENES = Schema(
    "report_action_scenes",
    "a count of scenes of one set, beside the paper's",
    ("scene_set", "what"),
    (
        SET_COLUMN,
        Column("what", pa.string(), "which scenes are counted"),
        Column("n", pa.int64(), "ours", "scenes"),
        Column("published", pa.string(), "the paper's, as printed", "scenes", True),
        Column("published_key", pa.string(), "its row in reportaction_numbers.csv", "", True),
    ),
)

REPORT_ACTION_PROMPTS = Schema(
    "report_action_prompts",
    "a turn of a condition's prompt, with where it differs from another's",
    ("arm", "turn"),
    (
        CONDITION_ASKED_COLUMN,
        Column("turn", pa.int64(), "turn of the user, from 1"),
        Column("batches", STRINGS, "in which it is asked"),
        Column("text", pa.string(), "the words; for a stated report with the digits 3 and 5"),
        Column("sha256", pa.string(), "SHA-256 of the text"),
        Column("compared_with", pa.string(), "condition it differs from", nullable=True),
        Column("part", pa.string(), "the one part in which they differ", nullable=True),
        Column("start", pa.int64(), "where the differing words begin", "characters", True),
        Column("end", pa.int64(), "where they end", "characters", True),
        Column("other_words", pa.string(), "the words in their place there", nullable=True),
    ),
)
