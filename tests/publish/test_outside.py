"""The printed tables of the cross-task paper from the trials behind them, digit for digit."""

import csv
import json
from pathlib import Path

import pytest

from vlmtom.cli import main

DATA = Path(__file__).parents[1] / "data"
PUBLISHED = Path(__file__).parents[2] / "resources" / "published"
HEAD = "model,condition,clip,judge,trial,intent,approp\n"


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def run(folder, *names):
    arguments = [word for name in names for word in (f"--{name}", str(DATA / f"{name}_trials.csv"))]
    return main(["aggregate", *arguments, "--out", str(folder)])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("joint")
    assert run(folder, "director", "triangles") == 0
    return folder


@pytest.mark.parametrize(
    ("table", "key", "left_out", "n"),
    [
        ("table5", ("model", "condition"), {}, 27),
        ("table7", ("model",), {}, 9),
        ("table8", ("model",), {}, 9),
        ("table11", ("model",), {"grid": "plain"}, 9),
    ],
)
def test_a_printed_table_comes_out_digit_for_digit(made, table, key, left_out, n):
    ours = {tuple(row[name] for name in key): row for row in read(made / f"{table}.csv")}
    printed = [
        row
        for row in read(PUBLISHED / f"crosstask_{table}.csv")
        if not left_out or any(row[name] != value for name, value in left_out.items())
    ]
    assert len(ours) == len(printed) == n
    for row in printed:
        expected = {name: row[name] for name in row if name not in ("paper", "source")}
        assert ours[tuple(row[name] for name in key)] == expected


def test_the_numbered_column_of_table_10_comes_out(made):
    printed = read(PUBLISHED / "crosstask_table10.csv")
    assert read(made / "table10.csv") == [
        {"metric": row["metric"], "v2_numbered": row["v2_numbered"]} for row in printed
    ]


def test_the_headline_is_that_of_the_paper(made):
    headline = json.loads((made / "headline.json").read_text())
    printed = {row["key"]: row["value"] for row in read(PUBLISHED / "crosstask_headline.csv")}
    for name in (
        *("a_pct", "b_pct", "cQ1_pct", "cQ2_pct", "ego_b_pct", "gap_pp"),
        *("tom_intent", "tom_approp", "tom_dist_td", "tom_dist_hfasd"),
    ):
        assert headline[f"panel_{name}"] == float(printed[f"panel_{name}"])
    assert headline["disagreement_count"] == int(printed["disagreement_count"])
    assert headline["strict_rank_count"] == int(printed["strict_rank_count_v2"])
    assert headline["in_family_cells"] == int(printed["in_family_cells"])
    # section 4.3: the GD mean lies 0.51 and 0.80 from the two groups, the Random mean 0.88, 1.08
    names = ("intent", "approp", "dist_td", "dist_hfasd")
    assert [headline[f"panel_gd_{name}"] for name in names] == [1.97, 1.98, 0.51, 0.80]
    assert [headline[f"panel_random_{name}"] for name in names] == [0.92, 2.57, 0.88, 1.08]
    medians = [headline[f"panel_median_intent_{name}"] for name in ("tom", "gd", "random")]
    assert medians == [2.0, 2.0, 1.0]
    # section 5.2 prints -0.19; mid-ranks of the printed tables give six digits
    assert (headline["spearman"], headline["spearman_status"]) == (-0.187276, "ok")
    assert headline["spearman_low"] < -0.5 and headline["spearman_high"] > 0.3
    assert headline["triangles_trials_missing"] == 0


def test_six_of_nine_move_to_a_cohort_of_the_wider_set(made):
    # Appendix H names the cohort by its gap
    cohorts = {
        "Adolescent-II 14.0-17.7y": {"grok-4.3"},
        "Adolescent-I 11.5-13.9y": {"claude-sonnet-4.6", "gpt-5.5"},
        "Child-I 7.3-9.7y": {"claude-opus-4.7", "gemini-3.5-flash", "gpt-5.4"},
        "TD-adult": {"kimi-k2.6", "qwen-3.5-plus"},
        "HF-ASD-adult": {"gemini-3.0-pro"},
    }
    found = {}
    for row in read(made / "anchors_wide.csv"):
        assert list(row)[:3] == ["model", "gap_x", "nearest_director"]
        found.setdefault(row["nearest_director"], set()).add(row["model"])
    assert found == cohorts
    # "remains eight of nine"
    assert json.loads((made / "headline.json").read_text())["disagreement_count_wide"] == 8


def test_sensitivity_and_intervals_are_written_for_outside_trials_too(made):
    rows = {(row["axis"], row["variant"]): row for row in read(made / "sensitivity.csv")}
    stretched = rows["references", "approp_0_to_2"]
    # the recomputed distances of the panel, were human Appropriateness rated 0 to 2
    for condition, far, near in (
        ("tom", "2.56", "0.61"),
        ("gd", "0.71", "0.43"),
        ("random", "0.44", "0.34"),
    ):
        assert stretched[f"{condition}_dist_td"] == far
        assert stretched[f"{condition}_dist_hfasd"] == near
    # a file says once whether an answer is right
    assert rows["level", "strict"]["status"] == rows["overlay", "informed"]["status"] == "not_run"
    found = {(row["model"], row["measure"]): row for row in read(made / "intervals.csv")}
    assert found["panel", "spearman"]["value"] == "-0.187"
    saturated = found["gemini-3.0-pro", "gap"]  # right in all twelve scenes
    assert [saturated[name] for name in ("value", "low", "high")] == ["0.000"] * 3
    assert "nan" not in (made / "intervals.csv").read_text().lower()


def test_each_file_can_be_given_alone(tmp_path):
    assert run(tmp_path / "d", "director") == 0
    assert {path.name for path in (tmp_path / "d").glob("*.*")} - {".vlmtom.json"} == {
        "table2.csv",
        "headline.json",
    }
    assert run(tmp_path / "t", "triangles") == 0
    names = {path.name for path in (tmp_path / "t").glob("table*")}
    assert names == {"table5.csv", "table7.csv", "table10.csv", "table11.csv"}
    headline = json.loads((tmp_path / "t" / "headline.json").read_text())
    assert headline["panel_tom_intent"] == 2.31
    assert "spearman" not in headline


def test_with_neither_file_the_usage_is_wrong(tmp_path, capsys):
    assert main(["aggregate", "--out", str(tmp_path)]) == 2
    assert "expected --director CSV or --triangles CSV" in capsys.readouterr().err


def aggregate(tmp_path, text, *, director=None):
    (tmp_path / "t.csv").write_text(text)
    arguments = ["--triangles", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out")]
    if director is not None:
        (tmp_path / "d.csv").write_text(director)
        arguments += ["--director", str(tmp_path / "d.csv")]
    return main(["aggregate", *arguments])


def test_missing_verdicts_are_in_no_mean_and_are_counted(tmp_path):
    text = HEAD
    # j1: (2 + 3) / 2 = 2.5 -> 3; j2: only trial 1 has both scores; m2 was not judged by j2
    text += "m,ToM,c,j1,1,2,1\nm,ToM,c,j1,2,3.0,2\nm,ToM,c,j2,1,5,1\nm,ToM,c,j2,2,,\n"
    text += "m2,ToM,c,j1,1,1,1\nm2,ToM,c,j1,2,1,\n"
    assert aggregate(tmp_path, text) == 0
    rows = {row["model"]: row for row in read(tmp_path / "out" / "table7.csv")}
    assert (rows["m"]["intent"], rows["m"]["approp"]) == ("4.000", "1.500")
    assert rows["m2"]["intent"] == "1.000"
    assert read(tmp_path / "out" / "table11.csv")[0] == {
        "model": "m",
        "grid": "numbered",
        "median_intent_ToM": "4.0",
        "median_intent_GD": "",
        "median_intent_Random": "",
        "strict_rank": "",
    }
    headline = json.loads((tmp_path / "out" / "headline.json").read_text())
    # planned: 2 models x 2 judges x 2 trials; scored: 2 + 1 + 1
    assert (headline["triangles_trials"], headline["triangles_trials_missing"]) == (8, 4)
    assert headline["panel_gd_intent"] is None
    assert headline["in_family_cells"] is None
    assert headline["family_unknown"] == ["m", "m2", "j1", "j2"]


def test_testers_of_one_file_alone_have_no_label_on_the_other_task(tmp_path):
    director = "model,scene,trial,a,b,cQ1,cQ2,ego_b\nm,Q01,1,0,1,1,1,0\n"
    assert aggregate(tmp_path, HEAD + "m2,ToM,c,j1,1,2,1\n", director=director) == 0
    rows = read(tmp_path / "out" / "table8.csv")
    assert [list(row.values()) for row in rows] == [
        ["m", "-1.000", "HF-ASD-adult", "", ""],
        ["m2", "", "", "HF-ASD-adult", ""],
    ]
    text = (tmp_path / "out" / "headline.json").read_text()
    headline = json.loads(text)
    assert (headline["spearman"], headline["spearman_status"]) == (None, "too_few")
    assert headline["disagreement_count"] is None
    assert "NaN" not in text


GOOD = "m,ToM,c,j,1,1,1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD.replace(",approp", ""), "t.csv: no column approp. Expected model, condition"),
        (HEAD, "no trial in it"),
        (HEAD + "m,Sad,c,j,1,1,1\n", "line 2, column 'condition': expected ToM or GD or Random"),
        (HEAD + GOOD + "m,ToM,c,j,2,6,1\n", "line 3, column 'intent': expected a whole number"),
        (HEAD + "m,ToM,c,j,1,1,4\n", "column 'approp': expected a whole number from 0 to 3"),
        (HEAD + "m,ToM,c,j,1,1.5,1\n", "found '1.5'"),
        (HEAD + "m,ToM,c,j,1,-1,1\n", "found '-1'"),
        (HEAD + "m,ToM,c,j,1,nan,1\n", "found 'nan'"),
        (HEAD + "m,ToM,,j,1,1,1\n", "line 2: the column 'clip' is empty"),
        (HEAD + "m,ToM,c,j\n", "line 2: not as many fields"),
        (HEAD + "m,ToM,c,j,1,1,1,1\n", "line 2: not as many fields"),
        (HEAD + GOOD + GOOD, "line 3: the trial m, c, j, 1 stands there twice, first on line 2"),
        (HEAD + GOOD + "n,GD,c,j,1,1,1\n", "line 3, column 'condition': expected ToM for the clip"),
    ],
)
def test_a_bad_file_of_verdicts_is_refused_with_line_and_column(tmp_path, capsys, text, words):
    assert aggregate(tmp_path, text) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there_is_named(tmp_path, capsys):
    path = str(tmp_path / "no.csv")
    assert main(["aggregate", "--triangles", path, "--out", str(tmp_path)]) == 1
    assert "no.csv: cannot be read" in capsys.readouterr().err


def test_own_references_are_read_and_a_bad_line_of_them_is_named(tmp_path, capsys):
    head = "group,task,condition,measure,value,scale_max,p_a,p_b,derivation,set,source,certainty\n"
    own = "mine,director,,gap,,,0.9,0.4,a_minus_b,adult,s,c\n"
    (tmp_path / "r.csv").write_text(head + own)
    words = [
        word for n in ("director", "triangles") for word in (f"--{n}", DATA / f"{n}_trials.csv")
    ]
    words += ["--references", tmp_path / "r.csv", "--out", tmp_path / "out"]
    assert main(["aggregate", *map(str, words)]) == 0
    assert {row["nearest_director"] for row in read(tmp_path / "out" / "table8.csv")} == {"mine"}
    (tmp_path / "r.csv").write_text(head + own.replace("0.4", "four"))
    assert main(["aggregate", *map(str, words)]) == 1
    assert "r.csv, line 2, column 'p_b': expected a number, found 'four'" in capsys.readouterr().err
