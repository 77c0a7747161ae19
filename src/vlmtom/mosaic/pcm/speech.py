"""What the reference agent says of a box and asks about one, and what it takes from a sentence.

Whatever is said acts on preferences only, as triples: who, which box, more or less liked. Any text
is listened to, also a model's. Source: MOSAIC paper, appendices A and D.3.
"""

import re

from vlmtom.mosaic.beliefs import Update
from vlmtom.mosaic.world import Role

STATEMENTS: tuple[str | None, ...] = ("dark", "light", None)  # None: of neither box

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
_NO_DENIAL = re.compile(r"\b(?:no doubt|without (?:a |any )?doubt|not only)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:not|no|never|nothing|neither|without|empty|wrong|avoid|away from|cannot)\b|n[’']t\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:if|whether|either|or|might|may|maybe|perhaps|could|would|possibly|unsure|guess"
    r"|wonder|depends|nor)\b"
    r"|\b(?:can(?:no|['’])t|won['’]t|not|unable to|refuse to) (?:say|tell|reveal|confirm)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = re.compile(
    r"[,;:—]|\s[-–]\s|\b(?:but|and|while|whereas|although|though|instead of|rather than|so)\b",
    re.IGNORECASE,
)
# What stands after these is denied, though no word in its own clause says so.
_TURNED = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)


def told(box: str | None) -> str:
    """The subject's statement for a box, or of neither."""
    return _TOLD[box]


def asked(box: str | None) -> str:
    """The participant's question about a box, or about both."""
    return _ASKED[box]


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
                denials = len(_DENIED.findall(_NO_DENIAL.sub("", clause))) + turned
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


def updates(text: str, speaker: Role) -> tuple[Update, ...]:
    """What a listener takes from a text: its speaker likes the box, and a participant likes it too.

    The trust is that of order 0. The subject has its own preferences by its role: of what the
    participant says it only learns. Empty where the text says nothing clear.
    """
    box = named_box(text)
    if box is None:
        return ()
    likes = Update(speaker, box, 1.0)
    return (likes, Update("participant", box, 1.0)) if speaker == "subject" else (likes,)
