"""Labels, margins, stability, association: by hand, and where nothing is defined."""

from fractions import Fraction

import pytest

from vlmtom.stats import bootstrap, joint
from vlmtom.stats.association import mid_ranks, spearman
from vlmtom.stats.exact import Root, plain
from vlmtom.stats.families import families_of
from vlmtom.stats.profile_tables import Reading, panel_profiles, table5, table7, table11
from vlmtom.stats.references import load_references
from vlmtom.store import schemas

REFERENCES = load_references()
ADULT_GAPS = [Fraction("0.435"), Fraction("0.340")]
READING = Reading()


def cell(tester, condition, clip, judge, intent, approp, kind="model"):
    return {
        "tester": tester,
        "kind": kind,
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


def profile_cells(tester, levels, kind="model"):
    """The same levels in each of 4 clips x 3 judges of each condition."""
    return [
        cell(tester, condition, f"{condition}{clip}", judge, *levels[condition], kind=kind)
        for condition in levels
        for clip in range(4)
        for judge in ("j1", "j2", "j3")
    ]


def director_cells(tester, a, b, kind="model", scenes=12):
    """a and b: in how many of the scenes they hold; None: without a usable trial."""
    return [
        {
            "tester": tester,
            "kind": kind,
            "arm": "canonical",
            "stimulus": f"s{scene}",
            "measure": measure,
            "level": "letter",
            "value": None if count is None else scene < count,
            "n_trials": 3,
            "n_usable": 0 if count is None else 3,
            "n_true": 0,
            "n_unparsed": 0,
            "tie": False,
        }
        for scene in range(scenes)
        for measure, count in (("a", a), ("b", b))
    ]


HIGH = {"ToM": (4, 2), "GD": (3, 2), "Random": (1, 2)}
LOW = {"ToM": (1, 0), "GD": (1, 1), "Random": (4, 0)}


def table(director, triangles, **changes):
    rows = joint.table8(director, triangles, REFERENCES, READING, seed=1, **changes)
    return {row["tester"]: row for row in rows}


def test_a_tester_far_from_the_boundary_keeps_its_labels_in_every_resample():
    row = table(director_cells("t", 12, 0), profile_cells("t", HIGH))["t"]
    # gap 1: |1 - 0.435| = 0.565, |1 - 0.34| = 0.66; all scenes alike, so all resamples too
    assert row["gap"] == 1
    assert (row["nearest_director"], row["director_margin"]) == ("TD-adult", Fraction("0.095"))
    assert row["director_stability"] == 1
    # (4, 2): to TD (0.3, 0.3), squared 0.18; to HF-ASD (1.1, 1.5), squared 3.46
    assert (row["dist_td"], row["dist_hfasd"]) == (Root(Fraction("0.18")), Root(Fraction("3.46")))
    assert float(row["triangles_margin"]) == pytest.approx(3.46**0.5 - 0.18**0.5)
    assert (row["nearest_triangles"], row["triangles_stability"]) == ("TD-adult", 1)
    assert (row["disagree"], row["status"]) == (False, "ok")


def test_a_label_beside_the_boundary_is_less_stable_than_one_away_from_it():
    near = table(director_cells("t", 5, 0), [])["t"]  # gap 0.417, boundary 0.3875
    far = table(director_cells("t", 10, 0), [])["t"]
    # of 12 draws with p = 5/12 at least 5 must hold: binomial, 0.594
    assert float(near["director_stability"]) == pytest.approx(0.594, abs=0.04)
    assert far["director_stability"] > Fraction(99, 100)


def test_the_bootstrap_is_a_function_of_its_seed_and_not_of_the_order_of_testers():
    one = director_cells("t1", 5, 0) + director_cells("t2", 6, 0)
    two = director_cells("t2", 6, 0) + director_cells("t1", 5, 0)
    assert table(one, [])["t1"] == table(two, [])["t1"]
    other = joint.table8(one, [], REFERENCES, READING, seed=2)
    assert other[0]["director_stability"] != table(one, [])["t1"]["director_stability"]


def test_clips_and_judges_are_drawn_crossed():
    # Judge j1 alone says 5, two say 0. A mean above 2.5 needs j1 in two of three draws:
    # 3 (1/3)^2 (2/3) + (1/3)^3 = 7/27. Drawing 12 cells alone would give far less.
    intent = [[5, 0, 0]] * 4
    approp = [[1, 1, 1]] * 4
    anchors = [(Fraction(5), Fraction(1)), (Fraction(0), Fraction(1))]
    kept = bootstrap.profile_label_stability(intent, approp, anchors, 0, 7, 20000)
    assert float(kept) == pytest.approx(7 / 27, abs=0.01)
    # a median of three judges is 5 exactly where j1 is drawn twice
    median = bootstrap.profile_label_stability(
        intent, approp, anchors, 0, 7, 20000, median_of_judges=True
    )
    assert median == kept


def test_resamples_without_a_cell_are_left_out():
    # one scene of two has a usable b; a resample of the other one twice has no gap
    kept = bootstrap.gap_label_stability([(True, None), (True, False)], ADULT_GAPS, 0, 1)
    assert kept == 1
    assert bootstrap.gap_label_stability([(None, None)], ADULT_GAPS, 0, 1) is None
    anchors = [(Fraction(1), Fraction(1)), (Fraction(2), Fraction(2))]
    assert bootstrap.profile_label_stability([[None]], [[None]], anchors, 0, 1) is None
    one = bootstrap.profile_label_stability([[None, 1]], [[None, 1]], anchors, 0, 1)
    assert one == 1


def test_an_exact_tie_keeps_the_first_group_in_resamples_too():
    # gap 1 in every resample, anchors at 0.9 and 1.1: as floats their distances differ
    anchors = [Fraction("0.9"), Fraction("1.1")]
    assert bootstrap.gap_label_stability([(True, False)] * 6, anchors, 0, 1) == 1


def test_what_a_task_does_not_have_is_null_with_a_status():
    rows = table(
        director_cells("d", 12, 0) + director_cells("none", 12, None),
        [*profile_cells("t", HIGH), cell("none", "ToM", "c", "j1", None, None)],
    )
    assert {name: row["status"] for name, row in rows.items()} == {
        "d": "no_profile",
        "none": "no_gap_no_profile",
        "t": "no_gap",
    }
    assert rows["d"]["disagree"] is None and rows["t"]["disagree"] is None
    assert rows["none"]["director_stability"] is None
    assert rows["none"]["triangles_stability"] is None
    assert (rows["none"]["n_cells"], rows["none"]["n_planned"]) == (0, 1)
    made = list(rows.values())
    panel = joint.joint_panel(made, seed=1)
    assert [(row["value"], row["status"]) for row in panel] == [
        (Fraction(1), "ok"),
        (None, "no_cells"),
        (None, "too_few"),
    ]
    schemas.TABLE8.table(plain(made))
    schemas.PANEL.table(plain(panel))


def test_mid_ranks_share_the_mean_of_their_places():
    assert mid_ranks([10, 20, 20, 5]) == [2, Fraction(7, 2), Fraction(7, 2), 1]


def test_spearman_by_hand():
    assert spearman([1, 2, 3], [10, 30, 20], 1).rho == Fraction(1, 2)  # 1 - 6*2/(3*8)
    assert spearman([1, 2, 3], [5, 4, 1], 1).rho == -1
    # ranks 1.5 1.5 3 and 1 2 3: covariance 1.5, variances 1.5 and 2: 1.5 / sqrt 3
    assert float(spearman([1, 1, 2], [1, 2, 3], 1).rho) == pytest.approx(1.5 / 3**0.5)


def test_spearman_without_meaning_is_null_with_the_reason():
    constant = spearman([1, 1, 1], [1, 2, 3], 1)
    assert (constant.rho, constant.low, constant.status) == (None, None, "constant_input")
    assert spearman([1], [1], 1).status == "too_few"
    assert spearman([], [], 1).status == "too_few"
    with pytest.raises(ValueError, match="2 values of x"):
        spearman([1, 2], [1], 1)


def test_the_interval_is_a_function_of_its_seed_and_holds_no_nan():
    x, y = [1, 1, 1, 2], [1, 2, 3, 4]  # many resamples are constant in x
    found = spearman(x, y, 5)
    assert found == spearman(x, y, 5)
    assert 0 < found.n_defined < bootstrap.RESAMPLES
    assert -1 <= found.low <= found.high <= 1


def test_the_panel_is_over_models_where_there_is_one():
    cells = profile_cells("m", HIGH) + profile_cells("o", LOW, "observer")
    mixed = panel_profiles(table5(cells, REFERENCES, READING), REFERENCES)
    assert (mixed[0]["intent"], mixed[0]["n_planned"]) == (4, 12)
    alone = panel_profiles(
        table5(profile_cells("o", LOW, "observer"), REFERENCES, READING), REFERENCES
    )
    assert alone[0]["intent"] == 1
    director = director_cells("m", 12, 0) + director_cells("o", 0, 0, "observer")
    rows = joint.table8(director, cells, REFERENCES, READING, seed=1)
    assert joint.joint_panel(rows, seed=1)[0]["value"] == 1


def test_the_panels_distance_is_that_of_the_mean():
    cells = profile_cells("one", HIGH) + profile_cells("two", LOW)
    tom = panel_profiles(table5(cells, REFERENCES, READING), REFERENCES)[0]
    # mean (2.5, 1): to TD (1.8, 0.7), squared 3.73
    assert tom["dist_td"] == Root(Fraction("3.73"))


def test_strict_rank_is_on_medians_and_null_where_one_is_missing():
    ranked = {"ToM": (3, 1), "GD": (2, 1), "Random": (1, 1)}
    rows = table11(
        profile_cells("yes", ranked)
        + profile_cells("no", ranked | {"GD": (3, 1)})
        + profile_cells("gone", ranked | {"Random": (None, None)}),
        ["numbered", "plain"],
    )
    assert [(row["tester"], row["strict_rank"], row["status"]) for row in rows] == [
        ("yes", True, "ok"),
        ("no", False, "ok"),
        ("gone", None, "no_cells"),
    ]
    assert rows[2]["n_cells"] == 24
    schemas.TABLE11.table(plain(rows))


def test_tables_without_any_cell_have_null_and_a_status():
    cells = [cell("t", "ToM", "c", "j", None, None)]
    rows = table5(cells, REFERENCES, READING)
    assert {(r["intent"], r["dist_td"], r["nearest"], r["status"]) for r in rows} == {
        (None, None, None, "no_cells")
    }
    schemas.TABLE5.table(plain(rows))
    schemas.TABLE7.table(plain(table7(cells, REFERENCES, READING)))
    panel = joint.triangles_panel(cells, REFERENCES, READING)
    assert {row["value"] for row in panel} == {None}
    schemas.PANEL.table(plain(panel))


def test_only_the_arm_and_overlay_asked_for_are_read():
    cells = profile_cells("t", HIGH)
    cells += [row | {"arm": "plain", "intent": 0} for row in cells]
    cells += [row | {"overlay": "informed", "intent": 5} for row in profile_cells("t", HIGH)]
    row = table7(cells, REFERENCES, READING)[0]
    assert (row["intent"], row["n_planned"]) == (4, 12)


def test_same_family_cells_are_counted_only_where_every_family_is_known():
    cells = profile_cells("claude-x", HIGH)
    for row, judge in zip(cells, ["claude-j", "qwen2-j", "other"] * 12, strict=True):
        row["judge"] = judge
    families = families_of({"claude-x", "claude-j", "qwen2-j", "other"})
    assert joint.same_family_cells(cells, families) == (None, ["other"])
    assert joint.same_family_cells(cells, families | {"other": "o"}) == (12, [])
