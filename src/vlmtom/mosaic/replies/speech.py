"""Decides what a reply says aloud in the treasure game, and what it says to itself before.

Asked for is `Inner speech: … Output: …`. Inner speech is never taken for what is said.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vlmtom.mosaic.replies.words import (
    CLOSER,
    COLON,
    DASH,
    LABEL_END,
    LINE_START,
    NOTE,
    PLACEHOLDER,
    QUOTES,
    visible,
)
from vlmtom.mosaic.world import Role
from vlmtom.parsing import jsonish, lexicon
from vlmtom.parsing.gate import cut_reasoning
from vlmtom.parsing.json_answers import whole_reply
from vlmtom.parsing.model import Reason
from vlmtom.parsing.text import normalise

LONG_ENOUGH = (10, 50)  # words of an answer, both allowed
INNER_WORDS = 100  # at least

_INNER = r"(?:inner|internal)[\W_]{0,4}(?:speech|monologue|dialogue|thoughts?|thinking|reasoning)"
# What else is said to oneself, if it is announced as such on a line of its own.
_ASIDE = r"(?:my )?(?:private thoughts?|thoughts?|thinking|reasoning|understanding|explanation"
_ASIDE += r"|rationale|justification|analysis)"
_ALOUD = r"(?:final |my )?(?:output|answer|response|question|reply|utterance)(?: to \w+)?"
# A label opens a line, in whatever dress; one that asks for it may stand in a sentence.
_LINE = re.compile(
    rf"{LINE_START}(?:(?P<inner>{_INNER}|{_ASIDE})|(?P<output>output)|(?P<aloud>{_ALOUD}))"
    rf"{LABEL_END}"
)
_IN_TEXT = re.compile(
    rf"(?i)[<\[(]\s?/\s?(?P<close>{_INNER}|{_ALOUD})\s?[>\])]"
    rf"|[*_`\"'{{(\[<|]{{0,8}}(?<![\w-])(?:(?P<inner>{_INNER})|(?P<output>output)|(?P<aloud>(?!)))"
    rf"(?:{COLON}|{CLOSER}|{DASH})"
)
# An "output:" within a sentence is spoken of; a label begins one, or is a word of its own kind.
_SENTENCE_ENDS = re.compile(r"(?:^|[.!?…;)\]>}\"'*_`/|\n])\s*$")
_KEY = re.compile(r"^[{\[\s]*[\"'].*[\"'][*_` \t]*[:\uff1a]$", re.S)
_SPOKEN_OF = re.compile(r"\b(?:my|the|this|that|an?|your|our|its|of|to|in|for)\s+$", re.I)
# The inner speech, unless it is the other's that is asked about.
_TOLD = re.compile(rf"(?i)(?<!your )(?<!your own )(?<![a-z]){_INNER}")
_ANYWHERE = re.compile(rf"(?i)(?<![a-z]){_INNER}")
_RULE = re.compile(r"[ \t]*[-=_*][-=_* \t]{2,}")
_BRACKETS = str.maketrans("（）［］【】〈〉《》", "()[][]<><>")
_PLAIN = QUOTES | _BRACKETS
_JSON = re.compile(r"\s*[\[{]\s*(?:[\"'“‘”\[{}\]]|$)")
_NAMES = re.compile(r"(?i)(?<!\w)(?:marie|(?:the )?participant)(?!\w)")


@dataclass(frozen=True)
class SpeechRead:
    """What is said, or why nothing could be read.

    text: null where `parsed` is false. inner: empty where there is none. flags: what of the form
    that was asked for is not kept: `no_output`, `no_inner`, `names`, of an answer also `length`
    and `inner_length`. reason: of parsing.REASONS.
    """

    text: str | None
    inner: str = ""
    flags: tuple[str, ...] = ()
    reason: Reason | None = None
    repairs: tuple[str, ...] = ()

    @property
    def parsed(self) -> bool:
        """Whether something is said."""
        return self.text is not None


def read_speech(text: str, role: Role) -> SpeechRead:
    """The question (of the participant) or answer (of the subject) in a reply.

    Without the label `Output:` it is what follows another label for speech, or the whole reply
    where there is no label, and flagged. Two different outputs are multiple_answers. Lengths are
    noted, not enforced. Paper, appendix D.2.
    """
    document = whole_reply(text, None, None)
    gated = cut_reasoning(text)
    if gated.text is None and not isinstance(document, dict):
        return SpeechRead(None, reason=gated.reason)
    plain = visible(gated.text or "")
    inner, outputs, labelled, repairs = _from_objects(plain, document)
    if not outputs:
        inner, outputs, labelled = _from_labels(plain)
    outputs = [said for said in map(_bare, outputs) if _can_be_said(said)]
    if len({" ".join(said.split()).casefold() for said in outputs}) > 1:
        return SpeechRead(None, inner, reason="multiple_answers", repairs=repairs)
    if not outputs:
        return SpeechRead(None, inner, reason="no_answer", repairs=repairs)
    said = outputs[-1]
    if not labelled and not inner and lexicon.REFUSAL.search(normalise(said[:2000])):
        return SpeechRead(None, reason="refusal", repairs=repairs)
    return SpeechRead(said, inner, tuple(_flags(said, inner, labelled, role)), repairs=repairs)


def _can_be_said(text: str) -> bool:
    """Whether it has words, and none of inner speech, of the form or of a torn object."""
    if PLACEHOLDER.fullmatch(text) or not any(char.isalpha() for char in text):
        return False
    return not _TOLD.search(text) and not _JSON.match(text)


def _from_labels(plain: str) -> tuple[str, list[str], bool]:
    """Inner speech, what may be said, and whether the label that was asked for stands there."""
    found = _labels(plain.translate(_PLAIN))
    if not found:
        return "", [] if _ANYWHERE.search(plain) else [plain], False
    ends = [*(match.start() for match in found[1:]), len(plain)]
    parts = [
        (match, _unquoted(match[0], plain[match.end() : end]))
        for match, end in zip(found, ends, strict=True)
    ]
    told = (_bare(_value(match[0], part) or part) for match, part in parts if match["inner"])
    inner = " ".join(filter(None, told))
    outputs = [_value(match[0], part) for match, part in parts if match["output"]]
    if outputs:
        return inner, outputs, True
    # "Question: …": what follows the last label that is not of inner speech.
    aloud = [_value(match[0], part) for match, part in parts if match["aloud"]]
    return inner, aloud[-1:], False


def _labels(plain: str) -> list[re.Match[str]]:
    """The labels in their order; "output" in a sentence counts where none opens a line."""
    lines = list(_LINE.finditer(plain))
    alone = not any(match["output"] for match in lines)
    found = {_place(match): match for match in _IN_TEXT.finditer(plain)}
    within = [
        match
        for match in found.values()
        if not match["output"] or (alone and _is_label(match, plain))
    ]
    found = {_place(match): match for match in [*within, *lines]}  # a line's own dress counts
    return [found[place] for place in sorted(found)]


def _place(match: re.Match[str]) -> int:
    return match.start(match.lastgroup or 0)


def _is_label(match: re.Match[str], plain: str) -> bool:
    before = plain[max(match.start() - 60, 0) : match.start()]
    if _SENTENCE_ENDS.search(before) or _KEY.search(match[0]):
        return True
    plainly = match["output"][0].isupper() and re.search(r"[:\uff1a\])>]", match[0])
    return bool(plainly) and not _SPOKEN_OF.search(before)


def _unquoted(label: str, part: str) -> str:
    """The part without the mark that closes what opens before its label: quotes, brackets."""
    opened = label.strip(" \t>#*_`-|•–—0123456789.")[:1]
    closing = {"'": "'", '"': '"', "(": ")", "[": "]", "{": "}", "<": ">"}.get(opened, "")
    part = part.strip()
    bare = part.rstrip("*_`")
    once = closing and label.count(closing) == (1 if opened == closing else 0)
    return bare[:-1] if once and bare.translate(_PLAIN).endswith(closing) else part


def _value(label: str, part: str) -> str:
    """The part; after a label in quotes, as JSON has keys, a whole string or nothing."""
    if not re.search(r"[\"'][*_` \t]*[:\uff1a]$", label):
        return part
    text = part.strip()
    straight = text.translate(QUOTES)
    if straight[:1] not in ('"', "'"):
        prose = not re.match(r"[\[{\d-]|(?i:null|none|true|false)\b", text)
        return part if prose and text[-1:] not in ("}", "]") else ""
    quoted = re.match(r"\"((?:[^\"\\]|\\.)*)\"\s*(?:[,}\]`*]|$)", straight, re.DOTALL)
    if not quoted:  # one with quotes in it that nothing escapes: "It's", in single ones
        mark = straight[0]
        quoted = re.match(rf"{mark}(.*)(?<!\\){mark}[\s,}}\]`*]*$", straight, re.DOTALL)
        if not quoted or (mark == '"' and quoted[1].count(mark) % 2):
            return ""
    inside = text[quoted.start(1) : quoted.end(1)]
    try:
        return str(json.loads(f'"{inside}"', strict=False))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", inside)


def _from_objects(plain: str, document: Any) -> tuple[str, list[str], bool, tuple[str, ...]]:
    """The same where a reply is written as JSON."""
    if isinstance(document, dict):
        found = [(document, frozenset[str]())]
    elif re.search(r"(?i)[\"'“]output[\"'”]\s{0,4}:", plain):
        straight = plain.translate(QUOTES)
        found = [(one.value, one.repaired) for one in jsonish.objects(straight)]
    else:
        return "", [], False, ()
    inner, outputs, repairs = "", [], {"as_json"}
    for one, marks in found:
        for key, value in _texts(one):
            if re.fullmatch(rf"output{NOTE}", key):
                within, said, labelled = _from_labels(visible(value))
                outputs += said if labelled else [visible(value)]
                inner = inner or within
                repairs |= marks
            elif re.match(rf"{_INNER}|{_ASIDE}", key):
                inner = visible(value).strip()
    if outputs:  # an object that is spoken of beside a plain "Output:" contradicts it
        outputs += [said for said in _plainly_said(plain) if not re.search(r"[{}]", said)]
    return inner, outputs, True, tuple(sorted(repairs)) if outputs else ()


def _plainly_said(plain: str) -> list[str]:
    """What stands after labels that are no keys of an object."""
    unkeyed = re.sub(r"(?i)([\"'“”])(?:output)[^\n:]{0,40}[\"'“”]\s{0,4}:", " ", plain)
    _, said, labelled = _from_labels(unkeyed)
    return said if labelled else []


def _texts(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in found.items():
        if isinstance(value, str):
            yield key.strip().casefold(), value


def _bare(part: str) -> str:
    """A text without fences, emphasis or quotation marks around all of it."""
    part = re.sub(r"(?m)^[ \t]*(?:```|~~~)[^\n`]*$", "", part).strip()
    part = _unruled(part)
    before = None
    while part != before:
        before = part
        part = part.strip().strip("*_`").strip(" \t\n|/")
        for pair in ('""', "''", "“”", "‘’", "«»"):
            inside = part[1:-1]
            if len(part) > 1 and part[0] == pair[0] and part[-1] == pair[1]:
                part = inside if pair[0] not in inside and pair[1] not in inside else part
    return part


def _unruled(part: str) -> str:
    """A text without the lines that only divide it from what is around it."""
    lines = part.strip().split("\n")
    bare = [not line.strip() or bool(_RULE.fullmatch(line)) for line in lines]
    if all(bare):
        return ""
    return "\n".join(lines[bare.index(False) : len(lines) - bare[::-1].index(False)])


def _flags(said: str, inner: str, labelled: bool, role: Role) -> Iterator[str]:
    if not labelled:
        yield "no_output"
    if not inner:
        yield "no_inner"
    if _NAMES.search(said):
        yield "names"
    if role == "subject":
        if not LONG_ENOUGH[0] <= len(said.split()) <= LONG_ENOUGH[1]:
            yield "length"
        if inner and len(inner.split()) < INNER_WORDS:
            yield "inner_length"
