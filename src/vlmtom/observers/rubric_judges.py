"""Embedded judges: they score a description by stated lexical rules, from the prompt's own text.

They differ in how they read what a word leaves open: strictly (the lower rung), plainly, or
leniently (the higher one). They read English; of another language they say so and give no score.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from vlmtom.observers import rubric_words as words

JUDGES: Mapping[str, str] = {
    "judge-strict": "gives a rung only for explicit evidence: the lower one in doubt",
    "judge-plain": "reads words in their usual sense",
    "judge-lenient": "gives the benefit of the doubt: the higher rung",
}
_READINGS = {name: place for place, name in enumerate(JUDGES)}

NOT_UNDERSTOOD = "The question is not understood."
NOT_READ = "The description cannot be read."

_CONDITION = re.compile(r"^Condition: (\w+)", re.MULTILINE)
_SCRIPT = re.compile(r"^Script: (.+)$", re.MULTILINE)
_FENCED = re.compile(r"^(\[description [0-9a-f]{12,}\])\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_CLAUSE = re.compile(
    # A comma parts clauses where somebody follows who acts; in a list of verbs it does not.
    r"[.;:!?\n()—–]+"
    r"|,(?= (?:and |so )?(?:the|an?|it|they|he|she|its|one|red|blue|each|both|which|who)\b)"
    r"|\b(?:but|while|whereas|because|although|though|until|then)\b"
    r"|\band\b(?= \w+ing\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_REACH = 6  # words before a cue in which a negation counts
_REACH_CHARACTERS = 120  # so that a text without an end costs no more than its length


@dataclass(frozen=True)
class _Task:
    condition: str
    script: str
    description: str


@dataclass(frozen=True)
class _Account:
    """What a description says, under one reading."""

    text: str
    rung: int
    moves: bool  # it speaks of movement
    purposeless: bool  # it denies a purpose or an interaction
    unknowing: bool  # the describer says that it does not know

    @property
    def says_something(self) -> bool:
        return self.rung > 0 or self.moves or self.purposeless


def judge_reply(name: str, text: str) -> str:
    """A judge's whole reply to a judging prompt: the JSON object that it asks for.

    Instead of scores it says that it does not understand the prompt, or cannot read the language.
    Raises KeyError for an unknown judge.
    """
    reading = _READINGS[name]
    task = _task(text)
    if task is None:
        return NOT_UNDERSTOOD
    said = _own_words(task.description)
    if not _readable(said):
        return NOT_READ
    account = _account(said, reading)
    approp = _appropriateness(account, task, reading)
    return json.dumps({"intent": account.rung, "approp": approp})


def _task(text: str) -> _Task | None:
    condition, script = _CONDITION.search(text), _SCRIPT.search(text)
    fenced = _FENCED.search(text)
    if condition is None or script is None or fenced is None:
        return None
    return _Task(condition[1], script[1], fenced[2])


def _own_words(description: str) -> str:
    """The description without speech in quotation marks and without words to the judge."""
    spoken = words.SPEECH.sub(" ", words.FORGED.sub("\n", description))
    kept = (part for part in _SENTENCE.split(spoken) if not _is_talk(part))
    about = words.DESCRIBER.sub(" ", "\n".join(kept))
    # Contact with walls is motion, whatever its verb.
    return words.AT_WALLS.sub(" bounces ", about)


def _is_talk(sentence: str) -> bool:
    """Words to the judge, or to the reader about nothing that moves."""
    if words.TO_THE_JUDGE.search(sentence) or words.TO_THE_READER.search(sentence):
        return True
    figures = any(figure.search(sentence) for figure in words.FIGURES)
    return bool(words.TALK.search(sentence)) and not (figures or words.SHAPES.search(sentence))


def _readable(text: str) -> bool:
    """False for words of which none is English."""
    known = (words.ENGLISH, words.MOTION, *(cue.pattern for cue in words.CUES))
    letters = sum(char.isalpha() for char in text)
    return letters < 3 or any(pattern.search(text) for pattern in known)


def _account(text: str, reading: int) -> _Account:
    return _Account(
        text=text,
        rung=_rung(text, reading),
        moves=bool(words.MOTION.search(text)),
        purposeless=bool(words.NO_PURPOSE.search(text)),
        unknowing=bool(words.UNKNOWING.search(text)),
    )


# Intentionality --------------------------------------------------------------------------------


def _rung(text: str, reading: int) -> int:
    """The highest rung that any clause reaches."""
    reached = [0]
    for sentence in _SENTENCE.split(text):
        for clause in _CLAUSE.split(sentence):
            reached += [cue.rungs[reading] for cue in words.CUES if _holds(cue, clause)]
            if _states_hold(clause):
                reached.append(_state_rung(sentence, text, reading))
            if words.DANCES.search(clause) and not _negated(clause, words.DANCES):
                reached.append(2 if _two_figures(text) else 1)
        if words.ENCOURAGES.search(sentence) and words.CHANGED.search(sentence):
            reached.append(5)
    return max(reached)


def _holds(cue: words.Cue, clause: str) -> bool:
    if not cue.pattern.search(clause):
        return False
    return cue.mental or not _negated(clause, cue.pattern)


def _negated(clause: str, pattern: re.Pattern[str]) -> bool:
    """Whether every match of the pattern stands within reach of a negation before it."""
    return all(words.NEGATES.search(_before(clause, match)) for match in pattern.finditer(clause))


def _before(clause: str, match: re.Match[str]) -> str:
    """The words before a match within which a negation counts."""
    nearby = clause[max(0, match.start() - _REACH_CHARACTERS) : match.start()]
    return " ".join(nearby.split()[-_REACH:])


def _states_hold(clause: str) -> bool:
    """A state that is denied of one ("does not notice") is a state of mind all the same."""
    match = words.STATES.pattern.search(clause)
    if match is None:
        return False
    before = _before(clause, match)
    return not words.NEGATES_STATES.search(before) and "anything" not in clause


def _state_rung(sentence: str, text: str, reading: int) -> int:
    """A state of mind counts as one that is answered where there is somebody to answer it."""
    if reading == 2:
        return 4
    place = sentence if reading == 0 else text
    return 4 if _two_figures(place) else 1


def _two_figures(text: str) -> bool:
    named = sum(bool(figure.search(text)) for figure in words.FIGURES)
    return named > 1 or bool(words.BOTH.search(text))


# Appropriateness -------------------------------------------------------------------------------


def _appropriateness(account: _Account, task: _Task, reading: int) -> int:
    if not account.says_something:
        return 0
    if account.unknowing and account.rung == 0:
        return 1 if reading == 2 else 0
    if task.condition == "Random":
        return _fits_random(account, reading)
    return _fits_kind(account, task, reading)


def _fits_random(account: _Account, reading: int) -> int:
    """Plain motion fits; a purpose of one's own in part; anything between the two does not."""
    if account.rung == 0:
        return 3
    if account.rung == 1:
        return (1, 2, 2)[reading]
    return 2 if account.purposeless and reading == 2 else 1


def _fits_kind(account: _Account, task: _Task, reading: int) -> int:
    meant = _kind_of(task.script)
    if meant is None:
        return 1
    named = {kind: _mentions(words.KINDS[kind].names, account.text) for kind in words.KINDS}
    touched = _mentions(words.KINDS[meant].touches, account.text)
    if not named[meant]:
        if not touched or account.rung == 0:
            return 1
        if len(touched) > 1 and account.rung >= 4:  # the gist, in other words
            return (2, 3, 3)[reading]
        return 2 if account.rung >= 3 else (1, 2, 2)[reading]
    others = max(len(found) for kind, found in named.items() if kind != meant)
    fit = (2, 2, 3)[reading] if others > len(named[meant]) else 3
    if task.condition == "GD" and account.rung >= 4:  # more mind than the clip shows
        fit = min(fit, (1, 2, 2)[reading] if account.rung == 5 else (2, 2, 3)[reading])
    return fit


def _kind_of(script: str) -> str | None:
    """The kind of event that a script names, by its words; names weigh twice."""
    weight = {
        name: 2 * len(_mentions(kind.names, script)) + len(_mentions(kind.touches, script))
        for name, kind in words.KINDS.items()
    }
    best = max(weight, key=lambda name: weight[name])
    return best if weight[best] else None


def _mentions(pattern: re.Pattern[str], text: str) -> set[str]:
    """The different words of a kind that a text uses without denying them."""
    return {
        match[0].lower()
        for clause in _CLAUSE.split(text)
        for match in pattern.finditer(clause)
        if not words.NEGATES.search(_before(clause, match))
    }
