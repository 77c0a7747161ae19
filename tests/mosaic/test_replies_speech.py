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
    "Inner speech (private): {inner}\nOutput (spoken): {said}",
    "**Inner speech** (not said aloud): {inner}\n\n**Output** (said): {said}",
    "[Inner speech] {inner} [Output] {said}",
    "[Inner speech]: {inner}\n[Output]: {said}",
    "[Inner speech: {inner}]\n[Output: {said}]",
    "【Inner speech】{inner}\n【Output】{said}",
    "(Inner speech: {inner})\n(Output: {said})",
    "(Inner speech: {inner}) Output: {said}",
    "*(Inner speech: {inner})*\n\n*Output: {said}*",
    "<inner speech>{inner}</inner speech><output>{said}</output>",
    "<inner_speech>\n{inner}\n</inner_speech>\n\n<output>\n{said}\n</output>\n",
    "Inner speech - {inner} / Output - {said}",
    "Inner speech – {inner}\nOutput – {said}",
    "Inner speech → {inner}\nOutput → {said}",
    "1. Inner speech: {inner}\n2. Output: {said}",
    "- Inner speech: {inner}\n- Output: {said}",
    "### Step 1: Inner speech\n{inner}\n### Step 2: Output\n{said}",
    "Inner speech\n----\n{inner}\n\nOutput\n====\n{said}\n\n----",
    "Inner speech: {inner}\n\n---\n\nOutput: {said}",
    "| Inner speech | {inner} |\n| Output | {said} |",
    "Here is my inner speech: {inner}\nOutput: {said}",
    "Inner monologue: {inner}\nOutput: {said}",
    "Internal thoughts: {inner}\nOutput: {said}",
    "Inner\u202fspeech\u00a0: {inner}\nOutput\u202f: {said}",
    "Output: {said} (Inner speech: {inner})",
    "Output: {said} [Inner speech] {inner}",
    "Output: {said}\n\nExplanation: {inner}",
    "Reasoning: {inner}\nOutput: {said}",
    '{{"reply": {{"Inner speech": "{inner}", "Output": "{said}"}}}}',
    '{{"Output": "Inner speech: {inner} Output: {said}"}}',
]


@pytest.mark.parametrize("dress", DRESSES)
def test_the_dress_of_a_reply_changes_neither_part(dress):
    read = read_speech(dress.format(inner=SECRET, said=ANSWER), "subject")
    assert read.text == ANSWER
    assert read.inner == SECRET


@pytest.mark.parametrize(
    "text",
    [
        f"Inner speech: {SECRET}",
        f"**Inner speech:** {SECRET}\n\n**Output:**",
        f"Inner speech: {SECRET}\nOutput: <the response>",
        f"Inner thoughts: {SECRET}",
        f'{{"Inner speech": "{SECRET}"}}',
        f"Inner speech: {SECRET}\nOutput: ...".replace("...", '""'),
        f"Here is my inner speech: {SECRET}",
        f"My inner speech would be that {SECRET}",
        f"(Inner speech: {SECRET})",
        f"(Inner speech: {SECRET})\n{ANSWER}",
        f"<inner_speech>{SECRET}</inner_speech>\n{ANSWER}",
        f"Inner speech, {SECRET}\nOutput, {ANSWER}",
        f"Inner speech: I know, so output: must hide it. {SECRET}",
        f"Inner speech: I see that my Output: must hide it. {SECRET}",
        f"Output: {ANSWER} As for my inner speech, {SECRET}",
        f"Reasoning: {SECRET}\n\n{ANSWER}",
        f'{{"Output": "Inner speech: {SECRET}"}}',
        f'{{"Output": "In my inner speech {SECRET}"}}',
        f'{{"Inner speech": "{SECRET}", "Output": ["{ANSWER}"]}}',
        f'{{"Inner speech": "{SECRET}", "Output": null}}',
        "Inner speech: <inner speech>\nOutput: <output>",
    ],
)
def test_inner_speech_alone_is_not_said(text):
    read = read_speech(text, "subject")
    assert (read.text, read.reason) == (None, "no_answer")


def test_inner_speech_that_is_the_other_s_may_be_asked_about_after_a_label():
    asked = "What do your inner thoughts tell you?"
    assert read_speech(f"Output: {asked}", "participant").text == asked
    assert read_speech(asked, "participant").reason == "no_answer"


def test_an_object_within_inner_speech_is_not_taken_for_the_reply():
    text = f'Inner speech: I could say {{"Output": "{SECRET}"}} but no.\nOutput: {ANSWER}'
    assert read_speech(text, "subject").reason == "multiple_answers"


# What may stand before a label, the label, and what may stand after it.
OPENS = ["", "(", "[", "<", "**", "## ", "1. ", "- ", "> ", "'", '"', '{"', "| ", "Here is my "]
NAMES = ["Inner speech", "inner_speech", "INNER SPEECH", "Inner-Speech", "Inner *speech*"]
NAMES += [
    "innerSpeech",
    "Inner monologue",
    "inner thoughts",
    "Inner  thought",
    "Internal monologue",
]
ENDS = [": ", ":** ", '": "', " - ", " – ", "—", "] ", ")", "> ", "**\n", "\n", "\n----\n", " = "]
ENDS += [" (private): ", " [not said]: ", " -> ", " | ", ". ", ", ", " is that ", "... ", " "]
CLOSES = ["", ")", "]", '"', "'", "**", " |", "</inner speech>", "</output>", '"}', '", ']
BETWEEN = ["\n", "\n\n", " ", " / ", "\n---\n", ". ", "; "]
dressed = st.tuples(st.sampled_from(OPENS), st.sampled_from(ENDS), st.sampled_from(CLOSES))


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.sampled_from(["Output", "output", "OUTPUT", "Answer", "My output", ""]),
    dressed,
    dressed,
    st.sampled_from(BETWEEN),
    st.booleans(),
    st.sampled_from(["so", "then I must", "so my output: must be"]),
)
def test_nothing_of_inner_speech_is_said_whatever_its_label(
    name, output, first, second, between, swapped, begins
):
    private = f"{first[0]}{name}{first[1]}{begins} secret plan, secret{first[2]}"
    spoken = f"{second[0]}{output}{second[1] if output else ''}it is light{second[2]}"
    parts = [spoken, private] if swapped else [private, spoken]
    read = read_speech(between.join(parts), "participant")
    assert "secret" not in (read.text or "")
    assert read.parsed or read.reason in ("no_answer", "multiple_answers")


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 200), st.booleans(), st.sampled_from(["Output", "output", "Answer"]))
def test_an_object_that_breaks_off_says_nothing_or_its_whole_output(length, quotes, key):
    said = f'I said \\"{ANSWER}\\"' if quotes else ANSWER
    whole = f'{{"Inner speech": "{SECRET}", "{key}": "{said}"}}'
    read = read_speech(whole[:length], "subject")
    assert read.text in (None, said.replace("\\", ""))
    if length >= len(whole):
        assert read.text is not None or key == "Answer"


@pytest.mark.parametrize(
    "text", ["{", "}", "...", "?!", "---", "Output: 42", "**", "{}", "[]", "🙂"]
)
def test_a_text_without_a_letter_is_no_utterance(text):
    assert read_speech(text, "participant").reason == "no_answer"


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
        "-\n" * 50_000,
        "1. " * 33_000,
        "Output    ****    (" * 5_000,
        "Output (a" * 11_000,
        "inner____speech" * 6_000,
        "inner" * 20_000,
        "Inner speech" + "\n- - -" * 15_000,
        "</output>" * 11_000,
        "- output: " * 10_000,
        '"Output": "' * 9_000,
        '{"Output": "' + "\\" * 100_000,
        "'Output': '" * 9_000,
    ],
    ids=lambda text: repr(text[:10]),
)
def test_a_hostile_reply_is_read_in_a_second(text):
    begun = time.process_time()
    read_speech(text, "subject")
    assert time.process_time() - begun < 2
