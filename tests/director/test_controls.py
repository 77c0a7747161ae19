"""Counts by arm, the floor's criterion, contrasts over paired scenes, and their tables."""

import pytest

from tests.director.test_cells import outcome
from vlmtom.director import cells
from vlmtom.director.controls import TABLE3_ARMS, TABLE4_ARMS, arm_counts, contrasts
from vlmtom.director.scoring import outcomes as score
from vlmtom.director.scoring import score_reply
from vlmtom.publish.director_arms import contrasts_tex, director_arms_tex
from vlmtom.publish.director_text import Design
from vlmtom.publish.table3 import table3_tex
from vlmtom.publish.table4 import table4_tex
from vlmtom.store import schemas


def moves(arm, correct, *, measure="b", tester="t1", ego=None):
    """One trial a scene. correct: by scene; None is a reply that is missing."""
    return [
        outcome(f"Q{number:02d}", measure, 1, value, ego=ego and not value, tester=tester)
        | {"arm": arm}
        for number, value in enumerate(correct)
    ]


@pytest.mark.parametrize(
    ("correct", "passes"),
    [
        ([True] * 11 + [False], True),
        ([True] * 10 + [False] * 2, False),
        ([True] * 11 + [None], True),  # 11 of the 11 that came
        ([True] * 10 + [False, None], False),  # 10 of 11
        ([None] * 12, None),
    ],
)
@pytest.mark.parametrize("arm", ["no_occluder", "same_side"])
def test_the_floor_is_eleven_of_twelve(arm, correct, passes):
    (row,) = arm_counts(cells.cells(moves(arm, correct)), TABLE3_ARMS)
    assert row["floor_pass"] is passes


def test_the_floor_is_a_matter_of_the_two_arms_alone():
    (row,) = arm_counts(cells.cells(moves("canonical", [True] * 12)), TABLE3_ARMS)
    assert row["floor_pass"] is None
    assert set(row) == set(schemas.ARM_COUNTS.names)


KEY = {
    "item_id": "i",
    "sub_prompt": "b",
    "labels": ["A", "B", "C"],
    "colors": ["yellow", "red", "blue"],
    "visible": ["A", "B"],
    "target": "B",
    "hidden": "C",
}


@pytest.mark.parametrize(
    ("text", "letter", "strict"),
    [
        ("Answer: C (blue)", True, True),
        ("Answer: C (cyan)", True, False),
        ("Answer: C", True, False),
        ("Answer: blue", True, True),
        ("Answer: B (red)", False, False),
        ("no idea", False, False),
    ],
)
def test_egocentric_at_both_levels(text, letter, strict):
    reply = {
        "tester": "t",
        "kind": "model",
        "arm": "canonical",
        "stimulus": "Q01",
        "item_id": "i",
        "trial": 1,
        "status": "ok",
        "text": text,
    }
    (row,) = score([reply], [KEY])
    assert (row["egocentric"], row["egocentric_strict"]) == (letter, strict)
    assert set(row) == set(schemas.DIRECTOR_OUTCOMES.names)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Q2: B (red)", "B"),
        ("B (red)", "B"),
        ("Answer: B (red)", "B"),
        ("Q1: A (yellow), B (red)\nQ2: C (blue)", "C"),
        ("**Q2:** C", "C"),
        ("Q2:", None),
        ("Q2: A or B", None),
    ],
)
def test_the_second_question_alone_may_be_answered_with_or_without_its_label(text, letter):
    parse = score_reply(text, KEY | {"sub_prompt": "cQ2"})["cQ2"]
    assert (parse.value["letter"] if parse.status == "parsed" else None) == letter


def test_contrasts_pair_scenes_and_leave_out_what_is_missing_on_either_side():
    rows = moves("canonical", [True, True, False, None, False], measure="cQ2")
    rows += moves("unasked", [False, True, True, True, None], measure="cQ2")
    (row,) = contrasts(cells.cells(rows), ["canonical", "unasked"])
    assert set(row) == set(schemas.DIRECTOR_CONTRASTS.names)
    assert row["contrast"] == "asking first"
    assert (row["gained"], row["lost"], row["n"], row["n_planned"]) == (1, 1, 3, 5)
    assert (row["difference"], row["status"]) == (0.0, "ok")


def test_a_contrast_without_one_scene_on_both_sides_is_null():
    rows = moves("canonical", [True, None], measure="cQ2")
    rows += moves("unasked", [None, True], measure="cQ2")
    (row,) = contrasts(cells.cells(rows), ["canonical", "unasked"])
    assert (row["difference"], row["n"], row["status"]) == (None, 0, "no_cells")


def test_a_tester_that_an_arm_does_not_ask_has_no_row_of_it():
    rows = moves("canonical", [True]) + moves("canonical", [False], tester="t2")
    rows += moves("no_occluder", [True])
    table = arm_counts(cells.cells(rows), TABLE3_ARMS)
    assert [(row["tester"], row["arm"]) for row in table] == [
        ("t1", "canonical"),
        ("t1", "no_occluder"),
        ("t2", "canonical"),
    ]
    tex = table3_tex(table, Design("p", {"canonical": 1, "no_occluder": 1}))
    assert "Not asked: t2 in no occluder." in tex
    assert "Not run: same side." in tex
    assert "t2 & 0 & -- & -- & -- & --" in tex


def test_tables_print_the_level_that_they_are_of():
    rows = moves("canonical", [False] * 12, ego=True) + moves("four_block", [True] * 12)
    for row in rows[:2]:  # two scenes in which blue was called cyan
        row["egocentric_strict"] = False
    table = arm_counts(cells.cells(rows), TABLE4_ARMS)
    design = Design("p", {"canonical": 3, "four_block": 1})
    assert "t1 & 0 & 10 & 12 & 0 & -- & -- & -- & --" in table4_tex(table, design)
    assert "K = 3 (canonical), K = 1 (four blocks)" in table4_tex(table, design)
    arms = director_arms_tex(table, design)
    assert r"t1 & canonical & -- & 0 & -- & -- & 12 & --" in arms
    assert contrasts_tex([], design).count(r"\midrule") == 1
