"""The tables that are made of the treasure game's trials: signals, tests, frames, ablations."""

import pyarrow as pa

from vlmtom.store.schema import Column, Schema

_PLAYERS = (
    Column("subject", pa.string(), "the agent that knows where the reward is, by its slug"),
    Column("participant", pa.string(), "the agent that chooses a box, by its slug"),
    Column("arm", pa.string(), "what a tester is shown: standard, blank, face or none"),
    Column(
        "kind",
        pa.string(),
        "model; mixed where an agent follows a stated policy beside a model, or with a model's "
        "words; observer where no agent of the pair is a model",
    ),
)
_CONDITION = Column("condition", pa.string(), "mode x ToM order, by its slug")
_PAIR = (*_PLAYERS, _CONDITION)
_KEY = ("subject", "participant", "arm", "condition")
_N = Column("n", pa.int64(), "trials that were played", "trials")
_MISSING = Column("n_missing", pa.int64(), "trials that are missing, in no share", "trials")
_P = Column("p", pa.float64(), "its p; null without a test", nullable=True)
_P_ADJ = Column("p_adj", pa.float64(), "p by Bonferroni within the family, at most 1", "", True)
_FAMILY = Column(
    "family",
    pa.string(),
    "model: pairs in which a model plays or speaks; observer: the others, which share draws",
)
_FAMILY_SIZE = Column("family_size", pa.int64(), "tests of the family that are defined", "tests")
_STATUS = Column(
    "status",
    pa.string(),
    "ok, or why there is no number: no_trials, no_choice, constant, one_reward, one_choice, "
    "no_condition, one_pair, excluded (more than half of the answers of a member unreadable)",
)
_UNREAD = Column(
    "unread",
    pa.string(),
    "of an excluded pair, whose answers could not be read: role, agent, counts; null of others",
    nullable=True,
)
_METRIC = Column(
    "metric", pa.string(), "tocs, ur, tas, gas, fes, s_traj, s_gaze or s_eq12 (docs/mosaic.md)"
)
_H = Column("h", pa.float64(), "the statistic, corrected for ties", nullable=True)


def _number(name: str, meaning: str) -> Column:
    return Column(name, pa.float64(), f"{meaning}; null where it is undefined", nullable=True)


_TOCS = _number("tocs", "share of trials with the predicted score (Eq. 2)")
_TOCS_CHOICE = _number("tocs_choice", "that share among trials in which a box opened")
_UR = _number("ur", "share of trials in which neither box opened (Eq. 3)")

MOSAIC_TABLE2 = Schema(
    "mosaic_table2",
    "how often a draw put the reward into the light box in a condition, and the mean over pairs",
    ("condition", "draw"),
    (
        _CONDITION,
        Column(
            "draw",
            pa.int64(),
            "number of the draw in its condition: pairs with the same trials share one; 0: the "
            "mean over pairs",
        ),
        Column("pairs", pa.string(), "folders of the pairs that faced it, by spaces; or all"),
        Column("n_pairs", pa.int64(), "how many they are", "pairs"),
        Column("k", pa.float64(), "trials with the reward in the light box; or mean over pairs"),
        Column("n", pa.float64(), "trials, played or missing; or mean over pairs", "trials"),
        Column(
            "p",
            pa.float64(),
            "exact two-sided binomial of the draw against 1/2; or mean over pairs, which is no "
            "test",
        ),
    ),
)

MOSAIC_TABLE3 = Schema(
    "mosaic_table3",
    "the outcome of a pair in a condition, against chance",
    _KEY,
    (
        *_PAIR,
        _N,
        _MISSING,
        Column("conforming", pa.int64(), "trials with the predicted score", "trials"),
        _TOCS,
        _P,
        Column("n_choice", pa.int64(), "trials in which a box opened", "trials"),
        _TOCS_CHOICE,
        _UR,
        _number("pb_all", "positional bias over all trials (Eq. 4)"),
        _number("pb_choice", "positional bias over trials in which a box opened"),
        Column("pb_class", pa.string(), "low, medium or high, of pb_choice", nullable=True),
        _number("null_ur", "chance for a participant who opens as often: (1 - UR) / 2"),
        Column("p_ur", pa.float64(), "exact two-sided binomial against null_ur", nullable=True),
        *(
            Column(
                f"unreadable_{role}",
                pa.int64(),
                f"answers of a model for the {role} that could not be read, over all conditions",
                "answers",
            )
            for role in ("subject", "participant")
        ),
        *(
            Column(
                f"answers_{role}",
                pa.int64(),
                f"answers that were asked of a model for the {role}; 0 where none was asked",
                "answers",
            )
            for role in ("subject", "participant")
        ),
        _UNREAD,
        _STATUS,
    ),
)

MOSAIC_TABLE4 = Schema(
    "mosaic_table4",
    "box choice by place of the reward, for a pair in a condition",
    _KEY,
    (
        *_PAIR,
        *(
            Column(
                f"{reward}_{box}",
                pa.int64(),
                f"trials with the reward in the {reward} box in which the {box} one opened",
                "trials",
            )
            for reward in ("dark", "light")
            for box in ("dark", "light")
        ),
        Column("n_neutral", pa.int64(), "trials in which neither opened, left out", "trials"),
        _number("chi2", "chi-square on 1 df with Yates's correction"),
        _P,
        _STATUS,
    ),
)

MOSAIC_TABLE5 = Schema(
    "mosaic_table5",
    "a Scheirer-Ray-Hare test of a pair: a metric, a factor",
    ("subject", "participant", "arm", "metric", "factor"),
    (
        *_PLAYERS,
        _FAMILY,
        _METRIC,
        Column("factor", pa.string(), "mode, tom or mode x tom"),
        _N,
        _H,
        _P,
        _P_ADJ,
        _FAMILY_SIZE,
        _STATUS,
    ),
)

MOSAIC_TABLE6 = Schema(
    "mosaic_table6",
    "a Kruskal-Wallis test over the pairs of a family: a metric in a condition",
    ("family", "condition", "metric"),
    (
        _FAMILY,
        _CONDITION,
        _METRIC,
        Column("n_pairs", pa.int64(), "pairs with a played trial", "pairs"),
        _N,
        _H,
        _P,
        _P_ADJ,
        _FAMILY_SIZE,
        _STATUS,
    ),
)

MOSAIC_TABLE7 = Schema(
    "mosaic_table7",
    "the outcome of a pair that was played in several image arms, in one of them and a condition",
    _KEY,
    (
        *_PAIR,
        _N,
        _MISSING,
        _TOCS,
        _TOCS_CHOICE,
        _UR,
        _number("pb_choice", "positional bias over trials in which a box opened"),
        _STATUS,
        _UNREAD,
    ),
)

MOSAIC_SIGNALS = Schema(
    "mosaic_signals",
    "a metric of a pair in a condition, with its interval",
    (*_KEY, "metric"),
    (
        *_PAIR,
        _METRIC,
        _N,
        _MISSING,
        _number("value", "the mean over played trials"),
        _number("low", "lower end of the 95 % interval"),
        _number("high", "upper end"),
        Column(
            "method",
            pa.string(),
            "exact (Clopper and Pearson) or bootstrap (percentiles over resamples of trials)",
            nullable=True,
        ),
        _STATUS,
        _UNREAD,
    ),
)

_SAID = ("dark", "light", "none")
_DONE = ("dark", "light", "neither")
MOSAIC_FRAMES = Schema(
    "mosaic_frames",
    "what a role of a pair said it goes to, against where it went, in a condition",
    (*_KEY, "role"),
    (
        *_PAIR,
        Column("role", pa.string(), "subject or participant"),
        Column("n_rounds", pa.int64(), "its rounds in played trials, unreadable ones left out"),
        Column("n_unreadable", pa.int64(), "rounds whose reply could not be read", "rounds"),
        *(
            Column(
                f"said_{said}_went_{done}",
                pa.int64(),
                f"rounds with the {said} box stated and a step towards the {done} one"
                if said != "none" and done != "neither"
                else f"rounds with {said} stated and {done} stepped towards",
                "rounds",
            )
            for said in _SAID
            for done in _DONE
        ),
        Column("n_both", pa.int64(), "rounds with a stated box and a step to a side", "rounds"),
        Column("n_against", pa.int64(), "of these, with the step to the other side", "rounds"),
        _number("against", "their share"),
        Column(
            "n_uncued",
            pa.int64(),
            "trials with the participant's preference of round 1 in which the subject had shown "
            "nothing yet (no step, turn or face); null of a subject",
            "trials",
            True,
        ),
        *(
            Column(
                f"prefers_{box}",
                pa.int64(),
                f"of these, with {box} preferred, before any cue",
                "trials",
                True,
            )
            for box in _DONE
        ),
        Column(
            "n_first",
            pa.int64(),
            "trials with the participant's preference of round 1, which follows the subject's "
            "first action; null of a subject",
            "trials",
            True,
        ),
        *(
            Column(
                f"first_{box}",
                pa.int64(),
                f"of these, with {box} preferred, after the subject's first action",
                "trials",
                True,
            )
            for box in _DONE
        ),
    ),
)

MOSAIC_UNTESTED = Schema(
    "mosaic_untested",
    "a test that does not apply, and why",
    ("test", "pair", "condition", "metric"),
    (
        Column(
            "test",
            pa.string(),
            "binomial, binomial_ur, chi_square, scheirer_ray_hare or kruskal_wallis; all: those "
            "of an excluded pair",
        ),
        Column(
            "pair",
            pa.string(),
            "name of the pair's folder; model or observer: over the pairs of that family",
        ),
        Column("condition", pa.string(), "its slug; all: over the conditions"),
        Column("metric", pa.string(), "the metric; choice: of the chi-square test"),
        _STATUS,
        Column("why", pa.string(), "that, in words; of an excluded pair also whose answers"),
        Column("n_tests", pa.int64(), "tests that drop out with it", "tests"),
    ),
)

MOSAIC_ABLATIONS = Schema(
    "mosaic_ablations",
    "an ablation of the reference agent, or the agent itself, in a condition",
    _KEY,
    (
        *_PAIR,
        Column("reference", pa.bool_(), "this is the agent that the others are beside"),
        _N,
        _MISSING,
        _TOCS,
        _number("tocs_less", "its TOCS less that of the reference"),
        _number("tas", "mean alignment of the trajectory"),
        _number("gas", "mean alignment of the gaze"),
        _number("s_traj", "mean sensitivity to the trajectory"),
        _STATUS,
        _UNREAD,
    ),
)

MOSAIC_PUBLISHED = Schema(
    "mosaic_published",
    "a value that the game's paper prints of a model, with ours of the pair of that name",
    ("file", "row", "measure"),
    (
        Column("table", pa.string(), "where it is printed: number of a table or figure"),
        Column("file", pa.string(), "file of resources/published, without its ending"),
        Column("row", pa.string(), "what names the printed row"),
        Column("model", pa.string(), "the model as it is printed"),
        Column("pair", pa.string(), "our pair's folder; null where none matches", nullable=True),
        Column("measure", pa.string(), "the metric or column"),
        Column("printed", pa.string(), "as it is printed"),
        Column("ours", pa.string(), "ours, with as many decimals, half up", nullable=True),
        Column("value", pa.float64(), "ours, unrounded", nullable=True),
        Column("difference", pa.float64(), "that value less the printed one", nullable=True),
        Column("status", pa.string(), "same, differs or not_run"),
        Column("source", pa.string(), "where it is printed"),
    ),
)

SCHEMAS = (
    MOSAIC_TABLE2,
    MOSAIC_TABLE3,
    MOSAIC_TABLE4,
    MOSAIC_TABLE5,
    MOSAIC_TABLE6,
    MOSAIC_TABLE7,
    MOSAIC_SIGNALS,
    MOSAIC_FRAMES,
    MOSAIC_UNTESTED,
    MOSAIC_ABLATIONS,
    MOSAIC_PUBLISHED,
)
