"""Other readings of the paper's trials: which labels change, and what the panel's distances are."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.publish.test_joint_tables import (
    HOSTILE,
    LEVELS,
    SOURCE,
    body,
    caption,
    director_cells,
    triangle_cells,
)
from tests.stats.test_length import WORDS, planted, told
from vlmtom.director import cells as director
from vlmtom.director import outside as director_outside
from vlmtom.publish.anchors_wide import anchors_wide_tex
from vlmtom.publish.intervals import intervals_tex
from vlmtom.publish.length import length_tex
from vlmtom.publish.outside import read_trials
from vlmtom.publish.provenance import Source
from vlmtom.publish.sensitivity import sensitivity_tex
from vlmtom.stats import joint
from vlmtom.stats.exact import plain, show
from vlmtom.stats.intervals import intervals
from vlmtom.stats.length import length
from vlmtom.stats.profile_tables import table5
from vlmtom.stats.references import Bracket, References, load_references
from vlmtom.stats.sensitivity import sensitivity
from vlmtom.store import schemas

DATA = Path(__file__).parents[1] / "data"
REFERENCES = load_references()
READING = SOURCE.reading


@pytest.fixture(scope="module")
def paper():
    """Cells of the trials behind the paper's printed tables."""
    outcomes = director_outside.read_trials(DATA / "director_trials.csv")
    return director.cells(outcomes), read_trials(DATA / "triangles_trials.csv")


def readings(director_rows, cells, references=REFERENCES):
    rows = sensitivity(director_rows, cells, references, READING)
    schemas.SENSITIVITY.table(plain(rows))
    return {(row["axis"], row["variant"]): row for row in rows}


def test_were_human_appropriateness_rated_0_to_2_gd_and_random_would_flip_and_tom_not(paper):
    row = readings(*paper)["references", "approp_0_to_2"]
    expected = {"tom": ("0.61", "2.56"), "gd": ("0.43", "0.71"), "random": ("0.34", "0.44")}
    for condition, distances in expected.items():
        found = (row[f"{condition}_dist_hfasd"], row[f"{condition}_dist_td"])
        assert tuple(show(value, 2) for value in found) == distances
        assert row[f"{condition}_nearest"] == "HF-ASD-adult"
    canonical = readings(*paper)["canonical", "canonical"]
    assert [canonical[f"{c}_nearest"] for c in ("tom", "gd", "random")] == [
        "HF-ASD-adult",
        "TD-adult",
        "TD-adult",
    ]
    stretched = table5(paper[1], REFERENCES.assuming_approp_to(2), READING)
    tom = [one["nearest"] for one in stretched if one["condition"] == "ToM"]
    assert tom == ["HF-ASD-adult"] * 9
    assert (row["tom_changed"], row["tom_n"], row["disagreement_count"]) == (0, 9, 8)


def test_the_wider_anchors_move_six_of_nine_and_leave_eight_of_nine_apart(paper):
    row = readings(*paper)["references", "wider_anchors"]
    assert (row["director_changed"], row["director_n"]) == (6, 9)
    assert (row["disagreement_count"], row["disagreement_n"]) == (8, 9)
    assert "grok-4.3 director: TD-adult > Adolescent-II 14.0-17.7y" in row["changes"]
    table = joint.anchors_wide(*paper, REFERENCES, READING, seed=1)
    schemas.ANCHORS_WIDE.table(plain(table))
    assert sum(one["moved"] for one in table) == 6
    assert sum(one["disagree"] for one in table) == 8
    grok = next(one for one in table if one["tester"] == "grok-4.3")
    # 7/12: to 0.59 it is 0.0067, to 0.67 it is 0.0867
    assert show(grok["margin"], 3) == "0.080"
    assert 0 < grok["stability"] < 1 and grok["derivation"] == "published_gap"
    usual = joint.table8(*paper, REFERENCES, READING, seed=1)
    assert [r["nearest_adult"] for r in table] == [r["nearest_director"] for r in usual]


def test_each_judge_is_left_out_in_turn_and_the_rest_is_the_mean_of_two(paper):
    rows = readings(*paper)
    judges = [variant for axis, variant in rows if axis == "judge"]
    assert len(judges) == 3
    for judge in judges:
        rest = [row for row in paper[1] if row["judge"] != judge]
        expected = next(
            row
            for row in joint.triangles_panel(rest, REFERENCES, READING)
            if row["measure"] == "tom_dist_td"
        )
        assert rows["judge", judge]["tom_dist_td"] == expected["value"]


def test_a_median_of_judges_is_the_other_aggregation(paper):
    row = readings(*paper)["aggregation", "median_of_judges"]
    changed = {part.split(":")[0] for part in row["changes"].split("; ")}
    assert changed == {"gemini-3.5-flash tom", "claude-opus-4.7 random"}
    assert (row["disagree_changed"], row["disagreement_count"]) == (1, 7)


def test_what_was_not_run_says_so_and_has_no_number():
    rows = readings(director_cells(LEVELS), triangle_cells())
    informed = rows["overlay", "informed"]
    assert informed["status"] == "not_run"
    kept = ("axis", "variant", "status")
    assert all(value is None for name, value in informed.items() if name not in kept)
    assert not [variant for axis, variant in rows if axis == "arm"]


def test_overlay_arms_and_strict_level_are_read_where_they_were_run():
    cells = triangle_cells()
    informed = [row | {"overlay": "informed", "intent": 0, "approp": 0} for row in cells]
    plain_arm = [row | {"arm": "plain"} for row in cells]
    gone = [row | {"arm": "keyframe", "intent": None, "approp": None} for row in cells]
    letter = director_cells(LEVELS)
    # by colour and letter nobody is right on a: gaps of 0, -0.5, -1
    strict = [
        row | {"level": "strict", "value": row["value"] and row["measure"] == "b"} for row in letter
    ]
    rows = readings(letter + strict, cells + informed + plain_arm + gone)
    # (0, 0): to TD sqrt(4.3^2 + 1.7^2), to HF-ASD sqrt(2.9^2 + 0.5^2)
    assert show(rows["overlay", "informed"]["tom_dist_hfasd"], 3) == "2.943"
    assert rows["overlay", "informed"]["tom_changed"] == 1  # (4, 2) alone was nearer to TD
    same = rows["arm", "plain"]
    assert [same[f"{c}_changed"] for c in ("director", "tom", "gd", "random")] == [0, 0, 0, 0]
    keyframe = rows["arm", "keyframe"]
    assert (keyframe["tom_changed"], keyframe["tom_n"], keyframe["tom_dist_td"]) == (None, 0, None)
    assert keyframe["disagreement_count"] is None
    assert keyframe["director_changed"] == 0 and keyframe["status"] == "ok"
    # two of three gaps (1, 0.5) were nearest to TD; all are below 0.3875 now
    assert (rows["level", "strict"]["director_changed"], rows["level", "strict"]["director_n"]) == (
        *(2, 3),
    )


def test_an_arm_of_other_testers_says_how_many_and_one_of_observers_is_none():
    cells = triangle_cells()
    one = [row | {"arm": "keyframe"} for row in cells if row["tester"] == cells[0]["tester"]]
    observer = [row | {"tester": "o", "kind": "observer", "arm": "plain"} for row in one]
    rows = readings(director_cells(LEVELS), cells + one + observer)
    whole = len({row["tester"] for row in cells})
    assert rows["canonical", "canonical"]["panel_n"] == whole > 1
    assert rows["arm", "keyframe"]["panel_n"] == rows["arm", "keyframe"]["tom_n"] == 1
    assert ("arm", "plain") not in rows
    tex = sensitivity_tex([*rows.values()], REFERENCES, SOURCE, ["model"])
    assert "arm keyframe (n = 1)" in tex
    assert f"over other testers than the canonical one, which is over {whole}" in tex


def test_the_only_judge_cannot_be_left_out():
    cells = [row for row in triangle_cells() if row["judge"] == "j1"]
    assert readings(director_cells(LEVELS), cells)["judge", "j1"]["status"] == "not_run"


def test_without_a_scored_cell_nothing_is_compared():
    none = [row | {"intent": None, "approp": None} for row in triangle_cells()]
    row = readings([], none)["canonical", "canonical"]
    assert (row["status"], row["disagreement_count"], row["tom_nearest"]) == (
        "no_cells",
        None,
        None,
    )


def all_tex(director_rows, cells, source=SOURCE, kind="model", testers=("m1", "m2")):
    described = [told(name, WORDS, planted(1, EFFECTS), kind) for name in testers]
    descriptions, verdicts = ([r for one in described for r in one[n]] for n in (0, 1))
    kinds = [row["kind"] for row in cells]
    wide = joint.anchors_wide(director_rows, cells, REFERENCES, READING, 1, 200)
    readings_ = sensitivity(director_rows, cells, REFERENCES, READING)
    drawn = intervals(director_rows, cells, REFERENCES, READING, 1, 200)
    return {
        "anchors_wide": anchors_wide_tex(wide, REFERENCES, source, 3),
        "sensitivity": sensitivity_tex(readings_, REFERENCES, source, kinds),
        "intervals": intervals_tex(drawn, source, 3),
        "length": length_tex(length(descriptions, verdicts, READING), source),
    }


EFFECTS = {"ToM": 2, "GD": 1, "Random": 0}


def test_numbers_stand_where_they_belong():
    tex = all_tex(director_cells(LEVELS), triangle_cells())
    # gaps 1, 0.5, 0: to 0.72 and 0.68; to 0.435 and 0.59; to 0.34 and 0.435
    name = "claude-sonnet-4.6"
    assert body(tex["anchors_wide"])[2] == (
        rf"{name} & 1.000 & TD & Child-I 7.3-9.7y & 0.040 & 100 & yes \\"
    )
    assert body(tex["anchors_wide"])[-1] == r"panel &  &  & 1 of 3 moved &  &  & 2 of 3 \\"
    rows = body(tex["sensitivity"])
    assert r"canonical &  &  &  &  &  & 1/3 \\" in rows
    assert r"wider Director anchors & 1/3 & 0/3 & 0/3 & 0/3 & 1/3 & 2/3 \\" in rows
    assert r"overlay informed & not run &  &  &  &  &  \\" in rows
    drawn = body(tex["intervals"])
    assert rf"{name} & 100 & 0 & -- & -- & 100 & -- \\" in drawn
    # (4, 2) in all cells: nothing moves
    place = drawn.index(rf"{name} & 4.00 & 2.00 & 0.42 & 1.86 \\")
    assert drawn[place + 1] == (r" & [4.00, 4.00] & [2.00, 2.00] & [0.42, 0.42] & [1.86, 1.86] \\")
    assert body(tex["length"])[2] == (
        r"m1 & 46.7 & 23.3 & 13.3 & 0.93 & 2.00 & 1.00 & 3.67 & 2.00 & 9 \\"
    )


def test_captions_say_where_the_numbers_come_from_and_diagnose_nobody():
    observers = Source("p", 3, SOURCE.rubric_sha256, "synthetic", judge_kinds=["observer"])
    shown = all_tex(
        director_cells(LEVELS, "observer"), triangle_cells(kind="observer"), observers, "observer"
    )
    for name, tex in shown.items():
        for words in (
            *("Panel p", "K = 3 trials", "overlay blinded", "rubric SHA-256 0123456789ab"),
            *("LLM-rated, against human-rated means", "descriptive", "not models"),
            *("embedded observers with stated rules", "Synthetic clips"),
        ):
            assert words in caption(tex), (name, words)
        for word in ("autistic", "autism", "diagnos", "impaired", "deficit", "mental age"):
            assert word not in tex
    assert "says nothing of a tester" in caption(shown["anchors_wide"])
    assert "Epley 2004 adults 0.24 (reach rate)" in caption(shown["anchors_wide"])
    assert "No gap is published for Keysar 2000 adults" in caption(shown["sensitivity"])


def test_a_group_that_is_a_reference_on_the_triangles_alone_is_named_as_such():
    known = References(
        (REFERENCES.groups[0], REFERENCES.groups[1]),
        (Bracket("rate", "reach_rate", REFERENCES.groups[0].gap),),
        ("HF-ASD-adult", "elsewhere"),
    )
    table = joint.anchors_wide(director_cells(LEVELS), triangle_cells(), known, READING, 1, 50)
    text = caption(anchors_wide_tex(table, known, SOURCE, 3))
    assert "No gap is published for elsewhere: not references." in text
    assert "for HF-ASD-adult: no reference on the Director Task" in text


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("hostile", [False, True])
def test_tables_compile_as_they_are_and_fit_the_text(tmp_path, paper, hostile):
    director_rows, cells = paper
    source = SOURCE
    if hostile:
        source = Source(HOSTILE, 3, SOURCE.rubric_sha256, HOSTILE)
        levels = dict.fromkeys((HOSTILE, "[2cm]", "*"), LEVELS["qwen-3.5-plus"])
        director_rows, cells = director_cells(levels), triangle_cells(levels)
        cells += [row | {"arm": HOSTILE} for row in cells]
    tables = all_tex(director_rows, cells, source, testers=("gemini-3.5-flash", "[2cm]"))
    for name, tex in tables.items():
        (tmp_path / f"{name}.tex").write_text(tex, encoding="utf-8")
    inputs = "".join(rf"\input{{{name}}}" for name in tables)
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\n"
        f"\\begin{{document}}{inputs}\\end{{document}}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    if not hostile:
        assert "Overfull \\hbox" not in run.stdout, run.stdout
