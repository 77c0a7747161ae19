"""What a tester is asked about a clip: to describe it, and nothing about what to look for.

The prompt names no condition and no mind, action or purpose, and asks for no reasoning (cross-task
paper, section 4). It mentions neither badges nor whether the frames stand in their own order, so
that all arms that show a sheet share its bytes.
"""

GRID = (
    "The picture shows sixteen frames of one short silent animation with two triangles. "
    "Read the frames in order, 1 to 16, row by row: from left to right, from top to bottom.\n\n"
    "Describe what happens in the animation, from its beginning to its end, in a few sentences. "
    "Reply with the description alone."
)

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
