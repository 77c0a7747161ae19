"""What the reference agent says of a box and asks about one, and what it takes from a sentence.

An utterance is a set of triples (who, which box, more or less liked), as beliefs are: a voice puts
triples into words and words into triples. The voice of templates is here; a language model can take
its place. Source: MOSAIC paper, appendix A (utterances act on preferences only) and D.3.
"""

import re
from typing import Protocol

from vlmtom.mosaic.agent import Heard, Moment, Utterance
from vlmtom.mosaic.beliefs import Update
from vlmtom.mosaic.world import Role, opposite

Said = tuple[Update, ...]

STATEMENTS: tuple[str | None, ...] = ("dark", "light", None)  # what the subject can say to be liked

_TOLD = {
    "dark": "The treasure is in the dark brown box.",
    "light": "The treasure is in the light brown box.",
    None: "I would rather not say where the treasure is.",
}
_ASKED = {
    "dark": "Is the treasure in the dark brown box?",
    "light": "Is the treasure in the light brown box?",
    None: "Which of the two boxes is the treasure in?",
}

_BOX = re.compile(
    r"\b(dark|light)(?:er)?(?:[ -]brown(?:[ -](?:box|one))?|[ -](?:box|one))\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|no|never|nothing|neither|nor|without|empty|wrong|avoid|away from|cannot)\b|n[’']t\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:if|whether|either|or|might|may|maybe|perhaps|could|would|possibly|unsure|guess"
    r"|wonder|depends|nor)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = re.compile(
    r"[,;:—]|\s[-–]\s|\b(?:but|and|while|whereas|although|though|instead of|rather than|so)\b",
    re.IGNORECASE,
)
# What stands after these is denied, though no word in its own clause says so.
_TURNED = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)


class Voice(Protocol):
    """Triples to words, and words to triples."""

    async def word(self, moment: Moment, said: Said) -> Utterance:
        """Words for what is to be said: a question of the participant, a statement of the subject.

        said: the speaker's row of the box in question; empty: of neither. Raises TrialLost.
        """

    async def read(self, moment: Moment) -> Heard:
        """What the other's last utterance (`moment.heard`) changes. Raises TrialLost."""


class Templates:
    """Three questions, three statements, and the reader below."""

    async def word(self, moment: Moment, said: Said) -> Utterance:
        """One fixed sentence for each."""
        entity = said[0].entity if said else None
        wordings = _TOLD if moment.beliefs.owner == "subject" else _ASKED
        return Utterance(wordings[entity])

    async def read(self, moment: Moment) -> Heard:
        """By the reader below."""
        return Heard(updates(moment.heard or "", opposite(moment.beliefs.owner)))


def named_box(text: str) -> str | None:
    """The box, dark or light, that a text says the treasure is in, or that its speaker is for.

    Clause by clause: a clause counts where it names just one box, asks nothing and leaves nothing
    open (if, might, or); a denial turns it to the other box. Null where no clause counts, or two
    contradict each other.
    """
    found = set()
    for sentence in _SENTENCE.split(text):
        if "?" in sentence or _OPEN.search(sentence):
            continue
        for clause, turned in _clauses(sentence):
            boxes = {match.group(1).lower() for match in _BOX.finditer(clause)}
            if len(boxes) == 1:
                # Taken out, so that nothing in a box's name counts as a denial.
                denials = len(_DENIED.findall(_BOX.sub("", clause))) + turned
                box = boxes.pop()
                found.add(_across(box) if denials % 2 else box)
    return found.pop() if len(found) == 1 else None


def _clauses(sentence: str) -> list[tuple[str, int]]:
    """Clauses, each with 1 where it stands after a word that turns it, else 0."""
    clauses, start, turned = [], 0, 0
    for match in _CLAUSE.finditer(sentence):
        clauses.append((sentence[start : match.start()], turned))
        start, turned = match.end(), int(_TURNED.search(match.group()) is not None)
    clauses.append((sentence[start:], turned))
    return clauses


def _across(box: str) -> str:
    return "light" if box == "dark" else "dark"


def updates(text: str, speaker: Role) -> Said:
    """What a listener takes from a text: the speaker likes the box, and a participant trusts that.

    Empty where the text says nothing clear.
    """
    box = named_box(text)
    if box is None:
        return ()
    return taken(claim(speaker, box))


def claim(speaker: Role, box: str | None) -> Said:
    """The triple of saying that one is for a box; none for saying nothing of either."""
    return () if box is None else (Update(speaker, box, 1.0),)


def taken(said: Said) -> Said:
    """What the listener makes of the subject's claim: its own liking follows, as of order 0.

    The subject has its own preferences by its role; of the participant's claims it only learns.
    """
    follows = tuple(
        Update(opposite(update.whose), update.entity, update.towards)
        for update in said
        if update.whose == "subject"
    )
    return (*said, *follows)


