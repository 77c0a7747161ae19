"""Which box the reasoning of a reply says its author goes to, to be held against its move.

Models say one thing and do another: the paper shows a move to the right under a reasoning that goes
to the box on the left (appendix H). This counts only what is stated plainly. Source of the move's
own box: world.nearer_sideways.
"""

import re

from vlmtom.mosaic.triples import NAMES
from vlmtom.mosaic.world import DARK, LIGHT, ROLES, Role

LONGEST = 20_000  # characters of a reasoning that are read

_BOX = r"(?:(?P<dark>dark(?:er)?)|(?P<light>light(?:er)?))(?:[ -]brown)?[ -]box"
_BOXES = re.compile(rf"\b{_BOX}(?:es)?\b")
_OF_BOX = r"(?:(?:the|a|my|that|this|own|preferred|favou?red|other|actual|real|correct|right|wrong)"
_OF_BOX += r"|empty|reward|treasure|so-called|nearby|opposite|decoy|vicinity|area|side|location"
_OF_BOX += r"|position|direction|spot|cell|adjacent|next|of|near|to)"

_MOVE = (
    r"(?:move|moving|go|going|head|heading|walk|walking|step|stepping|advance|advancing|proceed"
    r"|proceeding|shift|shifting|get|getting|come|coming|run|running|navigate|navigating|travel"
    r"|travell?ing|drift|drifting|return|returning|continue|continuing|position|positioning"
    r"|(?:movement|steps?|motion) (?:is|are|will be))"
)
_TOWARDS = (
    r"(?:towards?|to|into|near|nearer(?: to)?|closer(?: to)?|next to|adjacent to|beside|in front of"
    r"|in the direction of|by)"
)
_BETWEEN = (
    r"(?:(?!(?:box|away|from|not|without|never|no|avoid\w*|instead|rather|between|than)\b)"
    r"[\w'’()-]+ ){0,6}?"
)
# Movement and its goal, or a verb that has the goal as its object.
_GOES = re.compile(
    rf"\b(?:{_MOVE} {_BETWEEN}{_TOWARDS}|approach(?:ing)?|near(?:ing)?)"
    rf" (?:{_OF_BOX} ){{0,5}}{_BOX}\b"
)
_BOTH = re.compile(r"\bbox (?:and|or|nor) |\bboxes\b|\beither box\b|\bbetween\b")

_NOT = re.compile(
    r"\b(?:not|n't|never|no|nor|neither|avoid\w*|without|instead of|rather than|refrain\w*|against"
    r"|stop\w*|unless|prevent\w*|don't|won't|shouldn't|cannot|can't|wouldn't|mustn't|fail\w*)\b"
    r"|n't\b"
)
_IF = re.compile(
    r"\b(?:if|whether|when|whenever|were i to|should i|suppose|supposing|could have|would have"
    r"|might have|had|was|were|been|already|previously|earlier|last (?:step|turn|round))\b|\?"
)
_HYPOTHESIS = re.compile(
    r"^\W*(?:\w+ly )?(?:moving|going|heading|walking|stepping|advancing|approaching|getting|coming"
    r"|running|shifting)\b.*\b(?:would|could|might|may|can|risks?)\b"
)
_OWN = re.compile(r"\b(?:i|i'm|i'll|i'd|my|me|myself|we|we'll|let's|us|our)\b")
_OTHERS = re.compile(
    r"\b(?:he|him|his|she|her|they|them|their|it|its|player|opponent|partner|other|someone"
    r"|agent|you|your)\b"
)
# Verbs whose object is to move, where the object is not named: "guide towards the box".
_CAUSES = re.compile(
    r"\b(?:guid|lead|led|steer|direct|push|send|sent|encourag|persuad|mak|let|lur|mislead|help"
    r"|convinc|hop|expect|draw|attract|invit|nudg|tempt|trick|entic|allow|caus|forc|ask|tell|see)"
    r"(?:e|es|s|ing|ting)?\b"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE = re.compile(r"[,;:]|--|—|–|\b(?:but|while|whereas|although|though|because|since)\b")


def stated_box(reasoning: str, role: Role | None = None) -> int | None:
    """The box that a reasoning names as the goal of its author's own movement: 0, 1 or null.

    Null where it names none, where it names both, and for what is denied, supposed, past, or the
    other's movement; turning and looking are no movement. role: the author's, whose name then
    stands for "I".
    """
    text = " ".join(re.sub(r"[*_`\"“”]+", "", reasoning[:LONGEST]).casefold().split(" "))
    found = {
        box
        for sentence in _SENTENCE.split(text.replace("’", "'"))
        for box in _of_sentence(sentence, role)
    }
    return found.pop() if len(found) == 1 else None


def _of_sentence(sentence: str, role: Role | None) -> set[int]:
    """The goals that one sentence states."""
    found: set[int] = set()
    mine: bool | None = None  # whose clause the last subject was
    for clause in _CLAUSE.split(sentence):
        goal = _GOES.search(clause)
        before = clause[: goal.start()] if goal else clause
        subject, since = _last_subject(before, role)
        mine = subject if subject is not None else mine
        if goal is None or mine is False or _CAUSES.search(before, since):
            continue
        if _IF.search(before) or _NOT.search(before) or _HYPOTHESIS.search(clause):
            continue
        if clause.rstrip().endswith("?"):
            continue
        if _BOTH.search(clause[goal.start() :]):
            found |= {DARK, LIGHT}
            continue
        found.add(DARK if goal["dark"] else LIGHT)
    return found


def _last_subject(words: str, role: Role | None) -> tuple[bool | None, int]:
    """Whether the last agent that is named is the author, and where its name ends.

    Null and 0 where none is named.
    """
    own = [match.end() for match in _OWN.finditer(words)]
    others = [match.end() for match in _OTHERS.finditer(words)]
    for named in ROLES:
        at = [match.end() for match in re.finditer(rf"\b{NAMES[named].casefold()}\b", words)]
        (own if named == role else others).extend(at)
    if not own and not others:
        return None, 0
    return max(own, default=-1) > max(others, default=-1), max(own + others)
