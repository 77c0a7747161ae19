"""Counts, shares and agreement of codes: expected values by hand, and the paper's counts."""

from fractions import Fraction

import pytest

from tests.report_action.trace_helpers import code
from vlmtom.publish.action_traces import TraceSource, coder_gate_tex, coding_tex, traces_tex
from vlmtom.publish.figure_traces import figure_traces
from vlmtom.report_action.traces import coding_table, trace_table
from vlmtom.stats.agreement import cohen_kappa
from vlmtom.stats.exact import plain, show
from vlmtom.store import schemas

PASS = [
    {"coder": "c1", "version": version, "verdict": "PASS"}
    for version in ("with_report", "without_report")
]
SOURCE = TraceSource("p", 5, "ab" * 32, {"c1": "model"})


def key_row(n, arm="move-visibility", hidden=False, trace="trace", **changes):
    ids = (f"{arm}-{n}", f"{arm}-{n}-x") if trace == "trace" else (None, None)
    chosen = trace != "no_choice"
    return {
        **{"tester": "t1", "kind": "model", "scene_set": "main", "batch": "question", "arm": arm},
        **{"stimulus": f"main/R{n:03d}", "item_id": f"{arm}/{n}", "trial": 1, "recoded": n < 30},
        "parse": "parsed" if chosen else "unparsed",
        "visible": None,
        "choice": 8 if chosen else None,
        "hidden_chosen": hidden if chosen else None,
        "director_view_chosen": not hidden if chosen else None,
        "trace": trace,
        **dict(zip(("blind_id", "blind_id_without_report"), ids, strict=True)),
    } | changes


def paper_like():
    """800 choices with the question, 334 of the hidden block, of which 318 not seen."""
    key = [key_row(n, hidden=n < 334) for n in range(800)]
    codes = [
        code(
            row["blind_id"],
            reading="own_view" if n < 312 else "director_view",
            director_sees_choice="no" if n < 318 else "yes",
        )
        for n, row in enumerate(key)
    ]
    return key, codes


def test_the_paper_s_counts_come_out_as_it_prints_them():
    key, codes = paper_like()
    (row,) = trace_table(key, codes, PASS, {"c1": "model"})
    assert (row["n_hidden"], row["n_choices"], row["n_hidden_no"]) == (334, 800, 318)
    assert row["own_view_share"] == Fraction(312, 800)  # 39 %
    assert row["hidden_no_share"] == Fraction(318, 334)
    # 334 of 800 are 41.75 %, half up 41.8.
    assert "334 (41.8) & 318 (95.2)" in traces_tex([row], SOURCE)


def test_only_first_codes_with_the_report_count_and_what_is_missing_is_in_no_share():
    key = [key_row(0, hidden=True), key_row(1), key_row(2), key_row(3, trace="no_trace"),
           key_row(4, trace="no_choice")]  # fmt: skip
    ids = [row["blind_id"] for row in key]
    codes = [
        code(ids[0], reading="prior_knowledge", director_sees_choice="unclear"),
        code(ids[0], coding=2, reading="no_rule"),
        code(ids[0] + "-x", version="without_report", reading="no_rule"),
        code(ids[1], reading="largest_digit", visibility_worked_out="no"),
        code(ids[2], parse="unparsed", reading=None),
    ]
    (row,) = trace_table(key, codes, PASS, {"c1": "model"})
    assert (row["n_planned"], row["n_choices"], row["n_no_trace"]) == (5, 4, 1)
    assert (row["n_traces"], row["n_coded"], row["status"]) == (3, 2, "missing_codes")
    assert row["prior_knowledge_share"] == row["largest_digit_share"] == Fraction(1, 2)
    assert (row["n_no_rule"], row["n_worked_out"]) == (0, 1)
    assert (row["n_hidden_coded"], row["n_hidden_unclear"], row["hidden_no_share"]) == (1, 1, 0)
    text = traces_tex([row], SOURCE)
    assert "Choices without a trace: t1 1." in text
    assert "Replies without a readable choice: t1 1." in text
    assert "Traces without a readable code: c1 1." in text


def test_every_trace_without_a_code_is_told_whatever_the_status_of_its_row():
    """A row of which nothing could be coded lacks as much as any other."""
    key = [key_row(n, tester) for tester in ("a", "b", "c", "d") for n in range(4)]
    key += [key_row(0, "e", trace="no_trace")]
    ids = {tester: [r["blind_id"] for r in key if r["arm"] == tester] for tester in "abcd"}
    codes = [code(name) for name in [*ids["a"], *ids["b"][:3]]]
    codes += [code(name, parse="unparsed") for name in ids["c"]]
    gate = [row | {"coder": coder} for coder in ("c1", "c2") for row in PASS]
    failed = [row | {"coder": "c3", "verdict": "FAIL"} for row in PASS]
    coders = dict.fromkeys(("c1", "c2", "c3"), "model")
    table = trace_table(key, codes, [*gate, *failed], coders)
    found = {(row["coder"], row["arm"]): row["status"] for row in table}
    assert [found["c1", arm] for arm in "abcde"] == [
        *("ok", "missing_codes", "no_codes", "no_codes", "no_traces")
    ]
    text = traces_tex(table, SOURCE)
    # c3's codes are not used at all, which is told by itself.
    assert "Traces without a readable code: c1 9, c2 16." in text
    assert "no code is used: c3." in text


def test_codes_of_a_coder_that_failed_are_not_used_and_said_so():
    key, codes = paper_like()
    failed = [row | {"verdict": "FAIL"} for row in PASS]
    (row,) = trace_table(key, codes, failed, {"c1": "model"})
    assert (row["status"], row["n_coded"], row["n_hidden"]) == ("gate_failed", 0, 334)
    assert row["own_view_share"] is row["hidden_no_share"] is None
    assert "Failed the known-code tests, so that no code is used: c1." in traces_tex([row], SOURCE)


def test_conditions_batches_and_scene_sets_are_never_pooled():
    key = [
        key_row(0),
        key_row(0, arm="move-none"),
        key_row(0, batch="wording", item_id="b"),
        key_row(0, scene_set="rotated", item_id="c"),
        key_row(0, tester="t2"),
    ]
    table = trace_table(key, [], PASS, {"c1": "model"})
    assert len(table) == 5
    assert {row["status"] for row in table} == {"no_codes"}
    schemas.REPORT_ACTION_TRACES.table(plain(table))


def test_the_figure_has_a_bar_for_what_is_coded_and_words_for_what_is_not():
    key, codes = paper_like()
    none = [key_row(n, tester="t2", trace="no_trace") for n in range(3)]
    table = trace_table([*key, *none], codes, PASS, {"c1": "model"})
    figure = figure_traces(table, SOURCE)
    left, right = figure.axes
    widths = [bar.get_width() for bar in left.patches]
    assert widths == pytest.approx([488 / 800, 312 / 800])
    assert [bar.get_width() for bar in right.patches] == pytest.approx([318 / 334])
    said = [text.get_text() for text in [*left.texts, *right.texts]]
    assert said == ["488", "312", "no trace came along", "318 of 334", "–"]
    assert len({(p.get_facecolor(), p.get_hatch()) for p in figure.legends[0].get_patches()}) == 5


# Agreement -------------------------------------------------------------------------------------


def test_kappa_by_hand():
    # Cohen's first example's shape: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no of 50.
    # Equal .7; by chance .5 * .6 + .5 * .4 = .5; (.7 - .5) / .5 = .4
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = cohen_kappa(pairs)
    assert (found.value, found.share, found.status) == (Fraction(2, 5), Fraction(7, 10), "ok")


def test_kappa_without_variation_or_pairs_is_null_with_a_word():
    constant = cohen_kappa([("a", "a")] * 3)
    assert (constant.value, constant.share, constant.status) == (None, 1, "constant")
    assert cohen_kappa([]).status == "no_pairs" and cohen_kappa([]).share is None
    # One side constant, the other not: no agreement beyond chance.
    assert cohen_kappa([("a", "a"), ("a", "b")]).value == 0


def test_195_of_199_codes_that_stay_as_they_were():
    # As many hidden choices without the question as the paper has; four change their reading.
    key = [key_row(n, "move-none", hidden=True) for n in range(199)]
    codes = []
    for n, row in enumerate(key):
        first = "own_view" if n < 96 else "prior_knowledge"
        codes.append(code(row["blind_id"], reading=first))
        second = "no_rule" if n < 4 else first
        codes.append(code(row["blind_id_without_report"], version="without_report", reading=second))
        if row["recoded"]:
            codes.append(code(row["blind_id"], coding=2, reading=first))
    table = coding_table(key, codes, PASS, {"c1": "model"})
    by_name = {
        (row["comparison"], row["arm"], row["choices"]): row
        for row in table
        if row["field"] == "reading"
    }
    row = by_name["without_report", "move-none", "hidden"]
    assert (row["n_equal"], row["n_pairs"], row["status"]) == (195, 199, "ok")
    # By chance (96 * 92 + 103 * 103) / 199^2
    chance = Fraction(96 * 92 + 103 * 103, 199**2)
    assert row["kappa"] == (Fraction(195, 199) - chance) / (1 - chance)
    assert show(row["kappa"], 2) == "0.96"
    assert (by_name["again", "all", "all"]["n_equal"], row["gate"]) == (30, "PASS")
    # The other two fields never vary here.
    assert {r["status"] for r in table if r["field"] != "reading"} == {"constant"}
    schemas.REPORT_ACTION_CODING.table(plain(table))
    text = coding_tex(table, SOURCE, ["model"])
    assert "move-none & hidden & 195/199 & 0.96" in text


def test_a_pair_without_a_code_is_counted_once_whichever_rows_it_is_in():
    """Of hidden choices a pair is in four rows of a coder with itself, of others in two."""
    key = [key_row(n, hidden=n < 3, recoded=False) for n in range(6)]
    codes = [
        code(name, version=version)
        for row in key
        for name, version in (
            (row["blind_id"], "with_report"),
            (row["blind_id_without_report"], "without_report"),
        )
    ]
    for lacking, n in ((codes, 0), (codes[1:], 1), (codes[1:-1], 2)):
        text = coding_tex(coding_table(key, lacking, PASS, {"c1": "model"}), SOURCE, ["model"])
        told = f"left out: {n}." if n else ""
        assert told in text and ("left out" in text) == bool(n)


def test_people_are_compared_with_the_coder_and_with_each_other():
    key = [key_row(n) for n in range(36)]
    codes = [code(row["blind_id"], reading="own_view") for row in key]
    sheet = [{"item_id": f"i{n}", "blind_id": row["blind_id"]} for n, row in enumerate(key)]
    human = [
        code("", coder=person, item_id=f"i{n}", reading="no_rule" if n < other else "own_view")
        for person, other in (("ann", 0), ("ben", 2))
        for n in range(36)
    ]
    table = coding_table(key, codes, PASS, {"c1": "model"}, sheet, human)
    found = {
        (row["comparison"], row["a"], row["b"]): (row["n_equal"], row["n_pairs"], row["status"])
        for row in table
        if row["field"] == "reading" and row["arm"] == "all" and row["choices"] == "all"
    }
    assert found["coder_human", "c1", "ann"] == (36, 36, "constant")
    assert found["coder_human", "c1", "ben"] == (34, 36, "ok")
    assert found["humans", "ann", "ben"] == (34, 36, "ok")


def test_a_coder_that_failed_is_marked_where_it_is_compared():
    key = [key_row(0)]
    gate = [PASS[0], PASS[1] | {"verdict": "FAIL"}]
    table = coding_table(key, [code("move-visibility-0")], gate, {"c1": "model"})
    marks = {row["comparison"]: row["gate"] for row in table}
    assert marks == {"again": "PASS", "without_report": "FAIL"}
    assert "The coder failed the tests." in coding_tex(table, SOURCE, ["model"])


@pytest.mark.parametrize(("other", "of_both"), [("observer", 1), ("model", 2)])
def test_every_comparison_is_over_models_alone_where_there_are_models(other, of_both):
    key = [key_row(0, hidden=True), key_row(1, hidden=True, kind=other, tester="o")]
    coders = dict.fromkeys(("c1", "c2"), "model")
    codes = [code(row["blind_id"], coder=coder) for row in key for coder in coders]
    # On a sheet that was drawn from both.
    sheet = [{"item_id": f"i{n}", "blind_id": row["blind_id"]} for n, row in enumerate(key)]
    human = [code("", coder=who, item_id=f"i{n}") for who in ("ann", "ben") for n in range(2)]
    table = coding_table(key, codes, PASS, coders, sheet, human)
    planned = {row["comparison"]: row["n_planned"] for row in table if row["arm"] == "all"}
    assert planned == dict.fromkeys(
        ("again", "without_report", "coders", "coder_human", "humans"), of_both
    )


def test_hostile_names_are_inert_in_the_tables():
    gate = {
        **{"coder": "c_1&$", "kind": "model", "version": "with_report", "threshold": Fraction(1)},
        **{"n_tests": 1, "n_coded": 1, "verdict": "FAIL", "other_reading": [r"\input{x}"]},
        **dict.fromkeys(
            ("reading_share", "director_sees_choice_share", "visibility_worked_out_share"),
            Fraction(0),
        ),
    }
    text = coder_gate_tex([gate], SOURCE)
    assert r"\input{x}" not in text and r"c\_1\&\$" in text
