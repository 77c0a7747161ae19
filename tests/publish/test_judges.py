"""Tables of judges: numbers in their place, dashes with their reason, LaTeX that compiles."""

import re
import shutil
import subprocess
from fractions import Fraction

import pytest

from tests.judging.test_battery import published_table
from tests.judging.test_battery import verdicts as battery_verdicts
from tests.judging.test_validation import exemplars
from tests.publish.test_joint_tables import HOSTILE, LEVELS, SHA, SOURCE, body, triangle_cells
from tests.stats.test_agreement import described, verdict
from vlmtom.judging.ablation import Candidate, table13
from vlmtom.judging.validation import battery_rows
from vlmtom.publish.judge_audits import (
    judge_agreement_tex,
    judge_family_tex,
    judge_left_out_tex,
)
from vlmtom.publish.judge_battery import Battery, judge_battery_tex
from vlmtom.publish.report import _judge
from vlmtom.publish.table13 import saving_note, table13_tex
from vlmtom.stats.agreement import agreement_rows
from vlmtom.stats.exact import plain
from vlmtom.stats.judge_audits import family_rows, left_out_rows
from vlmtom.stats.references import load_references
from vlmtom.store import schemas

REFERENCES = load_references()
JUDGES = ("j1", "j2", "j3")
BATTERY = Battery("p", 1, 5, SHA, SHA)


def battery(levels=(3, 3, 3, 4, None), judge="qwen2.5-72b-instruct", kind="model"):
    rows = battery_verdicts([levels], judge)
    return battery_rows(rows, exemplars(1), 5, {judge: kind, "silent": "model"})


def ablation(table):
    return table13(table, {row["judge"]: Candidate("Qwen", "chosen", None) for row in table})


def agreement(names=JUDGES):
    said = [described(str(number)) for number in range(3)]
    given = [verdict(str(n), name, n % 2 + (name == names[0])) for n in range(3) for name in names]
    return agreement_rows(said, given, names, ["numbered", "plain"])


def all_tables(names=JUDGES, panel="p", source=SOURCE):
    cells = triangle_cells()
    known = dict.fromkeys((*LEVELS, "j2", "j3"), "f") | {"j1": "g"}
    rated = battery(judge=names[0])
    made = Battery(panel, 1, 5, SHA, SHA)
    return {
        "judge_battery": (schemas.JUDGE_BATTERY, rated, judge_battery_tex(rated, made)),
        "table13": (schemas.TABLE13, ablation(rated), table13_tex(ablation(rated), made)),
        "judge_family": (
            schemas.JUDGE_FAMILY,
            rows := family_rows(cells, ["numbered", "plain"], known),
            judge_family_tex(rows, [names[0]], ["model"], source),
        ),
        "judge_left_out": (
            schemas.JUDGE_LEFT_OUT,
            rows := left_out_rows(cells, JUDGES, REFERENCES, source.reading),
            judge_left_out_tex(rows, ["model"], source),
        ),
        "judge_agreement": (
            schemas.JUDGE_AGREEMENT,
            rows := agreement(names),
            judge_agreement_tex(rows, ["model"], source),
        ),
    }


def test_recovery_in_percent_and_what_is_missing_stand_where_they_belong():
    tex = judge_battery_tex(battery(), BATTERY)
    # 3 3 3 4: mean 3.25, variance 3/16, SD .43
    assert body(tex)[1:] == [
        r"qwen2.5-72b-instruct & 100.0 & 100.0 & 0.43 & 0.00 & FAIL & 4/5 \\",
        r"silent & -- & -- & -- & -- & FAIL & 0/5 \\",
    ]
    assert "missing or unparsed, in no share: qwen2.5-72b-instruct 1 of 5; silent 5 of 5" in tex
    assert "Authored exemplars, never human-rated" in tex


def test_exemplars_of_a_file_of_the_user_s_are_not_called_authored():
    tex = judge_battery_tex(battery(), Battery("p", 1, 5, SHA, SHA, authored=False))
    assert "Authored" not in tex and "Exemplars of a file of the user's" in tex


def test_embedded_judges_are_marked_among_models_and_said_to_be_no_llms():
    tex = judge_battery_tex(battery(judge="judge-plain", kind="observer"), BATTERY)
    assert "judge-plain (observer)" in tex and "they are not LLMs" in tex


def test_table13_of_the_published_panel_has_its_sums_and_its_saving():
    table = published_table()
    assert body(table13_tex(table, BATTERY))[-2:] == [
        r" & all chosen &  &  &  &  &  &  & 0.0129 \\",
        r" & all flagships &  &  &  &  &  &  & 0.0676 \\",
    ]
    assert saving_note(table) == ["Chosen against flagships: 81 % saved."]


def test_what_is_not_defined_is_a_dash_with_its_reason():
    cells = triangle_cells()
    rows = family_rows(cells, ["numbered"], dict.fromkeys((*LEVELS, *JUDGES), "f"))
    tex = judge_family_tex(rows, [], ["model"], SOURCE)
    assert body(tex)[1] == r"numbered & ToM & 3.0 & -- & -- & 36/36 \\"
    assert "Without in-family cells none is left where the dash stands" in tex
    tex = judge_agreement_tex(agreement(), ["model"], SOURCE)
    assert "numbered & Approp & all & -- & 100.0 & 100.0 & 3" in tex
    assert "Alpha is not defined (a dash) where all scores are equal" in tex
    assert "where no description was scored by two judges" in tex


def test_the_panel_without_a_judge_is_a_row():
    rows = left_out_rows(triangle_cells(), JUDGES, REFERENCES, SOURCE.reading)
    tex = judge_left_out_tex(rows, ["model"], SOURCE)
    # medians of 4 1 3, 3 1 3, 1 4 0; means 8/3 and 1: sqrt(1.6333^2 + .7^2) = 1.78, .55;
    # GD (7/3, 4/3) lies beside (2.4, 1.3)
    assert body(tex)[2] == (
        r"none & 3.0 & 3.0 & 1.0 & 2.67 & 1.00 & 1.78 & 0.55 & HF-ASD & HF-ASD & HF-ASD "
        r"& 0/3 & 1/3 & 108 \\"
    )


def test_rows_fit_their_schemas_and_no_table_holds_a_nan():
    for name, (schema, rows, tex) in all_tables().items():
        stored = schema.table(plain(rows))
        assert stored.num_rows == len(rows) > 0, name
        numbers = [v for row in stored.to_pylist() for v in row.values() if isinstance(v, float)]
        assert all(v == v for v in numbers), name
        assert not re.search(r"\bnan\b", tex, re.IGNORECASE), name


def test_an_informed_verdict_has_a_column_of_its_own_in_the_report():
    assert _judge({"judge": "j", "overlay": "blinded"}) == "j"
    assert _judge({"judge": "j", "overlay": "informed"}) == "j (informed)"


def test_alpha_prints_half_up_from_the_exact_fraction():
    row = {"arm": "a", "score": "intent", "judges": "all", "alpha": Fraction(-1, 16)}
    row |= {"exact": Fraction(1, 16), "within_one": None, "n_units": 1, "status": "ok"}
    tex = judge_agreement_tex([row], ["model"], SOURCE)
    assert body(tex)[1] == r"a & Intent & all & $-$0.063 & 6.3 & -- & 1 \\"


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("names", [("claude-haiku-4.5", "gemini-2.5-flash", "qwen2.5-72b-instruct"),
                                   (HOSTILE, "[2cm]", "*")])  # fmt: skip
def test_tables_compile_as_they_are_and_fit_the_text(tmp_path, names):
    hostile = HOSTILE in names
    made = all_tables(names, HOSTILE if hostile else "p")
    for name, (_, _, tex) in made.items():
        (tmp_path / f"{name}.tex").write_text(tex, encoding="utf-8")
    inputs = "".join(rf"\input{{{name}}}" for name in made)
    (tmp_path / "doc.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage[margin=2.5cm]{geometry}"
        rf"\usepackage{{booktabs}}\begin{{document}}{inputs}\end{{document}}",
        encoding="utf-8",
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "doc.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert run.returncode == 0, run.stdout[-2000:]
    if not hostile:
        assert "Overfull \\hbox" not in run.stdout, run.stdout
