"""Tables, figure and pages of report before action print the counted numbers, and fit the page."""

import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from tests.report_action.rows import K, key, keys_of, outcomes_of, reply
from vlmtom.publish.report import BYTES_A_REPLY
from vlmtom.publish.report_action_effects import filled, report_action_effects
from vlmtom.publish.report_action_page import _batch_page
from vlmtom.publish.report_action_prompts import prompts_tex
from vlmtom.publish.report_action_tables import (
    batches_tex,
    choices_tex,
    estimates_tex,
    family_sizes,
    joint_rows,
    joint_tex,
    rates_tex,
    scenes_tex,
    verdict,
)
from vlmtom.publish.report_action_text import Study, percent, points
from vlmtom.report_action.estimates import Comparison, batch_rows, estimates
from vlmtom.report_action.listing import prompt_rows, scene_rows
from vlmtom.report_action.measures import HIDDEN, cells, choices, rates
from vlmtom.report_action.prompts import TURN, condition, parts
from vlmtom.stats.exact import plain
from vlmtom.stats.published import read_published
from vlmtom.store import schemas

ROOT = Path(__file__).parents[2]
STUDY = Study("test", K, "10")
ARMS = ("move-visibility", "move-none", "move-visibility-both", "mean-visibility")
QUESTION = Comparison("b", "move-none", "move-visibility", "main", HIDDEN, "question")
COMPARISONS = {
    "move-question": QUESTION,
    "both-base": Comparison(
        "b", "move-visibility", "move-visibility-both", "main", HIDDEN, "constraint"
    ),
    "accuracy": Comparison("b", "mean-visibility", "move-visibility", "main", "visible_correct"),
}
PROMPTS = {
    "question": ["move-visibility", "move-none", "move-count", "mean-visibility"],
    "place": ["move-visibility", "move-none", "move-stated", "move-after", "move-first_turn"],
    "constraint": ["move-visibility", "move-none-both", "move-visibility-both"],
}


def made(testers, scenes=20):
    """Cells of testers, each with more hidden choices than the one before; all asked of all."""
    keys = keys_of(ARMS, scenes)
    rows = []
    for number, (tester, kind) in enumerate(testers.items()):
        asked = [min(K, (i + number) % 4 + number // 3) for i in range(scenes)]
        none = [0] * scenes
        unasked = [(i + number) % 2 for i in range(scenes)]
        hidden = dict(zip(ARMS, (asked, unasked, none, none), strict=True))
        rows += [{**r, "tester": tester, "kind": kind} for r in outcomes_of(keys, hidden, number)]
    return keys, cells(rows, keys, {tester: ["b"] for tester in testers}, K)


def all_tex(testers, scenes=20):
    keys, rows = made(testers, scenes)
    table = rates(rows, 20261, 50)
    return {
        "rates": rates_tex(table, choices(rows), STUDY),
        "choices": choices_tex(choices(rows), STUDY),
        "joint": joint_tex(joint_rows(table), STUDY),
        "batches": batches_tex(batch_rows(table, ["b"]), STUDY),
        "estimates": estimates_tex(estimates(rows, table, COMPARISONS, Fraction(1, 10)), STUDY),
        "scenes": scenes_tex(scene_rows(keys, read_published()["reportaction_numbers"]), STUDY),
        "prompts": prompts_tex(prompt_rows(PROMPTS, COMPARISONS), "test"),
    }


def line(tex, start):
    return next(text for text in tex.splitlines() if text.startswith(start))


def test_half_a_tenth_is_printed_away_from_zero():
    # 122/800 = 15.25 and -122/800; Python's round and f-strings give 15.2
    assert percent(Fraction(122, 800)) == "15.3"
    assert points(Fraction(-122, 800)) == "−15.3"
    assert points(Fraction(135, 800)) == "+16.9" and points(Fraction(135, 800), 0) == "+17"
    assert points(Fraction(-1, 800), 0) == "0" and points(Fraction(1, 2500)) == "0.0"


def of_paper():
    keys = keys_of(["move-visibility", "move-none"], 160)
    hidden = {
        "move-visibility": [5] * 66 + [4] + [0] * 93,
        "move-none": [5] * 39 + [4] + [0] * 120,
    }
    rows = cells(outcomes_of(keys, hidden, 16), keys, {"t1": ["b"]}, K)
    return rows, rates(rows, 20261, 2000)


def test_tables_print_the_numbers_of_the_paper():
    rows, table = of_paper()
    tex = estimates_tex(estimates(rows, table, {"q": QUESTION}, Fraction(1, 10)), STUDY)
    assert "{q: move-visibility $-$ move-none}" in tex
    assert line(tex, "t1").startswith("t1 & 24.9 & 41.8 & +16.9 & [+")
    assert "corrected together: question: 1)" in tex
    assert "K = 5 replies per scene and condition; answered replies; scenes as clusters." in tex
    counts = choices_tex(choices(rows), STUDY)
    # 318 hidden choices beside a right report, 16 beside one that lists the hidden block
    assert line(counts, "move-visibility").startswith("move-visibility & right & 318 & 466 & 0 & 0")
    assert " & wrong & 16 & 0 & 0 & 0 &  &  & " in counts
    assert line(counts, "move-none").startswith("move-none & none & 199 & 601 & 0 & 0 & 800 & 0")
    # 318/800 = 39.75
    assert line(joint_tex(joint_rows(table), STUDY), "t1") == r"t1 & 39.8 \\"


def test_lost_replies_stand_beside_the_rates_that_they_are_not_in():
    keys = [key("move-none", scene) for scene in range(3)]
    outcomes = outcomes_of(keys, {"move-none": [5, 0, 0]})
    none = dict.fromkeys(("parse", "choice", "hidden_chosen", "director_view_chosen"))
    outcomes[0] |= {"status": "refused", **none}
    outcomes[1] |= {"parse": "unparsed", "reason": "refusal", "hidden_chosen": None}
    rows = cells(outcomes, keys, {"t1": ["b"]}, K)
    found = line(rates_tex(rates(rows, 0, 50), choices(rows), STUDY), "move-none")
    # 3 of 13, by hand 23.08 %
    assert found.startswith("move-none & 23.1 & [") and found.endswith(r"& 13 & 1 (1) & 1 (1) \\")


def test_a_family_of_observers_is_told_apart():
    rows = estimates(
        (of := made({"t1": "model", "t2": "model", "o": "observer"})[1]),
        rates(of, 0, 50),
        COMPARISONS,
        Fraction(1, 10),
    )
    assert family_sizes(rows) == {
        "question, models": 2,
        "question, observers": 1,
        "constraint, models": 2,
        "constraint, observers": 1,
    }
    assert "o (observer)" in estimates_tex(rows, STUDY)


def test_scene_counts_stand_beside_those_of_the_paper():
    keys = [key("move-none", 0, labels=(3, 9, 1)), key("move-none", 1, labels=(5, 2, 4, 8))]
    keys += [{**key("move-none", 0), "scene_set": "rotated", "stimulus": "rotated/R000"}] * 2
    found = {
        (r["scene_set"], r["what"]): (r["n"], r["published"])
        for r in scene_rows(keys, read_published()["reportaction_numbers"])
    }
    assert found["main", "scenes"] == (2, "160") and found["rotated", "scenes"] == (1, "160")
    assert found["main", "hidden_has_largest_digit"] == (1, "40")
    # In the second scene 5 is larger than the meant block's 4.
    assert found["main", "smaller_visible_has_larger_digit"] == (1, "95")
    assert found["main", "misleading_size"] == (0, "19")
    assert found["main", "four_blocks"] == (1, None)
    assert [found["rotated", f"hidden_{rank}"] for rank in ("largest", "middle", "smallest")] == [
        (1, "54"),
        (0, "53"),
        (0, "53"),
    ]


def test_the_marked_words_are_all_in_which_two_prompts_differ():
    rows = prompt_rows(PROMPTS, COMPARISONS)
    by_arm = {}
    for row in rows:
        by_arm.setdefault(row["arm"], []).append(row)
    for arm, turns in by_arm.items():
        other = turns[0]["compared_with"]
        if other is None:
            assert arm in ("move-visibility", "mean-visibility")
            continue
        bare = TURN.join(
            row["text"] if row["start"] is None else row["text"][: row["start"]] + "\0"
            + row["text"][row["end"] :] for row in turns
        )  # fmt: skip
        wanted = "".join(text for _, text in parts(condition(other), (3, 5)))
        # The mark stands where a turn ends, too, for a report that has a turn of its own.
        before, after = re.split("\0\x1e?", bare)
        assert before + turns[0]["other_words"] + after == wanted, arm
    assert by_arm["move-none-both"][0]["compared_with"] == "move-visibility-both"
    assert by_arm["move-after"][0]["part"] == "report"


def test_prompts_are_printed_whole_and_their_difference_in_bold():
    tex = prompts_tex(prompt_rows(PROMPTS, COMPARISONS), "test")
    bold = re.findall(r"^\\textbf\{(.*)\}\\par$", tex, re.M)
    assert "The director can see the blocks with the numbers 3 and 5." in bold
    assert "[nothing here]" in bold  # move-none has no words where the base prompt asks
    assert tex.count(r"\textit{turn ") == 2
    assert '"' not in tex and r"\texttt{\char34}" in tex


@pytest.mark.latex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_tables_of_ten_testers_fit_the_page(tmp_path):
    names = ["gpt-6-sol", "gpt-5.6-terra", "muse-glimmer-30b", "gemini-4-flash-lite"]
    tables = all_tex(dict.fromkeys((*names, *(f"tester-{i}" for i in range(6))), "model"))
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


def test_without_any_comparison_or_report_tables_are_comments():
    assert estimates_tex([], STUDY) == "% No comparison is configured.\n"
    assert joint_tex([], STUDY) == "% No condition asked for a report.\n"


# -- figure ---------------------------------------------------------------------------------


def drawn(axes):
    """Height of each mark with whether it is filled, and its number in points."""
    return {
        int(mark.get_ydata()[0]): (mark.get_markerfacecolor() != "white", mark.get_xdata()[0])
        for mark in axes.lines
        if mark.get_linestyle() == "None"
    }


def test_marks_are_filled_where_a_change_is_called():
    testers = {"t1": "model", "t2": "model", "o": "observer"}
    _, rows = made(testers)
    table = plain(estimates(rows, rates(rows, 0, 50), COMPARISONS, Fraction(1, 10)))
    figure = report_action_effects(table, STUDY, list(testers))
    primary = [row for row in table if row["primary"]]
    assert {axes.get_gid() for axes in figure.axes} == set(COMPARISONS)
    for axes in figure.axes:
        own = {row["tester"]: row for row in primary if row["comparison"] == axes.get_gid()}
        assert drawn(axes) == {
            place: (filled(own[tester]), 100 * own[tester]["diff"])
            for place, tester in enumerate(testers)
        }
    assert {filled(row) for row in primary} == {True, False}
    text = " ".join(" ".join(part.get_text().split()) for part in figure.texts)
    assert "Family question: models 2, observers 1 comparisons" in text
    assert "margin of 10 points" in text and "K = 5" in text


def test_what_cannot_be_estimated_is_said_and_has_no_mark():
    _, rows = made({"t1": "model"}, scenes=2)
    table = plain(estimates(rows, rates(rows, 0, 50), COMPARISONS, Fraction(1, 10)))
    figure = report_action_effects(table, STUDY, ["t1"])
    assert all(not drawn(axes) for axes in figure.axes)
    assert {axes.texts[0].get_text() for axes in figure.axes} == {"not estimable"}
    assert {verdict(row) for row in table if row["primary"]} == {"not estimable"}


# -- pages ----------------------------------------------------------------------------------


def page(keys, replies, outcomes):
    items = [
        {
            "item_id": of["item_id"],
            "arm": of["arm"],
            "stimulus": of["stimulus"],
            "batch": of["batch"],
            "turns": [
                {"text": "<b>prompt</b>", "pictures": [f"{number:064x}"]}
                for number in [keys.index(of) // 2]
            ],
        }
        for of in keys
    ]
    return _batch_page(
        "t1", "model", "b", items, {of["item_id"]: of for of in keys}, replies, outcomes
    )


def test_a_page_shows_reply_report_and_choice_and_hostile_text_is_inert():
    keys = keys_of(["move-visibility", "move-none"], 1)
    nasty = '<script>alert(1)</script>{"visible": [1, 2], "choice": 3}'
    told = [
        reply(keys[0], 1, nasty),
        reply(keys[0], 2, "nothing here"),
        reply(keys[1], 1, None, status="api_error"),
    ]
    told = [{"error": None, "error_kind": None, **row} for row in told]
    from vlmtom.report_action.scoring import outcome_rows

    html = page(keys, told, outcome_rows(told, keys))
    assert "<script>" not in html and "&lt;script&gt;" in html and "&lt;b&gt;prompt" in html
    assert "1, 2: exact" in html and "3: hidden block" in html
    assert "unparsed (no_json)" in html and "<td>missing</td>" in html
    assert html.count("<pre>") == 2  # a prompt once, not once a scene


def test_a_page_stays_small_however_much_is_said():
    keys = keys_of(["move-none"], 4)
    told = [
        {"error": None, "error_kind": None, **reply(of, trial, "<" * 100_000)}
        for of in keys
        for trial in range(1, K + 1)
    ]
    html = page(keys, told, [])
    assert len(html) < 20_000 + BYTES_A_REPLY * len(told)


def test_the_schemas_hold_what_is_counted():
    keys, rows = made({"t1": "model"})
    schemas.REPORT_ACTION_CELLS.table(rows)
    schemas.REPORT_ACTION_CHOICES.table(choices(rows))
    schemas.REPORT_ACTION_RATES.table(plain(rates(rows, 0, 50)))
    schemas.REPORT_ACTION_SCENES.table(scene_rows(keys, read_published()["reportaction_numbers"]))
    schemas.REPORT_ACTION_PROMPTS.table(prompt_rows(PROMPTS, COMPARISONS))
