"""The animated triangles: clips, descriptions, cells, and their tables."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import (
    ARM_COLUMN,
    CLIP_COLUMN,
    CONDITION_COLUMN,
    DISTANCE_COLUMNS,
    ITEM_COLUMN,
    JUDGE_COLUMN,
    KIND_COLUMN,
    OVERLAY_COLUMN,
    SCORE_COLUMNS,
    STIMULUS_COLUMN,
    TESTER_COLUMN,
    TRIAL_COLUMN,
)

_SOURCE = Column("stimulus_source", pa.string(), "synthetic, or the name given to original clips")

FRAMES = Schema(
    "frames",
    "a sampled frame of a clip",
    ("clip", "frame"),
    (
        CLIP_COLUMN,
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
        CLIP_COLUMN,
        CONDITION_COLUMN,
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
        ITEM_COLUMN,
        ARM_COLUMN,
        STIMULUS_COLUMN,
        CONDITION_COLUMN,
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

DESCRIPTIONS = Schema(
    "descriptions",
    "an animated-triangles reply as a description, with its blind id (rater side)",
    ("item_id", "trial"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
        CLIP_COLUMN,
        CONDITION_COLUMN,
        ITEM_COLUMN,
        TRIAL_COLUMN,
        Column("status", pa.string(), "status of the reply; described only if ok"),
        Column("parse", pa.string(), "parsed or unparsed; null if missing", nullable=True),
        Column("reason", pa.string(), "why there is no description", nullable=True),
        Column("blind_id", pa.string(), "opaque id under which it is judged", nullable=True),
        Column("self_identifies", pa.bool_(), "names a model or a vendor", nullable=True),
        Column("n_words", pa.int64(), "length of the description", "words", True),
        Column("language", pa.string(), "en, or other", nullable=True),
    ),
)

TRIANGLES_CELLS = Schema(
    "triangles_cells",
    "a judge's scores of a tester's descriptions of one clip, over trials",
    ("tester", "arm", "clip", "judge", "overlay"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
        CLIP_COLUMN,
        CONDITION_COLUMN,
        JUDGE_COLUMN,
        OVERLAY_COLUMN,
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
        TESTER_COLUMN,
        KIND_COLUMN,
        Column("representation", pa.string(), "how the clip is shown"),
        Column("family", pa.string(), "video, sequence, grid_320x240 or grid_native"),
        CLIP_COLUMN,
        CONDITION_COLUMN,
        JUDGE_COLUMN,
        Column("intent_sum", pa.int64(), _SUM, "level"),
        Column("approp_sum", pa.int64(), _SUM, "level"),
        Column("n_trials", pa.int64(), "trials planned"),
        Column("n_scores", pa.int64(), "verdicts planned: trials x repetitions"),
        Column("n_scored", pa.int64(), "of these, read"),
        Column("n_missing", pa.int64(), "of these, without a usable reply or verdict"),
        Column("n_unparsed", pa.int64(), "of these, no description or no readable verdict"),
    ),
)

PROFILES = Schema(
    "profiles",
    "a tester's profile in one condition, over its clip x judge cells",
    ("tester", "arm", "overlay", "condition"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
        OVERLAY_COLUMN,
        CONDITION_COLUMN,
        Column("intent", pa.float64(), "mean Intentionality, 0 to 5", "level", True),
        Column("approp", pa.float64(), "mean Appropriateness, 0 to 3", "level", True),
        Column("median_intent", pa.float64(), "median Intentionality over cells", "level", True),
        Column("n_cells", pa.int64(), "cells with a score"),
        Column("n_planned", pa.int64(), "cells planned"),
        *SCORE_COLUMNS,
    ),
)

_INTENT = Column("intent", pa.float64(), "mean Intentionality, 0 to 5", "level", True)

_APPROP = Column("approp", pa.float64(), "mean Appropriateness, 0 to 3", "level", True)

_PROFILE_COLUMNS = (
    _INTENT,
    _APPROP,
    *DISTANCE_COLUMNS,
    Column("nearest", pa.string(), "adult reference group at the smaller distance", nullable=True),
    Column("margin", pa.float64(), "second distance minus first", "level", True),
    Column("tie", pa.bool_(), "both distances are equal (the first group in order is named)"),
    Column("n_cells", pa.int64(), "clip x judge cells with a score", "cells"),
    Column("n_planned", pa.int64(), "clip x judge cells planned", "cells"),
    *SCORE_COLUMNS,
    Column("status", pa.string(), "ok, or no_cells: why a number is null"),
)

TABLE5 = Schema(
    "table5",
    "a tester's profile in one condition and its distances (cross-task paper, Table 5)",
    ("tester", "condition"),
    (TESTER_COLUMN, KIND_COLUMN, CONDITION_COLUMN, *_PROFILE_COLUMNS),
)

TABLE7 = Schema(
    "table7",
    "a tester's ToM profile and its distances (cross-task paper, Table 7)",
    ("tester",),
    (TESTER_COLUMN, KIND_COLUMN, *_PROFILE_COLUMNS),
)

TABLE11 = Schema(
    "table11",
    "a tester's median Intentionality by condition in one arm (cross-task paper, Table 11)",
    ("tester", "arm"),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
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
        *SCORE_COLUMNS,
        Column("status", pa.string(), "ok, or no_cells: why a number is null"),
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
        CONDITION_COLUMN,
        ARM_COLUMN,
        OVERLAY_COLUMN,
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
        ARM_COLUMN,
        OVERLAY_COLUMN,
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
        *SCORE_COLUMNS,
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
        TESTER_COLUMN,
        KIND_COLUMN,
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
