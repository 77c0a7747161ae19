"""What a tester is asked about a clip: to describe it, and nothing about what to look for.

The prompt names no condition and no mind, action or purpose, and asks for no reasoning (cross-task
paper, section 4). It mentions neither badges nor whether the frames stand in their own order, so
that all arms that show a sheet share its bytes.
"""

ANIMATION = "one short silent animation with two triangles"
ORDER = "Read the frames in order, 1 to {number}"
ROWS = "row by row: from left to right, from top to bottom"
TASK = (
    "Describe what happens in the animation, from its beginning to its end, in a few sentences. "
    "Reply with the description alone."
)
WORDS = {4: "four", 8: "eight", 16: "sixteen", 32: "thirty-two", 64: "sixty-four"}
SHEET = (4, 4)  # rows and columns of the sheet that every arm but a still shows


def grid_prompt(rows: int, columns: int) -> str:
    """A picture of so many rows and columns of frames. Of the sheet's own it tells no rows."""
    number = rows * columns
    layout = "" if (rows, columns) == SHEET else f", in {WORDS[rows]} rows of {WORDS[columns]}"
    return (
        f"The picture shows {WORDS[number]} frames of {ANIMATION}{layout}. "
        f"{ORDER.format(number=number)}, {ROWS}.\n\n{TASK}"
    )


def sequence_prompt(number: int) -> str:
    """So many pictures in one message, each a frame."""
    return (
        f"The pictures show {WORDS[number]} frames of {ANIMATION}, one frame each. "
        f"{ORDER.format(number=number)}, from the first picture to the last.\n\n{TASK}"
    )


GRID = grid_prompt(*SHEET)
VIDEO = f"The video shows {ANIMATION}.\n\n{TASK}"

# That the picture is a still of an animation is said, so that the task stays the same (Appendix F).
STILL = (
    "The picture shows a single still from a short silent animation with two triangles.\n\n"
    "Describe what happens in the animation in a few sentences. "
    "Reply with the description alone."
)

PROMPTS: dict[str, str] = {  # by arm
    "numbered": GRID,
    "plain": GRID,
    "keyframe": STILL,
    "reversed": GRID,
    "shuffled": GRID,
}


def every_prompt() -> dict[str, str]:
    """All texts by name, for the locks, the snapshots and an appendix."""
    return {f"triangles/{arm}": text for arm, text in PROMPTS.items()}
