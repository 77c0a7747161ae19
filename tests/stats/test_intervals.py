"""Intervals: by hand where all resamples agree or a binomial says how far they go."""

from fractions import Fraction

import numpy as np
import pytest

from tests.stats.test_joint import HIGH, LOW, READING, REFERENCES, director_cells, profile_cells
from vlmtom.stats.bootstrap import matrix, percentile_interval, profile_points, scene_shares
from vlmtom.stats.exact import end_of, plain, show
from vlmtom.stats.intervals import intervals
from vlmtom.store import schemas


def four(tester, a, b, cq1, cq2, kind="model", scenes=12):
    """Cells of all four measures: in how many of the scenes each holds."""
    both = director_cells(tester, a, b, kind, scenes)
    names = {"a": "cQ1", "b": "cQ2"}
    asked = director_cells(tester, cq1, cq2, kind, scenes)
    return both + [row | {"measure": names[row["measure"]]} for row in asked]


def found(director, triangles, seed=1, **changes):
    rows = intervals(director, triangles, REFERENCES, READING, seed, **changes)
    schemas.INTERVALS.table(plain(rows))
    return {(row["tester"], row["measure"]): row for row in rows}


def test_where_all_resamples_agree_the_interval_has_no_width_and_is_there():
    rows = found(four("t", 12, 0, 12, 12), profile_cells("t", HIGH))
    for measure, value in (("a", 1), ("b", 0), ("gap", 1), ("recovery", 1), ("tom_intent", 4)):
        row = rows["t", measure]
        assert (row["value"], row["low"], row["high"], row["status"]) == (value, value, value, "ok")
    # (4, 2) to TD (4.3, 1.7): sqrt 0.18 in every resample
    near = rows["t", "tom_dist_td"]
    assert near["low"] == near["high"] == float(near["value"]) == pytest.approx(0.18**0.5)


def test_a_share_goes_as_far_as_the_binomial_says():
    row = found(four("t", 12, 6, 12, 12), [], resamples=20000)["t", "b"]
    # of 12 draws with p = 1/2: P(X <= 2) = 0.0193 < 0.025 < P(X <= 3) = 0.0730; and by symmetry
    assert (row["low"], row["high"]) == (3 / 12, 9 / 12)
    assert (row["n"], row["n_planned"], row["n_resamples"]) == (12, 12, 20000)


def test_the_values_are_those_of_the_tables_and_of_the_panels_mean():
    director = four("one", 12, 0, 12, 6) + four("two", 6, 6, 6, 6)
    triangles = profile_cells("one", HIGH) + profile_cells("two", LOW)
    rows = found(director, triangles)
    assert rows["panel", "gap"]["value"] == Fraction(1, 2)  # 1 and 0
    assert rows["panel", "recovery"]["value"] == Fraction(1, 4)
    # mean (2.5, 1): to TD (1.8, 0.7)
    assert rows["panel", "tom_dist_td"]["value"].square == Fraction("3.73")
    assert rows["panel", "tom_dist_td"]["low"] == pytest.approx(3.73**0.5)
    assert (rows["panel", "gap"]["n"], rows["panel", "tom_intent"]["n"]) == (24, 24)


def test_testers_of_a_panel_meet_the_same_draws():
    # b holds for the one where it fails for the other: their mean is 1/2 in every common draw
    one = director_cells("one", 12, 6)
    two = [
        row | {"tester": "two", "value": not row["value"] if row["measure"] == "b" else True}
        for row in one
    ]
    rows = found(one + two, [])
    assert (rows["panel", "b"]["low"], rows["panel", "b"]["high"]) == (0.5, 0.5)
    assert rows["one", "b"]["low"] < 0.5 < rows["one", "b"]["high"]


def test_an_interval_depends_on_seed_and_tester_and_not_on_who_else_is_there():
    one, two = four("t1", 9, 5, 7, 3), four("t2", 5, 1, 2, 2)
    both = found(one + two, [])
    alone = found(one, [])
    assert [both["t1", m] for m in ("gap", "b")] == [alone["t1", m] for m in ("gap", "b")]
    draws = [scene_shares(matrix([[[1], [0], [1], [0]]]), seed, 50) for seed in (1, 1, 2)]
    assert np.array_equal(draws[0], draws[1]) and not np.array_equal(draws[0], draws[2])


def test_one_unit_has_a_value_and_no_interval():
    director = four("one", 1, 0, 1, 1, scenes=1) + four("two", 1, 1, 1, 1, scenes=1)
    cells = [row for row in profile_cells("one", HIGH) if row["clip"].endswith("0")]
    rows = found(director, [row for row in cells if row["judge"] == "j1"])
    for key in (("one", "gap"), ("panel", "gap"), ("one", "tom_intent"), ("panel", "gd_intent")):
        row = rows[key]
        assert row["value"] is not None
        assert (row["low"], row["high"], row["status"]) == (None, None, "too_few")


def test_what_has_no_cell_is_null_with_a_status():
    gone = {"ToM": (None, None), "GD": (2, 2)}
    rows = found(four("t", 12, None, 12, 12), profile_cells("t", gone))
    for measure in ("b", "gap", "tom_intent", "tom_dist_td", "random_approp"):
        row = rows["t", measure]
        assert (row["value"], row["low"], row["high"]) == (None, None, None)
        assert (row["n_resamples"], row["status"]) == (0, "no_cells")
    assert rows["t", "a"]["status"] == rows["t", "gd_intent"]["status"] == "ok"
    assert found([], [])["panel", "spearman"]["status"] == "too_few"


def test_resamples_without_a_usable_trial_are_left_out_and_counted():
    cells = director_cells("t", 3, 1, scenes=3)
    gone = {"value": None, "n_usable": 0}
    lone = [
        row | gone if (row["stimulus"], row["measure"]) == ("s1", "b") else row for row in cells
    ]
    row = found(lone, [], resamples=4000)["t", "b"]
    # three scenes, one without b: all three draws are of it in one resample of 27
    assert row["n_resamples"] == pytest.approx(4000 * 26 / 27, rel=0.02)
    assert row["n"] == 2


def test_spearman_with_items_drawn_is_null_where_rho_is():
    rows = found([], [])
    assert rows["panel", "spearman_items"]["value"] is None
    director = [c for n in range(4) for c in four(f"t{n}", 12, 3 * n, 12, 12)]
    same = [c for n in range(4) for c in profile_cells(f"t{n}", HIGH)]
    row = found(director, same)["panel", "spearman_items"]
    assert (row["value"], row["low"], row["status"]) == (None, None, "constant_input")
    levels = ((4, 2), (3, 1), (2, 1), (1, 0))
    ordered = [c for n in range(4) for c in profile_cells(f"t{n}", HIGH | {"ToM": levels[n]})]
    row = found(director, ordered)["panel", "spearman_items"]
    # gap 1, 3/4, 1/2, 1/4 against growing distances
    assert row["value"] == -1 and -1 <= row["low"] <= row["high"] <= 1


def test_points_of_a_crossed_draw_are_means_over_all_cells_of_the_drawn():
    values = np.array([[[[0.0, 1.0], [2.0, 3.0]], [[1.0, 1.0], [1.0, 1.0]]]])
    points = profile_points(values, 3, 500)[0]
    # clip and judge effects add: rows mean 0.5 or 2.5 and columns -0.5 or 0.5
    assert set(np.round(points[0], 6)) == {0, 0.5, 1, 1.5, 2, 2.5, 3}
    assert set(points[1]) == {1}


def test_an_interval_of_nothing_is_none():
    assert percentile_interval(np.full(5, np.nan), 1.0) is None
    assert percentile_interval(np.array([]), 1.0) is None


def test_an_end_is_printed_as_the_small_fraction_that_it_stands_for():
    # in binary, 0.0125 + 0.1 - 0.1 is a trifle below one eightieth
    assert 0.0125 + 0.1 - 0.1 != 0.0125
    assert show(end_of(0.0125 + 0.1 - 0.1), 3) == show(end_of(0.0125), 3) == "0.013"
