"""Tables 6, 9, 10 and 11 and the figure of arms: by hand, and as the paper has them."""

import csv
import itertools
import math
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from vlmtom.cli import main
from vlmtom.publish.arm_text import shown_note, signed
from vlmtom.publish.figure_arms import figure_arms
from vlmtom.publish.outside import read_trials
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.publish.table6 import table6_tex
from vlmtom.publish.table9 import table9_tex
from vlmtom.publish.table10 import table10_tex
from vlmtom.publish.table11 import table11_tex
from vlmtom.settings import TRIANGLES_ARMS, Settings
from vlmtom.stats.arm_tables import (
    TABLE6_ARMS,
    TABLE9_VARIANTS,
    compared,
    table6,
    table6_variants,
    table9,
    table10,
    table10_variants,
)
from vlmtom.stats.exact import plain, show
from vlmtom.stats.judge_audits import family_rows
from vlmtom.stats.profile_tables import table11
from vlmtom.stats.references import load_references
from vlmtom.store import schemas
from vlmtom.triangles.cells import profile_rows

DATA = Path(__file__).parents[1] / "data"
PUBLISHED = Path(__file__).parents[2] / "resources" / "published"
REFERENCES = load_references()
SOURCE = Source("p", 3, "0123456789abcdef" * 4, "original")
CONDITIONS = ("ToM", "GD", "Random")
K = {"numbered": 3, "plain": 3, "keyframe": 1, "reversed": 1, "shuffled": 1}
FOUR = ("claude-opus-4.7", "gpt-5.5", "gemini-3.5-flash", "grok-4.3")


def cells(arm, levels, overlay="blinded", kind="model", gone=()):
    """Twelve cells a condition, all of one level; levels: {tester: ((intent, approp), ...)}."""
    return [
        {
            "tester": tester,
            "kind": kind,
            "arm": arm,
            "overlay": overlay,
            "clip": f"{condition}{clip}",
            "condition": condition,
            "judge": judge,
            "intent": None if (tester, condition) in gone else score[0],
            "approp": None if (tester, condition) in gone else score[1],
            "n_trials": K[arm],
            "n_scored": K[arm] * ((tester, condition) not in gone),
            "n_missing": K[arm] * ((tester, condition) in gone),
            "n_unparsed": 0,
        }
        for tester, scores in levels.items()
        for condition, score in zip(CONDITIONS, scores, strict=True)
        for clip, judge in itertools.product(range(4), ("j1", "j2", "j3"))
    ]


HIGH, LOW = ((4, 2), (3, 2), (1, 2)), ((2, 1), (2, 1), (2, 1))
BOTH = {"t1": HIGH, "t2": LOW}


def published():
    return read_trials(DATA / "triangles_trials.csv")


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def body(tex):
    return [line for line in tex.splitlines() if line.endswith(r"\\")]


def caption(tex):
    return re.search(r"\\caption\{(.*)\}$", tex, re.MULTILINE)[1]


def six(rows, trials=K):
    found = compared(rows, table6_variants(trials))
    table = table6(found, REFERENCES, trials)
    schemas.TABLE6.table(plain(table))
    return table, found


def nine(rows):
    found = compared(rows, TABLE9_VARIANTS)
    table = table9(found, REFERENCES)
    schemas.TABLE9.table(plain(table))
    return table, found


def ten(rows):
    found = compared(rows, table10_variants())
    table = table10(found, REFERENCES)
    schemas.TABLE10.table(plain(table))
    return table, found


# Table 6 ----------------------------------------------------------------------------------------


def test_a_row_of_table_6_is_the_mean_profile_and_its_distances():
    rows = cells("numbered", BOTH) + cells("keyframe", {"t1": LOW, "t2": LOW})
    table, found = six(rows, {"numbered": 3, "keyframe": 1})
    assert [(r["condition"], r["arm"]) for r in table] == [
        (c, arm) for c in CONDITIONS for arm in ("numbered", "keyframe")
    ]
    assert found.testers == ["t1", "t2"] and found.left_out == []
    # ToM: mean of (4, 2) and (2, 1); to TD (4.3, 1.7) and HF-ASD (2.9, 0.5)
    first = table[0]
    assert (first["intent"], first["approp"]) == (3, Fraction(3, 2))
    assert float(first["dist_td"]) == pytest.approx(math.hypot(1.3, 0.2))
    assert float(first["dist_hfasd"]) == pytest.approx(math.hypot(0.1, 1.0))
    assert first["nearest"] == "HF-ASD-adult"
    assert float(first["margin"]) == pytest.approx(math.hypot(1.3, 0.2) - math.hypot(0.1, 1))
    assert (first["n_cells"], first["n_scores"], first["n_trials"]) == (24, 72, 3)
    still = table[1]
    assert (still["intent"], still["approp"], still["n_scores"]) == (2, 1, 24)
    assert {row["n_testers"] for row in table} == {2}


def test_an_arm_that_a_tester_has_not_leaves_it_out_of_all_arms_by_name():
    rows = cells("numbered", BOTH) + cells("reversed", {"t1": HIGH})
    table, found = six(rows, {"numbered": 3, "reversed": 1})
    assert found.testers == ["t1"] and found.left_out == ["t2"]
    assert {(r["arm"], r["intent"]) for r in table if r["condition"] == "ToM"} == {
        ("numbered", 4),
        ("reversed", 4),
    }
    text = caption(table6_tex(table, found, SOURCE))
    assert "Over the testers that have all that is compared: t1; without t2." in text
    # one condition without a score is as bad as none
    rows = cells("numbered", BOTH) + cells("reversed", BOTH, gone={("t2", "GD")})
    assert compared(rows, table6_variants(K)).testers == ["t1"]


def test_the_papers_four_testers_are_those_that_have_the_motion_arms():
    canonical = published()
    probed = [
        {**row, "arm": arm, "n_trials": 1}
        for arm in ("reversed", "keyframe")
        for row in canonical
        if row["tester"] in FOUR
    ]
    trials = {"numbered": 3, "reversed": 1, "keyframe": 1}
    table, found = six(canonical + probed, trials)
    assert set(found.testers) == set(FOUR) and len(found.left_out) == 5
    # ToM profiles of these four in Table 7: Intent 2.667, 3.000, 3.083, 1.000 (in twelfths)
    assert table[0]["intent"] == Fraction(32 + 36 + 37 + 12, 48)
    assert table[0]["approp"] == Fraction(11 + 16 + 17 + 2, 48)
    text = caption(table6_tex(table, found, SOURCE))
    assert all(name in text for name in FOUR)
    assert "K = 3 trials a clip in numbered, 1 in reversed and keyframe" in text


def test_an_arm_of_which_nothing_is_scored_hides_no_other():
    rows = cells("numbered", BOTH)
    rows += cells("reversed", BOTH, gone=set(itertools.product(BOTH, CONDITIONS)))
    table, found = six(rows, {"numbered": 3, "reversed": 1})
    assert found.testers == ["t1", "t2"]
    statuses = {(r["arm"], r["status"], r["n_testers"]) for r in table}
    assert statuses == {("numbered", "ok", 2), ("reversed", "no_cells", 0)}
    assert all(row["intent"] is None for row in table if row["arm"] == "reversed")
    assert "Without a scored cell: reversed blinded." in caption(table6_tex(table, found, SOURCE))


def test_testers_that_share_no_arm_give_no_numbers_and_a_status():
    rows = cells("numbered", {"t1": HIGH}) + cells("reversed", {"t2": LOW})
    table, found = six(rows, {"numbered": 3, "reversed": 1})
    assert found.testers == [] and found.left_out == ["t1", "t2"]
    assert {(r["status"], r["intent"], r["nearest"]) for r in table} == {
        ("no_common_testers", None, None)
    }
    tex = table6_tex(table, found, SOURCE)
    assert "No tester has a score in all that is compared." in caption(tex)
    assert body(tex)[2].split(" & ")[2:6] == ["--", "--", "--", "--"]


def test_observers_beside_models_are_in_no_panel_number():
    models = cells("numbered", BOTH) + cells("plain", BOTH)
    others = [
        row for arm in ("numbered", "plain") for row in cells(arm, {"obs-x": LOW}, kind="observer")
    ]
    assert six(models + others)[0] == six(models)[0]
    table, found = ten(models + others)
    assert table == ten(models)[0]
    text = caption(table10_tex(table, found, SOURCE, K))
    assert "Observers are not in the panel's numbers." in text
    assert found.left_out == []


def test_an_arm_of_observers_alone_is_nobodys_panel():
    models, observer = cells("numbered", BOTH), {"obs-x": HIGH}
    rows = models + cells("plain", observer, kind="observer")
    table, found = ten(rows)
    assert found.absent == {("plain", "blinded"): "not_in_panel"}
    assert [row["plain"] for row in table] == [None] * len(table)
    assert [row["numbered"] for row in table] == [row["numbered"] for row in ten(models)[0]]
    assert "Asked of observers alone: plain blinded." in caption(table6_tex(*six(rows), SOURCE))
    ranks = table11(rows, ["numbered", "plain"], "blinded")
    panel = [line for line in body(table11_tex(ranks, rows, SOURCE)) if "panel median" in line]
    assert len(panel) == 1 and "numbered" in panel[0]
    families = {name: name for name in ("t1", "t2", "obs-x", "j1", "j2", "j3")}
    medians = {
        (row["arm"], row["condition"]): row["median_all"]
        for row in family_rows(rows, ["numbered", "plain"], families)
    }
    assert medians["plain", "ToM"] is None
    assert medians["numbered", "ToM"] == 3  # of 4 and 2, twelve times each


# Table 9 ----------------------------------------------------------------------------------------


def test_the_blinded_numbered_column_of_table_9_is_the_papers():
    table, found = nine(published())
    by = {(row["arm"], row["overlay"]): row for row in table}
    assert list(by) == [*TABLE9_VARIANTS]
    row = by["numbered", "blinded"]
    # As printed: 2.0/2.0/1.0; 5/9; (2.31, 0.94); 2.13; 0.73; HF-ASD, TD, TD
    assert [row[f"median_intent_{c.lower()}"] for c in CONDITIONS] == [2, 2, 1]
    assert (row["strict_rank_count"], row["n_ranked"], row["n_cells"]) == (5, 9, 324)
    shown = [show(row[n], 2) for n in ("mean_intent_tom", "mean_approp_tom")]
    shown += [show(row[n], 2) for n in ("dist_td_tom", "dist_hfasd_tom")]
    assert shown == ["2.31", "0.94", "2.13", "0.73"]
    assert [row[f"nearest_{c.lower()}"] for c in CONDITIONS] == [
        "HF-ASD-adult",
        "TD-adult",
        "TD-adult",
    ]
    for variant in TABLE9_VARIANTS[:3]:
        missing = by[variant]
        assert missing["status"] == "not_run" and missing["n_testers"] == 0
        assert missing["mean_intent_tom"] is missing["strict_rank_count"] is None
    tex = table9_tex(table, found, SOURCE, {"numbered": 3})
    assert body(tex)[2].endswith(r"& -- & -- & -- & 2.0/2.0/1.0 \\")
    assert "Not run: plain informed, plain blinded, numbered informed." in caption(tex)
    assert "overlay blinded;" in caption(tex)


def test_what_judges_are_told_stands_side_by_side():
    rows = [
        *cells("numbered", BOTH),
        *cells("numbered", {"t1": HIGH, "t2": HIGH}, "informed"),
        *cells("plain", {"t1": LOW, "t2": LOW}),
        *cells("plain", BOTH, "informed"),
    ]
    table, found = nine(rows)
    assert [row["strict_rank_count"] for row in table] == [1, 0, 2, 1]
    assert [row["mean_intent_tom"] for row in table] == [3, 2, 4, 3]
    tex = table9_tex(table, found, SOURCE, K)
    # pooled 12 of 4 and 12 of 2: 3.0
    assert body(tex)[2].split(" & ", 1)[1] == (
        r"3.0/2.5/1.5 & 2.0/2.0/2.0 & 4.0/3.0/1.0 & 3.0/2.5/1.5 \\"
    )
    assert body(tex)[3].split(" & ", 1)[1] == r"1 / 2 & 0 / 2 & 2 / 2 & 1 / 2 \\"
    assert "overlays informed and blinded" in caption(tex)


# Table 10 and 11 --------------------------------------------------------------------------------


def plain_trials():
    """Trials whose medians by tester and condition are the printed ones of the plain arm.

    A median of x.5: six cells of x and six of x + 1.
    """
    lines = []
    for row in read(PUBLISHED / "crosstask_table11.csv"):
        if row["grid"] != "plain":
            continue
        for condition in CONDITIONS:
            median = Fraction(row[f"median_intent_{condition}"])
            for cell in range(12):
                level = math.floor(median) if cell < 6 else math.ceil(median)
                clip, judge = divmod(cell, 3)
                key = f"{row['model']},{condition},{condition}_{clip + 1},j{judge}"
                lines += [f"{key},{trial},{level},1,plain" for trial in (1, 2, 3)]
    return lines


@pytest.fixture(scope="module")
def two_arms(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arms")
    header, *numbered = (DATA / "triangles_trials.csv").read_text().splitlines()
    lines = [f"{header},arm", *(f"{line},numbered" for line in numbered), *plain_trials()]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    out = folder / "out"
    assert main(["aggregate", "--triangles", str(folder / "t.csv"), "--out", str(out)]) == 0
    return out


def test_both_halves_of_table_11_come_out_digit_for_digit(two_arms):
    ours = {(row["model"], row["grid"]): row for row in read(two_arms / "table11.csv")}
    printed = read(PUBLISHED / "crosstask_table11.csv")
    assert len(ours) == len(printed) == 18
    for row in printed:
        expected = {name: row[name] for name in row if name not in ("paper", "source")}
        assert ours[row["model"], row["grid"]] == expected


def test_table_10_comes_out_of_the_printed_medians_of_table_11(two_arms):
    """Five testers gain the strict rank and no pooled median moves: from the testers' medians."""
    ours = {row["metric"]: row for row in read(two_arms / "table10.csv")}
    printed = {row["metric"]: row for row in read(PUBLISHED / "crosstask_table10.csv")}
    assert list(ours) == list(printed)
    columns = ("v1_plain", "v2_numbered", "delta")
    for metric in list(printed)[:4]:  # ranks and medians; means need more than medians
        assert [ours[metric][c] for c in columns] == [printed[metric][c] for c in columns]
    for metric, row in ours.items():
        assert row["v2_numbered"] == printed[metric]["v2_numbered"]
    assert ours["mean_intent_ToM"]["delta"] == printed["mean_intent_ToM"]["delta"] == ""


def test_other_tables_are_of_the_canonical_arm_alone(two_arms):
    for name in ("table5", "table7"):
        printed = read(PUBLISHED / f"crosstask_{name}.csv")
        ours = read(two_arms / f"{name}.csv")
        assert [list(row.values()) for row in ours] == [
            list(row.values())[: len(ours[0])] for row in printed
        ]


def test_outside_trials_of_several_arms_and_overlays_give_tables_6_and_9(tmp_path):
    text = "model,condition,clip,judge,trial,intent,approp,arm,overlay\n"
    for model, arm, overlay, intent in (
        ("m", "numbered", "blinded", 4),
        ("m", "numbered", "informed", 5),
        ("m", "reversed", "blinded", 2),
        ("n", "numbered", "blinded", 1),
    ):
        text += f"{model},ToM,c,j,1,{intent},2,{arm},{overlay}\n"
    (tmp_path / "t.csv").write_text(text)
    out = tmp_path / "out"
    assert main(["aggregate", "--triangles", str(tmp_path / "t.csv"), "--out", str(out)]) == 0
    rows = {(r["condition"], r["arm"]): r for r in read(out / "table6.csv")}
    # n has no reversed trial: 4.00, not 2.50
    assert rows["ToM", "numbered"]["intent"] == "4.00"
    assert rows["ToM", "reversed"]["intent"] == "2.00"
    assert rows["ToM", "reversed"]["n_testers"] == "1"
    assert rows["GD", "reversed"]["status"] == "no_cells"
    nine = {(r["arm"], r["overlay"]): r for r in read(out / "table9.csv")}
    assert nine["numbered", "informed"]["mean_intent_tom"] == "5.00"
    assert nine["numbered", "blinded"]["mean_intent_tom"] == "4.00"
    assert nine["plain", "blinded"]["status"] == "not_run"
    # the tables of the canonical reading hold both models
    assert [r["intent"] for r in read(out / "table7.csv")] == ["4.000", "1.000"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("m,ToM,c,j,1,1,1,upside,blinded", "column 'arm': expected numbered or reversed or"),
        ("m,ToM,c,j,1,1,1,plain,told", "column 'overlay': expected blinded or informed, found"),
        ("m,ToM,c,j,1,1,1,plain,blinded", "no trial of the arm numbered under the overlay blinded"),
    ],
)
def test_arms_and_overlays_of_outside_trials_are_known_ones(tmp_path, capsys, line, words):
    header = "model,condition,clip,judge,trial,intent,approp,arm,overlay\n"
    (tmp_path / "t.csv").write_text(f"{header}{line}\n")
    out = str(tmp_path / "out")
    assert main(["aggregate", "--triangles", str(tmp_path / "t.csv"), "--out", out]) == 1
    assert words in capsys.readouterr().err


def test_differences_are_of_the_exact_numbers_and_carry_their_sign():
    # ToM of numbered 13/12 and of plain 1: 1.08 - 1.00, and 1/12 = 0.083
    rows = cells("plain", {"t": ((1, 1), (1, 1), (1, 1))})
    more = cells("numbered", {"t": ((1, 1), (1, 1), (1, 1))})
    more[0] = more[0] | {"intent": 2}
    table, found = ten(rows + more)
    by = {row["metric"]: row for row in table}
    assert by["mean_intent_tom"]["delta"] == Fraction(1, 12)
    # to TD-adult: from hypot(3.3, .7) to hypot(3.3 - 1/12, .7)
    expected = math.hypot(3.3 - 1 / 12, 0.7) - math.hypot(3.3, 0.7)
    assert float(by["dist_td_tom"]["delta"]) == pytest.approx(expected)
    tex = table10_tex(table, found, SOURCE, K)
    assert r"& (+0.08, 0.00) \\" in tex and r"$-$0.08 \\" in tex
    assert [signed(Fraction(v), 1) for v in ("0.04", "-0.04", "0.05")] == ["0.0", "0.0", "+0.1"]


def test_table_10_without_one_of_its_arms_is_dashes_with_a_status():
    table, found = ten(cells("numbered", BOTH))
    assert {row["status"] for row in table} == {"not_run"}
    assert {row["plain"] for row in table} == {row["delta"] for row in table} == {None}
    assert "–: no number" in table10_tex(table, found, SOURCE, K).replace("--:", "–:")


# Layout -----------------------------------------------------------------------------------------


def all_tex(testers, source=SOURCE):
    levels = {name: (HIGH, LOW)[place % 2] for place, name in enumerate(testers)}
    rows = [row for arm in K for row in cells(arm, levels)]
    rows += [row for arm in ("plain", "numbered") for row in cells(arm, levels, "informed")]
    ranks = table11(rows, list(K))
    return {
        "table6": table6_tex(*six(rows), source),
        "table9": table9_tex(*nine(rows), source, K),
        "table10": table10_tex(*ten(rows), source, K),
        "table11": table11_tex(ranks, rows, source, K),
    }


NINE = sorted({row["model"] for row in read(PUBLISHED / "crosstask_table11.csv")})


def test_captions_say_where_the_numbers_come_from():
    for name, tex in all_tex(NINE).items():
        text = caption(tex)
        for words in (
            *("Panel p", "K = 3 trials a clip in", "rubric SHA-256 0123456789ab"),
            *("LLM-rated, against human-rated means", "descriptive"),
        ):
            assert words in text, name
        assert not re.search(r"\b(autis\w*|child\w*|diagnos\w*|deficit|impair\w*)\b", text, re.I)
    assert shown_note({"a": 1, "b": 3, "c": 1}, ["x"]) == (
        "K = 1 trials a clip in a and c, 3 in b; overlay x"
    )


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_nine_testers_in_five_arms_fit_the_page(tmp_path):
    tables = all_tex(NINE)
    for name, tex in tables.items():
        (tmp_path / f"{name}.tex").write_text(tex, encoding="utf-8")
    inputs = "".join(rf"\input{{{name}}}\clearpage" for name in tables)
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\n"
        f"\\begin{{document}}{inputs}\\end{{document}}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    assert "Overfull" not in run.stdout and "too large for page" not in run.stdout, run.stdout


def test_every_arm_has_its_plane_with_the_two_stars_and_the_testers(tmp_path):
    rows = [row for arm in K for row in cells(arm, BOTH)]
    rows += cells("numbered", {"t1": LOW, "t2": LOW}, "informed")
    ranks = plain(table11(rows, list(K)))
    made = figure_arms(profile_rows(rows), ranks, REFERENCES, SOURCE, K, ["t1", "t2"])
    *planes, matrix = made.axes
    assert [axes.get_title() for axes in planes] == list(TABLE6_ARMS)
    for axes in planes:
        places = {
            tuple(float(v[0]) for v in line.get_data()): line.get_marker()
            for line in axes.lines
            if len(line.get_xdata()) == 1
        }
        # not the informed ones, which would stand at (2, 1) both
        assert set(places) == {(4.3, 1.7), (2.9, 0.5), (4, 2), (2, 1)}
        assert places[4.3, 1.7] == places[2.9, 0.5] == "*"
    squares = {
        tuple(float(v[0]) for v in line.get_data()): line.get_markerfacecolor()
        for line in matrix.lines
    }
    # t1 is strict (4 > 3 > 1) and t2 is not, in each of five arms
    assert {fill for (x, _), fill in squares.items() if x == 0} == {"black"}
    assert {fill for (x, _), fill in squares.items() if x == 1} == {"white"}
    assert [text.get_text() for text in matrix.texts] == ["1 of 2"] * 5
    assert "1 in reversed, keyframe and shuffled" in made.texts[0].get_text().replace("\n", " ")
    save_figure(made, tmp_path / "a.pdf", tmp_path / "a.png")
    again = figure_arms(profile_rows(rows), ranks, REFERENCES, SOURCE, K, ["t1", "t2"])
    save_figure(again, tmp_path / "b.pdf", tmp_path / "b.png")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_a_configuration_makes_what_it_has_arms_for():
    assert set(TABLE6_ARMS) == set(TRIANGLES_ARMS)

    def made(*arms):
        settings = Settings(
            testers=("t",),
            judges=("j",),
            triangles={"arms": {arm: {"trials": 1} for arm in arms}} if arms else None,
        )
        return [*settings.arm_tables, *settings.arm_figures]

    assert made() == made("numbered") == []
    assert made("numbered", "keyframe") == ["table6", "arms"]
    assert made("numbered", "plain") == ["table6", "table9", "table10", "arms"]
