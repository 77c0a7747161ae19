"""Degenerate inputs: every statistic has a value, or null with a word; never NaN, never infinite.

Inputs are those on which statistics packages raise, or go on with NaN: nothing at all, one of
everything, all alike, a side that is constant, missing cells and testers.
"""

import itertools
import math

import pytest

from tests.stats.test_joint import HIGH, READING, REFERENCES, director_cells, profile_cells
from tests.stats.test_length import told
from vlmtom.director import cells as director
from vlmtom.publish.anchors_wide import anchors_wide_tex
from vlmtom.publish.intervals import intervals_tex
from vlmtom.publish.length import length_tex
from vlmtom.publish.provenance import Source
from vlmtom.publish.sensitivity import sensitivity_tex
from vlmtom.publish.table8 import table8_tex
from vlmtom.stats import joint
from vlmtom.stats.association import spearman
from vlmtom.stats.exact import plain
from vlmtom.stats.intervals import intervals
from vlmtom.stats.length import length
from vlmtom.stats.profile_tables import table5, table7, table11
from vlmtom.stats.references import References
from vlmtom.stats.sensitivity import sensitivity
from vlmtom.store import schemas

SOURCE = Source("p", 3, "0" * 64, "original")
GONE = dict.fromkeys(("ToM", "GD", "Random"), (None, None))
NINE = [f"t{n}" for n in range(9)]


def panel(names, a, b, levels):
    return (
        [row for name in names for row in director_cells(name, a, b)],
        [row for name in names for row in profile_cells(name, levels)],
    )


INPUTS = {
    "nothing": ([], []),
    "the Director Task alone": (director_cells("t", 12, 3), []),
    "the triangles alone": ([], profile_cells("t", HIGH)),
    "one scene": (director_cells("t", 1, 0, scenes=1), profile_cells("t", HIGH)[:1]),
    "nine testers, all alike": panel(NINE, 0, 0, {"ToM": (0, 0), "GD": (0, 0), "Random": (0, 0)}),
    "no usable trial": panel(NINE, None, None, GONE),
    "no usable b": panel(NINE, 12, None, HIGH),
    "one condition": panel(["t"], 12, 12, {"ToM": (5, 3)}),
    "one tester without a cell": tuple(
        one + other
        for one, other in zip(
            panel(NINE[:3], 12, 6, HIGH), panel(["none"], None, None, GONE), strict=True
        )
    ),
}
KNOWN = {"all": REFERENCES, "none": References(()), "one": References(REFERENCES.groups[:1])}


def finite(rows, schema):
    """The rows as they are stored: of the declared schema, without NaN, with a word for a null."""
    rows = plain(rows)
    schema.table(rows)
    for row in rows:
        for name, value in row.items():
            assert not isinstance(value, float) or math.isfinite(value), (name, row)
    return rows


@pytest.mark.parametrize(("given", "known"), list(itertools.product(INPUTS, KNOWN)))
def test_no_table_holds_a_nan_whatever_is_degenerate(given, known):
    scenes, cells = INPUTS[given]
    references = KNOWN[known]
    arguments = (scenes, cells, references, READING)
    table = joint.table8(*arguments, seed=1, resamples=50)
    over_both = joint.joint_panel(table, 1, 50)
    wide = joint.anchors_wide(*arguments, seed=1, resamples=50)
    drawn = intervals(*arguments, seed=1, resamples=50)
    other = sensitivity(*arguments)
    finite(director.table2(scenes), schemas.TABLE2)
    finite(table5(cells, references, READING), schemas.TABLE5)
    finite(table7(cells, references, READING), schemas.TABLE7)
    finite(table11(cells, ["numbered"]), schemas.TABLE11)
    finite(table, schemas.TABLE8)
    finite(wide, schemas.ANCHORS_WIDE)
    finite(other, schemas.SENSITIVITY)
    for rows, schema in (
        (drawn, schemas.INTERVALS),
        ([*joint.triangles_panel(cells, references, READING), *over_both], schemas.PANEL),
    ):
        for row in finite(rows, schema):
            assert row["status"] in ("ok", "no_cells", "constant_input", "too_few")
            assert (row["value"] is None) <= (row["status"] != "ok"), row
    for row in finite(drawn, schemas.INTERVALS):
        assert (row["low"] is not None) == (row["status"] == "ok")
    kinds = [str(row["kind"]) for row in cells]
    for tex in (
        table8_tex(table, over_both, references, SOURCE, 3),
        anchors_wide_tex(wide, references, SOURCE, 3),
        sensitivity_tex(other, references, SOURCE, kinds),
        intervals_tex(drawn, SOURCE, 3),
    ):
        assert "nan" not in tex.lower().replace("gemini", "") and "None" not in tex


def test_spearman_with_a_constant_side_is_null_and_a_missing_tester_is_dropped():
    found = spearman([0] * 9, list(range(9)), 1)
    assert (found.rho, found.status, found.n) == (None, "constant_input", 9)
    scenes, cells = [], []
    for n, name in enumerate(NINE):
        scenes += director_cells(name, 12, None if n == 4 else n)
        cells += profile_cells(name, HIGH | {"ToM": (n % 5, 1)})
    table = joint.table8(scenes, cells, REFERENCES, READING, seed=1, resamples=50)
    row = joint.joint_panel(table, 1, 50)[2]
    assert (row["n"], row["n_planned"], row["status"]) == (8, 9, "ok")
    assert "n = 8" in table8_tex(table, joint.joint_panel(table, 1, 50), REFERENCES, SOURCE, 3)


LENGTHS = {
    "no description": ({}, {}),
    "one description": ({"ToM": [10]}, {"ToM": [3]}),
    "no verdict": (
        {"ToM": [10], "GD": [9], "Random": [8]},
        {"ToM": [None], "GD": [None], "Random": [None]},
    ),
    "all alike": ({c: [7] * 4 for c in HIGH}, {c: [2] * 4 for c in HIGH}),
    "without a word": ({c: [0] * 4 for c in HIGH}, {c: [0] * 4 for c in HIGH}),
    "fixed": ({"ToM": [9] * 4, "GD": [7] * 4, "Random": [5] * 4}, {c: [1, 2, 1, 2] for c in HIGH}),
}


@pytest.mark.parametrize("given", LENGTHS)
@pytest.mark.parametrize("testers", [1, 3])
def test_length_has_a_number_or_a_word_whatever_is_degenerate(given, testers):
    parts = [told(f"t{n}", *LENGTHS[given]) for n in range(testers)]
    descriptions, verdicts = ([row for part in parts for row in part[n]] for n in (0, 1))
    table = length(descriptions, verdicts, READING)
    words = {"no_cells", "constant_length", "fixed_by_condition", "too_few"}
    for row in finite(table, schemas.LENGTH):
        assert row["tom_gd_adjusted"] is None and row["status"] in words
        assert (row["rho"] is None) == (row["rho_status"] != "ok")
    assert "nan" not in length_tex(table, SOURCE).lower()
