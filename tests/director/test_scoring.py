"""A reply is scored on its measures; a missing one on none; an unparsed one is its own outcome."""

import pytest

from vlmtom.director.scoring import outcomes
from vlmtom.errors import BadData

KEY = {
    "labels": ["A", "B", "C"],
    "colors": ["yellow", "red", "blue"],
    "visible": ["A", "C"],
    "hidden": "B",
    "target": "C",
    "own_view": "B",
}


def scored(sub_prompt, text, status="ok"):
    key = KEY | {"item_id": "i", "sub_prompt": sub_prompt}
    reply = {
        "tester": "t",
        "kind": "model",
        "arm": "canonical",
        "stimulus": "Q01",
        "item_id": "i",
        "trial": 1,
        "status": status,
        "text": text,
    }
    return {row["measure"]: row for row in outcomes([reply], [key])}


@pytest.mark.parametrize(
    ("text", "letter_level", "strict"),
    [
        ("Answer: A (yellow), C (blue)", True, True),
        ("Answer: A (yellow), C (cyan)", True, False),  # no block is cyan: the letter decides
        ("Answer: A, C", True, False),  # no colour word: the pair cannot agree
        ("Answer: yellow, blue", True, True),
        ("Answer: A (yellow), B (red), C (blue)", False, False),
        ("Answer: A (yellow)", False, False),
        ("Answer: none", False, False),
    ],
)
def test_a_set_is_correct_when_it_is_exact(text, letter_level, strict):
    for sub_prompt, measure, reply in (
        ("a", "a", text),
        ("c", "cQ1", text.replace("Answer:", "Q1:") + "\nQ2: C (blue)"),
    ):
        row = scored(sub_prompt, reply)[measure]
        assert (row["parse"], row["letter_correct"]) == ("parsed", letter_level)
        assert row["strict_correct"] == strict
        assert row["egocentric"] is None and row["failure_mode"] is None


@pytest.mark.parametrize(
    ("named", "mode", "letter_level", "strict", "egocentric"),
    [
        ("C (blue)", "correct", True, True, False),
        ("C (cyan)", "letter_only_correct", True, False, False),
        ("blue", "correct", True, True, False),
        ("B (red)", "egocentric", False, False, True),
        ("B (green)", "egocentric", False, False, True),
        ("A (yellow)", "other_block", False, False, False),
        ("green", "other_color", False, False, False),
        ("the one on the left", "unparsed", False, False, False),
    ],
)
def test_a_move_has_its_failure_mode(named, mode, letter_level, strict, egocentric):
    for sub_prompt, measure, reply in (
        ("b", "b", f"Answer: {named}"),
        ("c", "cQ2", f"Q1: A (yellow), C (blue)\nQ2: {named}"),
    ):
        row = scored(sub_prompt, reply)[measure]
        assert row["failure_mode"] == mode
        assert row["letter_correct"] == letter_level
        assert row["strict_correct"] == strict
        assert row["egocentric"] == egocentric


def test_the_two_answers_of_c_are_scored_apart():
    rows = scored("c", "Q1: A (yellow), C (blue)\nQ2: any of them")
    assert rows["cQ1"]["letter_correct"] is True
    assert (rows["cQ2"]["parse"], rows["cQ2"]["failure_mode"]) == ("unparsed", "unparsed")


@pytest.mark.parametrize("status", ["api_error", "empty", "truncated", "filtered", "refused"])
def test_a_missing_reply_is_scored_on_nothing(status):
    for measure, row in scored("c", None, status).items():
        assert row["status"] == status, measure
        for column in ("parse", "letter_correct", "strict_correct", "egocentric", "failure_mode"):
            assert row[column] is None


def test_an_unparsed_reply_is_not_correct_and_not_egocentric():
    row = scored("b", "I am not sure what you mean.")["b"]
    assert (row["parse"], row["reason"]) == ("unparsed", "no_answer")
    assert row["letter_correct"] is False
    assert row["egocentric"] is False


def test_a_reply_without_a_key_is_named():
    reply = {"tester": "t", "item_id": "elsewhere"}
    with pytest.raises(BadData, match="t: a reply to elsewhere, which has no key"):
        outcomes([reply], [])
