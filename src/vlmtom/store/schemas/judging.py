"""Judges and raters: what they are given, what they say, and how they agree."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas.common import (
    ARM_COLUMN,
    CLIP_COLUMN,
    CONDITION_COLUMN,
    DISTANCE_COLUMNS,
    JUDGE_COLUMN,
    KIND_COLUMN,
    OVERLAY_COLUMN,
    STRINGS,
    TESTER_COLUMN,
    TRIAL_COLUMN,
)

_BLIND = Column("blind_id", pa.string(), "a description's opaque id; says nothing of its tester")

BLIND = Schema(
    "blind",
    "a description as a judge may see it",
    ("blind_id",),
    (
        _BLIND,
        ARM_COLUMN,
        CLIP_COLUMN,
        CONDITION_COLUMN,
        Column("script", pa.string(), "what the clip shows, in a sentence"),
        Column("description", pa.string(), "the tester's words, reasoning cut off, else unedited"),
        Column("self_identifies", pa.bool_(), "names a model or a vendor"),
        Column("n_words", pa.int64(), "length of the description", "words"),
        Column("language", pa.string(), "en, or other"),
    ),
)

_VERDICT_COLUMNS = (
    _BLIND,
    JUDGE_COLUMN,
    KIND_COLUMN,
    OVERLAY_COLUMN,
    ARM_COLUMN,
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
        JUDGE_COLUMN,
        KIND_COLUMN,
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
        ARM_COLUMN,
        CONDITION_COLUMN,
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
        *DISTANCE_COLUMNS,
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
        ARM_COLUMN,
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
        TESTER_COLUMN,
        KIND_COLUMN,
        ARM_COLUMN,
        CLIP_COLUMN,
        CONDITION_COLUMN,
        TRIAL_COLUMN,
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
