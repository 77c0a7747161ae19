"""What a tester is asked about a scene: prompts a, b and c, built from parts.

Prompt a asks which blocks the director sees; b which block to move on the director's word; c both,
a first; cQ2 the second question of c alone, in c's own form. They ask for the answer line alone,
without reasoning (cross-task paper, section 3.1, "without chain-of-thought"). No prompt names the
arm, the condition or the answer. Arms that show other pictures (no_occluder, same_side, four_block)
show them under the same bytes; the three arms with words of their own are built from the same
parts, so that nothing but the part in question differs.
"""

from typing import Literal

from vlmtom.palette import PALETTE_COLORS

SubPrompt = Literal["a", "b", "c", "cQ2"]
Polarity = Literal["largest", "smallest"]
POLARITIES: tuple[Polarity, ...] = ("largest", "smallest")

# What an arm asks of each scene; the others ask a, b and c.
_ASKED: dict[str, tuple[SubPrompt, ...]] = {"unasked": ("cQ2",), "rule": ("b", "cQ2")}
# Arms in which the tester may reason before it answers.
REASONING_ARMS = frozenset({"reasoning"})

SCENE = (
    "The picture shows a table with coloured blocks. Each block carries a letter. "
    "The person at the table is the director."
)
SEES = "Which blocks can the director see?"
MOVES = (
    'The director says to you: "Move the {polarity} block to the right." Which block do you move?'
)

RULED = (
    "The picture shows a table with coloured blocks. Each block carries a letter. "
    "One block has a grey screen standing right behind it. Rule: that block does not count."
)
MOVES_RULED = (
    'The instruction to you is: "Move the {polarity} block to the right." Which block do you move?'
)

_NAMING = "Name {what} by its letter and its colour word, as in the pattern below"
_COLORS = f"Colour words: {', '.join(PALETTE_COLORS)}."
_FORM = "Reply with {lines} and nothing else: no reasoning, no explanation."
_FORM_REASONING = (
    "You may reason first, at any length. End your reply with {lines} and nothing after."
)
_LINES = {1: "this one line", 2: "these two lines"}
_MANY = "<letter> (<colour word>), <letter> (<colour word>), ..."
_ONE = "<letter> (<colour word>)"


def asked(arm: str) -> tuple[SubPrompt, ...]:
    """The sub-prompts that an arm puts to each of its scenes, each in a call of its own."""
    return _ASKED.get(arm, ("a", "b", "c"))


def prompt(sub_prompt: SubPrompt, polarity: Polarity, arm: str = "canonical") -> str:
    """The text of a prompt. polarity: which extremum is named (not used by a)."""
    scene, moves = (RULED, MOVES_RULED) if arm == "rule" else (SCENE, MOVES)
    moves = moves.format(polarity=polarity)
    each = _NAMING.format(what="each block") + ', or write "none".'
    one = _NAMING.format(what="the block") + "."
    question, naming, pattern = {
        "a": (SEES, each, (f"Answer: {_MANY}",)),
        "b": (moves, one, (f"Answer: {_ONE}",)),
        "c": (f"Q1: {SEES}\nQ2: {moves}", each, (f"Q1: {_MANY}", f"Q2: {_ONE}")),
        "cQ2": (f"Q2: {moves}", each, (f"Q2: {_ONE}",)),
    }[sub_prompt]
    form = _FORM_REASONING if arm in REASONING_ARMS else _FORM
    form = form.format(lines=_LINES[len(pattern)])
    lines = "\n".join(pattern)
    return f"{scene}\n\n{question}\n\n{naming} {_COLORS}\n{form}\n\n{lines}"


def every_prompt() -> dict[str, str]:
    """All texts by name, for the locks, the snapshots and an appendix.

    A text that an arm shares with the canonical one stands under the canonical name alone.
    """
    texts = {
        f"director/{sub_prompt}.{polarity}": prompt(sub_prompt, polarity)
        for sub_prompt in asked("canonical")
        for polarity in POLARITIES
        if sub_prompt != "a" or polarity == "largest"
    }
    for arm in ("unasked", "rule", "reasoning"):
        texts |= {
            f"director/{arm}.{sub_prompt}.{polarity}": prompt(sub_prompt, polarity, arm)
            for sub_prompt in asked(arm)
            for polarity in POLARITIES
            if sub_prompt != "a" or polarity == "largest"
        }
    return texts
