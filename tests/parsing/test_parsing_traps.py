"""Sentences in which an easy reading gives a wrong value."""

import pytest

from vlmtom.parsing import move_single, visibility_multi

YRB = {"A": "yellow", "B": "red", "C": "blue"}
DIGITS = {"1": "yellow", "2": "red", "3": "blue"}

BOTH_BUT_RED = [
    "The director can see A, B and C? No: only A and C.",
    "The director can see A (yellow) because nothing blocks it, and C (blue) because nothing does.",
    "The director can't see B, only A and C.",
    "It is impossible for the director to see B. He sees A and C.",
    "Something blocks the director's view of B. He sees A and C.",
    "The red block is out of sight, yellow and blue aren't.",
    "A (Y), B (N), C (Y)",
    "yellow: 1, red: 0, blue: 1",
    "yellow=yes red=no blue=yes",
    "yellow → visible, blue → visible, red → hidden",
    "yellow, blue; red → hidden",
    "yellow, blue (not red)",
    "yellow, blue [red hidden]",
    "Yellow, blue - red is blocked by the partition",
    "A (yellow), C (blue) - B (red) is hidden",
    "yellow, blue, with the red block being hidden",
    "B is visible to me but not to the director. A and C are visible to both of us.",
    "The picture shows A, B and C, of which the director sees A and C.",
    "Sees: A, C | Doesn't see: B",
    '{"visible": ["yellow", "blue"], "hidden": ["red"]}',
    '{"hidden": ["red"], "visible": ["yellow", "blue"]}',
    '{"A": true, "B": false, "C": true}',
    "Answer: A. And C.",
    "Answer:\n\n- A\n\n- C\n\nThe rest is hidden.",
    "Answer: A\n\nC",
    "A, C, and nothing else",
    "I don't think the director can see B. A and C.",
    "He cannot see red and sees yellow and blue.",
    "The director has no view of red, but has a view of yellow and blue.",
    "What I see: A, B, C. What the director sees: A, C.",
    "All the blocks are visible to him, but B.",
    "Not all blocks are visible: A and C are.",
]

NO_SET = [
    ("N/A", "no_answer"),
    ("He doesn't see everything.", "no_answer"),
    ("My view: A, B, C", "no_answer"),
    ("The partition hides B.", "no_answer"),
    ("Neither the yellow nor the red block is visible to the director.", "no_answer"),
    ("no red, yellow", "multiple_answers"),
    ("A, C (possibly B)", "multiple_answers"),
    ("B is partially visible. A and C are visible.", "multiple_answers"),
    ("A, B, D", "off_vocabulary"),
    ("D (red)", "off_vocabulary"),
    ("A以外", "off_vocabulary"),
    ("我能看到A、B、C，导演能看到A和C", "off_vocabulary"),
    ("Я вижу A, B, C. Режиссёр видит A и C.", "off_vocabulary"),
]

RED = [
    "The answer isn't C, it's B.",
    "The answer cannot be C. It must be B.",
    "Answer: B (red)\n\nNote: the answer is not C because it is hidden.",
    "B (red). C (blue) is smaller.",
    "B, as the blue block isn't visible to him.",
    "B because C is smaller",
    "Answer: 'B'",
    "All but B are hidden.",
    "A ✗ B ✓ C ✗",
    "Let's pick the blue block? No, red.",
    "B. Actually, I am confident in B.",
    "B. Wait, C is bigger, but hidden. B.",
    "From my view I'd move C, but from the director's view it's B.",
    "The tester would choose C. The director means B.",
    "Director A says B",
    "A closer look shows that B is the largest he sees.",
    "As an AI, I cannot move blocks, but the director means B.",
    "Format: Answer: C (blue)\nAnswer: B (red)",
    "Answer: <letter> (<color>)\nB (red)",
    "\\textcolor{blue}{B}",
]

NO_BLOCK = [
    ("I think B, but it could be C.", "multiple_answers"),
    ("B. However, C is also possible.", "multiple_answers"),
    ("Answer: B (red) [e.g. Answer: C (blue)]", "multiple_answers"),
    ("red vs blue", "multiple_answers"),
    ("Answer: B\n\nHmm, but C is larger. Actually C is visible.", "multiple_answers"),
    ("bluegreen", "off_vocabulary"),
    ("red-ish", "off_vocabulary"),
    ("D (red)", "off_vocabulary"),
    ("B-2", "no_answer"),
    ("infrared", "no_answer"),
    ("I would move the red block, although the director cannot see it.", "no_answer"),
]


@pytest.mark.parametrize("reply", BOTH_BUT_RED)
def test_the_hidden_block_never_slips_into_the_set(reply):
    parsed = visibility_multi(reply, YRB)
    assert (parsed.value, parsed.reason) == (["blue", "yellow"], None)


@pytest.mark.parametrize(("reply", "reason"), NO_SET)
def test_what_has_no_sure_reading_is_no_set(reply, reason):
    parsed = visibility_multi(reply, YRB)
    assert (parsed.value, parsed.reason) == (None, reason)


@pytest.mark.parametrize("reply", RED)
def test_only_the_block_meant_is_moved(reply):
    parsed = move_single(reply, YRB)
    assert (parsed.value, parsed.reason) == ("red", None)


@pytest.mark.parametrize(("reply", "reason"), NO_BLOCK)
def test_what_has_no_sure_reading_moves_nothing(reply, reason):
    parsed = move_single(reply, YRB)
    assert (parsed.value, parsed.reason) == (None, reason)


@pytest.mark.parametrize(
    ("reply", "labels"),
    [("1, 3", "13"), ("Block 1 and block 3", "13"), ("He sees 2 blocks: 1 and 3.", "13"),
     ("all 3 blocks", "123"), ("Answer: 2", "2"), ("1. yellow", "1")],
)  # fmt: skip
def test_digits_can_be_labels_and_counts_are_not(reply, labels):
    assert visibility_multi(reply, DIGITS).value == sorted(DIGITS[label] for label in labels)
