"""Decides what a reply says aloud in the treasure game, and what it says to itself before.

Asked for is `Inner speech: … Output: …`. Inner speech is never taken for what is said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vlmtom.mosaic.replies.words import COLON, LABEL_END, LINE_START, PLACEHOLDER, QUOTES, visible
from vlmtom.mosaic.world import Role
from vlmtom.parsing import jsonish, lexicon
from vlmtom.parsing.gate import cut_reasoning
from vlmtom.parsing.json_answers import whole_reply
from vlmtom.parsing.model import Reason
from vlmtom.parsing.text import normalise

LONG_ENOUGH = (10, 50)  # words of an answer, both allowed
INNER_WORDS = 100  # at least

_INNER = r"inner[ _-]?(?:speech|monologue|thoughts?)"
_ALOUD = r"(?:final |my )?(?:output|answer|response|question|reply|utterance)(?: to \w+)?"
# A label opens a line, in whatever dress; one that asks for it may stand in a sentence.
_LINE = re.compile(
    rf"{LINE_START}(?:(?P<inner>{_INNER})|(?P<output>output)|(?P<aloud>{_ALOUD})){LABEL_END}"
)
_IN_TEXT = re.compile(
    rf"(?i)(?<![\w-])(?:(?P<inner>{_INNER})|(?P<output>output)|(?P<aloud>(?!))){COLON}"
)
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
    outputs = [said for said in map(_bare, outputs) if said and not PLACEHOLDER.fullmatch(said)]
    if len({" ".join(said.split()).casefold() for said in outputs}) > 1:
        return SpeechRead(None, inner, reason="multiple_answers", repairs=repairs)
    if not outputs:
        return SpeechRead(None, inner, reason="no_answer", repairs=repairs)
    said = outputs[-1]
    if not labelled and not inner and lexicon.REFUSAL.search(normalise(said[:2000])):
        return SpeechRead(None, reason="refusal", repairs=repairs)
    return SpeechRead(said, inner, tuple(_flags(said, inner, labelled, role)), repairs=repairs)


def _from_labels(plain: str) -> tuple[str, list[str], bool]:
    """Inner speech, what may be said, and whether the label that was asked for stands there."""
    found = list(_LINE.finditer(plain))
    if not any(match["output"] for match in found):
        # On one line: "Inner speech: … Output: …".
        within = list(_IN_TEXT.finditer(plain))
        if any(match["output"] for match in within):
            lines = {match.end() for match in within}
            found = sorted(
                [*within, *(match for match in found if match.end() not in lines)],
                key=lambda match: match.end(),
            )
    if not found:
        return "", [plain], False
    ends = [*(match.start() for match in found[1:]), len(plain)]
    parts = [
        (match, _unquoted(match[0], plain[match.end() : end]))
        for match, end in zip(found, ends, strict=True)
    ]
    inner = " ".join(_bare(part) for match, part in parts if match["inner"])
    outputs = [part for match, part in parts if match["output"]]
    if outputs:
        return inner, outputs, True
    # "Question: …": what follows the last label that is not of inner speech.
    aloud = [part for match, part in parts if match["aloud"]]
    return inner, aloud[-1:], False


def _unquoted(label: str, part: str) -> str:
    """The part without the mark that closes a quotation which opens before its label."""
    opened = label.strip(" \t>#*_`-")[:1]
    part = part.strip()
    once = opened in ("'", '"') and label.count(opened) == 1
    return part[:-1] if once and part.endswith(opened) else part


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
            if key == "output":
                outputs.append(visible(value))
                repairs |= marks
            elif key.startswith("inner"):
                inner = visible(value).strip()
    return inner, outputs, True, tuple(sorted(repairs)) if outputs else ()


def _texts(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in found.items():
        if isinstance(value, str):
            yield key.strip().casefold(), value


def _bare(part: str) -> str:
    """A text without fences, emphasis or quotation marks around all of it."""
    part = re.sub(r"(?m)^[ \t]*(?:```|~~~)[^\n`]*$", "", part).strip()
    before = None
    while part != before:
        before = part
        part = part.strip().strip("*_`").strip()
        for pair in ('""', "''", "“”", "‘’", "«»"):
            inside = part[1:-1]
            if len(part) > 1 and part[0] == pair[0] and part[-1] == pair[1]:
                part = inside if pair[0] not in inside and pair[1] not in inside else part
    return part


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
