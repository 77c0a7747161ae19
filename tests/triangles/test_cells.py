"""Verdicts to rounded cells to profiles; what is missing stays missing."""

from fractions import Fraction

import pytest

from vlmtom.errors import BadData, MissingReplies
from vlmtom.store import schemas
from vlmtom.triangles import cells as triangles

JUDGES = ["j1", "j2", "j3"]
PLAN = {"blinded": ["numbered"]}


def description(trial, *, clip="c1", condition="ToM", tester="t1", arm="numbered", blind=True):
    return {
        "tester": tester,
        "kind": "model",
        "arm": arm,
        "clip": clip,
        "condition": condition,
        "trial": trial,
        "blind_id": f"{tester}-{arm}-{clip}-{trial}" if blind else None,
        "parse": "parsed" if blind else None,
    }


def verdict(of, intent, approp=1, judge="j1", parse="parsed", overlay="blinded"):
    return {
        "blind_id": of["blind_id"],
        "judge": judge,
        "overlay": overlay,
        "arm": of["arm"],
        "parse": parse,
        "intent": intent,
        "approp": approp,
    }


def cell(intent, approp=1, *, clip="c1", judge="j1", condition="ToM", tester="t1"):
    return {
        "tester": tester,
        "kind": "model",
        "arm": "numbered",
        "overlay": "blinded",
        "clip": clip,
        "condition": condition,
        "judge": judge,
        "intent": intent,
        "approp": None if intent is None else approp,
        "n_trials": 1,
        "n_scored": int(intent is not None),
        "n_missing": int(intent is None),
        "n_unparsed": 0,
    }


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([2, 3], 3),  # 2.5: Python's round gives 2
        ([4, 5], 5),  # 4.5: Python's round gives 4
        ([2, 2, 3], 2),
        ([2, 3, 3], 3),
        ([0, 0, 1], 0),
        ([5], 5),
        ([], None),
    ],
)
def test_a_cell_is_the_mean_over_trials_rounded_half_up(levels, expected):
    assert triangles.mean_level(levels) == expected


def test_cells_have_the_planned_judges_and_count_what_is_missing():
    trials = [description(1), description(2), description(3, blind=False)]
    verdicts = [
        verdict(trials[0], 2),
        verdict(trials[1], 3),
        verdict(trials[0], 4, judge="j2"),
        verdict(trials[1], None, None, judge="j2", parse="unparsed"),
        verdict(trials[0], None, None, judge="j3", parse=None),  # an error of a server
    ]
    rows = triangles.cells(trials, verdicts, JUDGES, PLAN)
    found = {
        row["judge"]: tuple(
            row[n] for n in ("intent", "n_trials", "n_scored", "n_missing", "n_unparsed")
        )
        for row in rows
    }
    # j1: (2 + 3) / 2 = 2.5 -> 3, the third trial has no description
    assert found == {"j1": (3, 3, 2, 1, 0), "j2": (4, 3, 1, 1, 1), "j3": (None, 3, 0, 3, 0)}
    schemas.TRIANGLES_CELLS.table(rows)


def test_a_refused_description_is_unparsed_and_its_count_reaches_the_profile():
    trials = [description(1), description(2, blind=False) | {"parse": "unparsed"}]
    rows = triangles.cells(trials, [verdict(trials[0], 4)], ["j1"], PLAN)
    assert (rows[0]["n_scored"], rows[0]["n_missing"], rows[0]["n_unparsed"]) == (1, 0, 1)
    profile = next(p for p in triangles.profile_rows(rows) if p["condition"] == "ToM")
    assert (profile["n_scores"], profile["n_missing"], profile["n_unparsed"]) == (2, 0, 1)
    assert (profile["n_cells"], profile["n_planned"]) == (1, 1)


def test_a_cell_without_a_score_stops_the_tables_unless_gaps_are_allowed():
    rows = [cell(3), cell(None, clip="c2")]
    with pytest.raises(MissingReplies, match=r"1 of 2 cells .*: t1 numbered c2 by j1 \(blinded\)"):
        triangles.check_complete(rows, allow_missing=False)
    triangles.check_complete(rows, allow_missing=True)


def test_overlays_and_arms_are_cells_of_their_own():
    shown = [description(1), description(1, arm="plain")]
    verdicts = [
        verdict(shown[0], 1),
        verdict(shown[0], 5, overlay="informed"),
        verdict(shown[1], 3),
    ]
    plan = {"blinded": ["numbered", "plain"], "informed": ["numbered"]}
    rows = triangles.cells(shown, verdicts, ["j1"], plan)
    assert [(r["overlay"], r["arm"], r["intent"]) for r in rows] == [
        ("blinded", "numbered", 1),
        ("blinded", "plain", 3),
        ("informed", "numbered", 5),
    ]


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({}, "twice"),
        ({"judge": "j9"}, "not planned; expected j1, j2, j3"),
        ({"blind_id": "b9"}, "belongs to no description"),
    ],
)
def test_a_verdict_that_fits_nowhere_is_refused(extra, words):
    one = description(1)
    with pytest.raises(BadData, match=words):
        triangles.cells([one], [verdict(one, 1), verdict(one, 2) | extra], JUDGES, PLAN)


def test_the_mean_of_judges_and_the_median_of_judges_differ():
    # clip c1: 1, 1, 4; clip c2: 3, 3, 3
    rows = [cell(v, judge=j) for v, j in zip((1, 1, 4), JUDGES, strict=True)]
    rows += [cell(3, judge=j, clip="c2") for j in JUDGES]
    mean = triangles.profiles(rows)[0]
    assert mean.intent == Fraction(1 + 1 + 4 + 9, 6)
    assert mean.median_intent == 3
    median = triangles.profiles(rows, "median_of_judges")[0]
    assert median.intent == Fraction(1 + 3, 2)
    with pytest.raises(ValueError, match="mean_of_judges"):
        triangles.profiles(rows, "mode")


def test_a_profile_is_over_the_cells_present_and_says_how_many():
    rows = [cell(2), cell(None, judge="j2"), cell(5, approp=2, judge="j3")]
    tom, gd, _ = triangles.profiles(rows)
    assert (tom.intent, tom.approp, tom.n_cells, tom.n_planned) == (
        Fraction(7, 2),
        Fraction(3, 2),
        2,
        3,
    )
    assert (gd.intent, gd.approp, gd.median_intent, gd.n_cells) == (None, None, None, 0)
    # two judges left in a clip: their median is the mean of both
    assert triangles.profiles(rows, "median_of_judges")[0].intent == Fraction(7, 2)
    stored = triangles.profile_rows(rows)
    assert stored[0]["intent"] == 3.5
    assert stored[1]["intent"] is None
    schemas.PROFILES.table(stored)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [([3, 1, 2], 2), ([1, 2, 2, 3], 2), ([1, 2], Fraction(3, 2)), ([], None)],
)
def test_a_median_of_an_even_number_is_the_mean_of_the_middle_two(levels, expected):
    assert triangles.median(levels) == expected


def test_over_attribution_is_high_intent_that_the_random_clip_does_not_bear_out():
    rows = [
        cell(3, 1, condition="Random"),
        cell(5, 0, condition="Random", judge="j2"),
        cell(4, 2, condition="Random", judge="j3"),  # borne out in part
        cell(2, 0, condition="Random", clip="c2"),  # not high
        cell(None, condition="Random", clip="c3"),
        cell(5, 0, condition="ToM"),
    ]
    assert triangles.over_attributed(rows) == 2
