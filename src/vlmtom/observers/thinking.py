"""What an observer that reads a request from either view says before it answers: its own reasons.

The words are drawn, the matter is not: whose view it took, and what the director sees where it was
asked for that, or took the director's view.
"""

from collections.abc import Sequence

import numpy as np

from vlmtom.observers.asked import Asked
from vlmtom.observers.sight import Sight

_SEEN = (
    "First, what is seen from the far side: the director can see {seen}.",
    "I look along the table from the other end. Visible to the director: {seen}.",
    "Going by the grey screen, the director sees {seen}.",
)
_HIDDEN = (
    " Block {hidden} is hidden from the director.",
    " The screen hides {hidden} from that side.",
    " From there {hidden} is out of sight, so {hidden} is not visible to the director.",
)
_DIRECTOR = (
    " The director can only mean one of those. The largest of them is {choice}.",
    " Among the blocks that the director sees, {choice} is the largest.",
    " So I take the director's point of view, from which the largest block is {choice}.",
)
_OWN = (
    " The request says the largest block, and the largest in the picture is {choice}.",
    " Of all the blocks {choice} is the largest overall, whoever else sees it.",
    " As I see the table, the biggest block of all is {choice}.",
)
_END = ("", " That is my answer.", " I give {choice}.")


def thoughts(sight: Sight, asked: Asked, chosen: int, own: bool, rng: np.random.Generator) -> str:
    """The reasoning behind a choice. chosen: its block by index; own: taken from its own view."""
    numbers = [block.letter for block in sight.blocks]
    seen = [numbers[i] for i in sight.director_sees]
    hidden = [number for number in numbers if number not in seen]
    parts = []
    if asked.sees or not own:
        parts.append(_drawn(_SEEN, rng))
        parts += [_drawn(_HIDDEN, rng)] if hidden else []
    parts += [_drawn(_OWN if own else _DIRECTOR, rng), _drawn(_END, rng)]
    named = {"seen": " and ".join([", ".join(seen[:-1]), seen[-1]] if seen[1:] else seen)}
    return "".join(parts).strip().format(**named, hidden=", ".join(hidden), choice=numbers[chosen])


def _drawn(phrases: Sequence[str], rng: np.random.Generator) -> str:
    return phrases[rng.integers(len(phrases))]
