"""Table 2 as LaTeX: right counts, marked observers, hostile text inert, compiles as it is."""

import shutil
import subprocess

import pytest

from vlmtom.publish.figure2 import figure2
from vlmtom.publish.latex import Column, LatexTable, escape
from vlmtom.publish.style import save_figure
from vlmtom.publish.table2 import table2_tex

HOSTILE = r"\input{/etc/passwd} $x_1$ 50% & #~^{}|<>\"“é”–ß 中文 🙂" + "\x07\n%"


def row(tester="t1", kind="model", **changes):
    counts = {"a": 12, "b": 1, "cQ1": 11, "cQ2": 2, "ego_b": 9, "ego_cQ2": 8}
    counts |= {f"{name}_strict": counts[name] for name in ("a", "b", "cQ1", "cQ2")}
    sizes = {f"n_{name}": 12 for name in ("scenes", "a", "b", "cQ1", "cQ2")}
    rest = {"trials": 144, "missing": 0, "unparsed": 3, "ties": 0, "gap": 0.9, "recovery": 0.1}
    return {"tester": tester, "kind": kind} | counts | sizes | rest | changes


def body(tex):
    return [line for line in tex.splitlines() if line.endswith(r"\\")]


def test_counts_and_the_panel_row_stand_where_they_belong():
    tex = table2_tex([row(), row("t2", b=0, cQ2=0, ego_b=12)], trials=3, panel="p")
    lines = body(tex)
    # recovery of t1: (2 - 1) / 12 = 8.3 points
    assert lines[1] == r"t1 & 12 & 1 & 11 & 2 & 9 & 8.3 & 3 & 0 \\"
    # panel: b (1 + 0) / 24 = 4.2 %; ego (9 + 12) / 24 = 87.5 %; recovery (1/12 + 0) / 2 = 4.2
    assert lines[3] == (r"panel mean (\%) & 100.0 & 4.2 & 91.7 & 8.3 & 87.5 & 4.2 & 6 & 0 \\")
    assert "K = 3 trials a scene" in tex
    assert "descriptive" in tex


def test_missing_cells_show_their_n_and_a_dash_where_there_is_none():
    tex = table2_tex([row(n_a=11, a=11, n_b=0, b=0, ego_b=0, missing=5)], trials=3, panel="p")
    assert body(tex)[1] == r"t1 & 11/11 & -- & 11 & 2 & -- & -- & 3 & 5 \\"


def test_observers_are_never_shown_as_models():
    alone = table2_tex([row("obs-x", "observer")], trials=3, panel="p")
    assert "embedded observers with stated policies, not models" in alone
    mixed = table2_tex([row(), row("obs-x", "observer", b=12)], trials=3, panel="p")
    assert "obs-x (observer)" in mixed
    # the panel's mean is over models alone: b 1/12
    assert body(mixed)[3].split(" & ")[2] == "8.3"


def test_text_is_inert_in_latex():
    escaped = escape(HOSTILE)
    assert r"\input" not in escaped
    assert escaped.startswith(r"\textbackslash{}input\{/etc/passwd\} \$x\_1\$ 50\% \& \#")
    assert "\n" not in escaped and "\x07" not in escaped


def test_a_row_of_another_width_is_refused():
    table = LatexTable("tab:x", "c", [Column("a")], [["1", "2"]])
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        table.text()


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_tables_compile_as_they_are(tmp_path):
    table = table2_tex([row(HOSTILE), row("obs-x", "observer")], trials=3, panel=HOSTILE)
    (tmp_path / "table2.tex").write_text(table, encoding="utf-8")
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\n"
        "\\begin{document}\\input{table2}\\end{document}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "doc.pdf").stat().st_size > 1000


def test_the_figure_is_the_same_bytes_from_the_same_rows(tmp_path):
    for name in ("one", "two"):
        figure = figure2([row(), row("t2", n_b=0, b=0, ego_b=0)], trials=3, panel="p")
        save_figure(figure, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert (tmp_path / "one.pdf").read_bytes().startswith(b"%PDF")


def test_bars_have_the_height_of_their_shares():
    figure = figure2([row()], trials=3, panel="p")
    heights = [patch.get_height() for patch in figure.axes[0].patches]
    assert heights == pytest.approx([12 / 12, 1 / 12, 11 / 12, 2 / 12])
    diamonds = figure.axes[0].lines[0].get_ydata()
    assert list(diamonds) == pytest.approx([9 / 12])
