"""Replies of the game as small open models write them, labelled before they were read."""

import json
from pathlib import Path

import pytest

from vlmtom.mosaic.beliefs import Update
from vlmtom.mosaic.replies.actions import read_action
from vlmtom.mosaic.replies.preferences import read_preferences
from vlmtom.mosaic.replies.speech import read_speech
from vlmtom.parsing import REASONS

KEPT = Path(__file__).parents[1] / "data" / "mosaic_replies.jsonl"
CASES = [json.loads(line) for line in KEPT.read_text(encoding="utf-8").splitlines()]
READ = {
    "action": read_action,
    "speech": read_speech,
    "preferences": lambda text, role: read_preferences(text, role),
}


def seen(kind, read):
    """What a case may expect, by name."""
    if kind == "speech":
        return {"text": read.text, "inner": read.inner, "flags": list(read.flags)}
    if kind == "preferences":
        updates = [[one.whose, one.entity, one.towards] for one in read.updates]
        return {"updates": updates, "ignored": len(read.ignored), "repairs": list(read.repairs)}
    return {
        "move": [read.action.kind, read.action.direction],
        "facial": pytest.approx(read.action.facial),
        "physiological": pytest.approx(read.action.physiological),
        "felt": pytest.approx(read.action.felt),
        "preferences": pytest.approx(dict(read.preferences)),
        "reasoning": read.reasoning,
        "repairs": list(read.repairs),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reply_comes_to_what_it_was_labelled(case):
    read = READ[case["kind"]](case["reply"], case["role"])
    expect = case["expect"]
    assert read.reason == expect.get("reason")
    assert read.parsed == ("reason" not in expect)
    if read.parsed:
        found = seen(case["kind"], read)
        assert {name: found[name] for name in expect} == expect


def test_the_cases_are_many_and_every_kind_is_both_read_and_left_unread():
    assert len(CASES) >= 200
    for kind in READ:
        outcomes = {"reason" in case["expect"] for case in CASES if case["kind"] == kind}
        assert outcomes == {True, False}
    assert {case["expect"].get("reason") for case in CASES} - {None} <= set(REASONS)


def test_updates_are_those_that_beliefs_take():
    (update,) = read_preferences(
        "Updating: 'Marie | preference towards dark brown box | less positive'\nReasoning: x"
    ).updates
    assert update == Update("subject", "dark", 0.0)
