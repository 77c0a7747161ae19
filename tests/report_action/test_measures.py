"""Measures of report before action: the paper's counts come out, and nothing lost is in a share."""

from fractions import Fraction

import pytest

from tests.report_action.rows import K, key, keys_of, outcomes_of, reply
from vlmtom.errors import BadData, MissingReplies
from vlmtom.report_action.estimates import Comparison, batch_rows, estimates
from vlmtom.report_action.measures import (
    ACCURACY,
    ALL,
    BY_DIGIT,
    DESPITE_REPORT,
    DIRECTOR_VIEW,
    HIDDEN,
    JOINT,
    MEASURES,
    cells,
    check_complete,
    choices,
    rates,
)
from vlmtom.report_action.scoring import outcome_rows
from vlmtom.stats.exact import plain
from vlmtom.stats.rounding import printed
from vlmtom.store import schemas

SEED = 20261
ASKED = {"t1": ["b"]}
QUESTION = Comparison("b", "move-none", "move-visibility", "main", HIDDEN, "question")


def rate(table, arm, measure, subset=ALL):
    return next(r for r in table if (r["arm"], r["measure"], r["subset"]) == (arm, measure, subset))


def spread(total, scenes=160):
    """A number of hidden choices over scenes of K replies, at most K a scene."""
    full, rest = divmod(total, K)
    return [K] * full + ([rest] if rest else []) + [0] * (scenes - full - bool(rest))


@pytest.fixture(scope="module")
def of_paper():
    """334 and 199 hidden choices of 800, with 318 of the 334 under a report that leaves it out."""
    keys = keys_of(["move-visibility", "move-none"], 160)
    made = outcomes_of(
        keys, {"move-visibility": spread(334), "move-none": spread(199)}, wrong_reports=16
    )
    return cells(made, keys, ASKED, K)


def test_the_counts_and_points_of_the_paper_are_printed_as_it_prints_them(of_paper):
    table = rates(of_paper, SEED, 200)
    asked, unasked = (rate(table, arm, HIDDEN) for arm in ("move-visibility", "move-none"))
    assert (asked["events"], asked["n"]) == (334, 800)
    assert (unasked["events"], unasked["n"]) == (199, 800)
    # 41.75 and 24.875, half up
    assert [printed(100 * row["share"], 1) for row in (asked, unasked)] == ["41.8", "24.9"]
    (row,) = [
        r for r in estimates(of_paper, table, {"q": QUESTION}, Fraction(1, 10)) if r["primary"]
    ]
    assert row["diff"] == Fraction(135, 800)
    assert printed(100 * row["diff"], 1) == "16.9" and printed(100 * row["diff"], 0) == "17"
    assert row["method"] == "gee" and row["df"] == 158 and row["n_scenes"] == 160


def test_joint_and_despite_the_report_count_what_their_names_say(of_paper):
    table = rates(of_paper, SEED, 200)
    # 16 of the 334 hidden choices stand beside a report that lists the hidden block.
    joint = rate(table, "move-visibility", JOINT)
    assert (joint["events"], joint["n"]) == (318, 800)
    despite = rate(table, "move-visibility", DESPITE_REPORT)
    assert (despite["events"], despite["n"]) == (318, 784)
    accuracy = rate(table, "move-visibility", ACCURACY)
    assert (accuracy["events"], accuracy["n"]) == (784, 800)


def test_a_condition_without_a_report_has_no_measure_of_one(of_paper):
    table = rates(of_paper, SEED, 200)
    found = {r["measure"] for r in table if r["arm"] == "move-none"}
    assert found == set(MEASURES) - {ACCURACY, JOINT, DESPITE_REPORT}


def test_report_by_choice_adds_up_to_the_answered_replies(of_paper):
    (row,) = [r for r in choices(of_paper) if r["arm"] == "move-visibility" and r["subset"] == ALL]
    assert (row["correct_hidden"], row["incorrect_hidden"]) == (318, 16)
    parts = [row[f"{r}_{c}"] for r in schemas.ACTION_REPORTS for c in schemas.ACTION_CHOICES]
    assert sum(parts) == row["n_answered"] == 800


def test_subsets_leave_out_whole_scenes():
    # Scenes 0 and 1 carry the largest digit on the hidden block; scene 2 misleads on size.
    keys = [
        key("move-none", i, hidden_has_largest_digit=i < 2, misleading_size=i == 2)
        for i in range(5)
    ]
    made = outcomes_of(keys, {"move-none": [K, 0, K, 1, 0]})
    table = rates(cells(made, keys, ASKED, K), SEED, 50)
    found = {r["subset"]: (r["events"], r["n"]) for r in table if r["measure"] == HIDDEN}
    assert found == {
        "all": (11, 25),
        "hidden_not_largest_digit": (6, 15),
        "without_misleading": (6, 20),
    }


def test_the_largest_digit_is_a_share_of_what_is_neither_hidden_nor_meant():
    # labels 2 7 4 9: hidden 9, meant 4; of the others 7 is the largest visible digit
    keys = [key("move-none", 0, labels=(2, 7, 4, 9))]
    said = [7, 7, 2, 4, 9]
    replies = [reply(keys[0], t + 1, f'{{"choice": {c}}}') for t, c in enumerate(said)]
    table = rates(cells(outcome_rows(replies, keys), keys, ASKED, K), SEED, 50)
    found = {m: rate(table, "move-none", m) for m in (HIDDEN, DIRECTOR_VIEW, BY_DIGIT)}
    assert {m: (r["events"], r["n"]) for m, r in found.items()} == {
        HIDDEN: (1, 5),
        DIRECTOR_VIEW: (1, 5),
        BY_DIGIT: (2, 3),
    }


def counted_one(keys, replies, planned=K):
    (row,) = cells(outcome_rows(replies, keys), keys, ASKED, planned)
    return row


def test_what_is_lost_is_counted_by_its_kind_and_in_no_share():
    keys = [key("move-visibility", 0)]
    right = '{"visible": [1, 2], "choice": 2}'
    replies = [
        reply(keys[0], 1, right),
        reply(keys[0], 2, None, status="refused", refusal="No."),
        reply(keys[0], 3, None, status="api_error"),
        reply(keys[0], 4, "The director sees 1 and 2."),
    ]
    # the fifth reply never came, not even as an error
    row = counted_one(keys, replies)
    assert row["n_planned"] == 5 and row["n_answered"] == 1
    assert (row["n_missing"], row["n_refused"]) == (3, 1)
    assert (row["n_unparsed"], row["n_refused_in_words"]) == (1, 0)
    assert row["correct_director_view"] == 1


def test_a_refusal_in_words_is_unparsed_and_counted_as_one():
    keys = [key("move-none", 0)]
    row = counted_one(keys, [reply(keys[0], 1, "I cannot help with that request.")], 1)
    assert (row["n_missing"], row["n_unparsed"], row["n_refused_in_words"]) == (0, 1, 1)


def test_two_turns_lose_the_choice_with_a_failed_first_turn_and_only_the_report_with_an_odd_one():
    keys = [key("move-first_turn", 0)]
    first, second = '{"visible": [1, 2]}', '{"choice": 3}'
    replies = [
        reply(keys[0], 1, first, turn=1),
        reply(keys[0], 1, second, turn=2),
        reply(keys[0], 2, None, turn=1, status="refused", refusal="No."),
        reply(keys[0], 3, "One and two, I think.", turn=1),
        reply(keys[0], 3, second, turn=2),
        reply(keys[0], 4, first, turn=1),
        reply(keys[0], 4, "The big one.", turn=2),
    ]
    row = counted_one(keys, replies, 4)
    assert (row["n_missing"], row["n_refused"]) == (1, 1)
    assert row["n_unparsed"] == 1 and row["n_answered"] == 2
    assert (row["correct_hidden"], row["no_report_hidden"]) == (1, 1)
    table = rates([row], SEED, 50)
    assert (
        rate(table, "move-first_turn", HIDDEN)["n"],
        rate(table, "move-first_turn", JOINT)["n"],
    ) == (2, 1)


def test_an_item_without_any_reply_is_a_gap():
    keys = keys_of(["move-none"], 2)
    made = outcomes_of(keys[:1], {"move-none": [2]})
    found = cells(made, keys, ASKED, K)
    assert [row["n_missing"] for row in found] == [0, K]
    with pytest.raises(MissingReplies, match=r"1 of 2 cells .*move-none/R001"):
        check_complete(found, allow_missing=False)
    check_complete(found, allow_missing=True)


def test_an_outcome_counts_once_and_only_where_it_was_asked():
    keys = keys_of(["move-none"], 1)
    made = outcomes_of(keys, {"move-none": [2]})
    with pytest.raises(BadData, match="stands there twice"):
        cells([*made, made[0]], keys, ASKED, K)
    with pytest.raises(BadData, match="not asked of it"):
        cells(made, keys, {"t1": ["another"]}, K)
    with pytest.raises(BadData, match="5 replies where 3 are planned"):
        cells(made, keys, ASKED, 3)


# -- differences ----------------------------------------------------------------------------


def differences(kinds, comparisons, arms=("move-visibility", "move-none"), scenes=12):
    keys = keys_of(arms, scenes)
    made = []
    for number, (tester, kind) in enumerate(kinds.items()):
        hidden = {
            arm: [(i + number) % (2 + a) for i in range(scenes)] for a, arm in enumerate(arms)
        }
        made += [{**row, "tester": tester, "kind": kind} for row in outcomes_of(keys, hidden)]
    rows = cells(made, keys, {tester: ["b"] for tester in kinds}, K)
    return estimates(rows, rates(rows, SEED, 50), comparisons, Fraction(1, 10))


def test_a_family_is_its_list_and_of_one_kind_of_tester():
    table = differences(
        {"t1": "model", "t2": "model", "o1": "observer"},
        {"q": QUESTION, "again": Comparison(**{**QUESTION.__dict__, "testers": ["t1"]})},
    )
    sizes = {
        (r["comparison"], r["tester"]): r["family_size"] for r in table if r["family"] is not None
    }
    assert sizes == {("q", "t1"): 3, ("q", "t2"): 3, ("q", "o1"): 1, ("again", "t1"): 3}
    alone = next(r for r in table if r["tester"] == "o1" and r["primary"])
    assert alone["p_adj"] == alone["p"]


def test_only_the_primary_measure_over_all_scenes_is_in_a_family():
    table = differences({"t1": "model"}, {"q": QUESTION})
    inside = [r for r in table if r["p_adj"] is not None]
    assert [(r["measure"], r["subset"], r["primary"]) for r in inside] == [(HIDDEN, ALL, True)]
    assert {r["changed"] for r in table if not r["primary"]} == {None}
    assert len(table) == 3 * 3  # hidden, meant, digit: what both have; three subsets


def test_reports_are_compared_against_the_margin_and_in_no_family():
    accuracy = Comparison("b", "mean-visibility", "move-visibility", "main", ACCURACY)
    keys = keys_of(["mean-visibility", "move-visibility"], 40)
    made = outcomes_of(keys, {"mean-visibility": [0] * 40, "move-visibility": [2] * 40})
    rows = cells(made, keys, ASKED, K)
    table = estimates(rows, rates(rows, SEED, 50), {"a": accuracy}, Fraction(1, 10))
    (row,) = [r for r in table if r["primary"]]
    assert (row["measure"], row["family"], row["p_adj"], row["changed"]) == (
        ACCURACY, None, None, None,
    )  # fmt: skip
    # All 200 and 200 reports are right: 0 with the bound of 40 scenes, 1 - 0.025^(1/40) = 8.8 %.
    assert row["method"] == "bounded" and row["within_margin"] is True
    assert row["hi"] == pytest.approx(0.0881, abs=1e-4)


def test_a_comparison_that_cannot_be_estimated_stays_with_null_and_is_not_counted():
    table = differences({"t1": "model"}, {"q": QUESTION}, scenes=2)
    (row,) = [r for r in table if r["primary"]]
    assert row["method"] == "not_estimable" and row["family_size"] == 0
    assert {row[name] for name in ("diff", "lo", "hi", "p", "p_adj", "changed")} == {None}
    schemas.REPORT_ACTION_ESTIMATES.table(plain(table))


def test_a_tester_that_was_not_asked_a_condition_has_no_row():
    assert differences({"t1": "model"}, {"q": QUESTION}, arms=["move-none"]) == []


def test_base_prompts_drift_from_the_first_batch_and_spread_over_all():
    table = [
        {
            "tester": "t1", "kind": "model", "scene_set": "main", "batch": batch,
            "arm": "move-visibility", "subset": ALL, "measure": HIDDEN, "n_scenes": 160,
            "n": 800, "events": events, "share": events / 800, "lo": 0.0, "hi": 1.0,
            "method": "bootstrap",
        }
        for batch, events in (("second", 280), ("first", 300), ("third", 335))
    ]  # fmt: skip
    found = batch_rows(table, ["first", "second", "third"])
    assert [(r["batch"], r["drift"]) for r in found] == [
        ("first", 0),
        ("second", Fraction(-20, 800)),
        ("third", Fraction(35, 800)),
    ]
    assert {r["spread"] for r in found} == {Fraction(55, 800)}
    schemas.REPORT_ACTION_BATCHES.table(plain(found))


# -- two runs -------------------------------------------------------------------------------


def test_compare_tells_of_the_counts_that_are_otherwise_in_b(tmp_path):
    from vlmtom.commands.compare import compare
    from vlmtom.store import write_rows

    keys = keys_of(["move-none"], 2)
    for name, hidden in (("a", [2, 0]), ("b", [2, 1])):
        rows = cells(outcomes_of(keys, {"move-none": hidden}), keys, ASKED, K)
        path = tmp_path / name / "cells" / "report_action.parquet"
        write_rows(path, rows, schemas.REPORT_ACTION_CELLS)
    (part,) = [
        one
        for one in compare(tmp_path / "a", tmp_path / "b").parts
        if one.title == "Report before action: counts"
    ]
    assert part.differs and part.lines[0] == "1 of 2 changed"
    assert {line.split(": ", 1)[1] for line in part.lines[1:]} == {
        "no_report_hidden 0 → 1",
        "no_report_director_view 5 → 4",
    }
