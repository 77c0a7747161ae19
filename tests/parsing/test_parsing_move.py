"""Which block to move: exactly one, or a reason; and how the choice is scored."""

import pytest

from vlmtom.parsing import move_single, score_move

YRB = {"A": "yellow", "B": "red", "C": "blue"}
PGO = {"A": "purple", "B": "green", "C": "orange"}
RCG = {"A": "red", "B": "cyan", "C": "green"}

CHOSEN = [
    ("B", YRB, "red"),
    ("b", YRB, "red"),
    ("(b)", YRB, "red"),
    ("B.", YRB, "red"),
    ("**B**", YRB, "red"),
    ("`B`", YRB, "red"),
    ("Block B", YRB, "red"),
    ("Option B.", YRB, "red"),
    ("red", YRB, "red"),
    ("RED", YRB, "red"),
    ("The red block.", YRB, "red"),
    ("A red block.", YRB, "red"),
    ("A blue block should be moved.", YRB, "blue"),
    ("I would move a red block.", YRB, "red"),
    ("A", YRB, "yellow"),
    ("A is the block to move.", YRB, "yellow"),
    ("A (yellow)", YRB, "yellow"),
    ("A yellow", YRB, "yellow"),
    ("Answer: B (red)", YRB, "red"),
    ("ANSWER - B", YRB, "red"),
    ("Answer B", YRB, "red"),
    ("Final answer: C", YRB, "blue"),
    ("The final answer is C.", YRB, "blue"),
    ("My answer: **red**", YRB, "red"),
    ("The correct answer is (C) blue.", YRB, "blue"),
    ("### Final Answer\n\n**C (blue)**", YRB, "blue"),
    ("**Answer:**\nB", YRB, "red"),
    ("Answer: The block to move is C.", YRB, "blue"),
    ("Answer: C. Blue is the largest one he sees, red is hidden.", YRB, "blue"),
    ("Answer: C. The yellow block is smaller.", YRB, "blue"),
    ("Answer: B\nExplanation: A is too small and C is hidden.", YRB, "red"),
    ("A is too small. C is hidden. Answer: B", YRB, "red"),
    ("Answer: B\n\nAnswer: C", YRB, "blue"),
    ("Answer: B. Wait, actually the director cannot see B. Answer: C", YRB, "blue"),
    ("B... wait, actually C", YRB, "blue"),
    ("\\boxed{B}", YRB, "red"),
    ("\\boxed{\\boxed{B}}", YRB, "red"),
    ("\\boxed{\\mathrm{B}}", YRB, "red"),
    ("\\boxed{\\text{B (red)}}", YRB, "red"),
    ("$$\\boxed{\\textbf{red}}$$", YRB, "red"),
    ("First \\boxed{B}, then after checking \\boxed{C}", YRB, "blue"),
    ("\\boxed{B}. The yellow block A is smaller.", YRB, "red"),
    ("I'd move the red block.", YRB, "red"),
    ("I would pick B.", YRB, "red"),
    ("I choose the blue block because red is hidden.", YRB, "blue"),
    ("The director means the blue block.", YRB, "blue"),
    ("You should move C.", YRB, "blue"),
    ("Move the blue block (C).", YRB, "blue"),
    ("The largest he can see is C. Therefore, I would move C.", YRB, "blue"),
    ("B, not C", YRB, "red"),
    ("Not B but C", YRB, "blue"),
    ("the red block rather than the blue one", YRB, "red"),
    ("The red block instead of the blue block.", YRB, "red"),
    ("Red is the largest, but the director can't see it, so blue.", YRB, "blue"),
    (
        "The red block is the largest overall. However, it is hidden from the director. "
        "The largest block he can see is blue.",
        YRB,
        "blue",
    ),
    ("Red is hidden, so the director must mean yellow.", YRB, "yellow"),
    ("If he could see everything I'd move red, but he can't, so blue.", YRB, "blue"),
    ("I see red, yellow and blue. He means blue.", YRB, "blue"),
    ("Among A, B and C, the director means B.", YRB, "red"),
    ("A: yellow, B: red, C: blue. Answer: B", YRB, "red"),
    ("The blocks are A (yellow), B (red) and C (blue). I'd move B.", YRB, "red"),
    ("(A) yellow (B) red (C) blue\n\nB", YRB, "red"),
    ("Which block: A, B or C?\nC", YRB, "blue"),
    ("B (red)\nB (red)", YRB, "red"),
    ("The red block B is larger than the blue block C.", YRB, "red"),
    ("The red block next to the yellow block.", YRB, "red"),
    ("B (crimson)", YRB, "red"),
    ("B (cyan)", YRB, "red"),
    ("B (reddish-orange)", YRB, "red"),
    ("the block labeled B", YRB, "red"),
    ("the red one, labelled B", YRB, "red"),
    ("The gray partition hides B. Answer: C", YRB, "blue"),
    ('{"answer": "B"}', YRB, "red"),
    ('{"move": "red"}', YRB, "red"),
    ("<answer>B</answer>", YRB, "red"),
    ("<think>maybe C</think>B", YRB, "red"),
    ("<thinking>C</thinking>\nAnswer: B", YRB, "red"),
    ("◁think▷ A or C? ◁/think▷ B", YRB, "red"),
    ("<think>A</think> hmm <think>C</think> B", YRB, "red"),
    ("[THINK]C[/THINK]B", YRB, "red"),
    ("答案是 B", YRB, "red"),
    ("答案：B（红色）", YRB, "red"),
    ("Ответ: B", YRB, "red"),
    ("Respuesta: B (rojo)", YRB, "red"),
    ("Antwort: B", YRB, "red"),
    ("violet", PGO, "purple"),
    ("Block С is far away. Answer: B".replace("С is far", "it is far"), YRB, "red"),
    ("ВLUE", YRB, "blue"),
    ("I can't help but pick the red block.", YRB, "red"),
    ("Everything but A and C", YRB, "red"),
    ("No, the director means B.", YRB, "red"),
]

UNREAD = [
    ("", YRB, "empty"),
    ("   \n", YRB, "empty"),
    ("<think>B</think>", YRB, "empty"),
    ("<think>B is the largest", YRB, "truncated"),
    ("Answer: B <think>or is it", YRB, "truncated"),
    ("B or C", YRB, "multiple_answers"),
    ("either red or blue", YRB, "multiple_answers"),
    ("Answer: B and C", YRB, "multiple_answers"),
    ("red, blue", YRB, "multiple_answers"),
    ("B / C", YRB, "multiple_answers"),
    ("\\boxed{B} or \\boxed{C}", YRB, "multiple_answers"),
    ("All of them", YRB, "multiple_answers"),
    ("I'd move B. I would move C.", YRB, "multiple_answers"),
    ("Answer: none", YRB, "no_answer"),
    ("Answer: not B", YRB, "no_answer"),
    ("The director can't see B.", YRB, "no_answer"),
    ("I cannot determine this.", YRB, "no_answer"),
    ("The largest block.", YRB, "no_answer"),
    ("I do not know", YRB, "no_answer"),
    ("An answer is a thing.", YRB, "no_answer"),
    ("Redundant blueprint, greenhouse", YRB, "no_answer"),
    ("b (the second)", YRB, "no_answer"),
    ("pink", YRB, "off_vocabulary"),
    ("cyan", YRB, "off_vocabulary"),
    ("Answer: turquoise", YRB, "off_vocabulary"),
    ("The bluish block", YRB, "off_vocabulary"),
    ("green-blue", RCG, "off_vocabulary"),
    ("Answer: blue green", RCG, "off_vocabulary"),
    ("the dark red block", YRB, "off_vocabulary"),
    ("grey", YRB, "off_vocabulary"),
    ("Answer: В", YRB, "off_vocabulary"),  # a Cyrillic letter on its own is no Latin letter
    ("红色", YRB, "off_vocabulary"),
    ("der rote Block", YRB, "off_vocabulary"),
    ("B (blue)", YRB, "letter_color_conflict"),
    ("Answer: the blue block (B)", YRB, "letter_color_conflict"),
    ("Answer: A, red", YRB, "letter_color_conflict"),
    ("B: yellow", YRB, "letter_color_conflict"),
    ("Sorry, I can't assist with that.", YRB, "refusal"),
    ("I'm sorry, but I cannot help with choosing the red block.", YRB, "refusal"),
    ("I must decline to answer.", YRB, "refusal"),
]


@pytest.mark.parametrize(("reply", "options", "color"), CHOSEN)
def test_the_one_block_named_is_the_answer(reply, options, color):
    parsed = move_single(reply, options)
    assert (parsed.value, parsed.reason) == (color, None)


@pytest.mark.parametrize(("reply", "options", "reason"), UNREAD)
def test_no_block_or_several_have_a_reason(reply, options, reason):
    parsed = move_single(reply, options)
    assert (parsed.value, parsed.reason) == (None, reason)


# target C (blue), hidden B (red)
SCORED = [
    ("C (blue)", "C", "blue", "correct"),
    ("blue", None, "blue", "correct"),
    ("the blue block C", "C", "blue", "correct"),
    ("C", "C", None, "letter_only_correct"),
    ("C (cyan)", "C", "cyan", "letter_only_correct"),
    ("C (red)", "C", "red", "letter_only_correct"),
    ("C (teal)", "C", None, "letter_only_correct"),
    ("C (blue-green)", "C", None, "letter_only_correct"),
    ("B (red)", "B", "red", "egocentric"),
    ("B", "B", None, "egocentric"),
    ("red", None, "red", "egocentric"),
    ("B (orange)", "B", "orange", "egocentric"),
    ("B (blue)", "B", "blue", "egocentric"),
    ("A (yellow)", "A", "yellow", "other_block"),
    ("A (blue)", "A", "blue", "other_block"),
    ("yellow", None, "yellow", "other_block"),
    ("green", None, "green", "other_color"),
    ("violet", None, "purple", "other_color"),
    ("Answer: C. Cyan", "C", "cyan", "letter_only_correct"),
    ("I would move block C, the blue one.", "C", "blue", "correct"),
    ("Answer: block C, which is blue", "C", "blue", "correct"),
]


@pytest.mark.parametrize(("reply", "letter", "color", "mode"), SCORED)
def test_letter_and_color_are_recorded_and_scored_apart(reply, letter, color, mode):
    parsed = score_move(reply, YRB, "C", "B")
    assert parsed.value == {"letter": letter, "color": color, "failure_mode": mode}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("B or C", "multiple_answers"),
        ("B or the blue one", "multiple_answers"),
        ("C (blue) and A (yellow)", "multiple_answers"),
        ("pink", "off_vocabulary"),
        ("blue-green", "off_vocabulary"),
        ("no idea", "no_answer"),
        ("I can't help with that.", "refusal"),
    ],
)
def test_an_unread_choice_has_no_failure_mode(reply, reason):
    parsed = score_move(reply, YRB, "C", "B")
    assert (parsed.value, parsed.status, parsed.reason) == (None, "unparsed", reason)


def test_nothing_is_egocentric_where_nothing_is_hidden():
    assert score_move("B", YRB, "C", None).value["failure_mode"] == "other_block"
