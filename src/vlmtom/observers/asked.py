"""What a message asks: read from its words, as a model must."""

import re
from dataclasses import dataclass
from typing import Literal

Polarity = Literal["largest", "smallest"]

_SEES = re.compile(r"which blocks can the director see", re.IGNORECASE)
_MOVES = re.compile(r"move the (largest|smallest) block", re.IGNORECASE)
_DESCRIBES = re.compile(r"describe what happens in the animation", re.IGNORECASE)
_RULED = re.compile(r"grey screen[^.]*\. rule: that block does not count", re.IGNORECASE)
_STILL = re.compile(r"\ba single still\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^Q(\d):", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """The questions of a message.

    describes: a description of an animation is asked for; the rest is of the Director Task.
    still: the picture is said to be one frame of it, not a sheet of sixteen.
    sees_first: the report of what the director sees is asked for before the move.
    ruled: the block before the grey screen is out, by a rule and not by anyone's view.
    numbered: which of Q1, Q2, … the answers' lines begin with; none: `Answer`.
    """

    sees: bool
    moves: Polarity | None
    sees_first: bool
    ruled: bool
    numbered: tuple[str, ...]
    describes: bool
    still: bool


def read_question(text: str) -> Asked:
    """What the words of a message ask for."""
    sees, moves = _SEES.search(text), _MOVES.search(text)
    return Asked(
        sees=sees is not None,
        moves=None if moves is None else _polarity(moves[1]),
        sees_first=bool(sees and moves and sees.start() < moves.start()),
        ruled=_RULED.search(text) is not None,
        numbered=tuple(dict.fromkeys(_NUMBERED.findall(text))),
        describes=_DESCRIBES.search(text) is not None,
        still=_STILL.search(text) is not None,
    )


def _polarity(word: str) -> Polarity:
    return "largest" if word.lower() == "largest" else "smallest"
