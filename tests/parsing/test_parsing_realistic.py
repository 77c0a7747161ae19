"""Replies as vision-language models write them, labelled by the rules before they were parsed."""

import pytest

from vlmtom.parsing import gated, move_single, visibility_multi

YRB = {"A": "yellow", "B": "red", "C": "blue"}
PGO = {"A": "orange", "B": "purple", "C": "green"}
RCG = {"A": "green", "B": "red", "C": "cyan"}
FOUR = {"A": "yellow", "B": "red", "C": "blue", "D": "green"}

VISIBLE = [
    ("Answer: A (yellow), B (red)", YRB, "yellow red"),
    ("A (yellow), B (red)", YRB, "yellow red"),
    ("**Answer: A (yellow), C (blue)**", YRB, "yellow blue"),
    ("Answer: **A (yellow)**, **C (blue)**", YRB, "yellow blue"),
    (
        "Based on the image, the director is on the opposite side of the table. The partition "
        "blocks his view of block B.\n\n**Answer:** A (yellow), C (blue)",
        YRB,
        "yellow blue",
    ),
    (
        "Looking at the scene, there are three blocks: orange (A), purple (B) and green (C). The "
        "partition stands between the director and the purple block. Therefore, the director can "
        "see the orange and green blocks.",
        PGO,
        "orange green",
    ),
    ("The director can see block A (green) and block C (cyan).", RCG, "green cyan"),
    ("Director sees: green, cyan.", RCG, "green cyan"),
    ("The visible blocks are:\n\n1. **A (green)**\n2. **C (cyan)**", RCG, "green cyan"),
    (
        "To determine which blocks the director can see, consider the partition.\n\n"
        "- **Block A (yellow)**: Not blocked by the partition. Visible.\n"
        "- **Block B (red)**: Blocked by the partition. Not visible.\n"
        "- **Block C (blue)**: Clear line of sight. Visible.\n\n"
        "Answer: A (yellow), C (blue)",
        YRB,
        "yellow blue",
    ),
    (
        "- **A (yellow):** visible to the director\n- **B (red):** occluded by the partition\n"
        "- **C (blue):** visible to the director",
        YRB,
        "yellow blue",
    ),
    ("The director can see all blocks except B (red).", YRB, "yellow blue"),
    ("All of the blocks except for the purple one.", PGO, "orange green"),
    (
        "From the viewer's perspective, all three blocks are visible. However, from the director's "
        "perspective, block B (red) is hidden behind the partition. So the director sees A (yellow)"
        " and C (blue).",
        YRB,
        "yellow blue",
    ),
    (
        "He can see the yellow block and the blue block, but the red block is behind the screen.",
        YRB,
        "yellow blue",
    ),
    ("A, B, C", YRB, "yellow red blue"),
    ("A (yellow), B (red), C (blue)", YRB, "yellow red blue"),
    ("Answer: A (yellow), B (red), C (blue), D (green)", FOUR, "yellow red blue green"),
    ("Answer: B (red), C (blue), D (green)", FOUR, "red blue green"),
    ("The director can see three blocks: A, C, and D.", FOUR, "yellow blue green"),
    ("Since the partition is in front of A, the director can only see B and C.", YRB, "red blue"),
    (
        "Because block A is behind the partition, he only sees B (red) and C (blue).",
        YRB,
        "red blue",
    ),
    ("The partition occludes A from the director. Visible: B (red), C (blue).", YRB, "red blue"),
    ("The director has a clear view of B and C; A is obscured.", YRB, "red blue"),
    ("A is not visible from the director's side. B and C are.", YRB, "red blue"),
    ("Yellow: visible. Red: not visible. Blue: visible.", YRB, "yellow blue"),
    ("The director would see the yellow and blue blocks only.", YRB, "yellow blue"),
    ("yellow and blue", YRB, "yellow blue"),
    ("Yellow, Blue.", YRB, "yellow blue"),
    ("Final Answer: **Yellow and Blue**", YRB, "yellow blue"),
    ("The final answer is: yellow, blue", YRB, "yellow blue"),
    ("$\\boxed{\\text{A (yellow), C (blue)}}$", YRB, "yellow blue"),
    ("Thus the answer is \\boxed{A, C}.", YRB, "yellow blue"),
    ("<think>B is behind the wall.</think>\n\nAnswer: A (yellow), C (blue)", YRB, "yellow blue"),
    ("B seems hidden.</think>Answer: A (yellow), C (blue)", YRB, "yellow blue"),
    ("Sure! Here's my answer:\n\nA (yellow), C (blue)", YRB, "yellow blue"),
    (
        "Answer: A (yellow), C (blue). The red block (B) is hidden by the partition.",
        YRB,
        "yellow blue",
    ),
    (
        "Answer: A (yellow), C (blue)\n\nB (red) is behind the partition and not visible.",
        YRB,
        "yellow blue",
    ),
    ("Answer: the director can see A and C, while B is blocked.", YRB, "yellow blue"),
    (
        "The director can see blocks A and C. Block B is hidden from the director's view.",
        YRB,
        "yellow blue",
    ),
    (
        "The director can see the orange block (A) and the green block (C), but not the purple "
        "block "
        "(B).",
        PGO,
        "orange green",
    ),
    (
        "The purple block is hidden from view by the gray partition. The director sees orange and "
        "green.",
        PGO,
        "orange green",
    ),
    (
        "I can see orange, purple and green. The director, on the other side, can see only orange "
        "and "
        "green.",
        PGO,
        "orange green",
    ),
    ("As the tester I see A, B, C. The director sees A, C.", PGO, "orange green"),
    ("No blocks are visible from the director's position.", PGO, ""),
    ("Answer: None", PGO, ""),
    ("None of the blocks are visible to the director.", PGO, ""),
    ("The director can't see any of the three blocks.", PGO, ""),
    (
        "The director can see all three blocks: A (orange), B (purple), C (green).",
        PGO,
        "orange purple green",
    ),
    ("The director sees every block in the scene.", PGO, "orange purple green"),
    ("Nothing is hidden from the director, so he sees all three.", PGO, "orange purple green"),
    ("Answer: Blocks A & C", PGO, "orange green"),
    ("Answer – A (orange), C (green)", PGO, "orange green"),
    ("A (orange) + C (green)", PGO, "orange green"),
    (
        "| Block | Director sees it |\n|---|---|\n| A (orange) | ✅ |\n| B (purple) | ❌ |\n"
        "| C (green) | ✅ |",
        PGO,
        "orange green",
    ),
    ("Block A (orange): Yes\nBlock B (purple): No\nBlock C (green): Yes", PGO, "orange green"),
    ("Answer: Orange & Green", PGO, "orange green"),
    ("Looking from his side, only the green block (A) is unobstructed.", RCG, "green"),
    ("The cyan block is the only one that he sees.", RCG, "cyan"),
    ("Only C.", RCG, "cyan"),
    ("Green and cyan are visible; the red one isn't.", RCG, "green cyan"),
    ("Green and cyan. Not red.", RCG, "green cyan"),
    ("Everything except red", RCG, "green cyan"),
    ("The red block can't be seen by the director, the others can.", RCG, "green cyan"),
    ("```\nAnswer: A (green), C (cyan)\n```", RCG, "green cyan"),
    ("> Answer: A (green), C (cyan)", RCG, "green cyan"),
    ("Answer:\tA (green),\tC (cyan)", RCG, "green cyan"),
    ("Answer: Ａ (green), Ｃ (cyan)", RCG, "green cyan"),
    (
        "The answer is A (green) and C (cyan) because the red block is behind the divider.",
        RCG,
        "green cyan",
    ),
    (
        "Wait, let me double-check. The partition hides B. Answer: A (green), C (cyan)",
        RCG,
        "green cyan",
    ),
    ("A (green), B (red). Actually, B is hidden, so A (green) and C (cyan).", RCG, "green cyan"),
]

VISIBLE_UNREAD = [
    ("I can see three blocks: yellow, red, and blue.", YRB, "no_answer"),
    ("The image shows a table with yellow, red and blue blocks.", YRB, "no_answer"),
    ("I'm sorry, I can't determine what the director sees.", YRB, "refusal"),
    ("I don't see any image attached to your message.", YRB, "refusal"),
    ("Answer: A (yellow), C (green)", YRB.copy() | {"D": "green"}, "letter_color_conflict"),
    ("Answer: yellow, maybe blue", YRB, "multiple_answers"),
    ("Answer: yellow and turquoise", YRB, "off_vocabulary"),
    ("Answer: gelb und blau", YRB, "off_vocabulary"),
    ("답: 노란색과 파란색", YRB, "off_vocabulary"),
    ("The director can see the blocks that are not behind the partition.", YRB, "no_answer"),
    ("<think>The director sees A and", YRB, "truncated"),
    ("Answer: A, C or B", YRB, "multiple_answers"),
    ("Answer: D", YRB, "off_vocabulary"),
]

MOVED = [
    ("Answer: C (blue)", YRB, "blue"),
    ("C (blue)", YRB, "blue"),
    ("**C (blue)**", YRB, "blue"),
    ("Answer: blue", YRB, "blue"),
    ("Answer: C", YRB, "blue"),
    ("Answer: [C (blue)]", YRB, "blue"),
    ("Answer: C(blue)", YRB, "blue"),
    ("Answer: C - blue", YRB, "blue"),
    ("Answer: C – blue", YRB, "blue"),
    ("Answer: Blue (C)", YRB, "blue"),
    ("Answer: C = blue", YRB, "blue"),
    ('Answer: "C (blue)"', YRB, "blue"),
    ("Answer: C (blue).", YRB, "blue"),
    ("ANSWER: C (BLUE)", YRB, "blue"),
    ("answer: c", YRB, "blue"),
    (
        "The director is asking for the largest block he can see, which is the blue block (C).",
        YRB,
        "blue",
    ),
    (
        "The director cannot see block B (red) because of the partition. Of the blocks he can see, "
        "A (yellow) and C (blue), the largest is C (blue).\n\nAnswer: C (blue)",
        YRB,
        "blue",
    ),
    (
        "The largest block is red (B), but the director can't see it. The largest block visible to "
        "the director is blue (C).",
        YRB,
        "blue",
    ),
    ("Since B is hidden, I would move C.", YRB, "blue"),
    ("I'd move C (blue), since B (red) is out of the director's sight.", YRB, "blue"),
    ("You should move the blue block.", YRB, "blue"),
    ("The block to move is **C (blue)**.", YRB, "blue"),
    ("Block to move: C (blue)", YRB, "blue"),
    (
        "The smallest block the director can see is the green one, so I'd choose A (green).",
        RCG,
        "green",
    ),
    ("Move block A (green).", RCG, "green"),
    ("So the answer is A (green).", RCG, "green"),
    ("The correct block is A, the green block.", RCG, "green"),
    ("It's A.", RCG, "green"),
    ("That would be A (green).", RCG, "green"),
    ("The cyan block.", RCG, "cyan"),
    ("Cyan", RCG, "cyan"),
    ("I will move the cyan block, not the green one.", RCG, "cyan"),
    ("I would not move the red block; I would move the cyan block.", RCG, "cyan"),
    ("Not the red one. The cyan one.", RCG, "cyan"),
    (
        "The red block is excluded as it's hidden. Between green and cyan, the larger is cyan.",
        RCG,
        "cyan",
    ),
    ("Between A and C, C is larger. Answer: C (cyan)", RCG, "cyan"),
    ("Red > green > cyan in size. Red is hidden. Answer: A (green)", RCG, "green"),
    (
        "Step 1: The director sees A and C.\nStep 2: The larger one is A.\nAnswer: A (green)",
        RCG,
        "green",
    ),
    ("The director sees A and C. The larger of these is A.", RCG, "green"),
    ("Therefore, the block the director wants moved is the purple block.", PGO, "purple"),
    ("$\\boxed{B}$", PGO, "purple"),
    ("The answer is $\\boxed{\\text{purple}}$.", PGO, "purple"),
    ("Final answer: \\boxed{B\\ (\\text{purple})}", PGO, "purple"),
    ("<think>\nOrange is bigger but hidden.\n</think>\n\nAnswer: B (purple)", PGO, "purple"),
    ("Orange is bigger but hidden.\n</think>\nB (purple)", PGO, "purple"),
    ("◁think▷orange?◁/think▷Answer: B (purple)", PGO, "purple"),
    ("Block B.", PGO, "purple"),
    ("Block B (purple) should be moved.", PGO, "purple"),
    ("B (purple) is the largest block visible to both of us.", PGO, "purple"),
    ("The director is referring to the purple block.", PGO, "purple"),
    ("The purple block, because the orange block is hidden from the director.", PGO, "purple"),
    ("The purple block is the one to move.", PGO, "purple"),
    ("My choice is B (purple).", PGO, "purple"),
    ("I'll go with purple.", PGO, "purple"),
    ("Purple block. It is the largest he can see.", PGO, "purple"),
    ("violet block", PGO, "purple"),
    ("Answer: B (violet)", PGO, "purple"),
    ("Answer: B (pink)", PGO, "purple"),
    ("Answer: B (magenta)", PGO, "purple"),
    ("Answer: D (green)", FOUR, "green"),
    ("D", FOUR, "green"),
    ("Answer: B (purple)\n\nReasoning: The director cannot see A (orange).", PGO, "purple"),
    ("Answer: A (orange)? No, the director cannot see that. Answer: B (purple)", PGO, "purple"),
    (
        "Answer: A (orange)\n\nWait, the director can't see A. The correct answer is B (purple).",
        PGO,
        "purple",
    ),
    ("Assuming the director sees only B and C, I'd pick B.", PGO, "purple"),
    ("the answer's B", PGO, "purple"),
    ("选择 B（紫色）", PGO, "purple"),
    ("**Block B (Purple)**\n\nThe director, seated opposite, can see only B and C.", PGO, "purple"),
    ('{"answer": "B (purple)"}', PGO, "purple"),
    ('{"block": "B", "color": "purple"}', PGO, "purple"),
]

MOVED_UNREAD = [
    ("Answer: B (green)", PGO, "letter_color_conflict"),
    ("The green block (A)", PGO, "letter_color_conflict"),
    ("It could be either B or C.", PGO, "multiple_answers"),
    ("B (purple) or C (green), depending on where he looks.", PGO, "multiple_answers"),
    ("The largest one that he can see.", PGO, "no_answer"),
    ("Answer: The one on the left.", PGO, "no_answer"),
    ("Answer: aquamarine", RCG, "off_vocabulary"),
    ("The blueish-green block.", RCG, "off_vocabulary"),
    ("Der violette Würfel: lila", PGO, "off_vocabulary"),
    ("Je déplacerais le bloc vert.", PGO, "off_vocabulary"),
    ("移动紫色方块", PGO, "off_vocabulary"),
    ("I'm sorry, but I am unable to assist with that request.", PGO, "refusal"),
    ("I can't see the image, so I cannot answer.", PGO, "refusal"),
    ("", PGO, "empty"),
]

GATED = [
    ("Q1: A (yellow), C (blue)\nQ2: C (blue)", YRB, "yellow blue", "blue"),
    ("**Q1:** A (yellow), C (blue)\n**Q2:** C (blue)", YRB, "yellow blue", "blue"),
    ("**Q1**: A, C\n\n**Q2**: C", YRB, "yellow blue", "blue"),
    ("Q1) A, C\nQ2) C", YRB, "yellow blue", "blue"),
    ("Q1. yellow, blue\nQ2. blue", YRB, "yellow blue", "blue"),
    ("1. A (yellow), C (blue)\n2. C (blue)", YRB, "yellow blue", "blue"),
    ("1) A, C\n2) C", YRB, "yellow blue", "blue"),
    ("Question 1: A, C\nQuestion 2: C", YRB, "yellow blue", "blue"),
    ("Answer 1: A, C\nAnswer 2: C", YRB, "yellow blue", "blue"),
    ("Answer to Q1: A, C\nAnswer to Q2: C", YRB, "yellow blue", "blue"),
    ("Q1: none\nQ2: C (blue)", YRB, "", "blue"),
    ("Q1: all except B\nQ2: A", YRB, "yellow blue", "yellow"),
    ("Q1: A (yellow), C (blue) Q2: C (blue)", YRB, "yellow blue", "blue"),
    ("Q1: A, C; Q2: C", YRB, "yellow blue", "blue"),
    ("- Q1: A, C\n- Q2: C", YRB, "yellow blue", "blue"),
    ("### Q1\nA, C\n\n### Q2\nC", YRB, "yellow blue", "blue"),
    ("Q1:\n- A (yellow)\n- C (blue)\n\nQ2:\nC (blue)", YRB, "yellow blue", "blue"),
    (
        "**Q1: Which blocks can the director see?**\nAnswer: A, C\n\n**Q2: Which block do you "
        "move?**"
        "\nAnswer: C",
        YRB,
        "yellow blue",
        "blue",
    ),
    (
        "Q1: The director sees A and C, B is hidden.\nQ2: I'd move C, because B is hidden.",
        YRB,
        "yellow blue",
        "blue",
    ),
    (
        "The director cannot see B.\n\nQ1: A (yellow), C (blue)\nQ2: C (blue)\n\nThe answer to Q2 "
        "follows.",
        YRB,
        "yellow blue",
        "blue",
    ),
    ('{"Q1": ["A", "C"], "Q2": "C"}', YRB, "yellow blue", "blue"),
    ("Q1: \\boxed{A, C}\nQ2: \\boxed{C}", YRB, "yellow blue", "blue"),
    ("<think>Q1: B\nQ2: B</think>Q1: A, C\nQ2: C", YRB, "yellow blue", "blue"),
    ("Q1 answer: A, C\nQ2 answer: C", YRB, "yellow blue", "blue"),
    ("Ｑ１：A, C\nＱ２：C", YRB, "yellow blue", "blue"),
    ("Q1 - A, C\nQ2 - C", YRB, "yellow blue", "blue"),
]


@pytest.mark.parametrize(("reply", "options", "colors"), VISIBLE)
def test_a_visibility_reply_gives_the_set_a_person_reads(reply, options, colors):
    parsed = visibility_multi(reply, options)
    assert (parsed.value, parsed.reason) == (sorted(colors.split()), None)


@pytest.mark.parametrize(("reply", "options", "reason"), VISIBLE_UNREAD)
def test_a_visibility_reply_without_a_set_has_its_reason(reply, options, reason):
    parsed = visibility_multi(reply, options)
    assert (parsed.value, parsed.reason) == (None, reason)


@pytest.mark.parametrize(("reply", "options", "color"), MOVED)
def test_a_move_reply_gives_the_block_a_person_reads(reply, options, color):
    parsed = move_single(reply, options)
    assert (parsed.value, parsed.reason) == (color, None)


@pytest.mark.parametrize(("reply", "options", "reason"), MOVED_UNREAD)
def test_a_move_reply_without_one_block_has_its_reason(reply, options, reason):
    parsed = move_single(reply, options)
    assert (parsed.value, parsed.reason) == (None, reason)


@pytest.mark.parametrize(("reply", "options", "colors", "color"), GATED)
def test_a_gated_reply_gives_both_answers(reply, options, colors, color):
    parsed = gated(reply, options)
    assert parsed.value == {"Q1": sorted(colors.split()), "Q2": color}
    assert parsed.status == {"Q1": "parsed", "Q2": "parsed"}
