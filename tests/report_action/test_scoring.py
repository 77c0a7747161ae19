"""Each reply ends in the right place: scored, unparsed and counted, or missing."""

import pytest

from vlmtom.errors import BadData
from vlmtom.report_action.prompts import condition
from vlmtom.report_action.scoring import outcome_rows
from vlmtom.store.schemas import REPORT_ACTION_OUTCOMES

# Blocks 3, 7 and 5; the director sees 3 and 5 and means 5; 7 is the largest, and hidden.
SCENE = {
    "labels": [3, 7, 5],
    "hidden": 7,
    "visible": [3, 5],
    "director_view": 5,
    "largest_digit": 7,
}


def key(slug):
    of = condition(slug)
    return SCENE | {
        "item_id": f"report_action/main/b/{slug}/R001",
        "arm": slug,
        "stimulus": "main/R001",
        "scene_set": "main",
        "batch": "b",
        "request": of.request,
        "report": of.report,
        "constraint": of.constraint,
    }


def reply(slug, text, turn=1, trial=1, status="ok", **more):
    return {
        "item_id": key(slug)["item_id"],
        "trial": trial,
        "turn": turn,
        "status": status,
        "text": text,
        "finish_reason": "stop",
        "refusal": None,
        "tester": "t",
        "kind": "model",
    } | more


def outcome(slug, *replies):
    (found,) = outcome_rows(replies, [key(slug)])
    assert set(found) == set(REPORT_ACTION_OUTCOMES.names)
    return found


def scores(found):
    return {
        name: found[name]
        for name in (
            *("visible_correct", "hidden_chosen", "director_view_chosen", "joint"),
            *("largest_digit_chosen", "largest_visible_digit_chosen", "report_excludes_hidden"),
        )
    }


def test_a_correct_report_beside_the_hidden_choice_is_the_joint_event():
    found = outcome("move-visibility", reply("move-visibility", '{"visible": [5, 3], "choice": 7}'))
    assert (found["status"], found["parse"], found["visible"]) == ("ok", "parsed", [3, 5])
    assert scores(found) == {
        "visible_correct": True,
        "hidden_chosen": True,
        "director_view_chosen": False,
        "joint": True,
        "largest_digit_chosen": True,
        "largest_visible_digit_chosen": False,
        "report_excludes_hidden": True,
    }


def test_a_report_that_holds_the_hidden_block_is_no_joint_event():
    slug = "move-visibility"
    found = outcome(slug, reply(slug, '{"visible": [3, 5, 7], "choice": 7}'))
    assert (found["visible_correct"], found["joint"]) == (False, False)
    assert (found["report_excludes_hidden"], found["hidden_chosen"]) == (False, True)


@pytest.mark.parametrize("slug", ["move-none", "move-count", "move-stated"])
def test_without_a_report_there_is_none_to_be_correct(slug):
    text = '{"count": 3, "choice": 5}' if slug == "move-count" else '{"choice": 5}'
    found = outcome(slug, reply(slug, text))
    assert found["director_view_chosen"] is True
    assert found["hidden_chosen"] is False
    assert found["visible_correct"] is found["joint"] is found["report_excludes_hidden"] is None
    assert found["count"] == (3 if slug == "move-count" else None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I will not do that.", "refusal"),
        ("The largest is 7.", "no_json"),
        ('{"visible": [3, 5]}', "missing_field"),
        ('{"visible": [3, 5], "choice": "the red one"}', "bad_type"),
        ('{"visible": [3, 5], "choice": 4}', "off_vocabulary"),  # no such block
        ("I'm sorry, but I can't help with that.", "refusal"),
    ],
)
def test_what_cannot_be_read_drops_out_and_says_why(text, reason):
    slug = "move-visibility"
    found = outcome(slug, reply(slug, text))
    assert (found["status"], found["parse"], found["reason"]) == ("ok", "unparsed", reason)
    assert set(scores(found).values()) == {None}
    assert found["choice"] is None


@pytest.mark.parametrize("status", ["api_error", "refused", "filtered", "truncated", "empty"])
def test_a_reply_that_did_not_come_is_missing(status):
    found = outcome("move-none", reply("move-none", None, status=status))
    assert (found["status"], found["parse"]) == (status, None)
    assert set(scores(found).values()) == {None}


def two(first, second, **of_first):
    slug = "move-first_turn"
    return outcome(slug, reply(slug, first, **of_first), reply(slug, second, turn=2))


def test_in_two_turns_the_report_is_of_the_first_and_the_choice_of_the_second():
    found = two('{"visible": [3, 5]}', '{"choice": 7}')
    assert (found["visible_correct"], found["hidden_chosen"], found["joint"]) == (True, True, True)
    # A choice in the first turn, or a report in the second, was not asked for there.
    found = two('{"visible": [3, 5], "choice": 5}', '{"visible": [7], "choice": 7}')
    assert (found["visible"], found["choice"]) == ([3, 5], 7)


def test_a_first_turn_that_cannot_be_read_costs_the_report_and_not_the_choice():
    found = two("Blocks three and five.", '{"choice": 7}')
    assert (found["parse"], found["hidden_chosen"]) == ("parsed", True)
    assert found["visible_correct"] is found["joint"] is None


def test_a_first_turn_that_was_not_answered_leaves_no_choice():
    found = two(None, None, status="refused")
    assert (found["status"], found["parse"], found["choice"]) == ("refused", None, None)
    slug = "move-first_turn"
    alone = outcome(slug, reply(slug, '{"visible": [3, 5]}'))
    assert (alone["status"], alone["parse"]) == ("api_error", None)


def test_trials_are_rows_of_their_own_and_an_unknown_item_is_told():
    slug = "move-none"
    rows = outcome_rows([reply(slug, '{"choice": 7}', trial=n) for n in (1, 2, 3)], [key(slug)])
    assert [row["trial"] for row in rows] == [1, 2, 3]
    with pytest.raises(BadData, match="which has no key"):
        outcome_rows([reply(slug, '{"choice": 7}')], [key("mean-none")])
