"""`vlmtom mosaic`: what its parts print, digit by digit, and what they refuse."""

import csv
import io
import itertools
import json
from pathlib import Path

import pytest

from vlmtom.cli import main

DATA = Path(__file__).parents[1] / "data"
TRIALS = DATA / "mosaic_pcm_trials.csv"
LOGS = DATA / "mosaic_metrics_golden.csv"
TRIALS_HEAD = "condition,trial,reward,choice,b_traj,b_gaze"
LOGS_HEAD = "mode,tom,reward,final_x,final_y,log"
LOG = json.dumps([[0, -4, 0, 1, 0]] * 10).replace(" ", "")


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed(capsys, *arguments):
    assert main(["mosaic", *map(str, arguments)]) == 0
    said = capsys.readouterr().out
    assert "nan" not in said.casefold()
    return said, list(csv.DictReader(io.StringIO(said)))


def refused(capsys, *arguments):
    assert main(["mosaic", *map(str, arguments)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def written(path, *lines):
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def test_the_summary_of_the_reference_trials_is_met_to_every_printed_digit(capsys):
    said, rows = printed(capsys, "summary", TRIALS)
    assert said.splitlines()[0] == (
        "condition,TOCS_all,TOCS_choice,UR,PB_all,PB_choice,TAS,GAS,S_traj,S_gaze,S_eq12,"
        "binom_p,chi2_yates,chi2_p"
    )
    expected = rows_of(DATA / "mosaic_pcm_expected.csv")
    assert [{name: row[name] for name in expected[0]} for row in rows] == expected


def test_the_tests_of_the_reference_trials_are_met_to_every_printed_digit(capsys):
    said, rows = printed(capsys, "summary", TRIALS, "--srh")
    assert said.splitlines()[0] == "variable,H_mode,H_tom,H_interaction"
    names = ["sens_traj", "sens_gaze", "S_eq12", "a_traj", "a_gaze"]
    assert [row["variable"] for row in rows] == names
    found = {row["variable"]: row for row in rows}
    for expected in rows_of(DATA / "mosaic_pcm_srh_expected.csv"):
        assert found[expected["variable"]] == expected


def test_the_order_of_trials_does_not_matter_and_slugs_are_read_too(capsys, tmp_path):
    head, *lines = TRIALS.read_text(encoding="utf-8").splitlines()
    other = [line.replace("Comp-ToM", "comp-tom").replace(",-1\n", ",none") for line in lines]
    file = written(tmp_path / "t.csv", head, *reversed(other))
    assert printed(capsys, "summary", file) == printed(capsys, "summary", TRIALS)


def test_the_two_counts_of_a_summary_by_hand(capsys, tmp_path):
    # Three played trials of Coop-ToM0, one of them without a choice, and one that is missing:
    # TOCS 1/3, of two choices 1/2, UR 1/3, box 0 in 2 of 3 and of 2; a_traj 1, 0, -1; a_gaze
    # 0, 0, 1; sens_traj 1, 0, -1 (light signalled, dark opened); sens_gaze 0, 0, 1.
    file = written(
        tmp_path / "t.csv",
        TRIALS_HEAD,
        *("Coop-ToM0,1,0,0,0,", "Coop-ToM0,2,1,-1,,none", "Coop-ToM0,3,1,0,1,1"),
        "Coop-ToM0,4,0,,,",
    )
    _, (row,) = printed(capsys, "summary", file)
    # a_traj: dark = reward 1; none 0; light = reward 1: 2/3. a_gaze: 0, 0, 1: 1/3.
    # sens: traj 1, 0, -1 = 0; gaze 0, 0, -1 (light looked at, dark opened) = -1/3; mean -1/6.
    # Binomial: 1 of 3 at 1/2: all counts are as likely or likelier but 0 and 3: p = 1.
    # Chi-square: the dark box opened both times, so that it does not apply.
    assert row == {
        "condition": "Coop-ToM0",
        "TOCS_all": "0.333333",
        "TOCS_choice": "0.500000",
        "UR": "0.333333",
        "PB_all": "0.666667",
        "PB_choice": "1.000000",
        "TAS": "0.666667",
        "GAS": "0.333333",
        "S_traj": "0.000000",
        "S_gaze": "-0.333333",
        "S_eq12": "-0.166667",
        "binom_p": "1.000000",
        "chi2_yates": "",
        "chi2_p": "",
    }


def test_trials_that_are_left_out_are_said_on_stderr_and_change_no_printed_column(capsys, tmp_path):
    lines = ["Coop-ToM0,1,0,0,0,", "Comp-ToM1,1,0,1,0,0"]
    missing = ["Coop-ToM0,2,0,,,", "Coop-ToM0,3,1,,,", "Comp-ToM1,2,1,,,"]
    whole = written(tmp_path / "whole.csv", TRIALS_HEAD, *lines)
    holed = written(tmp_path / "holed.csv", TRIALS_HEAD, *lines, *missing)
    for more in ((), ("--srh",)):
        assert main(["mosaic", "summary", str(whole), *more]) == 0
        told = capsys.readouterr()
        assert main(["mosaic", "summary", str(holed), *more]) == 0
        left_out = capsys.readouterr()
        assert (told.err, left_out.out) == ("", told.out)
        assert left_out.err == (
            f"vlmtom mosaic: {holed}: left out 3 of 5 trials as missing (Coop-ToM0 2, "
            "Comp-ToM1 1)\n"
        )


def test_columns_of_ours_that_a_summary_does_not_need_may_stand_in_the_file(capsys, tmp_path):
    lines = ("played,Coop-ToM0,1,0,0,0,", "missing,Coop-ToM0,2,1,,,")
    file = written(tmp_path / "t.csv", f"status,{TRIALS_HEAD}", *lines)
    _, (row,) = printed(capsys, "summary", file)
    assert (row["TOCS_all"], row["UR"]) == ("1.000000", "0.000000")


def test_what_is_not_defined_is_printed_empty(capsys, tmp_path):
    lines = [f"Comp-ToM1,{n},1,-1,none,none" for n in range(1, 4)]
    file = written(tmp_path / "t.csv", TRIALS_HEAD, *lines, "Coop-ToM0,1,0,,,")
    _, (missing, silent) = printed(capsys, "summary", file)
    assert (silent["condition"], silent["TOCS_all"], silent["UR"]) == (
        *("Comp-ToM1", "0.000000", "1.000000"),
    )
    assert silent["TOCS_choice"] == silent["PB_choice"] == silent["chi2_p"] == ""
    assert {value for name, value in missing.items() if name != "condition"} == {""}
    _, rows = printed(capsys, "summary", file, "--srh")
    assert {value for row in rows for name, value in row.items() if name != "variable"} == {""}


def test_a_variable_that_never_varies_has_no_test(capsys, tmp_path):
    lines = [
        f"{mode}-ToM{tom},{n},{n % 2},{n % 2},{n % 2},none"
        for mode, tom, n in itertools.product(("Coop", "Comp"), (0, 1), range(4))
    ]
    _, rows = printed(capsys, "summary", written(tmp_path / "t.csv", TRIALS_HEAD, *lines), "--srh")
    assert {tuple(row.values())[1:] for row in rows} == {("", "", "")}


def test_the_hand_checked_logs_are_met_to_every_printed_digit(capsys):
    said, rows = printed(capsys, "score", LOGS)
    assert said.splitlines()[0] == ("c,p,tocs,ur,s_g,s_tr,b_g,b_tr,a_g,a_tr,sens_g,sens_tr,S,FES")
    expected = [{name: row[name] for name in rows[0]} for row in rows_of(LOGS)]
    assert rows == expected and len(rows) == 9


def test_all_that_is_wrong_with_trials_is_told_by_file_row_and_column(capsys, tmp_path):
    file = written(
        tmp_path / "t.csv",
        TRIALS_HEAD,
        *("Coop-ToM2,1,0,0,0,0", "Coop-ToM0,,0,0,0,0", "Coop-ToM0,1,2,3,4,left"),
        *("Coop-ToM0,2,0,0,0,0", "coop-tom0,2,0,0,0,0", "Coop-ToM0,3,0,0"),
    )
    expected = "0, 1 or none, found"
    assert refused(capsys, "summary", file).splitlines() == [
        "vlmtom mosaic: nothing was computed:",
        f"  {file}, row 2, column condition: expected Coop-ToM0, Coop-ToM1, Comp-ToM0, Comp-ToM1, "
        "found 'Coop-ToM2'.",
        f"  {file}, row 3, column trial: empty. Number the trials of a condition.",
        f"  {file}, row 4, column reward: expected 0 (dark brown) or 1 (light brown), found '2'.",
        f"  {file}, row 4, column choice: expected 0, 1, -1 (neither opened) or nothing for a "
        "missing trial, found '3'.",
        f"  {file}, row 4, column b_traj: expected {expected} '4'.",
        f"  {file}, row 4, column b_gaze: expected {expected} 'left'.",
        f"  {file}, row 6, column trial: Coop-ToM0, trial '2' is in row 5 already. Give one file "
        "a pair.",
        f"  {file}, row 7: 4 cells, but 6 columns.",
    ]


def test_all_that_is_wrong_with_logs_is_told_by_file_row_column_and_round(capsys, tmp_path):
    bad = [[0, -4, 0, 1, 0]] * 10
    bad[1], bad[2], bad[3], bad[4] = [6, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 2], "left"
    quoted = json.dumps(bad).replace('"', '""')
    file = written(
        tmp_path / "l.csv",
        LOGS_HEAD,
        f'cop,2,3,9,a,"{LOG}"',
        f'coop,0,0,1,1,"{quoted}"',
        'coop,0,0,1,1,"[[0,-4,0,1,0]]"',
        "coop,0,0,1,1,walked",
        'coop,0,0,1,1,"' + LOG.replace("[0,-4,0,1,0]]", '[0,-4,0,1,NaN]]"'),
    )
    numbers = "expected five numbers [x, y, hx, hy, facial], found"
    cells = "a whole number of cells from -5 to 5"
    log = "column log: expected a JSON list of 10 rows [x, y, hx, hy, facial], found"
    said = refused(capsys, "score", file).splitlines()
    assert said[1:11] == [
        f"  {file}, row 2, column mode: expected coop or comp, found 'cop'.",
        f"  {file}, row 2, column tom: expected 0 or 1, found '2'.",
        f"  {file}, row 2, column reward: expected 0 (dark brown) or 1 (light brown), found '3'.",
        f"  {file}, row 2, column final_x: expected {cells}, found '9'.",
        f"  {file}, row 2, column final_y: expected {cells}, found 'a'.",
        f"  {file}, row 3, column log, round 2: expected x and y as {cells}, found 6 and 0.",
        f"  {file}, row 3, column log, round 3: expected a heading of some length, found 0 and 0.",
        f"  {file}, row 3, column log, round 4: expected a facial valence from -1 to 1, found 2.",
        f"  {file}, row 3, column log, round 5: {numbers} '\"left\"'.",
        f"  {file}, row 4, {log} '[[0,-4,0,1,0]]' of 1.",
    ]
    assert said[11:] == ["  … and 2 more."]


@pytest.mark.parametrize("part", ["summary", "score"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty. Expected the columns"),
        (b"a;b\n", "the columns are separated by ';'"),
        (b"mode,condition\n", "row 1: no column"),
        (b"\xe4\n", "not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(capsys, tmp_path, part, content, words):
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    said = refused(capsys, part, file)
    assert str(file) in said and words in said


@pytest.mark.parametrize(("part", "head"), [("summary", TRIALS_HEAD), ("score", LOGS_HEAD)])
def test_a_file_without_a_row_or_that_is_not_there_is_refused(capsys, tmp_path, part, head):
    file = written(tmp_path / "a.csv", head)
    assert "in it. Give a row for every trial" in refused(capsys, part, file)
    assert "cannot be read" in refused(capsys, part, tmp_path / "b.csv")
