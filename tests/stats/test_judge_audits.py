"""Without in-family cells, and without one judge: the published panel, and degenerate ones."""

import csv
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

from tests.stats.test_joint import HIGH, LOW, cell, profile_cells
from vlmtom.stats.exact import show
from vlmtom.stats.families import families_of
from vlmtom.stats.judge_audits import family_rows, left_out_rows, unknown_families
from vlmtom.stats.profile_tables import Reading
from vlmtom.stats.references import load_references
from vlmtom.triangles.cells import mean_level

TRIALS = Path(__file__).parents[1] / "data" / "triangles_trials.csv"
REFERENCES = load_references()
JUDGES = ("claude-haiku-4.5", "gemini-2.5-flash", "qwen2.5-72b-instruct")


def published():
    trials = defaultdict(list)
    with TRIALS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            trials[row["model"], row["condition"], row["clip"], row["judge"]].append(row)
    return [
        cell(*key, *(mean_level([int(r[s]) for r in rows]) for s in ("intent", "approp")))
        for key, rows in trials.items()
    ]


def test_the_published_panel_has_60_in_family_cells_and_the_same_medians_without_them():
    cells = published()
    families = families_of({r[role] for r in cells for role in ("tester", "judge")})
    rows = family_rows(cells, ["numbered"], families)
    # Appendix J: 60 of 324, no median changes; medians 2 / 2 / 1 of Table 9
    assert (sum(r["n_family"] for r in rows), sum(r["n_cells"] for r in rows)) == (60, 324)
    assert [(r["condition"], r["median_all"], r["delta"], r["status"]) for r in rows] == [
        *(("ToM", 2, 0, "ok"), ("GD", 2, 0, "ok"), ("Random", 1, 0, "ok")),
    ]


def test_with_all_judges_in_the_published_panel_s_numbers_stand_in_the_first_row():
    rows = left_out_rows(published(), JUDGES, REFERENCES, Reading())
    assert [row["left_out"] for row in rows] == ["none", *JUDGES]
    first = rows[0]
    # Table 9, numbered, anchor-blinded
    assert [show(first[name], 2) for name in ("tom_intent", "tom_approp")] == ["2.31", "0.94"]
    assert [show(first[name], 2) for name in ("dist_td", "dist_hfasd")] == ["2.13", "0.73"]
    nearest = [first[f"nearest_{name}"] for name in ("tom", "gd", "random")]
    assert nearest == ["HF-ASD-adult", "TD-adult", "TD-adult"]
    assert (first["strict_ranks"], first["n_ranks"], first["labels_changed"]) == (5, 9, 0)
    assert [row["n_cells"] for row in rows] == [324, 216, 216, 216]


def test_a_judge_that_decides_a_label_is_seen_when_it_is_left_out():
    # by j1 and j2 (4, 2), by j3 (0, 0): the mean (8/3, 4/3) is nearer to (2.9, .5) than to
    # (4.3, 1.7): .23^2 + .83^2 < 1.63^2 + .37^2; without j3 it is (4, 2), nearer to the other
    cells = [
        cell("t", name, f"{name}{clip}", judge, *((0, 0) if judge == "j3" else (4, 2)))
        for name in HIGH
        for clip in range(4)
        for judge in ("j1", "j2", "j3")
    ]
    found = {r["left_out"]: r for r in left_out_rows(cells, ["j1", "j3"], REFERENCES, Reading())}
    assert found["none"]["tom_intent"] == Fraction(8, 3)
    assert found["none"]["nearest_tom"] == "HF-ASD-adult"
    assert (found["j3"]["nearest_tom"], found["j3"]["labels_changed"]) == ("TD-adult", 1)
    assert (found["j1"]["labels_changed"], found["j1"]["n_labels"]) == (0, 1)


def test_without_the_only_judge_nothing_is_known():
    cells = [row for row in profile_cells("t", LOW) if row["judge"] == "j1"]
    _, left = left_out_rows(cells, ["j1"], REFERENCES, Reading())
    assert left["status"] == "no_cells"
    known = {"left_out", "status", "n_ranks", "n_cells", "n_planned", "n_labels"}
    assert all(value is None for name, value in left.items() if name not in known)
    assert (left["n_cells"], left["n_labels"]) == (0, 0)


def test_where_every_cell_is_in_the_family_or_a_family_is_unknown_nothing_is_left_out():
    cells = profile_cells("t", HIGH)
    one = dict.fromkeys(("t", "j1", "j2", "j3"), "f")
    for families, status, count in (
        (one, "all_in_family", 12),
        ({"t": "f"}, "family_unknown", None),
    ):
        row = family_rows(cells, ["numbered"], families)[0]
        assert (row["status"], row["n_family"]) == (status, count)
        assert row["median_without"] is row["delta"] is None
        assert row["median_all"] == 4
    assert unknown_families(cells, {"t": "f", "j2": "g"}) == ["j1", "j3"]


def test_an_arm_without_a_scored_cell_says_so():
    row = family_rows([], ["numbered"], {})[0]
    assert (row["status"], row["median_all"], row["n_cells"]) == ("no_cells", None, 0)
