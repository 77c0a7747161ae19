"""What a tester is asked about a scene: prompts a, b and c, built from parts.

Prompt a asks which blocks the director sees; b which block to move on the director's word; c both,
a first. They ask for the answer line alone, without reasoning (cross-task paper, section 3.1,
"without chain-of-thought"). No prompt names the arm, the condition or the answer, and none
depends on the arm: the control arms show other pictures under the same bytes.
"""

from typing import Literal

from vlmtom.palette import PALETTE_COLORS

SubPrompt = Literal["a", "b", "c"]
Polarity = Literal["largest", "smallest"]
SUB_PROMPTS: tuple[SubPrompt, ...] = ("a", "b", "c")
POLARITIES: tuple[Polarity, ...] = ("largest", "smallest")

SCENE = (
    "The picture shows a table with coloured blocks. Each block carries a letter. "
    "The person at the table is the director."
)
SEES = "Which blocks can the director see?"
MOVES = (
    'The director says to you: "Move the {polarity} block to the right." Which block do you move?'
)

_NAMING = "Name {what} by its letter and its colour word, as in the pattern below"
_COLORS = f"Colour words: {', '.join(PALETTE_COLORS)}."
_ONE_LINE = "Reply with this one line and nothing else: no reasoning, no explanation."
_TWO_LINES = "Reply with these two lines and nothing else: no reasoning, no explanation."
_MANY = "<letter> (<colour word>), <letter> (<colour word>), ..."
_ONE = "<letter> (<colour word>)"


def prompt(sub_prompt: SubPrompt, polarity: Polarity) -> str:
    """The text of a prompt. polarity: which extremum the director names (not used by a)."""
    moves = MOVES.format(polarity=polarity)
    each = _NAMING.format(what="each block") + ', or write "none".'
    one = _NAMING.format(what="the block") + "."
    if sub_prompt == "a":
        return _text(SEES, each, _COLORS, _ONE_LINE, f"Answer: {_MANY}")
    if sub_prompt == "b":
        return _text(moves, one, _COLORS, _ONE_LINE, f"Answer: {_ONE}")
    return _text(f"Q1: {SEES}\nQ2: {moves}", each, _COLORS, _TWO_LINES, f"Q1: {_MANY}\nQ2: {_ONE}")


def every_prompt() -> dict[str, str]:
    """All texts by name, for the locks, the snapshots and an appendix."""
    return {
        f"director/{sub_prompt}.{polarity}": prompt(sub_prompt, polarity)
        for sub_prompt in SUB_PROMPTS
        for polarity in POLARITIES
        if sub_prompt != "a" or polarity == "largest"
    }


def _text(question: str, naming: str, colors: str, form: str, pattern: str) -> str:
    return f"{SCENE}\n\n{question}\n\n{naming} {colors}\n{form}\n\n{pattern}"
