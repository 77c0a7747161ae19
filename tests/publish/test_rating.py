"""The table of judges and people: numbers in their place, dashes with their reason, LaTeX."""

import re
import shutil
import subprocess

import pytest

from tests.publish.test_joint_tables import HOSTILE, SOURCE, body
from tests.stats.test_rating_agreement import LADDER, key, ratings, verdicts
from vlmtom.publish.rating_agreement import rating_agreement_tex
from vlmtom.stats.rating_agreement import rating_agreement_rows

KEY = [row | {"sheet": "sheet-0123", "kind": "model"} for row in key()]


def tex(people, judged, kind="model", key=KEY):
    given = [row for rater, levels in people.items() for row in ratings(rater, levels)]
    scored = [row for judge, levels in judged.items() for row in verdicts(judge, levels)]
    table = rating_agreement_rows(key, given, scored, dict.fromkeys(judged, kind), seed=3)
    return rating_agreement_tex(table, key, SOURCE)


def test_numbers_stand_in_their_columns_with_their_intervals():
    lower = [max(level - 1, 0) for level in LADDER]
    first = body(tex({"kim": LADDER}, {"j": lower}).split("\n\n")[0])[1]
    # 10 of 12 one lower: equal 2/12, difference -10/12
    cells = first.removesuffix(r" \\").split(" & ")
    assert cells[:6] == ["all", "j", "12", "17", "100", "$-$0.83"]
    assert re.fullmatch(r"\[\$-\$[01]\.\d\d, \$-\$0\.\d\d\]", cells[6])
    assert [float(cell) > 0.8 for cell in (cells[7], cells[9], cells[10])] == [True] * 3


def test_a_dash_has_its_reason_and_people_have_no_difference():
    text = tex({"kim": LADDER, "lee": LADDER[::-1]}, {"j": LADDER})
    intent, approp = text.split("\n\n")
    # Appropriateness is 2 throughout
    assert r"all & j & 12 & 100 & 100 & 0.00 & [0.00, 0.00] & -- &  & -- & -- \\" in approp
    assert "A dash: all scores are equal (0/0); or raters among themselves have no order" in approp
    assert "A dash: raters among themselves have no order to subtract in." in intent
    people = [line for line in body(intent) if line.startswith(" & people")]
    assert len(people) == 4
    assert all(line.split(" & ")[5:7] == ["--", ""] for line in people)
    assert "judge is set against each rater in turn" in intent
    alone = tex({"kim": LADDER}, {"j": LADDER})
    assert "people &" not in alone and "in turn" not in alone


def test_the_caption_says_what_the_numbers_are():
    text = tex({"kim": [None, *LADDER[1:]]}, {"j": LADDER[:9]}, kind="observer")
    for words in (
        "LLM-rated, against people's ratings of the same descriptions; descriptive.",
        "K = 3",
        "overlay blinded",
        "12 descriptions of sheet-0123; raters: 1",
        "cannot be rated: 1.",
        "Without a score on some descriptions: j.",
        "the judges are embedded observers with stated rules, not LLMs",
    ):
        assert words in text, words
    assert "not models" not in text, "the testers of the sheet are models"
    observers = [row | {"kind": "observer"} for row in KEY]
    assert "not models" in tex({"kim": LADDER}, {"j": LADDER}, key=observers)


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("judge", ["gemini-2.5-flash", HOSTILE])
def test_it_compiles_within_the_text_width_with_any_name(judge, tmp_path):
    people = {"kim": LADDER, "lee": LADDER[::-1]}
    (tmp_path / "table.tex").write_text(tex(people, {judge: LADDER[::-1], "j2": LADDER}))
    (tmp_path / "doc.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
        "\\begin{document}\\input{table}\\end{document}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    assert judge == HOSTILE or "Overfull" not in run.stdout
