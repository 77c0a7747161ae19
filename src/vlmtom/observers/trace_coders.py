"""The embedded coder: it reads a reasoning trace by stated rules, from the prompt's own words.

It follows a trace sentence by sentence and takes the rule that the trace ends on. It reads English;
of another language it says so and gives no code.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vlmtom.observers import trace_words as words

CODERS: Mapping[str, str] = {
    "coder-words": "takes the rule that the words of the last deciding sentence name",
}
NOT_UNDERSTOOD = "The question is not understood."
NOT_READ = "The reasoning cannot be read."

_FENCED = re.compile(r"^(\[trace [0-9a-f]{12,}\])\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"^The answer: (\{.*\})$", re.MULTILINE)
_CHOICE = re.compile(r'"choice": (\d+)')
# A line of a list stays together: "4: behind the panel. Not visible."
_SENTENCE = re.compile(r"^[ \t]*[-*•][^\n]+|[^.!?\n]+[.!?]*", re.MULTILINE)
_DIGIT = re.compile(r"(?<![\w.])\d(?![\w])")
_ONLY_DIGITS = re.compile(r"[\d,&. ]*\d(?:[\d,&. ]|and)*\.?")  # answers "which does he see?"
_LEAST_WORDS, _MOST_WORDS = 3, 40


@dataclass(frozen=True)
class _Sentence:
    """A sentence as it stands in the trace, and what of it the trace states itself."""

    raw: str
    own: str

    @property
    def asks(self) -> bool:
        return self.raw.rstrip().endswith("?")


@dataclass(frozen=True)
class _Sight:
    """That the director sees a block, or does not, as the trace says it."""

    digit: int
    seen: bool


def coder_reply(name: str, text: str) -> str:
    """A coder's whole reply to a prompt: the JSON object that it asks for.

    Instead of codes it says that it does not understand the prompt, or cannot read the language.
    Raises KeyError for an unknown coder.
    """
    CODERS[name]
    answer, fenced = _ANSWER.search(text), _FENCED.search(text)
    choice = _CHOICE.search(answer[1]) if answer is not None else None
    if fenced is None or choice is None:
        return NOT_UNDERSTOOD
    trace, chosen = fenced[2], int(choice[1])
    if sum(char.isalpha() for char in trace) > 2 and not words.ENGLISH.search(trace):
        return NOT_READ
    sentences = [_sentence(found[0]) for found in _SENTENCE.finditer(trace) if found[0].strip()]
    reading, place = _reading(sentences)
    sights = list(_sights(sentences))
    codes = {
        "reading": reading,
        "director_sees_choice": _sees(chosen, sights, reading),
        "visibility_worked_out": "yes" if sights else "no",
        "quote": _quote([one.raw for one in sentences], place),
    }
    return json.dumps(codes, ensure_ascii=False)


def _sentence(raw: str) -> _Sentence:
    own = words.MARKS.sub("", words.DRAFT.sub(" ", words.QUOTED.sub(" ", raw)))
    return _Sentence(raw, "" if words.TO_A_CODER.search(raw) else own)


# The rule behind the choice --------------------------------------------------------------------


def _reading(sentences: Sequence[_Sentence]) -> tuple[str, int]:
    """The reading that the trace ends on, and the place of the sentence that shows it.

    What the director knows goes before the trace's own view, as the reason behind it. A bare
    "the largest is 3" counts where no sentence says whose largest.
    """
    found: list[tuple[str, int]] = []
    bare = None
    sees_before = False
    for place, one in enumerate(sentences):
        if one.asks or words.CONSIDERED.search(one.own):
            continue
        reading = _reading_of(one.own, sees_before)
        if reading is not None:
            found.append((reading, place))
        elif words.BARE_SIZE.search(one.own):
            bare = place
        sees_before = bool(words.SEEN.search(one.own) or words.UNSEEN.search(one.own)) or (
            sees_before and reading is None
        )
    if not found:
        return ("no_rule", len(sentences) - 1) if bare is None else ("own_view", bare)
    last, place = found[-1]
    known = [at for reading, at in found if reading == "prior_knowledge"]
    if last == "own_view" and known:
        return "prior_knowledge", known[-1]
    return last, place


def _reading_of(text: str, sees_before: bool) -> str | None:
    """The reading that a sentence's words name last; sees_before: it follows on what is seen."""
    refers = [words.OF_THESE, words.OF_THE_REST] if sees_before else []
    cues = {
        "director_view": [*words.DIRECTOR_VIEW, *refers],
        "own_view": [*words.OWN_VIEW, words.DISREGARDED],
        "prior_knowledge": () if words.UNKNOWING.search(text) else words.PRIOR_KNOWLEDGE,
        "largest_digit": words.LARGEST_DIGIT,
        "no_rule": [words.UNDECIDED],
    }
    ends = {
        reading: max((match.end() for match in _held(patterns, text)), default=-1)
        for reading, patterns in cues.items()
    }
    if words.DISREGARDED.search(text) and words.SIZE.search(text):
        ends["director_view"] = -1
    if ends["largest_digit"] >= 0:  # "the largest number among those that he sees"
        ends["director_view"] = -1
    if ends["prior_knowledge"] >= 0:  # "he knows of it, so it is the largest overall"
        ends["own_view"] = -1
    best = max(ends, key=lambda reading: ends[reading])
    return best if ends[best] >= 0 else None


def _held(cues: Iterable[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    """The matches of cues that are not rejected: "the largest, not the largest that he sees"."""
    for cue in cues:
        for match in cue.finditer(text):
            if not words.REJECTED.search(text[max(0, match.start() - 40) : match.start()]):
                yield match


# What the director sees ------------------------------------------------------------------------


def _sees(chosen: int, sights: Sequence[_Sight], reading: str) -> str:
    """What the trace said last of the chosen block; else what its lists and its rule imply."""
    of_choice = [one.seen for one in sights if one.digit == chosen]
    if of_choice:
        return "yes" if of_choice[-1] else "no"
    if reading == "director_view":
        return "yes"
    return "no" if any(one.seen for one in sights) else "unclear"


def _sights(sentences: Sequence[_Sentence]) -> Iterator[_Sight]:
    """Every statement that the director sees a block or does not, in the trace's order."""
    before: int | None = None  # the block named last, which a pronoun stands for
    asked = False
    for one in sentences:
        if one.asks:
            asked = bool(words.ASKS_WHO_SEES.search(one.own))
            continue
        by_one: list[re.Match[str]] = []
        if asked or words.ASKS_WHO_SEES.search(one.own):
            by_one = list(words.ONE_BY_ONE.finditer(one.own))
            for match in by_one:
                yield _Sight(int(match[1]), not match[2].lower().startswith(words.NOT_SEEN_WORDS))
        if asked and _ONLY_DIGITS.fullmatch(one.own):
            for found in _DIGIT.findall(one.own):
                yield _Sight(int(found), True)
        seen_before = False
        rest = one.own if not by_one else one.own[: by_one[0].start()]
        for clause in words.BUT.split(rest):
            digits = [int(found) for found in _DIGIT.findall(clause)]
            unseen = bool(words.UNSEEN.search(clause))
            seen = not unseen and bool(words.SEEN.search(clause))
            denied = seen_before and clause.strip().startswith("not ")
            if (unseen or seen or denied) and not words.IF.search(clause):
                if not digits and before is not None and _of_one(clause, unseen):
                    digits = [before]
                for digit in digits:
                    yield _Sight(digit, seen)
            seen_before = seen
            before = digits[-1] if digits else before


def _of_one(clause: str, unseen: bool) -> bool:
    """Whether a clause without a number is about the block named before, not blocks in general."""
    if words.ANYTHING.search(clause):
        return False
    return unseen or bool(words.IT.search(clause))


# The quote -------------------------------------------------------------------------------------


def _quote(sentences: Sequence[str], place: int) -> str:
    """The sentence at a place, with those before it while it is too short, cut to 40 words."""
    if not sentences:
        return ""
    first, last = place, place
    while len(" ".join(sentences[first : last + 1]).split()) < _LEAST_WORDS:
        if first > 0:
            first -= 1
        elif last + 1 < len(sentences):
            last += 1
        else:
            break
    return " ".join(" ".join(sentences[first : last + 1]).split()[:_MOST_WORDS])
