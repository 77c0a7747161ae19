"""Outcomes to cells to Table 2; the published counts from the trials behind them."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest

from vlmtom.cli import main
from vlmtom.director import cells
from vlmtom.errors import BadData, MissingReplies

DATA = Path(__file__).parents[1] / "data"
PUBLISHED = Path(__file__).parents[2] / "resources" / "published"


def outcome(scene, measure, trial, correct, *, ego=None, strict=None, tester="t1", parse=None):
    return {
        "tester": tester,
        "kind": "model",
        "arm": "canonical",
        "stimulus": scene,
        "trial": trial,
        "measure": measure,
        "parse": parse or (None if correct is None else "parsed"),
        "letter_correct": correct,
        "strict_correct": correct if strict is None else strict,
        "egocentric": ego,
        "egocentric_strict": ego,
    }


def one_tester(a, b, gated_move, ego):
    """Three trials of each measure on each scene; the values are those of every trial."""
    rows = []
    for number in range(len(a)):
        for trial in (1, 2, 3):
            scene = f"Q{number:02d}"
            rows.append(outcome(scene, "a", trial, a[number]))
            rows.append(outcome(scene, "b", trial, b[number], ego=ego[number]))
            rows.append(outcome(scene, "cQ1", trial, a[number]))
            rows.append(outcome(scene, "cQ2", trial, gated_move[number], ego=False))
    return cells.table2(cells.cells(rows))[0]


def test_the_gap_is_one_when_a_is_always_and_b_never_correct():
    # a 12/12, b 0/12 with the hidden block chosen each time; cQ2 6/12: recovery 6/12 - 0/12
    row = one_tester([True] * 12, [False] * 12, [True] * 6 + [False] * 6, [True] * 12)
    assert (row["a"], row["b"], row["cQ2"], row["ego_b"]) == (12, 0, 6, 12)
    assert row["gap"] == 1.0
    assert row["recovery"] == 0.5


def test_the_gap_is_over_majority_cells_not_over_trials():
    # b is right on one trial of three in every scene: no cell, though a third of the trials
    rows = [outcome("Q01", "a", trial, True) for trial in (1, 2, 3)]
    rows += [outcome("Q01", "b", trial, trial == 1, ego=trial != 1) for trial in (1, 2, 3)]
    row = cells.table2(cells.cells(rows))[0]
    assert (row["b"], row["ego_b"], row["gap"]) == (0, 1, 1.0)


def test_a_missing_trial_is_not_in_its_cell_and_a_missing_cell_not_in_the_share():
    rows = [outcome("Q01", "a", 1, True), outcome("Q01", "a", 2, None)]
    rows += [outcome("Q02", "a", 1, None), outcome("Q02", "a", 2, None)]
    rows += [outcome(scene, "b", 1, False, ego=True) for scene in ("Q01", "Q02")]
    made = cells.cells(rows)
    value = {(row["stimulus"], row["measure"]): row["value"] for row in made}
    assert value["Q01", "a"] is True
    assert value["Q02", "a"] is None
    row = cells.table2(made)[0]
    assert (row["a"], row["n_a"], row["n_scenes"], row["missing"]) == (1, 1, 2, 3)
    assert cells.share(row, "a") == Fraction(1)
    assert row["gap"] == 1.0


def test_an_unparsed_trial_stays_in_the_denominator_and_is_counted():
    rows = [outcome("Q01", "b", 1, True, ego=False)]
    rows += [outcome("Q01", "b", t, False, ego=False, parse="unparsed") for t in (2, 3)]
    row = cells.table2(cells.cells(rows))[0]
    assert (row["b"], row["ego_b"], row["n_b"], row["unparsed"]) == (0, 0, 1, 2)


def test_an_even_split_is_not_correct_and_is_flagged():
    rows = [outcome("Q01", "a", 1, True), outcome("Q01", "a", 2, False)]
    row = cells.table2(cells.cells(rows))[0]
    assert (row["a"], row["ties"]) == (0, 1)


def test_strict_counts_stand_beside_letter_counts():
    rows = [outcome("Q01", "b", t, True, ego=False, strict=False) for t in (1, 2, 3)]
    row = cells.table2(cells.cells(rows))[0]
    assert (row["b"], row["b_strict"]) == (1, 0)


def test_without_a_cell_there_is_no_gap():
    rows = [outcome("Q01", "a", 1, True), outcome("Q01", "b", 1, None)]
    row = cells.table2(cells.cells(rows))[0]
    assert row["gap"] is None
    assert cells.panel_difference([row], "a", "b") is None


def test_a_cell_without_a_usable_trial_stops_the_tables_unless_gaps_are_allowed():
    rows = cells.cells([outcome("Q01", "a", 1, True), outcome("Q02", "b", 1, None)])
    with pytest.raises(
        MissingReplies, match=r"1 of 2 cells .*: t1 canonical Q02 b\. .*allow_missing"
    ):
        cells.check_complete(rows, allow_missing=False)
    cells.check_complete(rows, allow_missing=True)


def test_an_outcome_that_stands_twice_is_refused():
    rows = [outcome("Q01", "a", 1, True), outcome("Q01", "a", 1, False)]
    with pytest.raises(BadData, match=r"\('t1', 'canonical', 'Q01', 'a', 1\).*twice"):
        cells.cells(rows)


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_published_table_2_comes_from_its_trials(tmp_path):
    assert (
        main(["aggregate", "--director", str(DATA / "director_trials.csv"), "--out", str(tmp_path)])
        == 0
    )
    ours = {row["model"]: row for row in read(tmp_path / "table2.csv")}
    printed = read(PUBLISHED / "crosstask_table2.csv")
    assert len(ours) == len(printed) == 9
    for row in printed:
        for measure in ("a", "b", "cQ1", "cQ2", "ego_b"):
            assert ours[row["model"]][measure] == row[measure], (row["model"], measure)
    # section 4.2: sonnet 0/12 -> 10/12, qwen by 67 points
    assert float(ours["claude-sonnet-4.6"]["recovery"]) == pytest.approx(10 / 12)
    assert float(ours["qwen-3.5-plus"]["recovery"]) == pytest.approx(8 / 12)
    headline = json.loads((tmp_path / "headline.json").read_text())
    panel = read(PUBLISHED / "crosstask_table2_panel.csv")[0]
    for name in ("a_pct", "b_pct", "cQ1_pct", "cQ2_pct", "ego_b_pct", "gap_pp"):
        assert headline[f"panel_{name}"] == float(panel[name])


HEAD = "model,scene,trial,a,b,cQ1,cQ2,ego_b\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model,scene,trial,a,b,cQ1,cQ2\n", "no column ego_b"),
        (HEAD, "no trial in it"),
        (HEAD + "m,Q01,1,1,0,2,1,0\n", "line 2, column 'cQ1': expected 1, 0 or nothing, found '2'"),
        (HEAD + "m,Q01,1,1,0,1,1,\n", "line 2: one of 'b' and 'ego_b' is empty"),
        (HEAD + "m,Q01,1,1,1,1,1,1\n", "line 2: 'b' and 'ego_b' are both 1"),
        (HEAD + "m,,1,1,0,1,1,0\n", "line 2: the column 'scene' is empty"),
        (HEAD + "m,Q01,1,1,0,1,1,0\nm,Q01,1,1,0,1,1,1\n", "stands there twice"),
        (HEAD + "m,Q01,1,1\n", "line 2: not as many fields as the header has"),
        (HEAD + "m,Q01,1,1,0,1,1,0,9\n", "line 2: not as many fields as the header has"),
    ],
)
def test_a_bad_file_of_trials_is_refused_with_line_and_column(tmp_path, capsys, text, words):
    (tmp_path / "d.csv").write_text(text)
    status = main(["aggregate", "--director", str(tmp_path / "d.csv"), "--out", str(tmp_path)])
    said = capsys.readouterr().err
    assert status == 1
    assert words in said
    assert not (tmp_path / "table2.csv").exists()


def test_a_file_that_is_not_there_is_named(tmp_path, capsys):
    assert main(["aggregate", "--director", str(tmp_path / "no.csv"), "--out", str(tmp_path)]) == 1
    assert "no.csv: cannot be read" in capsys.readouterr().err
