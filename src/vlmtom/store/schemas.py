"""Every Parquet file that vlmtom writes: its row grain, its key, its columns with type and unit."""

import pyarrow as pa

from vlmtom.store.mosaic_product_schemas import SCHEMAS as MOSAIC_PRODUCT_SCHEMAS
from vlmtom.store.mosaic_schemas import SCHEMAS as MOSAIC_SCHEMAS
from vlmtom.store.schema import Column, Schema

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

_TESTER = Column("tester", pa.string(), "the model under test, by its slug")
_KIND = Column("kind", pa.string(), "model, or observer (an embedded tester with a stated policy)")
_ARM = Column("arm", pa.string(), "how the item is shown or asked")
_STIMULUS = Column("stimulus", pa.string(), "the scene or clip")
_ITEM = Column("item_id", pa.string(), "what one tester is shown, by id")
_TRIAL = Column("trial", pa.int64(), "independently seeded repetition of an item, from 1")
_EXPERIMENTS = "director, triangles, representations, report_action or mosaic"
_MEASURE = Column("measure", pa.string(), "a, b, cQ1, cQ2; for cells also ego_b and ego_cQ2")

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
        _ITEM,
        Column("experiment", pa.string(), _EXPERIMENTS),
        _ARM,
        _STIMULUS,
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
        _TESTER,
        _KIND,
        Column("experiment", pa.string(), _EXPERIMENTS),
        _ARM,
        _STIMULUS,
        _ITEM,
        _TRIAL,
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

DIRECTOR_KEYS = Schema(
    "director_keys",
    "the answers and geometry behind one Director Task item (rater side only)",
    ("item_id",),
    (
        _ITEM,
        _ARM,
        _STIMULUS,
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

_SET = Column("scene_set", pa.string(), "main, rotated or rearranged")
_BATCH = Column("batch", pa.string(), "conditions asked together, interleaved")
_CONDITION_OF = Column("arm", pa.string(), "the condition: request, report, constraint")

REPORT_ACTION_KEYS = Schema(
    "report_action_keys",
    "the answers and geometry behind one item of report before action (rater side only)",
    ("item_id",),
    (
        _ITEM,
        _CONDITION_OF,
        Column("stimulus", pa.string(), "scene set and scene"),
        _SET,
        _BATCH,
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

_OF_CHOICE = "null where missing or unparsed"
REPORT_ACTION_OUTCOMES = Schema(
    "report_action_outcomes",
    "a reply of report before action (of all its turns), parsed and scored",
    ("item_id", "trial"),
    (
        _TESTER,
        _KIND,
        _CONDITION_OF,
        Column("stimulus", pa.string(), "scene set and scene"),
        _ITEM,
        _SET,
        _BATCH,
        _TRIAL,
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
        Column("choice", pa.int64(), f"digit chosen; {_OF_CHOICE}", nullable=True),
        Column(
            "visible_correct",
            pa.bool_(),
            "the report is exactly what the director sees",
            nullable=True,
        ),
        Column(
            "hidden_chosen", pa.bool_(), f"the hidden block was chosen; {_OF_CHOICE}", nullable=True
        ),
        Column(
            "director_view_chosen",
            pa.bool_(),
            f"what the director means; {_OF_CHOICE}",
            nullable=True,
        ),
        Column(
            "largest_digit_chosen", pa.bool_(), f"largest digit of all; {_OF_CHOICE}", nullable=True
        ),
        Column(
            "largest_visible_digit_chosen",
            pa.bool_(),
            f"largest digit that the director sees; {_OF_CHOICE}",
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
        _TESTER,
        _KIND,
        _ITEM,
        _CONDITION_OF,
        Column("stimulus", pa.string(), "scene set and scene"),
        _SET,
        _BATCH,
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
        _TESTER,
        _KIND,
        _SET,
        _BATCH,
        _CONDITION_OF,
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
        _TESTER,
        _KIND,
        _SET,
        _BATCH,
        _CONDITION_OF,
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
        _TESTER,
        _KIND,
        _ACTION_MEASURE,
        _ACTION_SUBSET,
        Column("primary", pa.bool_(), "the comparison's own measure, over all scenes"),
        Column("family", pa.string(), "comparisons corrected together; null: none", nullable=True),
        _SET,
        _BATCH,
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
        _TESTER,
        _KIND,
        _SET,
        Column("arm", pa.string(), "the base prompt: move-visibility or mean-visibility"),
        _ACTION_MEASURE,
        _BATCH,
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
        _SET,
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
        _CONDITION_OF,
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

DIRECTOR_OUTCOMES = Schema(
    "director_outcomes",
    "a Director Task reply, parsed and scored on one measure",
    ("item_id", "trial", "measure"),
    (
        _TESTER,
        _KIND,
        _ARM,
        _STIMULUS,
        _ITEM,
        _TRIAL,
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
        _TESTER,
        _KIND,
        _ARM,
        _STIMULUS,
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
        _TESTER,
        _KIND,
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
        _ARM,
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
        _TESTER,
        _KIND,
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

_CLIP = Column("clip", pa.string(), "the animated clip, by name")
_CONDITION = Column("condition", pa.string(), "what the clip is: ToM, GD or Random")
_SOURCE = Column("stimulus_source", pa.string(), "synthetic, or the name given to original clips")
_JUDGE = Column("judge", pa.string(), "the model that scores descriptions, by its slug")
_OVERLAY = Column(
    "overlay", pa.string(), "what judges are told beyond the rubric: blinded, informed"
)
_BLIND = Column("blind_id", pa.string(), "a description's opaque id; says nothing of its tester")

FRAMES = Schema(
    "frames",
    "a sampled frame of a clip",
    ("clip", "frame"),
    (
        _CLIP,
        _SOURCE,
        Column("frame", pa.int64(), "place in the sheet, row by row, from 1"),
        Column("index", pa.int64(), "index among the decoded frames, from 0"),
        Column("time_s", pa.float64(), "time of that frame from the first", "s"),
        Column("n_decoded", pa.int64(), "frames decoded in order and counted"),
        Column("n_header", pa.int64(), "frames that the file's header claims", "", True),
        Column("fps", pa.float64(), "frames per second", "1/s"),
        Column("width", pa.int64(), "frame width", "px"),
        Column("height", pa.int64(), "frame height", "px"),
        Column("orientation_deg", pa.int64(), "rotation applied when decoding", "degree"),
        Column("pixel_sha256", pa.string(), "SHA-256 of shape and raw RGB of the frame"),
    ),
)

KINEMATICS = Schema(
    "kinematics",
    "how the two triangles of a clip move (synthetic clips)",
    ("clip",),
    (
        _CLIP,
        _CONDITION,
        Column("enclosure", pa.bool_(), "whether the enclosure is drawn"),
        Column("big_speed", pa.float64(), "mean speed while moving", "frame widths/s"),
        Column("small_speed", pa.float64(), "mean speed while moving", "frame widths/s"),
        Column("big_speed_cv", pa.float64(), "coefficient of variation of speed while moving"),
        Column("small_speed_cv", pa.float64(), "coefficient of variation of speed while moving"),
        Column("big_pause", pa.float64(), "share of time at rest", "share"),
        Column("small_pause", pa.float64(), "share of time at rest", "share"),
        Column("jerk", pa.float64(), "mean magnitude of jerk, both", "frame widths/s^3"),
        Column("distance_mean", pa.float64(), "mean distance of the two", "frame widths"),
        Column("distance_sd", pa.float64(), "standard deviation of the distance", "frame widths"),
        Column("distance_min", pa.float64(), "smallest distance", "frame widths"),
        Column(
            "velocity_correlation",
            pa.float64(),
            "signed, of the largest size over lags up to 1.5 s",
        ),
        Column("velocity_lag_s", pa.float64(), "lag of that correlation", "s"),
        Column("events", pa.int64(), "starts and stops of both"),
        Column(
            "answered",
            pa.float64(),
            "share of starts and stops that the other answers within 1 s; null below 20 events",
            "share",
            True,
        ),
    ),
)

TRIANGLES_KEYS = Schema(
    "triangles_keys",
    "what an animated-triangles item means (rater side only)",
    ("item_id",),
    (
        _ITEM,
        _ARM,
        _STIMULUS,
        _CONDITION,
        Column("script", pa.string(), "what the clip shows, in a sentence"),
        _SOURCE,
        Column(
            "shown_order",
            pa.list_(pa.int64()),
            "numbers (1 to 16) of the sampled frames in the order of the cells; null for a still",
            nullable=True,
        ),
    ),
)

BLIND = Schema(
    "blind",
    "a description as a judge may see it",
    ("blind_id",),
    (
        _BLIND,
        _ARM,
        _CLIP,
        _CONDITION,
        Column("script", pa.string(), "what the clip shows, in a sentence"),
        Column("description", pa.string(), "the tester's words, reasoning cut off, else unedited"),
        Column("self_identifies", pa.bool_(), "names a model or a vendor"),
        Column("n_words", pa.int64(), "length of the description", "words"),
        Column("language", pa.string(), "en, or other"),
    ),
)

DESCRIPTIONS = Schema(
    "descriptions",
    "an animated-triangles reply as a description, with its blind id (rater side)",
    ("item_id", "trial"),
    (
        _TESTER,
        _KIND,
        _ARM,
        _CLIP,
        _CONDITION,
        _ITEM,
        _TRIAL,
        Column("status", pa.string(), "status of the reply; described only if ok"),
        Column("parse", pa.string(), "parsed or unparsed; null if missing", nullable=True),
        Column("reason", pa.string(), "why there is no description", nullable=True),
        Column("blind_id", pa.string(), "opaque id under which it is judged", nullable=True),
        Column("self_identifies", pa.bool_(), "names a model or a vendor", nullable=True),
        Column("n_words", pa.int64(), "length of the description", "words", True),
        Column("language", pa.string(), "en, or other", nullable=True),
    ),
)

_VERDICT_COLUMNS = (
    _BLIND,
    _JUDGE,
    _KIND,
    _OVERLAY,
    _ARM,
    Column("request_digest", pa.string(), "SHA-256 of the intended request that was scored"),
    Column("ask", pa.int64(), "0, or the number of the re-ask that was scored"),
    Column("status", pa.string(), "status of the reply"),
    Column("error_kind", pa.string(), "cause of an api_error", nullable=True),
    Column("parse", pa.string(), "parsed or unparsed; null if missing", nullable=True),
    Column("reason", pa.string(), "why unparsed, from the closed list", nullable=True),
    Column("repaired", STRINGS, "repairs that parsing made"),
    Column("intent", pa.int64(), "Intentionality, 0 to 5", "level", True),
    Column("approp", pa.int64(), "Appropriateness, 0 to 3", "level", True),
    Column("text", pa.string(), "the judge's reply, never edited", nullable=True),
    Column("requested_model", pa.string(), "gateway id asked for"),
    Column("served_model", pa.string(), "model id in the reply", nullable=True),
    Column("prompt_tokens", pa.int64(), "usage; null where none was reported", "tokens", True),
    Column("completion_tokens", pa.int64(), "usage; null where none was reported", "tokens", True),
    Column("cost_usd", pa.float64(), "cost as reported or priced; null if unknown", "USD", True),
)

VERDICTS = Schema(
    "verdicts", "a judge's scores of one description", ("blind_id",), _VERDICT_COLUMNS
)

EXEMPLAR_VERDICTS = Schema(
    "exemplar_verdicts",
    "a judge's scores of one exemplar in one repetition of the validation battery",
    ("blind_id", "trial"),
    (Column("trial", pa.int64(), "repetition of the exemplar, from 1"), *_VERDICT_COLUMNS),
)

REPRESENTATION_VERDICTS = Schema(
    "representation_verdicts",
    "a judge's scores of one description of a clip in some representation, in one repetition",
    ("blind_id", "trial"),
    (Column("trial", pa.int64(), "repetition of the verdict, from 1"), *_VERDICT_COLUMNS),
)

TRIANGLES_CELLS = Schema(
    "triangles_cells",
    "a judge's scores of a tester's descriptions of one clip, over trials",
    ("tester", "arm", "clip", "judge", "overlay"),
    (
        _TESTER,
        _KIND,
        _ARM,
        _CLIP,
        _CONDITION,
        _JUDGE,
        _OVERLAY,
        Column(
            "intent", pa.int64(), "mean over trials, rounded half up; null if none", "level", True
        ),
        Column(
            "approp", pa.int64(), "mean over trials, rounded half up; null if none", "level", True
        ),
        Column("n_trials", pa.int64(), "trials planned"),
        Column("n_scored", pa.int64(), "trials with a verdict"),
        Column("n_missing", pa.int64(), "trials without a usable reply or verdict"),
        Column("n_unparsed", pa.int64(), "trials without a description or a readable verdict"),
    ),
)

_SUM = "sum over the verdicts that could be read"
REPRESENTATION_CELLS = Schema(
    "representation_cells",
    "a judge's scores of a tester's descriptions of one clip in one representation",
    ("tester", "representation", "clip", "judge"),
    (
        _TESTER,
        _KIND,
        Column("representation", pa.string(), "how the clip is shown"),
        Column("family", pa.string(), "video, sequence, grid_320x240 or grid_native"),
        _CLIP,
        _CONDITION,
        _JUDGE,
        Column("intent_sum", pa.int64(), _SUM, "level"),
        Column("approp_sum", pa.int64(), _SUM, "level"),
        Column("n_trials", pa.int64(), "trials planned"),
        Column("n_scores", pa.int64(), "verdicts planned: trials x repetitions"),
        Column("n_scored", pa.int64(), "of these, read"),
        Column("n_missing", pa.int64(), "of these, without a usable reply or verdict"),
        Column("n_unparsed", pa.int64(), "of these, no description or no readable verdict"),
    ),
)

_SCORES = (
    Column("n_scores", pa.int64(), "scores planned: trials x judges", "scores"),
    Column("n_missing", pa.int64(), "of these, without a usable reply or verdict", "scores"),
    Column("n_unparsed", pa.int64(), "of these, no description or no readable verdict", "scores"),
)

PROFILES = Schema(
    "profiles",
    "a tester's profile in one condition, over its clip x judge cells",
    ("tester", "arm", "overlay", "condition"),
    (
        _TESTER,
        _KIND,
        _ARM,
        _OVERLAY,
        _CONDITION,
        Column("intent", pa.float64(), "mean Intentionality, 0 to 5", "level", True),
        Column("approp", pa.float64(), "mean Appropriateness, 0 to 3", "level", True),
        Column("median_intent", pa.float64(), "median Intentionality over cells", "level", True),
        Column("n_cells", pa.int64(), "cells with a score"),
        Column("n_planned", pa.int64(), "cells planned"),
        *_SCORES,
    ),
)

_INTENT = Column("intent", pa.float64(), "mean Intentionality, 0 to 5", "level", True)
_APPROP = Column("approp", pa.float64(), "mean Appropriateness, 0 to 3", "level", True)
_DISTANCES = (
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
_PROFILE_COLUMNS = (
    _INTENT,
    _APPROP,
    *_DISTANCES,
    Column("nearest", pa.string(), "adult reference group at the smaller distance", nullable=True),
    Column("margin", pa.float64(), "second distance minus first", "level", True),
    Column("tie", pa.bool_(), "both distances are equal (the first group in order is named)"),
    Column("n_cells", pa.int64(), "clip x judge cells with a score", "cells"),
    Column("n_planned", pa.int64(), "clip x judge cells planned", "cells"),
    *_SCORES,
    Column("status", pa.string(), "ok, or no_cells: why a number is null"),
)

TABLE5 = Schema(
    "table5",
    "a tester's profile in one condition and its distances (cross-task paper, Table 5)",
    ("tester", "condition"),
    (_TESTER, _KIND, _CONDITION, *_PROFILE_COLUMNS),
)

TABLE7 = Schema(
    "table7",
    "a tester's ToM profile and its distances (cross-task paper, Table 7)",
    ("tester",),
    (_TESTER, _KIND, *_PROFILE_COLUMNS),
)

_STABILITY = "share of bootstrap resamples that keep the label"
TABLE8 = Schema(
    "table8",
    "a tester's nearest adult references on both tasks (cross-task paper, Table 8)",
    ("tester",),
    (
        _TESTER,
        _KIND,
        Column("gap", pa.float64(), "P(a) - P(b) over Director Task cells", "share", True),
        Column("nearest_director", pa.string(), "group with the nearest gap", nullable=True),
        Column("director_margin", pa.float64(), "second distance minus first", "share", True),
        Column("director_tie", pa.bool_(), "both are equally near (the first in order is named)"),
        Column("director_stability", pa.float64(), f"{_STABILITY}; scenes drawn", "share", True),
        Column(
            "nearest_triangles", pa.string(), "group with the nearest ToM profile", nullable=True
        ),
        Column("triangles_margin", pa.float64(), "second distance minus first", "level", True),
        Column("triangles_tie", pa.bool_(), "both are equally near (the first in order is named)"),
        Column(
            "triangles_stability",
            pa.float64(),
            f"{_STABILITY}; clips and judges drawn",
            "share",
            True,
        ),
        *_DISTANCES,
        Column("disagree", pa.bool_(), "the two labels differ", nullable=True),
        Column("n_a", pa.int64(), "scenes with a usable trial of a", "scenes"),
        Column("n_b", pa.int64(), "scenes with a usable trial of b", "scenes"),
        Column("n_scenes", pa.int64(), "scenes planned", "scenes"),
        Column("n_cells", pa.int64(), "ToM clip x judge cells with a score", "cells"),
        Column("n_planned", pa.int64(), "ToM clip x judge cells planned", "cells"),
        *_SCORES,
        Column(
            "status",
            pa.string(),
            "ok, no_gap, no_profile or no_gap_no_profile: why a number is null",
        ),
    ),
)

TABLE11 = Schema(
    "table11",
    "a tester's median Intentionality by condition in one arm (cross-task paper, Table 11)",
    ("tester", "arm"),
    (
        _TESTER,
        _KIND,
        _ARM,
        Column("median_tom", pa.float64(), "median over cells of ToM clips", "level", True),
        Column("median_gd", pa.float64(), "median over cells of GD clips", "level", True),
        Column("median_random", pa.float64(), "median over cells of Random clips", "level", True),
        Column("strict_rank", pa.bool_(), "ToM > GD > Random on the medians", nullable=True),
        Column(
            "over_attribution",
            pa.int64(),
            "cells of Random clips with Intentionality >= 3 and Appropriateness <= 1",
            "cells",
        ),
        Column("n_random", pa.int64(), "cells of Random clips with a score", "cells"),
        Column("n_cells", pa.int64(), "clip x judge cells with a score", "cells"),
        Column("n_planned", pa.int64(), "clip x judge cells planned", "cells"),
        *_SCORES,
        Column("status", pa.string(), "ok, or no_cells: why a number is null"),
    ),
)

PANEL = Schema(
    "panel",
    "a number over the panel: models, or observers where there is no model",
    ("measure",),
    (
        Column("measure", pa.string(), "what the number is"),
        Column("value", pa.float64(), "the number; null with the reason in status", "", True),
        Column("low", pa.float64(), "lower end of its 95 % bootstrap interval", "", True),
        Column("high", pa.float64(), "upper end of its 95 % bootstrap interval", "", True),
        Column("n", pa.int64(), "cells or testers that it is over"),
        Column("n_planned", pa.int64(), "cells or testers planned"),
        Column("status", pa.string(), "ok, no_cells, constant_input or too_few"),
    ),
)

ANCHORS_WIDE = Schema(
    "anchors_wide",
    "a tester's nearest of all Director references (cross-task paper, Appendix H)",
    ("tester",),
    (
        _TESTER,
        _KIND,
        Column("gap", pa.float64(), "P(a) - P(b) over Director Task cells", "share", True),
        Column("nearest_adult", pa.string(), "nearest of the adult groups: Table 8", nullable=True),
        Column("nearest_director", pa.string(), "nearest of all groups with a gap", nullable=True),
        Column("moved", pa.bool_(), "the two differ", nullable=True),
        Column("margin", pa.float64(), "second distance minus first", "share", True),
        Column("tie", pa.bool_(), "both are equally near (the first in order is named)"),
        Column("stability", pa.float64(), f"{_STABILITY}; scenes drawn", "share", True),
        Column(
            "derivation",
            pa.string(),
            "of the named group's gap: published_gap, a_minus_b or error_rate_assuming_a_1",
            nullable=True,
        ),
        Column("nearest_triangles", pa.string(), "as in Table 8: adults alone", nullable=True),
        Column("disagree", pa.bool_(), "the labels of the two tasks differ", nullable=True),
        Column("n_a", pa.int64(), "scenes with a usable trial of a", "scenes"),
        Column("n_b", pa.int64(), "scenes with a usable trial of b", "scenes"),
        Column("n_scenes", pa.int64(), "scenes planned", "scenes"),
        Column(
            "status",
            pa.string(),
            "ok, no_gap, no_profile or no_gap_no_profile: why a number is null",
        ),
    ),
)

_CHANGED = (
    ("director", "nearest groups on the Director Task"),
    *((c, f"nearest groups on {c} clips") for c in ("tom", "gd", "random")),
    ("disagree", "flags of whether the two tasks differ"),
)
SENSITIVITY = Schema(
    "sensitivity",
    "a reading of the same trials against the canonical one",
    ("axis", "variant"),
    (
        Column(
            "axis",
            pa.string(),
            "canonical, references, aggregation, overlay, judge, arm or level: what differs",
        ),
        Column("variant", pa.string(), "which; of judge: the one that is left out"),
        *(
            column
            for name, what in _CHANGED
            for column in (
                Column(f"{name}_changed", pa.int64(), f"{what} that differ", "testers", True),
                Column(f"{name}_n", pa.int64(), "testers with both", "testers", True),
            )
        ),
        Column("disagreement_count", pa.int64(), "testers whose tasks differ", "testers", True),
        Column("disagreement_n", pa.int64(), "testers with both labels", "testers", True),
        *(
            column
            for name in ("tom", "gd", "random")
            for column in (
                Column(f"{name}_dist_td", pa.float64(), "of the panel's mean", "level", True),
                Column(f"{name}_dist_hfasd", pa.float64(), "of the panel's mean", "level", True),
                Column(f"{name}_nearest", pa.string(), "group nearest to it", nullable=True),
            )
        ),
        Column("panel_n", pa.int64(), "testers behind the panel's mean on ToM", "testers", True),
        Column(
            "changes", pa.string(), "tester, label, canonical group > group here", nullable=True
        ),
        Column("status", pa.string(), "ok; no_cells, no label is defined; not_run"),
    ),
)

INTERVALS = Schema(
    "intervals",
    "a number of a tester or of the panel with its 95 % percentile bootstrap interval",
    ("tester", "kind", "measure"),
    (
        Column("tester", pa.string(), "the model under test, by its slug; panel for the panel"),
        Column("kind", pa.string(), "model, observer or panel"),
        Column(
            "measure",
            pa.string(),
            "a, b, cQ1, cQ2, gap (a - b), recovery (cQ2 - b), as shares; condition and intent, "
            "approp, dist_td or dist_hfasd, in levels; spearman (Table 8), spearman_items",
        ),
        Column("value", pa.float64(), "the number, as in its own table", "", True),
        Column("low", pa.float64(), "lower end of the interval", "", True),
        Column("high", pa.float64(), "upper end of the interval", "", True),
        Column("drawn", pa.string(), "what was drawn with replacement"),
        Column("n", pa.int64(), "scenes, cells or testers that the number is over"),
        Column("n_planned", pa.int64(), "of these, planned"),
        Column("n_resamples", pa.int64(), "resamples in which it is defined"),
        Column(
            "status", pa.string(), "ok, no_cells, too_few or constant_input: why there is a null"
        ),
    ),
)

JOINT_CARDS = Schema(
    "joint_cards",
    "a number of a tester that took part in every experiment, with its 95 % interval",
    ("tester", "measure"),
    (
        _TESTER,
        Column("place", pa.int64(), "of the number on the tester's card, from 1"),
        Column("kind", pa.string(), "model or observer; null where it was not run", nullable=True),
        Column("experiment", pa.string(), "director, triangles, report_action or mosaic"),
        Column(
            "measure",
            pa.string(),
            "gap (Director Task, a - b, a share); condition and intent or approp (levels); effect "
            "(hidden block chosen with the question less without it, a share); tocs_ and condition",
        ),
        Column("of", pa.string(), "what it compares, or is of"),
        Column("value", pa.float64(), "the number, as in its own table", "", True),
        Column("low", pa.float64(), "lower end of the 95 % interval", "", True),
        Column("high", pa.float64(), "upper end", "", True),
        Column("n", pa.int64(), "scenes, cells or trials that it is over"),
        Column("n_of", pa.string(), "which of these"),
        Column("method", pa.string(), "bootstrap, gee, cluster_t, bounded or exact", nullable=True),
        Column("status", pa.string(), "ok, not_run, or why there is no number"),
    ),
)

LENGTH = Schema(
    "length",
    "a tester's length of descriptions, and Intentionality at equal length",
    ("tester", "kind"),
    (
        Column("tester", pa.string(), "the model under test, by its slug; panel for the panel"),
        Column("kind", pa.string(), "model, observer or panel"),
        *(
            Column(
                f"words_{name}", pa.float64(), f"mean over descriptions of {name}", "words", True
            )
            for name in ("tom", "gd", "random")
        ),
        Column("n_descriptions", pa.int64(), "usable trials", "descriptions"),
        Column("n_scored", pa.int64(), "of these, scored by a judge", "descriptions"),
        Column("rho", pa.float64(), "Spearman of words against Intentionality", "", True),
        Column("rho_status", pa.string(), "ok, constant_input, too_few; by_tester: not pooled"),
        Column("tom_gd", pa.float64(), "mean Intentionality, ToM minus GD", "level", True),
        Column("tom_random", pa.float64(), "mean Intentionality, ToM minus Random", "level", True),
        Column("tom_gd_adjusted", pa.float64(), "the same at equal log words", "level", True),
        Column("tom_random_adjusted", pa.float64(), "the same at equal log words", "level", True),
        Column("per_log_word", pa.float64(), "slope of log words", "level", True),
        Column(
            "status",
            pa.string(),
            "of the adjusted ones: ok, no_cells, constant_length, fixed_by_condition or too_few",
        ),
    ),
)

_BATTERY_SCORES = (
    Column(
        "intent_recovery",
        pa.float64(),
        "verdicts within half a level of the expected Intentionality; null if there is none",
        "share",
        True,
    ),
    Column("approp_recovery", pa.float64(), "likewise, of Appropriateness", "share", True),
    Column(
        "max_intent_sd",
        pa.float64(),
        "largest population SD of an exemplar's Intentionality over its repetitions",
        "level",
        True,
    ),
    Column("max_approp_sd", pa.float64(), "likewise, of Appropriateness", "level", True),
)

_N_SCORED = Column("n_scored", pa.int64(), "verdicts with scores", "verdicts")

_N_VERDICTS = Column("n_planned", pa.int64(), "verdicts planned", "verdicts")

JUDGE_BATTERY = Schema(
    "judge_battery",
    "a judge on the exemplars of the validation battery (cross-task paper, Appendix M)",
    ("judge",),
    (
        _JUDGE,
        _KIND,
        *_BATTERY_SCORES,
        Column("verdict", pa.string(), "PASS: both gates on both scores, no verdict missing; FAIL"),
        Column("n_exemplars", pa.int64(), "exemplars in the battery", "exemplars"),
        Column("repetitions", pa.int64(), "verdicts planned on each exemplar", "verdicts"),
        _N_VERDICTS,
        _N_SCORED,
        Column("n_missing", pa.int64(), "planned verdicts without a usable reply", "verdicts"),
        Column("n_unparsed", pa.int64(), "replies that hold no readable verdict", "verdicts"),
        Column("status", pa.string(), "ok, missing_verdicts or no_verdicts"),
    ),
)

TABLE13 = Schema(
    "table13",
    "a judge of the battery with its price, or a sum of judges (cross-task paper, Table 13)",
    ("judge",),
    (
        Column("family", pa.string(), "model family; null for a sum", nullable=True),
        Column("judge", pa.string(), "the judge by its slug; all chosen, all flagships: a sum"),
        Column("kind", pa.string(), "model or observer; null for a sum", nullable=True),
        Column(
            "role",
            pa.string(),
            "chosen (the panel's), flagship, candidate; …_sum for a sum of them",
        ),
        *_BATTERY_SCORES,
        Column("verdict", pa.string(), "PASS or FAIL; null for a sum", nullable=True),
        Column(
            "usd_per_call",
            pa.float64(),
            "list price of 3,000 input and 1,000 output tokens; null without a price",
            "USD",
            True,
        ),
        Column(
            "saving",
            pa.float64(),
            "of the chosen judges' sum against the flagships'; null where one is unknown",
            "share",
            True,
        ),
        _N_SCORED,
        _N_VERDICTS,
        Column(
            "status", pa.string(), "ok, missing_verdicts, no_verdicts; of a sum: ok or no_price"
        ),
    ),
)

_PANEL_MEDIAN = "panel median of Intentionality over clip x judge cells"

JUDGE_FAMILY = Schema(
    "judge_family",
    "the panel's median Intentionality in an arm and condition, with and without in-family cells",
    ("arm", "condition"),
    (
        _ARM,
        _CONDITION,
        Column("median_all", pa.float64(), f"{_PANEL_MEDIAN}, all of them", "level", True),
        Column(
            "median_without",
            pa.float64(),
            f"{_PANEL_MEDIAN}, without cells of a judge and a tester of one family",
            "level",
            True,
        ),
        Column("delta", pa.float64(), "median_without minus median_all", "level", True),
        Column("n_cells", pa.int64(), "cells with a score", "cells"),
        Column("n_planned", pa.int64(), "cells planned", "cells"),
        Column(
            "n_family",
            pa.int64(),
            "of those with a score, in-family; null where a family is unknown",
            "cells",
            True,
        ),
        Column("status", pa.string(), "ok, no_cells, all_in_family or family_unknown"),
    ),
)

JUDGE_LEFT_OUT = Schema(
    "judge_left_out",
    "the panel's numbers without one judge, or with all of them",
    ("left_out",),
    (
        Column("left_out", pa.string(), "the judge left out; none: all judges are in"),
        *(
            Column(f"median_{name}", pa.float64(), f"{_PANEL_MEDIAN}, {name} clips", "level", True)
            for name in ("tom", "gd", "random")
        ),
        Column("tom_intent", pa.float64(), "panel mean Intentionality on ToM clips", "level", True),
        Column(
            "tom_approp", pa.float64(), "panel mean Appropriateness on ToM clips", "level", True
        ),
        *_DISTANCES,
        *(
            Column(
                f"nearest_{name}",
                pa.string(),
                f"adult reference nearest to the panel mean on {name} clips",
                nullable=True,
            )
            for name in ("tom", "gd", "random")
        ),
        Column("strict_ranks", pa.int64(), "testers with ToM > GD > Random", "testers", True),
        Column("n_ranks", pa.int64(), "testers whose medians are known", "testers"),
        Column("n_cells", pa.int64(), "cells with a score", "cells"),
        Column("n_planned", pa.int64(), "cells planned", "cells"),
        Column("status", pa.string(), "ok, or no_cells: why a number is null"),
        Column(
            "labels_changed",
            pa.int64(),
            "testers whose nearest reference on ToM clips is another than with all judges",
            "testers",
            True,
        ),
        Column("n_labels", pa.int64(), "testers that have a label in both", "testers"),
    ),
)

JUDGE_AGREEMENT = Schema(
    "judge_agreement",
    "how far judges agree on one score in one arm: all of them, or two",
    ("arm", "score", "judges"),
    (
        _ARM,
        Column("score", pa.string(), "intent or approp"),
        Column("judges", pa.string(), "all, or the two by their slugs"),
        Column("n_judges", pa.int64(), "judges compared", "judges"),
        Column(
            "alpha",
            pa.float64(),
            "Krippendorff's alpha, ordinal; null unless status is ok",
            "",
            True,
        ),
        Column("exact", pa.float64(), "pairs of scores that are equal", "share", True),
        Column("within_one", pa.float64(), "pairs at most one level apart", "share", True),
        Column("n_units", pa.int64(), "descriptions with scores of two judges", "descriptions"),
        Column("n_pairs", pa.int64(), "pairs of scores", "pairs"),
        Column(
            "status",
            pa.string(),
            "ok, too_few (nothing scored twice), constant (all scores equal: alpha is 0/0)",
        ),
    ),
)

_ARM_STATUS = (
    "ok, not_run, not_in_panel (asked of observers alone), no_cells or no_common_testers: why a "
    "number is null"
)

_N_TESTERS = Column("n_testers", pa.int64(), "testers that have all that is compared", "testers")

TABLE6 = Schema(
    "table6",
    "the panel's mean profile in one condition and arm (cross-task paper, Table 6)",
    ("condition", "arm"),
    (
        _CONDITION,
        _ARM,
        _OVERLAY,
        Column("n_trials", pa.int64(), "K: trials of a clip in this arm", "trials"),
        *_PROFILE_COLUMNS[:-1],
        _N_TESTERS,
        Column("status", pa.string(), _ARM_STATUS),
    ),
)

TABLE9 = Schema(
    "table9",
    "the panel's headline in one arm under one overlay (cross-task paper, Table 9)",
    ("arm", "overlay"),
    (
        _ARM,
        _OVERLAY,
        Column(
            "strict_rank_count",
            pa.int64(),
            "testers with ToM > GD > Random on their medians",
            "testers",
            True,
        ),
        Column("n_ranked", pa.int64(), "testers with a median in each condition", "testers"),
        *(
            Column(
                f"median_intent_{name.lower()}",
                pa.float64(),
                f"median over all cells of {name} clips",
                "level",
                True,
            )
            for name in ("ToM", "GD", "Random")
        ),
        Column("mean_intent_tom", pa.float64(), "panel mean, ToM clips, 0 to 5", "level", True),
        Column("mean_approp_tom", pa.float64(), "panel mean, ToM clips, 0 to 3", "level", True),
        Column("dist_td_tom", pa.float64(), "of that mean to TD-adult", "level", True),
        Column("dist_hfasd_tom", pa.float64(), "of that mean to HF-ASD-adult", "level", True),
        *(
            Column(
                f"nearest_{name.lower()}",
                pa.string(),
                f"adult group nearest to the panel mean on {name} clips",
                nullable=True,
            )
            for name in ("ToM", "GD", "Random")
        ),
        *(
            Column(
                f"tie_{name.lower()}",
                pa.bool_(),
                f"both are equally near on {name} clips (the first in order is named)",
            )
            for name in ("ToM", "GD", "Random")
        ),
        Column("n_cells", pa.int64(), "clip x judge cells with a score", "cells"),
        Column("n_planned", pa.int64(), "clip x judge cells planned", "cells"),
        *_SCORES,
        _N_TESTERS,
        Column("status", pa.string(), _ARM_STATUS),
    ),
)

TABLE10 = Schema(
    "table10",
    "a headline number of the panel in plain and in numbered (cross-task paper, Table 10)",
    ("metric",),
    (
        Column("metric", pa.string(), "what the number is"),
        Column("plain", pa.float64(), "in the arm plain", "", True),
        Column("numbered", pa.float64(), "in the arm numbered", "", True),
        Column("delta", pa.float64(), "numbered minus plain, from the exact numbers", "", True),
        _N_TESTERS,
        Column("n_cells_plain", pa.int64(), "clip x judge cells with a score", "cells"),
        Column("n_cells_numbered", pa.int64(), "clip x judge cells with a score", "cells"),
        Column("n_planned_plain", pa.int64(), "clip x judge cells planned", "cells"),
        Column("n_planned_numbered", pa.int64(), "clip x judge cells planned", "cells"),
        Column("status", pa.string(), _ARM_STATUS),
    ),
)

_SIMILARITY = "similarity to the reference, 0 to 100; null where there is none to compare"
TABLE12 = Schema(
    "table12",
    "a representation of the clips against the reference, by tester (cross-task paper, Table 12)",
    ("tester", "representation"),
    (
        _TESTER,
        _KIND,
        Column("representation", pa.string(), "how the clips are shown"),
        Column("family", pa.string(), "video, sequence, grid_320x240 or grid_native"),
        Column("intent_sim", pa.float64(), f"Intentionality: {_SIMILARITY}", "percent", True),
        Column("approp_sim", pa.float64(), f"Appropriateness: {_SIMILARITY}", "percent", True),
        Column("total_sim", pa.float64(), "mean of the two", "percent", True),
        Column(
            "prompt_tokens",
            pa.float64(),
            "mean of a request's prompt tokens over the replies that reported them",
            "tokens",
            True,
        ),
        Column(
            "sim_per_1000_tokens", pa.float64(), "total_sim by prompt_tokens", "percent/1000", True
        ),
        Column("rank", pa.int64(), "by total_sim, from 1; equal ones share a rank", "", True),
        Column(
            "pareto",
            pa.bool_(),
            "none but the reference has both more similarity and fewer tokens",
            nullable=True,
        ),
        Column(
            "status",
            pa.string(),
            "ok, reference, reference_refused, reference_missing, missing or video_not_shown: why "
            "it is null",
        ),
        Column("judges", pa.string(), "who scored the descriptions, by their slugs"),
        Column(
            "own_judges",
            pa.string(),
            "of these, the tester itself and those of its model family; empty without one",
        ),
        Column("trials", pa.int64(), "K: trials of a clip", "trials"),
        Column("n_clips", pa.int64(), "clips compared", "clips"),
        Column("n_missing", pa.int64(), "clips planned that lack a judge's score", "clips"),
        Column("n_scores", pa.int64(), "verdicts planned: trials x repetitions x judges x clips"),
        Column("n_scored", pa.int64(), "of these, read"),
        Column("n_replies", pa.int64(), "usable replies", "replies"),
        Column("n_usage", pa.int64(), "of these, with their prompt tokens reported", "replies"),
        Column("n_video", pa.int64(), "of these, with video tokens reported", "replies"),
    ),
)

PUBLISHED = Schema(
    "published",
    "a value that the cross-task paper prints, with ours; or ours of a tester that it has not",
    ("file", "row", "measure"),
    (
        Column("table", pa.string(), "number of the printed table, or text"),
        Column("file", pa.string(), "file of resources/published, without its ending"),
        Column("row", pa.string(), "what names the printed row"),
        Column("tester", pa.string(), "the tester, where the row is one's", nullable=True),
        Column("measure", pa.string(), "column of the file"),
        Column("printed", pa.string(), "as it is printed", nullable=True),
        Column("ours", pa.string(), "ours, with as many decimals, half up", nullable=True),
        Column("value", pa.float64(), "ours, unrounded, in the printed unit", "", True),
        Column("difference", pa.float64(), "that value minus the printed one", "", True),
        Column(
            "status",
            pa.string(),
            "same, differs, contradicts (the printed value contradicts the rest of the paper), "
            "not_run or not_published",
        ),
        Column(
            "reason", pa.string(), "claim of docs/published.md, or why ours is null", nullable=True
        ),
        Column("source", pa.string(), "where it is printed", nullable=True),
    ),
)

BENCHMARKS = Schema(
    "benchmarks",
    "a benchmark beside this project (cross-task paper, Table 1)",
    ("benchmark",),
    (
        Column("benchmark", pa.string(), "its name"),
        Column("sub_capacity", pa.string(), "what of theory of mind it measures"),
        Column("stimulus", pa.string(), "what is shown"),
        Column("confounds_reduced", pa.string(), "whether social cues are reduced, and which"),
        Column("paired", pa.string(), "whether tasks are paired over one panel"),
        Column("citation", pa.string(), "where it is published"),
        Column("source", pa.string(), "who says so"),
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
        _KIND,
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
        _TESTER,
        _KIND,
        Column("experiment", pa.string(), _EXPERIMENTS),
        _ARM,
        Column("window", pa.int64(), "stretch of time in which it was planned to be asked, from 1"),
        Column("hour", UTC, "start of the hour", "UTC"),
        Column("n", pa.int64(), "calls that began in it", "calls"),
        Column("first", UTC, "start of the first of them", "UTC"),
        Column("last", UTC, "start of the last of them", "UTC"),
        Column("median_s", pa.float64(), "median duration of the answered attempt", "s"),
    ),
)

_RATED_ITEM = Column("item_id", pa.string(), "a description's opaque id on the sheet of raters")

RATING_KEY = Schema(
    "rating_key",
    "a description on the sheet that people rate, and whose it is; raters never see it",
    ("item_id",),
    (
        Column("sheet", pa.string(), "the sheet, by the digest of all that it shows"),
        Column("place", pa.int64(), "place on the sheet, from 1"),
        _RATED_ITEM,
        _BLIND,
        _TESTER,
        _KIND,
        _ARM,
        _CLIP,
        _CONDITION,
        _TRIAL,
    ),
)

RATINGS = Schema(
    "ratings",
    "one person's rating of one description",
    ("rater", "item_id"),
    (
        Column("rater", pa.string(), "the rater, by the code typed on the sheet"),
        _RATED_ITEM,
        Column("cannot", pa.bool_(), "marked as one that cannot be rated"),
        Column("intent", pa.int64(), "Intentionality, 0 to 5; null if cannot", "level", True),
        Column("approp", pa.int64(), "Appropriateness, 0 to 3; null if cannot", "level", True),
    ),
)

_RATING_STATUS = "ok, no_pairs (nothing rated by both)"
_RATING_FEW = f"{_RATING_STATUS}, too_few (a single description), constant (all scores equal: 0/0)"
_CLIPS_DRAWN = "95 % percentile interval over resamples of clips; null below two clips a condition"

RATING_AGREEMENT = Schema(
    "rating_agreement",
    "how far a judge agrees with people on the same descriptions, or people with each other",
    ("score", "condition", "judge"),
    (
        Column("score", pa.string(), "intent or approp"),
        Column("condition", pa.string(), "what the clips are: all, ToM, GD or Random"),
        Column("judge", pa.string(), "the judge by its slug; people: raters with each other"),
        Column("kind", pa.string(), "of the judge: model or observer; people"),
        Column("n_raters", pa.int64(), "people whose files came back", "people"),
        Column("n_rated", pa.int64(), "descriptions on the sheet", "descriptions"),
        Column("n_units", pa.int64(), "of these, with a pair of scores", "descriptions"),
        Column("n_pairs", pa.int64(), "pairs of scores on one description", "pairs"),
        Column("n_cannot", pa.int64(), "ratings that say that it cannot be rated", "ratings"),
        Column(
            "n_no_verdict",
            pa.int64(),
            "descriptions without the judge's score; null for people",
            "descriptions",
            True,
        ),
        Column("exact", pa.float64(), "pairs of scores that are equal", "share", True),
        Column("within_one", pa.float64(), "pairs at most one level apart", "share", True),
        Column("status", pa.string(), f"of both shares: {_RATING_STATUS}"),
        Column("difference", pa.float64(), "mean of judge minus mean of raters", "level", True),
        Column("difference_low", pa.float64(), f"lower end; {_CLIPS_DRAWN}", "level", True),
        Column("difference_high", pa.float64(), "upper end", "level", True),
        Column(
            "difference_status",
            pa.string(),
            f"{_RATING_STATUS}, no_direction (raters among themselves)",
        ),
        Column(
            "kappa",
            pa.float64(),
            "quadratically weighted kappa, mean over raters (or pairs of raters)",
            "",
            True,
        ),
        Column("kappa_low", pa.float64(), f"lower end; {_CLIPS_DRAWN}", "", True),
        Column("kappa_high", pa.float64(), "upper end", "", True),
        Column("kappa_resamples", pa.int64(), "resamples in which kappa is defined", "resamples"),
        Column("kappa_status", pa.string(), _RATING_FEW),
        Column(
            "alpha",
            pa.float64(),
            "Krippendorff's alpha, ordinal: mean over raters; for people of all raters together",
            "",
            True,
        ),
        Column("alpha_status", pa.string(), _RATING_FEW),
        Column(
            "spearman",
            pa.float64(),
            "Spearman's rank correlation, mean over raters (or pairs of raters)",
            "",
            True,
        ),
        Column(
            "spearman_status",
            pa.string(),
            f"{_RATING_STATUS}, too_few (below three), constant (all of one side equal)",
        ),
    ),
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
        _TESTER,
        _KIND,
        _SET,
        _BATCH,
        _CONDITION_OF,
        Column("stimulus", pa.string(), "scene set and scene"),
        _ITEM,
        _TRIAL,
        Column(
            "parse", pa.string(), "parsed or unparsed, of the choice; null if missing", "", True
        ),
        Column("visible", INTEGERS, "digits reported as seen; null where none", nullable=True),
        Column("choice", pa.int64(), f"digit chosen; {_OF_CHOICE}", nullable=True),
        Column(
            "hidden_chosen", pa.bool_(), f"the hidden block was chosen; {_OF_CHOICE}", nullable=True
        ),
        Column(
            "director_view_chosen",
            pa.bool_(),
            f"the largest block that the director sees was chosen; {_OF_CHOICE}",
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
        _KIND,
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
        _KIND,
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
        _TESTER,
        _KIND,
        _SET,
        _BATCH,
        _CONDITION_OF,
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

MANIFEST = Schema(
    "manifest",
    "a file of the results, with its digest",
    ("path",),
    (
        Column("path", pa.string(), "path below the results folder"),
        Column("stage", pa.string(), "first folder of the path"),
        Column("sha256", pa.string(), "SHA-256 of the file"),
        Column("size", pa.int64(), "file size", "bytes"),
        Column("rows", pa.int64(), "rows of a Parquet file", "rows", True),
        Column("schema", pa.string(), "declared schema of a Parquet file", nullable=True),
        Column("schema_version", pa.string(), "version of that schema", nullable=True),
        Column("written_by", pa.string(), "library that wrote a Parquet file", nullable=True),
    ),
)

SCHEMAS: tuple[Schema, ...] = (
    PICTURES,
    FILMS,
    ITEMS,
    REPLIES,
    DIRECTOR_KEYS,
    DIRECTOR_OUTCOMES,
    REPORT_ACTION_KEYS,
    REPORT_ACTION_OUTCOMES,
    REPORT_ACTION_CELLS,
    REPORT_ACTION_CHOICES,
    REPORT_ACTION_RATES,
    REPORT_ACTION_ESTIMATES,
    REPORT_ACTION_BATCHES,
    REPORT_ACTION_SCENES,
    REPORT_ACTION_PROMPTS,
    DIRECTOR_CELLS,
    TABLE2,
    ARM_COUNTS,
    DIRECTOR_CONTRASTS,
    FRAMES,
    KINEMATICS,
    TRIANGLES_KEYS,
    DESCRIPTIONS,
    BLIND,
    VERDICTS,
    EXEMPLAR_VERDICTS,
    REPRESENTATION_VERDICTS,
    TRIANGLES_CELLS,
    REPRESENTATION_CELLS,
    PROFILES,
    TABLE5,
    TABLE7,
    TABLE8,
    TABLE11,
    TABLE6,
    TABLE9,
    TABLE10,
    TABLE12,
    TABLE13,
    JUDGE_BATTERY,
    JUDGE_FAMILY,
    JUDGE_LEFT_OUT,
    JUDGE_AGREEMENT,
    RATING_KEY,
    RATINGS,
    RATING_AGREEMENT,
    TRACE_KEY,
    BLIND_TRACES,
    TRACE_CODES,
    TRACE_SHEET,
    HUMAN_CODES,
    REPORT_ACTION_CODER_GATE,
    REPORT_ACTION_CODING,
    REPORT_ACTION_TRACES,
    PANEL,
    ANCHORS_WIDE,
    SENSITIVITY,
    INTERVALS,
    JOINT_CARDS,
    LENGTH,
    COSTS,
    TIMING,
    PUBLISHED,
    BENCHMARKS,
    MANIFEST,
    *MOSAIC_SCHEMAS,
    *MOSAIC_PRODUCT_SCHEMAS,
)


def verdicts_of(topic: str) -> Schema:
    """What a table of verdicts on a topic holds: several on a description, or one."""
    several = {"exemplars": EXEMPLAR_VERDICTS, "representations": REPRESENTATION_VERDICTS}
    return several.get(topic, VERDICTS)


def codebook_rows() -> list[dict[str, str]]:
    """One row per declared column, in the order of declaration: the codebook."""
    return [
        {
            "table": schema.name,
            "row_is": schema.grain,
            "column": column.name,
            "type": str(column.type),
            "unit": column.unit,
            "key": "yes" if column.name in schema.key else "",
            "nullable": "yes" if column.nullable else "",
            "meaning": column.meaning,
        }
        for schema in SCHEMAS
        for column in schema.columns
    ]
