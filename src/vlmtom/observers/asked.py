"""What a message asks: read from its words, as a model must."""

import math
import re
from dataclasses import dataclass
from typing import Literal

Polarity = Literal["largest", "smallest"]
Kind = Literal["grid", "still", "sequence", "film"]

_SEES = re.compile(
    r"which (?:blocks|numbers) (?:can the director see|does the director know of)", re.IGNORECASE
)
_KEYS = re.compile(r'under the key "(\w+)"')
_OWN_ACTION = re.compile(r"which number (?:do you move|is on the block that you will move)", re.I)
_CONSTRAINED = re.compile(
    r"the director refers to one of the blocks|the director knows only of", re.I
)
_MOVES = re.compile(r"move the (largest|smallest) block", re.IGNORECASE)
_DESCRIBES = re.compile(r"describe what happens in the animation", re.IGNORECASE)
_RULED = re.compile(r"grey screen[^.]*\. rule: that block does not count", re.IGNORECASE)
_STILL = re.compile(r"\ba single still\b", re.IGNORECASE)
_FILM = re.compile(r"\bthe video shows\b", re.IGNORECASE)
_SEQUENCE = re.compile(r"\bthe pictures show ([a-z-]+) frames\b", re.IGNORECASE)
_GRID = re.compile(
    r"\bthe picture shows ([a-z-]+) frames\b[^.]*?(?:, in ([a-z-]+) rows of ([a-z-]+))?\.",
    re.IGNORECASE,
)
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERED = re.compile(r"^Q(\d):", re.MULTILINE)


@dataclass(frozen=True)
class Shows:
    """What a message says that it shows of an animation: so many rows and columns of frames.

    A sequence is one row, a still one frame; of a film nothing is counted.
    """

    kind: Kind
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True)
class Asked:
    """The questions of a message.

    describes: a description of an animation is asked for; the rest is of the Director Task.
    shows: what it is said to be shown as; None where that is not understood.
    sees_first: the report of what the director sees is asked for before the move.
    ruled: the block before the grey screen is out, by a rule and not by anyone's view.
    numbered: which of Q1, Q2, … the answers' lines begin with; none: `Answer`.
    keys: of the JSON object that the last message asks for, in order; none: no JSON is asked for.
    own_action: the last question is what the tester itself does, not what the director means.
    constrained: it is said what the director knows of, or refers to.
    """

    sees: bool
    moves: Polarity | None
    sees_first: bool
    ruled: bool
    numbered: tuple[str, ...]
    describes: bool
    shows: Shows | None
    keys: tuple[str, ...] = ()
    own_action: bool = False
    constrained: bool = False


def read_question(text: str, last: str | None = None) -> Asked:
    """What the words of a message ask for. last: of a conversation, its last message alone."""
    sees, moves = _SEES.search(text), _MOVES.search(text)
    return Asked(
        sees=sees is not None,
        moves=None if moves is None else _polarity(moves[1]),
        sees_first=bool(sees and moves and sees.start() < moves.start()),
        ruled=_RULED.search(text) is not None,
        numbered=tuple(dict.fromkeys(_NUMBERED.findall(text))),
        describes=_DESCRIBES.search(text) is not None,
        shows=_shows(text),
        keys=tuple(dict.fromkeys(_KEYS.findall(text if last is None else last))),
        own_action=_OWN_ACTION.search(text) is not None,
        constrained=_CONSTRAINED.search(text) is not None,
    )


def _polarity(word: str) -> Polarity:
    return "largest" if word.lower() == "largest" else "smallest"


def _shows(text: str) -> Shows | None:
    if _FILM.search(text):
        return Shows("film")
    if _STILL.search(text):
        return Shows("still")
    if found := _SEQUENCE.search(text):
        number = _number(found[1])
        return None if number is None else Shows("sequence", 1, number)
    found = _GRID.search(text)
    if found is None:
        return None
    number, rows, columns = (None if word is None else _number(word) for word in found.groups())
    if rows is None and number is not None:  # a grid of no stated shape is as wide as high
        rows = columns = math.isqrt(number)
    told = None not in (number, rows, columns) and rows * columns == number
    return Shows("grid", rows, columns) if told else None


def _number(word: str) -> int | None:
    """The number that a word says, from one to ninety-nine; None for another word."""
    tens, _, ones = word.lower().partition("-")
    if ones:
        known = tens in _TENS and ones in _ONES
        return 10 * (_TENS.index(tens) + 2) + _ONES.index(ones) + 1 if known else None
    for words, first, step in ((_ONES, 1, 1), (_TEENS, 10, 1), (_TENS, 20, 10)):
        if tens in words:
            return first + step * words.index(tens)
    return None
