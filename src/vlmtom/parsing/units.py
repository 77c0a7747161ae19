"""Decides which part of a normalised reply counts: a box, what follows a marker, or sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vlmtom.parsing import lexicon
from vlmtom.parsing.lexer import Scene, tokens
from vlmtom.parsing.model import words
from vlmtom.parsing.text import BOX_CLOSE, BOX_OPEN

MENTIONS = frozenset({"LETTER", "COLOR", "OTHER", "UNCLEAR"})
LINKS = frozenset(
    words(
        "COMMA AND OR SLASH ART NOUN OPEN CLOSE COLON DASH QUOTE NAMING BOTH EITHER HEDGE DOT ADJ "
        "PUNCT NOR"
    )
)

_BOX = re.compile(f"{BOX_OPEN}([^{BOX_OPEN}{BOX_CLOSE}]*){BOX_CLOSE}")
_BOX_LIST = re.compile(r"[^\S\n]*(?:,|&|\band\b|\bor\b|,\s*and\b|/|;)[^\S\n]*")

_ANSWER = r"(?:answers?|ans)"
_OF = r"(?:[^\S\n]*\([^()\n]{0,24}\)|[^\S\n]+(?:to|for|here)(?:[^\S\n]+[\w()#.]+){0,6}?)?"
_HEADS = (
    r"(?:(?:my|the|your|final|best|correct|selected|chosen) )*(?:choice|selection|decision|verdict"
    r"|conclusion|result|response|final|output|pick|selected(?: block| option)?"
    r"|chosen(?: block| option)?|block to (?:be )?moved?|move|target(?: block)?)"
)
_MARKER = re.compile(
    rf"(?P<colon>(?<!\w){_ANSWER}{_OF}[\"']?\s*(?::|=(?!>)|[=-]*>|-(?=\s|[A-Z(]))+)"
    rf"|(?P<verb>\banswer{_OF} (?:is|would be|should be|will be|must be|has to be|remains|becomes)"
    r"(?: (?:thus|therefore|then|simply|clearly|still|as follows))?(?:[^\S\n]*:)?(?=\W))"
    r"|(?P<bare>^(?:(?:the|my|final|short)[^\S\n]+)*answer[^\S\n]*$)"
    r"|(?P<direct>\b(?:final )?answer(?=[^\S\n]+[(\[\"']?[A-Z][)\]\"']?(?:\s*$|[^\S\n]*[.,(\[])))"
    rf"|(?P<head>^(?:- )?[{{\"']*{_HEADS}[\"']?[^\S\n]*[:=])",
    re.IGNORECASE | re.MULTILINE,
)
_NO_MARKER = re.compile(
    r"(?:\b(?:explanation|reasons?|reasoning|justification|basis|rationale|formats?|formatted"
    r"|example"
    r"|such as|template|in the form|like|as in|not|sample|instructions?)\b|e\.g\.|i\.e\.)"
    r"[^.!?\n]{0,40}$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"^\s*[<\[{(]?\s*(?:your|the|letter|colou?r|block|option|x)\b[^.\n]*[>\]})]"
)

_END = re.compile(r"(?<=[.!?])[\"')\]]*(?=\s|$)|[.!?][\"')\]]*(?=[^\x00-\x7f])|[。！？।۔]")
_BULLET = re.compile(r"^(?:[-•‣▪▫●○◦·–]|\d{1,2}[.)](?=\s))\s*")


@dataclass(frozen=True)
class Unit:
    """One sentence or list item. lead: the line that opened its list, "" without one."""

    lead: str
    text: str
    whole_line: bool


@dataclass(frozen=True)
class Part:
    """A text that may count. marked: a box or an answer marker chose it; weak: only by a verb."""

    text: str
    marked: bool
    weak: bool = False


def answer_parts(text: str, scene: Scene) -> Iterator[Part]:
    """The last box; else the sentence after the last answer marker; else the whole text.

    After a weak part ("the answer is not B" may deny only) the next one follows.
    """
    boxed = _boxed(text)
    if boxed is not None:
        yield Part(boxed, True)
        return
    text = text.replace(BOX_OPEN, " ").replace(BOX_CLOSE, " ")
    for match in reversed(list(_MARKER.finditer(text))):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if _NO_MARKER.search(line):
            continue
        part = _after(text[match.end() :], scene)
        named = [token.kind for token in tokens(part, scene)]
        if match["verb"] or match["direct"]:
            # "The answer is based on his view" gives no answer; the marker before it does.
            if not {*named} & {*MENTIONS, "ALL", "NONE", "ALL_EXC", "ONLY_EXC"}:
                continue
            yield Part(part, True, weak=True)
            continue
        if _PLACEHOLDER.match(part) and not {*named} & {"LETTER", "COLOR"}:
            continue
        yield Part(part, True)
        return
    yield Part(text, False)


def _boxed(text: str) -> str | None:
    boxes = [match for match in _BOX.finditer(text) if match[1].strip()]
    if not boxes:
        return None
    # "\boxed{A}, \boxed{B}" on one line is one answer in two boxes.
    first = len(boxes) - 1
    while first and _BOX_LIST.fullmatch(text[boxes[first - 1].end() : boxes[first].start()]):
        first -= 1
    answer = text[boxes[first].start() : boxes[-1].end()]
    return answer.replace(BOX_OPEN, " ").replace(BOX_CLOSE, " ").strip()


def _after(rest: str, scene: Scene) -> str:
    """The first sentence of what follows a marker, with the list that it opens."""
    lines = rest.lstrip(" :\n-").split("\n")
    kept: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        if kept and not _continues(kept, line, scene):
            break
        kept.append(line if kept and is_bare(line, scene) else _first_sentence(line, scene))
        if kept[-1].rstrip(" .") != line.rstrip(" ."):
            break  # the sentence ended inside this line
    return "\n".join(kept)


def _continues(kept: list[str], line: str, scene: Scene) -> bool:
    if kept[-1].rstrip().endswith((":", ",", " and", "&")):
        return True
    bulleted = bool(_bullet(line, scene))
    if bulleted and any(line.rstrip().endswith(":") or _bullet(line, scene) for line in kept[:1]):
        return True
    return is_bare(line, scene)


def _bullet(line: str, scene: Scene) -> re.Match[str] | None:
    match = _BULLET.match(line)
    if match and match[0][0].isdigit() and match[0].strip()[:-1] in scene.options:
        return None
    return match


def is_bare(text: str, scene: Scene) -> bool:
    """Whether the text is nothing but names of blocks and what links them."""
    kinds = {token.kind for token in tokens(text, scene)}
    return bool(kinds & MENTIONS) and kinds <= MENTIONS | LINKS | {"ONLY"} - {"NOR"}


def units(text: str, scene: Scene) -> list[Unit]:
    """Sentences and list items in order; an item keeps the line that opened its list."""
    out: list[Unit] = []
    lead = ""
    blank = False
    for line in text.split("\n"):
        if not line.strip():
            blank = True
            continue
        bullet = _bullet(line, scene)
        item = line[bullet.end() :] if bullet else line
        listed = bool(bullet) or (
            _opens_with_block(item, scene) and not (blank and out_of(out, lead))
        )
        if not listed:
            lead = ""
        sentences = list(_sentences(item, scene))
        for sentence in sentences:
            out.append(Unit(lead if listed else "", sentence, len(sentences) == 1))
        if item.rstrip().endswith(":") and not re.search(r"\w\s*$", item):
            lead = sentences[-1] if sentences else ""
            if out and not _mentions(lead, scene):
                out.pop()
        blank = False
    return out


def out_of(found: list[Unit], lead: str) -> bool:
    """Whether a list under `lead` has begun, so that a blank line ends it."""
    return bool(found) and found[-1].lead == lead != ""


def _opens_with_block(line: str, scene: Scene) -> bool:
    kinds = [token.kind for token in tokens(line, scene)]
    opening = [k for k in kinds if k not in ("OPEN", "QUOTE", "ART", "NOUN", "NEG", "YES", "PUNCT")]
    return bool(opening) and opening[0] in MENTIONS


def _mentions(text: str, scene: Scene) -> bool:
    return any(token.kind in MENTIONS for token in tokens(text, scene))


def _sentences(line: str, scene: Scene) -> Iterator[str]:
    start = 0
    for match in _END.finditer(line):
        if match.end() <= start or _is_label_dot(line, match, scene) or _is_short(line, match):
            continue
        sentence = line[start : match.end()].strip()
        if sentence:
            yield sentence
        start = match.end()
    if line[start:].strip():
        yield line[start:].strip()


def _first_sentence(line: str, scene: Scene) -> str:
    """The first sentence, with a next one that only adds to its list ("B. And C.")."""
    first, *later = [*_sentences(line, scene), ""]
    for sentence in later:
        if not re.match(r"(?:and|also|plus)\b", sentence, re.I) or not is_bare(sentence, scene):
            break
        first = f"{first.rstrip('.')} {sentence}"
    return first


def _is_short(line: str, match: re.Match[str]) -> bool:
    before = line[: match.start()].lower()
    return before.endswith(("..", "e.g.", "i.e.", "vs.", " no.", "etc.,")) or bool(
        re.fullmatch(r"\W*\d+\.", before)
    )


def _is_label_dot(line: str, match: re.Match[str], scene: Scene) -> bool:
    """Whether the dot belongs to a label ("A. yellow, C. blue") and does not end a sentence."""
    label = re.search(r"(?<!\w)(\w+)\.$", line[: match.start()])
    if not label or label[1] not in scene.options:
        return False
    after = re.match(
        rf"\s*(?:the |a )?([^\W\d_]+)(?:\s+{lexicon.NOUN})?\s*(\W|$|and\b)", line[match.end() :]
    )
    if not after or after[1].casefold() not in scene.vocabulary | lexicon.OTHER_COLORS:
        return False
    return not re.match(r"\w", after[2]) or after[2] == "and"
