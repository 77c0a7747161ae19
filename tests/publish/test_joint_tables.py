"""Tables 5, 7, 8, 11 and Figures 3 to 5: numbers in their place, captions that say what is what."""

import itertools
import re
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest

from vlmtom.publish import scatter
from vlmtom.publish.figure3 import figure3
from vlmtom.publish.figure4 import figure4
from vlmtom.publish.figure5 import figure5
from vlmtom.publish.provenance import Source
from vlmtom.publish.style import save_figure
from vlmtom.publish.table5 import table5_tex
from vlmtom.publish.table7 import table7_tex
from vlmtom.publish.table8 import table8_tex
from vlmtom.publish.table11 import table11_tex
from vlmtom.stats import joint
from vlmtom.stats.exact import plain
from vlmtom.stats.profile_tables import table5, table7, table11
from vlmtom.stats.references import load_references

HOSTILE = r"\input{/etc/passwd} $x_1$ 50% & #~^{}|<>\"“é”–ß 中文 🙂" + "\x07\n%"
REFERENCES = load_references()
SHA = "0123456789abcdef" * 4
SOURCE = Source("p", 3, SHA, "original")
LEVELS = {
    "claude-sonnet-4.6": {"ToM": (4, 2), "GD": (3, 2), "Random": (1, 2)},
    "gemini-3.5-flash": {"ToM": (1, 0), "GD": (1, 1), "Random": (4, 0)},
    "qwen-3.5-plus": {"ToM": (3, 1), "GD": (3, 1), "Random": (0, 3)},
}


def triangle_cells(levels=LEVELS, kind="model", gone=()):
    return [
        {
            "tester": tester,
            "kind": kind,
            "arm": "numbered",
            "overlay": "blinded",
            "clip": f"{condition}{clip}",
            "condition": condition,
            "judge": judge,
            "intent": None if (tester, judge) in gone else score[0],
            "approp": None if (tester, judge) in gone else score[1],
            "n_trials": 3,
            "n_scored": 0 if (tester, judge) in gone else 3,
            "n_missing": 3 if (tester, judge) in gone else 0,
            "n_unparsed": 0,
        }
        for tester, scores in levels.items()
        for condition, score in scores.items()
        for clip, judge in itertools.product(range(4), ("j1", "j2", "j3"))
    ]


def director_cells(testers, kind="model"):
    """a holds in all 12 scenes; b in 0, 6, 12 of them, by tester in turn."""
    return [
        {
            "tester": tester,
            "kind": kind,
            "arm": "canonical",
            "stimulus": f"s{scene}",
            "measure": measure,
            "level": "letter",
            "value": measure == "a" or scene < 6 * (place % 3),
            "n_trials": 3,
            "n_usable": 3,
            "n_true": 0,
            "n_unparsed": 0,
            "tie": False,
        }
        for place, tester in enumerate(testers)
        for scene in range(12)
        for measure in ("a", "b")
    ]


def table8_of(cells, director, source=SOURCE):
    table = joint.table8(director, cells, REFERENCES, source.reading, seed=1)
    return table, joint.joint_panel(table, seed=1)


def all_tex(cells, director, source=SOURCE):
    table, panel = table8_of(cells, director, source)
    return {
        "table5": table5_tex(table5(cells, REFERENCES, source.reading), REFERENCES, source),
        "table7": table7_tex(table7(cells, REFERENCES, source.reading), REFERENCES, source),
        "table8": table8_tex(table, panel, REFERENCES, source, director_trials=3),
        "table11": table11_tex(table11(cells, ["numbered"]), cells, source),
    }


def body(tex):
    return [line for line in tex.splitlines() if line.endswith(r"\\")]


def test_numbers_stand_where_they_belong():
    tex = all_tex(triangle_cells(), director_cells(LEVELS))
    name = "claude-sonnet-4.6"
    # (4, 2): TD sqrt(.09 + .09), HF-ASD sqrt(1.21 + 2.25); GD (3, 2): sqrt(.36 + .09), sqrt(.36 +
    # .49); Random (1, 2): sqrt(.25 + .04), sqrt(.04 + .25)
    assert body(tex["table5"])[2] == (
        rf"{name} & 0.424 & 1.860 & 0.671 & 0.922 & 0.539 & 0.539 & 36/36 \\"
    )
    assert (
        body(tex["table7"])[2] == rf"{name} & 4.000 & 2.000 & 0.424 & 1.860 & TD & 1.436 & 12/12 \\"
    )
    assert (
        body(tex["table8"])[2] == rf"{name} & 1.000 & TD & 0.095 & 100 & TD & 1.436 & 100 & no \\"
    )
    assert (
        body(tex["table11"])[2] == rf"{name} & numbered & 4.0 & 3.0 & 1.0 & yes & 0/12 & 36/36 \\"
    )
    # gemini: Random (4, 0) in all 12 cells is over-attribution
    assert "0/36" not in tex["table11"]
    assert body(tex["table11"])[3].split(" & ")[6] == "12/12"


def test_the_panel_row_is_that_of_the_mean_and_of_the_pooled_cells():
    tex = all_tex(triangle_cells(), director_cells(LEVELS))
    # ToM mean (8/3, 1): to TD sqrt((4.3 - 8/3)^2 + .49) = 1.777, to HF-ASD sqrt(.0544 + .25)
    assert body(tex["table5"])[-1].startswith("panel mean & 1.777 & 0.552 &")
    assert body(tex["table7"])[-1].startswith("panel mean & 2.667 & 1.000 & 1.777 & 0.552 & HF-ASD")
    # pooled: ToM twelve each of 4, 1, 3; GD 3, 1, 3; Random 1, 4, 0
    assert body(tex["table11"])[-1].startswith("panel median & numbered & 3.0 & 3.0 & 1.0 & 1 of 3")
    # gaps 1, 0.5, 0; labels differ where the triangles' is HF-ASD and the gap's is TD
    assert body(tex["table8"])[-1] == r"panel mean & 0.500 &  &  &  &  &  &  & 1 of 3 \\"


def caption(tex):
    return re.search(r"\\caption\{(.*)\}$", tex, re.MULTILINE)[1]


def test_captions_say_where_the_numbers_come_from():
    for tex in all_tex(triangle_cells(), director_cells(LEVELS)).values():
        text = caption(tex)
        for words in (
            *("Panel p", "K = 3 trials", "overlay blinded", "rubric SHA-256 0123456789ab"),
            *("LLM-rated, against human-rated means", "descriptive"),
        ):
            assert words in text
        assert "Synthetic" not in text and "observer" not in text


def test_observers_synthetic_clips_and_embedded_judges_are_named():
    source = Source("p", 3, SHA, "synthetic", judge_kinds=["observer"])
    director = director_cells(LEVELS, "observer")
    for tex in all_tex(triangle_cells(kind="observer"), director, source).values():
        text = caption(tex)
        assert "Synthetic clips: the human means belong to the original ones" in text
        assert "All testers are embedded observers with stated policies, not models" in text
        assert "judges are embedded observers with stated rules, not LLMs" in text


def test_beside_models_observers_are_marked_and_not_in_the_panels_row():
    cells = triangle_cells() + triangle_cells({"obs-x": LEVELS["qwen-3.5-plus"]}, "observer")
    director = director_cells(LEVELS) + director_cells(["obs-x"], "observer")
    alone = all_tex(triangle_cells(), director_cells(LEVELS))
    for name, tex in all_tex(cells, director).items():
        assert "obs-x (observer)" in tex
        last = body(tex)[-1]
        assert last.replace(" (models)", "") == body(alone[name])[-1]
        assert "(models)" in last


def test_missing_cells_show_their_n_and_a_dash_where_there_is_none():
    name = "qwen-3.5-plus"
    cells = triangle_cells(gone={(name, "j1")})
    tex = all_tex(cells, director_cells(LEVELS))
    assert body(tex["table7"])[4].endswith(r"8/12 \\")
    assert "Missing cells are not in the means" in caption(tex["table7"])
    cells = triangle_cells(gone={(name, judge) for judge in ("j1", "j2", "j3")})
    tex = all_tex(cells, director_cells(LEVELS))
    assert body(tex["table7"])[4] == rf"{name} & -- & -- & -- & -- & -- & -- & 0/12 \\"
    assert body(tex["table8"])[4].endswith(r"HF-ASD & 0.095 & 100 & -- & -- & -- & -- \\")
    assert body(tex["table11"])[4].split(" & ")[5] == "--"


def test_a_tie_is_marked_and_explained():
    # Random (1, 2) is as far from TD (0.5, 1.8) as from HF-ASD (0.8, 1.5): 0.29 and 0.29
    row = table7(triangle_cells(), REFERENCES, SOURCE.reading)[0]
    tex = table7_tex([row | {"tie": True}], REFERENCES, SOURCE)
    assert "TD*" in tex and "exactly as near to the other group" in tex
    rows = table5(triangle_cells(), REFERENCES, SOURCE.reading)
    random = next(row for row in rows if row["condition"] == "Random")
    assert (random["nearest"], random["tie"], random["margin"]) == ("TD-adult", True, 0)


def test_groups_without_a_published_gap_are_named():
    tex = all_tex(triangle_cells(), director_cells(LEVELS))["table8"]
    assert "No gap is published for Keysar 2000 adults, Apperly 2010 adults" in caption(tex)


def test_an_association_that_is_not_defined_is_said_to_be_so():
    levels = {f"t{i}": LEVELS["qwen-3.5-plus"] for i in range(3)}
    tex = all_tex(triangle_cells(levels), director_cells(levels))["table8"]
    assert "not defined (one of the two is constant)" in tex
    levels = {"t": LEVELS["qwen-3.5-plus"]}
    assert (
        "fewer than three testers"
        in all_tex(triangle_cells(levels), director_cells(levels))["table8"]
    )


def test_no_text_diagnoses_or_gives_an_age():
    words = re.compile(
        r"\b(autistic|autism|child\w*|diagnos\w*|impaired|deficit|years? old|mental age)\b", re.I
    )
    for tex in all_tex(triangle_cells(), director_cells(LEVELS)).values():
        assert not words.search(caption(tex))


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("hostile", [False, True])
def test_tables_compile_as_they_are_and_fit_the_text(tmp_path, hostile):
    levels = dict(LEVELS)
    source = SOURCE
    if hostile:
        for name in (HOSTILE, "[2cm]", "*"):  # the last two: arguments of a line break
            levels[name] = LEVELS["qwen-3.5-plus"]
        source = Source(HOSTILE, 3, SHA, HOSTILE, overlay="blinded")
    tables = all_tex(triangle_cells(levels), director_cells(levels), source)
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


def figures(cells, director, testers):
    eight, _ = table8_of(cells, director)
    rows = [plain(table(cells, REFERENCES, SOURCE.reading)) for table in (table7, table5)]
    return [
        figure3(rows[0], REFERENCES, SOURCE, testers),
        figure4(plain(eight), REFERENCES, SOURCE, testers, 3),
        figure5(rows[1], REFERENCES, SOURCE, testers),
    ]


def points(axes):
    return {
        tuple(float(v[0]) for v in line.get_data()): line
        for line in axes.lines
        if len(line.get_xdata()) == 1
    }


def test_points_and_stars_stand_where_the_tables_say():
    made = figures(triangle_cells(), director_cells(LEVELS), list(LEVELS))
    first = points(made[0].axes[0])
    assert set(first) == {(4.3, 1.7), (2.9, 0.5), (4, 2), (1, 0), (3, 1)}
    assert first[4.3, 1.7].get_marker() == first[2.9, 0.5].get_marker() == "*"
    second = points(made[1].axes[0])
    # stars: (0.435, 0) and (0.340, sqrt(3.4)); the first tester: gap 1, sqrt(0.18)
    places = np.array(sorted(second))
    expected = [(0.34, 3.4**0.5), (0.435, 0), (1, 0.18**0.5)]
    for place in expected:
        assert np.isclose(places, place).all(axis=1).any()
    assert [axes.get_title() for axes in made[2].axes] == ["ToM", "GD", "Random"]
    close(made)


def test_a_tester_looks_the_same_in_every_figure_and_unlike_the_others():
    of = scatter.looks([f"t{i}" for i in range(30)])
    assert len({(look.color, look.marker) for look in of.values()}) == 18  # then they repeat
    assert len({look.marker for look in list(of.values())[:9]}) == 9  # told apart in grey
    # a tester without a Director gap is missing in Figure 4 alone, and shifts no one's look
    names = list(LEVELS)
    made = figures(triangle_cells(), director_cells(names[1:]), names)
    for figure in made:
        line = next(
            line
            for place, line in points(figure.axes[0]).items()
            if line.get_marker() == scatter.looks(names)[names[1]].marker
        )
        assert line.get_markerfacecolor() == scatter.looks(names)[names[1]].color
    assert f"Without a point (no scored cell): {names[0]}" in made[1].texts[0].get_text().replace(
        "\n", " "
    )
    close(made)


def test_labels_cover_neither_one_another_nor_a_mark():
    rng = np.random.default_rng(1)
    levels = {
        f"model-number-{i}": {
            c: (int(rng.integers(2, 4)), int(rng.integers(0, 3))) for c in ("ToM", "GD", "Random")
        }
        for i in range(9)
    }
    made = figures(triangle_cells(levels), director_cells(levels), list(levels))
    for figure in made[:2]:
        renderer = figure.canvas.get_renderer()
        axes = figure.axes[0]
        # the text's own box, without its line
        boxes = [super(type(t), t).get_window_extent(renderer) for t in axes.texts]
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)
        marks = [axes.transData.transform(place) for place in points(axes)]
        assert not any(box.contains(*mark) for box in boxes for mark in marks)
    close(made)


def test_the_figures_are_the_same_bytes_from_the_same_rows(tmp_path):
    for name in ("one", "two"):
        for n, figure in enumerate(
            figures(triangle_cells(), director_cells(LEVELS), list(LEVELS)), 3
        ):
            save_figure(figure, tmp_path / f"{name}{n}.pdf", tmp_path / f"{name}{n}.png")
    for n in (3, 4, 5):
        for form in ("pdf", "png"):
            pair = [(tmp_path / f"{name}{n}.{form}").read_bytes() for name in ("one", "two")]
            assert pair[0] == pair[1]


def test_hostile_names_are_drawn_as_they_are(tmp_path):
    name = "a$_x$ \\frac{1}"
    levels = {name: LEVELS["qwen-3.5-plus"]}
    made = figures(triangle_cells(levels), director_cells(levels), [name])
    for n, figure in enumerate(made):
        save_figure(figure, tmp_path / f"{n}.pdf", tmp_path / f"{n}.png")


def test_a_gap_with_missing_scenes_shows_its_n():
    table, panel = table8_of(triangle_cells(), director_cells(LEVELS))
    table[0] |= {"n_b": 11, "gap": Fraction(-1, 12)}
    tex = table8_tex(table, panel, REFERENCES, SOURCE, director_trials=3)
    assert body(tex)[2].split(" & ")[1] == "$-$0.083 (n = 11)"


def close(made):
    import matplotlib.pyplot as plt

    for figure in made:
        plt.close(figure)
