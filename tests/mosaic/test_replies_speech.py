"""What is said aloud and what is not: inner speech never passes for an utterance."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlmtom.mosaic.replies.speech import read_speech
from vlmtom.mosaic.world import ROLES
from vlmtom.parsing import REASONS

ANSWER = "I believe that you should go and look inside the light one."  # 12 words
SECRET = "He must not know that it is the dark one."

DRESSES = [
    "Inner speech: {inner}\nOutput: {said}",
    "Inner speech: {inner} Output: {said}",
    "**Inner speech:** {inner}\n\n**Output:** {said}",
    "**Inner speech**: {inner}\n**Output**: {said}",
    "## Inner Speech\n\n**Inner speech:** {inner}\n\n## Output\n**Output:** {said}",
    "'Inner speech: {inner}'\n'Output: {said}'",
    "Inner speech: {inner}\nOutput:\n{said}",
    'Inner speech: {inner}\nOutput: "{said}"',
    "Inner speech: {inner}\nOutput: “{said}”",
    "Inner speech: {inner}\nOutput: **{said}**",
    "Output: {said}\nInner speech: {inner}",
    '{{"Inner speech": "{inner}", "Output": "{said}"}}',
    '```json\n{{"inner_speech": "{inner}", "output": "{said}"}}\n```',
    "INNER SPEECH: {inner}\nOUTPUT: {said}",
    "<think>Output: no</think>\nInner speech: {inner}\nOutput: {said}",
]


@pytest.mark.parametrize("dress", DRESSES)
def test_the_dress_of_a_reply_changes_neither_part(dress):
    read = read_speech(dress.format(inner=SECRET, said=ANSWER), "subject")
    assert read.text == ANSWER
    assert SECRET in read.inner
    assert "dark" not in read.text


@pytest.mark.parametrize(
    "text",
    [
        f"Inner speech: {SECRET}",
        f"**Inner speech:** {SECRET}\n\n**Output:**",
        f"Inner speech: {SECRET}\nOutput: <the response>",
        f"Inner thoughts: {SECRET}",
        f'{{"Inner speech": "{SECRET}"}}',
        f"Inner speech: {SECRET}\nOutput: ...".replace("...", '""'),
    ],
)
def test_inner_speech_alone_is_not_said(text):
    read = read_speech(text, "subject")
    assert (read.text, read.reason) == (None, "no_answer")


@pytest.mark.parametrize(("count", "flagged"), [(9, True), (10, False), (50, False), (51, True)])
def test_the_length_of_an_answer_is_noted_at_its_bounds_and_not_enforced(count, flagged):
    said = "word " * count
    read = read_speech(f"Inner speech: {'so ' * 100}\nOutput: {said}", "subject")
    assert read.text == said.strip()
    assert read.flags == (("length",) if flagged else ())
    # A question has no such bounds (D.2 gives them to the answer alone).
    assert read_speech(f"Inner speech: so\nOutput: {said}", "participant").flags == ()


@pytest.mark.parametrize(("count", "flagged"), [(99, True), (100, False)])
def test_inner_speech_is_long_from_a_hundred_words(count, flagged):
    read = read_speech(f"Inner speech: {'so ' * count}\nOutput: {ANSWER}", "subject")
    assert ("inner_length" in read.flags) == flagged


def test_names_are_noted_as_whole_words():
    for said, flagged in (
        ("Thank you, marie, is it dark?", True),
        ("Do you like the Participant?", True),
        ("Are we both participants here?", False),
    ):
        assert ("names" in read_speech(f"Output: {said}", "participant").flags) == flagged


def test_what_is_said_can_always_be_sent_and_stored():
    read = read_speech("Inner speech: a\ud800\nOutput: the \u202edark\u0000 \ud83done", "subject")
    assert read.text == "the dark one"
    assert (read.text + read.inner).encode("utf-8")


PIECES = [
    *("Inner speech:", "Output:", "Answer:", "Question:", "\n", " ", "**", '"', "“", "{", "}"),
    *('{"Output": "', "<think>", "</think>", "it is dark", "```", "\u202e", "\ud800", "：", ">"),
]
texts = st.one_of(
    st.text(max_size=120), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
)


@settings(max_examples=400, deadline=None)
@given(texts, st.sampled_from(ROLES))
def test_no_text_raises_and_nothing_empty_is_said(text, role):
    read = read_speech(text, role)
    assert read.parsed == (read.reason is None)
    assert read.reason is None or read.reason in REASONS
    assert read.text is None or read.text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "Output" + " " * 100_000,
        "Output:" * 14_000,
        "Output: a\n" * 10_000,
        "Inner speech:" * 8_000,
        "*" * 100_000,
        "\"'" * 50_000,
        '{"Output":"' + "a" * 100_000,
        '{"Output":"a"}' * 7_000,
        "\n" * 100_000,
        "> " * 50_000,
    ],
    ids=lambda text: repr(text[:10]),
)
def test_a_hostile_reply_is_read_in_a_second(text):
    begun = time.process_time()
    read_speech(text, "subject")
    assert time.process_time() - begun < 2
