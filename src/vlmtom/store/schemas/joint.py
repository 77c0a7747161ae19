"""Both tasks of the cross-task paper together, and every experiment of a tester."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import DISTANCE_COLUMNS, KIND_COLUMN, SCORE_COLUMNS, TESTER_COLUMN

_STABILITY = "share of bootstrap resamples that keep the label"

TABLE8 = Schema(
    "table8",
    "a tester's nearest adult references on both tasks (cross-task paper, Table 8)",
    ("tester",),
    (
        TESTER_COLUMN,
        KIND_COLUMN,
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
        *DISTANCE_COLUMNS,
        Column("disagree", pa.bool_(), "the two labels differ", nullable=True),
        Column("n_a", pa.int64(), "scenes with a usable trial of a", "scenes"),
        Column("n_b", pa.int64(), "scenes with a usable trial of b", "scenes"),
        Column("n_scenes", pa.int64(), "scenes planned", "scenes"),
        Column("n_cells", pa.int64(), "ToM clip x judge cells with a score", "cells"),
        Column("n_planned", pa.int64(), "ToM clip x judge cells planned", "cells"),
        *SCORE_COLUMNS,
        Column(
            "status",
            pa.string(),
            "ok, no_gap, no_profile or no_gap_no_profile: why a number is null",
        ),
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
        TESTER_COLUMN,
        KIND_COLUMN,
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
        TESTER_COLUMN,
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
