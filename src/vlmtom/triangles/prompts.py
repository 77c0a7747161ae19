"""What a tester is asked about a clip: to describe it, and nothing about what to look for.

The prompt names no condition and no mind, action or purpose, and asks for no reasoning (cross-task
paper, section 4). It does not mention badges, so that arms with and without them share its bytes.
"""

GRID = (
    "The picture shows sixteen frames of one short silent animation with two triangles. "
    "Read the frames in order, 1 to 16, row by row: from left to right, from top to bottom.\n\n"
    "Describe what happens in the animation, from its beginning to its end, in a few sentences. "
    "Reply with the description alone."
)

PROMPTS: dict[str, str] = {"numbered": GRID}  # by arm


def every_prompt() -> dict[str, str]:
    """All texts by name, for the locks, the snapshots and an appendix."""
    return {f"triangles/{arm}": text for arm, text in PROMPTS.items()}
