"""What the director sees: a set of colours, or a reason."""

import pytest

from vlmtom.parsing import visibility_multi

YRB = {"A": "yellow", "B": "red", "C": "blue"}
PGO = {"A": "purple", "B": "green", "C": "orange"}
RCG = {"A": "red", "B": "cyan", "C": "green"}
FOUR = {"A": "yellow", "B": "red", "C": "blue", "D": "green"}

NAMED = [
    ("Answer: A (yellow), C (blue)", YRB, "yellow blue"),
    ("Answer: A, C", YRB, "yellow blue"),
    ("A, C", YRB, "yellow blue"),
    ("A & C", YRB, "yellow blue"),
    ("A/C", YRB, "yellow blue"),
    ("A and C", YRB, "yellow blue"),
    ("A C", YRB, "yellow blue"),
    ("(A), (C)", YRB, "yellow blue"),
    ("[A, C]", YRB, "yellow blue"),
    ("{A, C}", YRB, "yellow blue"),
    ("A. yellow, C. blue", YRB, "yellow blue"),
    ("A) yellow and C) blue", YRB, "yellow blue"),
    ("A: yellow\nC: blue", YRB, "yellow blue"),
    ("- Yellow\n- Blue", YRB, "yellow blue"),
    ("* **Yellow**\n* **Blue**", YRB, "yellow blue"),
    ("1. Yellow\n2. Blue", YRB, "yellow blue"),
    ("YELLOW, BLUE", YRB, "yellow blue"),
    ("yellow/blue", YRB, "yellow blue"),
    ("yellow\nblue", YRB, "yellow blue"),
    ("Answer: Yellow\nBlue", YRB, "yellow blue"),
    ("Answer:\n- Yellow\n- Blue\n\nThe red one is hidden.", YRB, "yellow blue"),
    ("**Answer**\n\nA (yellow), C (blue)", YRB, "yellow blue"),
    ("## Answer\nA, C", YRB, "yellow blue"),
    ("The director can see both the yellow and blue blocks.", YRB, "yellow blue"),
    ("A and C (yellow and blue)", YRB, "yellow blue"),
    ("A and C (blue and yellow)", YRB, "yellow blue"),
    ("the yellow block (A) and the blue block (C)", YRB, "yellow blue"),
    ("yellow (A), blue (C)", YRB, "yellow blue"),
    ("\\boxed{A, C}", YRB, "yellow blue"),
    ("\\boxed{\\text{A}, \\text{C}}", YRB, "yellow blue"),
    ("$\\boxed{A}$ and $\\boxed{C}$", YRB, "yellow blue"),
    ("\\(\\boxed{\\textbf{yellow and blue}}\\)", YRB, "yellow blue"),
    ("He sees A.", YRB, "yellow"),
    ("He sees only the block C.", YRB, "blue"),
    ("Just A", YRB, "yellow"),
    ("Answer: a", YRB, "yellow"),
    ("A", YRB, "yellow"),
    ("c.", YRB, "blue"),
    ("The director sees A through C.", YRB, "yellow red blue"),
    ("All three blocks are visible to the director.", YRB, "yellow red blue"),
    ("Answer: all", YRB, "yellow red blue"),
    ("All of them", YRB, "yellow red blue"),
    ("He can see every block.", YRB, "yellow red blue"),
    ("Everything is visible to him.", YRB, "yellow red blue"),
    ("None of the blocks is hidden from the director.", YRB, "yellow red blue"),
    ("Answer: A, B, D", FOUR, "yellow red green"),
    ("Answer: purple, orange", PGO, "purple orange"),
    ("Answer: Violet and orange", PGO, "purple orange"),
    ("Answer: B (cyan) and C (green)", RCG, "cyan green"),
    ("Answer: B (blue) and C (green)", RCG, "cyan green"),
    ("red-colored block and green block", RCG, "red green"),
    ("A, B, and A again", YRB, "yellow red"),
    ("director: A, C", YRB, "yellow blue"),
    ("The director's view: A and C", YRB, "yellow blue"),
    ("Visible: A, C", YRB, "yellow blue"),
    ('{"visible": ["A", "C"]}', YRB, "yellow blue"),
    ('```json\n{"answer": ["yellow", "blue"]}\n```', YRB, "yellow blue"),
    ("<answer>A, C</answer>", YRB, "yellow blue"),
    ("<|begin_of_box|>A, C<|end_of_box|>", YRB, "yellow blue"),
    ("🟡 Yellow and 🔵 Blue", YRB, "yellow blue"),
    ("Ａ、Ｃ", YRB, "yellow blue"),
    ("🅰 and Ⓒ", YRB, "yellow blue"),
]

DENIED = [
    ("A, C but not B", YRB, "yellow blue"),
    ("A and C, not B", YRB, "yellow blue"),
    ("The director can see A and C, but cannot see B.", YRB, "yellow blue"),
    ("He can't see red; he sees yellow and blue.", YRB, "yellow blue"),
    ("Yellow and blue are visible, red is not.", YRB, "yellow blue"),
    ("Yellow and blue are visible, red is hidden behind the partition.", YRB, "yellow blue"),
    ("Red is hidden behind the partition, so he sees yellow and blue.", YRB, "yellow blue"),
    ("The partition hides the red block, leaving yellow and blue.", YRB, "yellow blue"),
    ("The partition blocks the red block. Yellow and blue are visible.", YRB, "yellow blue"),
    ("A: visible\nB: not visible\nC: visible", YRB, "yellow blue"),
    ("- A (yellow): visible\n- B (red): hidden\n- C (blue): visible", YRB, "yellow blue"),
    ("- A (yellow) – visible\n- B (red) – hidden\n- C (blue) – visible", YRB, "yellow blue"),
    ("A: yes, B: no, C: yes", YRB, "yellow blue"),
    ("Yellow - Yes\nRed - No\nBlue - Yes", YRB, "yellow blue"),
    ("A ✓ B ✗ C ✓", YRB, "yellow blue"),
    ("✅ A\n❌ B\n✅ C", YRB, "yellow blue"),
    ("✅ A ❌ B ✅ C", YRB, "yellow blue"),
    ("- [x] A (yellow)\n- [ ] B (red)\n- [x] C (blue)", YRB, "yellow blue"),
    ("| Block | Visible? |\n|---|---|\n| A | Yes |\n| B | No |\n| C | Yes |", YRB, "yellow blue"),
    (
        "| Block | Color | Status |\n|:-|:-:|-|\n| A | yellow | visible |\n| B | red | hidden |\n"
        "| C | blue | visible |",
        YRB,
        "yellow blue",
    ),
    ("Visible: A, C\nHidden: B", YRB, "yellow blue"),
    ("Visible: A, C. Hidden: B.", YRB, "yellow blue"),
    ("Hidden: B\nVisible: A and C", YRB, "yellow blue"),
    ("Visible:\n- A\n- C\n\nNot visible:\n- B", YRB, "yellow blue"),
    ("A (visible), B (hidden), C (visible)", YRB, "yellow blue"),
    ("A, C (B is occluded)", YRB, "yellow blue"),
    ("~~B~~ A, C", YRB, "yellow blue"),
    ("All blocks except B", YRB, "yellow blue"),
    ("all but red", YRB, "yellow blue"),
    ("Everything except for the red block.", YRB, "yellow blue"),
    ("Every block other than B", YRB, "yellow blue"),
    ("The director sees everything apart from the red block.", YRB, "yellow blue"),
    ("All but not B", YRB, "yellow blue"),
    ("Apart from B, all blocks are visible.", YRB, "yellow blue"),
    ("All except A and B", YRB, "blue"),
    ("Nothing but the blue block", YRB, "blue"),
    ("None except C", YRB, "blue"),
    ("He cannot see any block except C.", YRB, "blue"),
    ("No block other than C is visible.", YRB, "blue"),
    ("Only red is hidden from the director.", YRB, "yellow blue"),
    ("The only block he cannot see is B.", YRB, "yellow blue"),
    ("Red is hidden; the other two are visible to him.", YRB, "yellow blue"),
    ("He can't see B. He can see the rest.", YRB, "yellow blue"),
    ("The red block is not hidden, so he sees it: red. Yellow is hidden.", YRB, "red"),
    ("Red and blue are not blocked by the partition. Yellow is blocked.", YRB, "red blue"),
    ("Neither A nor B is visible, only C.", YRB, "blue"),
    ("The hidden block is B. The director sees A and C.", YRB, "yellow blue"),
    ("yellow and blue, rather than red", YRB, "yellow blue"),
    ("Not only yellow but also blue", YRB, "yellow blue"),
    ("C (orange) is out of his line of sight; A and B are in view.", PGO, "purple green"),
    ("The director doesn't see cyan. The director sees red and green.", RCG, "red green"),
    ("The director isnt able to see cyan, but red and green are visible.", RCG, "red green"),
]

OWN_VIEW = [
    ("I can see all three, but the director only sees A and C.", YRB, "yellow blue"),
    ("From my perspective A, B and C are visible. The director sees A and C.", YRB, "yellow blue"),
    (
        "In the image there are yellow, red and blue blocks. He sees yellow and blue.",
        YRB,
        "yellow blue",
    ),
    ("There are three blocks: yellow, red, and blue. Director sees yellow.", YRB, "yellow"),
    ("We see yellow, red and blue; he sees blue.", YRB, "blue"),
    (
        "While I see all three blocks, the director sees just the yellow and the blue.",
        YRB,
        "yellow blue",
    ),
    ("Although red is visible to me, he can see only yellow and blue.", YRB, "yellow blue"),
    ("From the director's seat I can see yellow and blue.", YRB, "yellow blue"),
    ("The options are A: yellow, B: red, C: blue. He sees A and C.", YRB, "yellow blue"),
    ("Options:\nA: yellow\nB: red\nC: blue\n\nAnswer: A, C", YRB, "yellow blue"),
    ("(A) yellow\n(B) red\n(C) blue\n\nA, C", YRB, "yellow blue"),
    ("Which blocks can he see: A, B or C? A and C.", YRB, "yellow blue"),
    ("Of A, B and C, the director sees A and C.", YRB, "yellow blue"),
]

NOTHING = [
    ("None", YRB),
    ("Answer: none", YRB),
    ("**None.**", YRB),
    ("\\boxed{\\text{none}}", YRB),
    ("The director sees none of them.", YRB),
    ("The director can see no blocks.", YRB),
    ("He cannot see any of the blocks.", YRB),
    ("He doesn't see anything.", YRB),
    ("Nothing", YRB),
    ("Answer: []", YRB),
    ("Answer: $\\emptyset$", YRB),
    ("No blocks are visible to the director.", YRB),
    ("All three blocks are hidden from the director.", YRB),
    ("A: hidden\nB: hidden\nC: hidden", YRB),
    ("He can see neither A nor B nor C.", YRB),
]

UNREAD = [
    ("I see yellow, red and blue.", YRB, "no_answer"),
    ("I cannot see any blocks.", YRB, "no_answer"),
    ("The director sees two blocks.", YRB, "no_answer"),
    ("Answer: I am not sure.", YRB, "no_answer"),
    ("It depends on where he stands.", YRB, "no_answer"),
    ("The director cannot see red.", YRB, "no_answer"),
    ("Answer: yellow and pink", YRB, "off_vocabulary"),
    ("Answer: yellow and cyan", YRB, "off_vocabulary"),
    ("Answer: blue-green", RCG, "off_vocabulary"),
    ("Answer: reddish orange", PGO, "off_vocabulary"),
    ("Answer: yellow/orange", YRB, "off_vocabulary"),
    ("Answer: yellowish, blue", YRB, "off_vocabulary"),
    ("Answer: teal", RCG, "off_vocabulary"),
    ("Answer: light blue", YRB, "off_vocabulary"),
    ("El director ve el bloque rojo y el amarillo.", YRB, "off_vocabulary"),
    ("Le directeur voit les blocs rouge et bleu.", YRB, "off_vocabulary"),
    ("Режиссёр видит красный и синий блоки.", YRB, "off_vocabulary"),
    ("يرى المخرج المكعب الأحمر", YRB, "off_vocabulary"),
    ("ディレクターは赤と青が見えます。", YRB, "off_vocabulary"),
    ("导演看不到B。", YRB, "off_vocabulary"),
    ("Der Regisseur sieht B nicht.", YRB, "off_vocabulary"),
    ("Le directeur ne voit pas A.", YRB, "off_vocabulary"),
    ("A (red), C (yellow)", YRB, "letter_color_conflict"),
    ("B (blue)", YRB, "letter_color_conflict"),
    ("A and B (yellow and blue)", YRB, "letter_color_conflict"),
    ("A or C", YRB, "multiple_answers"),
    ("Either yellow or blue.", YRB, "multiple_answers"),
    ("A and possibly C", YRB, "multiple_answers"),
    ("I'm sorry, but I can't help with that.", YRB, "refusal"),
    ("I cannot assist with this request.", YRB, "refusal"),
    ("As an AI language model, I cannot view images.", YRB, "refusal"),
    ("I'm unable to process the image you provided.", YRB, "refusal"),
]

LANGUAGE_NEUTRAL = [
    ("导演能看到A和C", YRB, "yellow blue"),
    ("导演能看到A（黄色）和C（蓝色）。", YRB, "yellow blue"),
    ("答案：A、C", YRB, "yellow blue"),
    ("El director puede ver A y C.", YRB, "yellow blue"),
    ("Режиссёр видит A и C.", YRB, "yellow blue"),
    ("A와 C", YRB, "yellow blue"),
    ("يرى المخرج A و C", YRB, "yellow blue"),
    ("Réponse : A, C", YRB, "yellow blue"),
]


def check(reply, options, value, reason=None):
    parsed = visibility_multi(reply, options)
    assert (parsed.value, parsed.reason) == (value, reason)
    assert parsed.status == ("parsed" if reason is None else "unparsed")


@pytest.mark.parametrize(("reply", "options", "colors"), NAMED)
def test_named_blocks_are_the_set(reply, options, colors):
    check(reply, options, sorted(colors.split()))


@pytest.mark.parametrize(("reply", "options", "colors"), DENIED)
def test_denied_hidden_and_excepted_blocks_are_not_in_the_set(reply, options, colors):
    check(reply, options, sorted(colors.split()))


@pytest.mark.parametrize(("reply", "options", "colors"), OWN_VIEW)
def test_own_view_and_restated_options_do_not_count(reply, options, colors):
    check(reply, options, sorted(colors.split()))


@pytest.mark.parametrize(("reply", "options"), NOTHING)
def test_none_is_the_empty_set_and_a_value(reply, options):
    check(reply, options, [])


@pytest.mark.parametrize(("reply", "options", "reason"), UNREAD)
def test_what_cannot_be_read_has_its_reason(reply, options, reason):
    check(reply, options, None, reason)


@pytest.mark.parametrize(("reply", "options", "colors"), LANGUAGE_NEUTRAL)
def test_letters_are_read_in_any_language(reply, options, colors):
    check(reply, options, sorted(colors.split()))
