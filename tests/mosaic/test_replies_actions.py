"""What an action reply comes to, whatever it is dressed in; what contradicts itself is nothing."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmtom.mosaic.beliefs import Attitude
from vlmtom.mosaic.replies.actions import read_action
from vlmtom.mosaic.world import DIRECTIONS, ROLES, Action
from vlmtom.parsing import REASONS

CHANNELS = ("FacialExpression", "PhysiologicalExpression", "FeltExpression")
quick = settings(max_examples=150, deadline=None)
shares = st.integers(0, 100).map(lambda share: share / 100)
levels = st.integers(-100, 100).map(lambda level: level / 100)


def reply(move, preference=None, **shown):
    """A reply as it is asked for; shown: positive and negative by channel, from the first."""
    emotion = {
        channel: dict(zip(("positive", "negative"), shown.get(channel, (0, 0)), strict=True))
        for channel in CHANNELS
    }
    return {"Preference": preference or {}, "Emotion": emotion, "Move": move}


def moved(direction):
    return {"action": "move", "direction": direction}


@quick
@given(st.sampled_from(DIRECTIONS), shares, shares, levels, levels, levels)
def test_what_is_written_is_what_is_read(direction, positive, negative, marie, dark, light):
    said = reply(
        moved(direction),
        {"Marie": marie, "Dark brown box": dark, "Light brown box": light},
        FacialExpression=(positive, negative),
        FeltExpression=(negative, positive),
    )
    read = read_action(f"Reasoning: so.\nOutput: {json.dumps(said)}", "participant")
    difference = round((positive - negative) * 100) / 100  # hundredths are exact
    assert read.action == Action("move", direction, difference, 0.0, -difference)
    expected = {"other": marie, "dark": dark, "light": light}
    assert {name: round(2 * value - 1, 9) for name, value in read.preferences} == expected
    assert (read.reason, read.repairs, read.reasoning) == (None, (), "so.")


DRESSES = [
    "{}",
    "```json\n{}\n```",
    "```\n{}\n```",
    "Output: {}",
    "**Output:**\n{}\n\nLet me know!",
    '<think>{{"Move": "stay idle"}}</think>{}',
    "Reasoning: {{maybe}} left.\n\n{}\n",
    "> {}",
    "\ufeff{}\u200b",
    "Sure!\n\n{}\n{}",
    "{{ {} }}",
]


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("write", [json.dumps, lambda said: json.dumps(said, indent=4), repr])
def test_the_dress_of_an_object_changes_nothing(dress, write):
    said = write(reply(moved("right backward"), {"Marie": 0.5}, FacialExpression=(0.7, 0.2)))
    text = dress.replace("{{", "\0").replace("}}", "\1").replace("{}", said)
    read = read_action(text.replace("\0", "{").replace("\1", "}"), "participant")
    assert read.action == Action("move", "right backward", 0.5)
    assert read.preferences == (("other", 0.75),)


def test_a_valence_is_exact_where_a_threshold_is_held_against_it():
    # In binary 0.15 - 0.1 is 0.04999999999999999, which a deadband of 0.05 would take for nothing.
    text = json.dumps(reply(moved("left"), FacialExpression=(0.15, 0.1)))
    assert read_action(text, "subject").action.facial == 0.05


def test_preferences_of_the_subject_are_not_read_and_none_are_invented():
    stated = {"Participant": 0.9, "Dark brown box": -1, "Light brown box": 1}
    assert read_action(json.dumps(reply(moved("left"), stated)), "subject").preferences == ()
    assert read_action(json.dumps(reply(moved("left"))), "participant").preferences == ()


def test_a_preference_of_100_percent_and_of_1_are_the_same():
    for full in (1, 1.0, 100, "100%", "1.0", "+100 %"):
        text = json.dumps(reply(moved("left"), {"Dark brown box": full}))
        assert read_action(text, "participant").preferences == (("dark", 1.0),)
    assert Attitude(dark=1.0, light=0.5).normalised().dark == pytest.approx(2 / 3)


@quick
@given(st.lists(st.sampled_from(DIRECTIONS), min_size=2, max_size=4))
def test_two_different_moves_are_no_answer_and_equal_ones_are_one(directions):
    text = "\n".join(json.dumps(reply(moved(one))) for one in directions)
    read = read_action(text, "subject")
    if len(set(directions)) == 1:
        assert read.action.direction == directions[0]
    else:
        assert read.reason == "multiple_answers"


@pytest.mark.parametrize("move", [moved("left"), "left", "move left"])
def test_a_move_alone_in_a_list_is_the_move_and_noted(move):
    read = read_action(json.dumps(reply([move])), "subject")
    assert read.action == Action("move", "left")
    assert "move_in_list" in read.repairs
    assert "move_in_list" not in read_action(json.dumps(reply(move)), "subject").repairs


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ([], "bad_type"),
        ([[moved("left")]], "bad_type"),
        ([3], "bad_type"),
        (["move", "left"], "bad_type"),
        ([moved("left"), moved("right")], "bad_type"),
        ([moved("left"), moved("left")], "bad_type"),
        ([{"action": "<move>", "direction": "<left>"}], "no_answer"),
    ],
)
def test_a_list_of_none_or_several_moves_is_no_move(moves, reason):
    read = read_action(json.dumps(reply(moves)), "subject")
    assert (read.action, read.reason) == (None, reason)


PIECES = [
    *("{", "}", "[", "]", '"', "'", ":", ",", "\n", "\\", "“", "‘", "<think>", "</think>", "```"),
    *("Move", '"Move"', '"action"', '"direction"', '"move"', '"left"', '"right"', "null", "None"),
    *('"Preference"', '"Marie"', "0.5", "50%", "-1", '"Emotion"', '"FacialExpression"', "/*", "//"),
    *("Reasoning:", "Output:", "NaN", "1e999", "\u202e", "\ud800", "🙂", "|", "Updating:"),
]
texts = st.one_of(
    st.text(max_size=120), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
)


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from(ROLES))
def test_no_text_raises_and_what_is_read_is_within_its_range(text, role):
    read = read_action(text, role)
    assert read.parsed == (read.reason is None)
    assert read.reason is None or read.reason in REASONS
    if read.action is not None:
        kind, towards = read.action.kind, read.action.direction
        known = {"move": DIRECTIONS, "rotate": ("other", "dark", "light"), "stay idle": (None,)}
        assert towards in known[kind]
        assert all(-1 <= one <= 1 for one in (read.action.facial, read.action.felt))
    assert all(0 <= value <= 1 for _, value in read.preferences)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "{ " * 50_000,
        '{"a":' * 20_000,
        '{"Move":' * 12_000,
        '{"Move":1},' * 9_000,
        "{/*" * 33_000,
        "{//" * 33_000,
        '{"' * 50_000,
        "{'“" * 33_000,
        '{"\\"' * 25_000,
        '{"x":[' + '{"Move":{"action":"move","direction":"left"}},' * 2_000 + "{}]}",
        ": 5%" * 25_000,
        "Output" + " " * 100_000,
        "*" * 100_000,
        "\n" * 100_000,
        "\ud800\u202e" * 50_000,
        "&lt;answer&gt;" * 7_000,
        "<answer>" * 12_000,
    ],
    ids=lambda text: text[:12].encode("ascii", "backslashreplace").decode(),
)
def test_a_hostile_reply_is_read_in_a_second(text):
    begun = time.process_time()
    for role in ROLES:
        read_action(text, role)
    assert time.process_time() - begun < 4
