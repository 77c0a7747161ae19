"""The joint cards print each number as its own table does, fit, and take any name as text."""

import re
import shutil
import subprocess
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from matplotlib import pyplot as plt

from tests.stats.joint_rows import cards
from vlmtom.publish.intervals import _interval as interval_of_cross_task
from vlmtom.publish.joint_cards import _cells, joint_cards_figure, joint_cards_tex, joint_page
from vlmtom.publish.mosaic_details import _value_cells
from vlmtom.publish.mosaic_text import interval as interval_of_game
from vlmtom.publish.provenance import Source
from vlmtom.publish.report_action_text import interval as interval_of_action
from vlmtom.publish.report_action_text import points
from vlmtom.publish.report_files import Files, report_pages
from vlmtom.publish.style import save_figure
from vlmtom.stats.exact import end_of

SOURCE = Source("test", 3, "ab" * 32, "synthetic", judge_kinds=["observer", "model"])
TITLES = ["Gap", "Intent", "Approp", "Report effect", "TOCS"]
HOSTILE = r"<b>&%$x^2$_#{~\input{x}}</b><script>alert(1)</script>"
NINE = {f"a-tester-with-a-long-name-{n}": "observer" if n > 6 else "model" for n in range(9)}


def changed(rows, measure, **values):
    return [row | values if row["measure"] == measure else row for row in rows]


def lost(rows, measure, status):
    return changed(rows, measure, value=None, low=None, high=None, n=0, status=status)


def worst():
    """Every number as wide as it can be, every experiment without one in some tester."""
    rows = cards(NINE)
    for measure in ("gap", "effect"):
        rows = changed(rows, measure, value=-1.0, low=-1.0, high=-0.9995)
    last = [row for row in rows if row["tester"].endswith("8")]
    for row in last:
        status = "not_estimable" if row["experiment"] == "report_action" else "no_trials"
        last = lost(last, row["measure"], status)
    return [*(row for row in rows if not row["tester"].endswith("8")), *last]


def lines(tex):
    return [line for line in tex.splitlines() if " & " in line]


def test_a_tester_has_a_table_with_all_of_its_numbers():
    tex = joint_cards_tex(cards({"t1": "model", "obs-director": "observer"}), SOURCE)
    assert tex.count(r"\begin{table}") == 2
    assert "t1 in every experiment" in tex and "obs-director (observer) in every experiment" in tex
    assert len({*re.findall(r"\\label{(.*?)}", tex)}) == 2
    found = lines(tex)[1:13]
    assert found[0] == r"Director Task & gap, a $-$ b & 50 & [25, 75] & 12 & scenes \\"
    assert found[1] == r"triangles & Intent, ToM & 2.50 & [1.25, 3.75] & 12 & cells \\"
    assert found[7] == r"report, action & report effect & +16.9 & [+9.1, +24.7] & 160 & scenes \\"
    assert found[11] == r"treasure game & TOCS, Comp-ToM1 & 0.92 & [.81, .98] & 50 & trials \\"


def test_captions_say_where_the_numbers_come_from():
    tex = joint_cards_tex(cards({"t1": "model", "obs-director": "observer"}), SOURCE)
    for said in (
        "Panel test",
        "K = 3 trials a clip",
        "overlay blinded",
        "rubric SHA-256 abababababab",
        "LLM-rated, against human-rated means; descriptive.",
        "Some judges are embedded observers",
        "Testers marked (observer) follow stated policies",
        "Report effect: move-visibility $-$ move-none.",
        "Treasure game: image arm standard.",
    ):
        assert said in tex, said


@pytest.mark.parametrize(
    ("experiment", "value", "printed"),
    [
        # 1/8 = 12.5 % and 1/200 = .005 are halves, which Python rounds to even: 12 and 0.00
        ("director", Fraction(1, 8), "13"),
        ("triangles", Fraction(1, 200), "0.01"),
        ("report_action", Fraction(122, 800), "+15.3"),
        ("report_action", Fraction(-122, 800), "−15.3"),
        ("mosaic", Fraction(1, 200), "0.01"),
    ],
)
def test_halves_are_printed_away_from_zero(experiment, value, printed):
    row = next(row for row in cards({"t1": "model"}) if row["experiment"] == experiment)
    assert _cells(row | {"value": float(value)})[1] == printed


@pytest.mark.parametrize("ends", [(0.0, 1.0), (-0.125, 0.375), (0.125, 0.125)])
def test_numbers_and_intervals_are_printed_as_in_their_own_tables(ends):
    low, high = ends
    for row in cards({"t1": "model"}):
        if row["experiment"] != "director" and low < 0:
            continue
        row |= {"value": high, "low": low, "high": high}
        digits, scale = (0, 100) if row["experiment"] == "director" else (2, 1)
        own = {
            "director": interval_of_cross_task(row, digits, scale),
            "triangles": interval_of_cross_task(row, digits, scale),
            "report_action": interval_of_action(low, high, signed=True),
            "mosaic": interval_of_game(low, high),
        }
        _, value, interval, _, _ = _cells(row)
        assert interval == own[row["experiment"]]
        if row["experiment"] == "report_action":
            assert value == points(end_of(high))
        if row["experiment"] == "mosaic":
            assert value == _value_cells(row)[0]


def test_a_number_that_there_is_not_is_its_status_word_everywhere():
    rows = lost(cards({"t1": "model"}), "gd_approp", "no_cells")
    rows = lost(rows, "effect", "not_estimable")
    rows = lost(rows, "tocs_coop-tom1", "excluded")
    tex, page = joint_cards_tex(rows, SOURCE), joint_page(rows, SOURCE, {})
    assert r"triangles & Approp, GD & no\_cells &  & 0 & cells \\" in tex
    assert r"report effect & not\_estimable &  & 0 & scenes \\" in tex
    assert r"TOCS, Coop-ToM1 & excluded &  & 0 & trials \\" in tex
    figure = joint_cards_figure(rows, SOURCE)
    words = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert [line[-1:] for line in words[1:]] == [[], ["no_cells"], ["not_estimable"], ["excluded"]]
    for word in ("no_cells", "not_estimable", "excluded"):
        assert f">{word}</td>" in page
    assert "nan" not in tex.lower() + page.lower()
    plt.close(figure)


@pytest.mark.parametrize("count", [1, 3, 9])
def test_the_figure_has_five_titled_panels_and_a_row_for_each_tester(count):
    names = dict(list(NINE.items())[:count])
    figure = joint_cards_figure(cards(names), SOURCE)
    assert len(figure.axes) == 5 * count
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title.split(" (")[0] for title in titles[:5]] == TITLES
    assert not any(titles[5:])
    heads = [axes.texts[0].get_text() for axes in figure.axes[::5]]
    assert [head.split(" (")[0] for head in heads] == [*names]
    # One mark a number: a gap, three and three scores, an effect, four conditions.
    for row in range(count):
        marks = [
            sum(line.get_marker() == "o" for line in axes.lines)
            for axes in figure.axes[5 * row : 5 * row + 5]
        ]
        assert marks == [1, 3, 3, 1, 4]
    figure.canvas.draw()
    foot = figure.texts[-1].get_window_extent()
    ticks = [
        label.get_window_extent() for axes in figure.axes[-5:] for label in axes.get_xticklabels()
    ]
    assert foot.y1 < min(box.y0 for box in ticks)
    assert foot.x1 <= figure.bbox.x1 and foot.y0 >= 0
    tops = [axes._left_title.get_window_extent() for axes in figure.axes[:5]]
    head = figure.axes[0].texts[0].get_window_extent()
    assert all(head.y1 <= box.y0 and box.y1 <= figure.bbox.y1 for box in tops)
    plt.close(figure)


def test_the_lines_end_where_the_intervals_do():
    figure = joint_cards_figure(cards({"t1": "model"}), SOURCE)
    ends = [
        tuple(line.get_xdata())
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() == "None" and line.get_linewidth() == 1.2
    ]
    tocs = [(0.808, 0.978)] * 4
    scores = [(1.25, 3.75)] * 3 + [(0.75, 2.25)] * 3
    assert [pytest.approx(end) for end in ends] == [(25, 75), *scores, (9.1, 24.7), *tocs]
    plt.close(figure)


def test_a_name_is_text_in_table_figure_and_page(tmp_path):
    rows = cards({HOSTILE: "observer", "t1": "model"})
    tex = joint_cards_tex(rows, SOURCE)
    assert r"\input" not in tex and "<" not in tex
    figure = joint_cards_figure(rows, SOURCE)
    save_figure(figure, tmp_path / "f.pdf", tmp_path / "f.png")  # no formula is read in it
    plt.close(figure)

    class Tags(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found = set()

        def handle_starttag(self, tag, attributes):
            self.found.add(tag)

    page = joint_page(rows, SOURCE, {HOSTILE: [f"{HOSTILE}.html"], "t1": ["t1.html"]})
    parser = Tags()
    parser.feed(page)
    assert not parser.found & {"script", "b"}
    assert '<a href="t1.html">' in page and page.count("<table>") == 2


def test_the_report_leads_to_the_page():
    nothing = Files(*([] for _ in range(8)))
    _, index = next(report_pages(nothing, "test", {}, [], ["joint"]))
    assert '<a href="joint.html">every experiment: a card for each tester' in index


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("rows", [worst, lambda: cards({HOSTILE: "model"})], ids=["worst", "name"])
def test_tables_compile_and_fit_a_page(tmp_path, rows):
    (tmp_path / "cards.tex").write_text(joint_cards_tex(rows(), SOURCE), encoding="utf-8")
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\n"
        "\\begin{document}\\input{cards}\\end{document}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    assert "Overfull \\hbox" not in run.stdout and "too large for page" not in run.stdout
