"""Decides which letter and which colour word name one block together."""

import bisect
from dataclasses import dataclass
from itertools import pairwise

from vlmtom.parsing.lexer import Scene, Token
from vlmtom.parsing.units import LINKS, MENTIONS


@dataclass(frozen=True)
class Mention:
    """One block as named: a letter, a colour word, or both. other: a word no rule can use."""

    letter: str | None = None
    color: str | None = None
    other: str | None = None


def pair(mentions: list[Token], within: list[Token], scene: Scene) -> list[Mention]:
    """Letters and colours that name one block together: "B (red)", "the red block B", "A: red"."""
    listed = _paired_lists(mentions, scene)
    if listed is not None:
        return listed
    gaps = _kinds_between(mentions, within)
    used: dict[int, Mention] = {}
    taken: set[int] = set()
    for commas in (False, True):
        for i, (left, right) in enumerate(pairwise(mentions)):
            if i in taken or i + 1 in taken or not _pairs(left, right, gaps[i], commas):
                continue
            taken |= {i, i + 1}
            used[i] = _merge(left, right)
    return [
        used.get(i) or _single(token)
        for i, token in enumerate(mentions)
        if i in used or i not in taken
    ]


def _kinds_between(mentions: list[Token], within: list[Token]) -> list[set[str]]:
    """For each mention but the last, the kinds of the tokens up to the next one."""
    gaps: list[set[str]] = [set() for _ in mentions]
    starts = [mention.start for mention in mentions]
    for token in within:
        i = bisect.bisect_right(starts, token.start) - 1
        if i >= 0 and token.kind not in MENTIONS:
            gaps[i].add(token.kind)
    return gaps


def _paired_lists(mentions: list[Token], scene: Scene) -> list[Mention] | None:
    """Of "A and C (yellow and blue)": as many colours as letters, in order or as a set."""
    kinds = [token.kind for token in mentions]
    n = len(kinds) // 2
    if n < 2 or len(kinds) != 2 * n:
        return None
    halves = [set(kinds[:n]), set(kinds[n:])]
    if sorted(map(str, halves)) != ["{'COLOR'}", "{'LETTER'}"]:
        return None
    first, second = mentions[:n], mentions[n:]
    letters, colors = (first, second) if kinds[0] == "LETTER" else (second, first)
    if {scene.options[token.text] for token in letters} == {token.text for token in colors}:
        return [Mention(token.text, scene.options[token.text]) for token in letters]
    return [_merge(a, b) for a, b in zip(first, second, strict=True)]


def _pairs(left: Token, right: Token, kinds_between: set[str], commas: bool) -> bool:
    kinds = {left.kind, right.kind}
    if "OTHER" in kinds:
        other = left if left.kind == "OTHER" else right
        label = other.text.isupper() and len(other.text) == 1  # "D" where no block is D
        if kinds != ({"COLOR", "OTHER"} if label else {"LETTER", "OTHER"}):
            return False
    elif kinds != {"LETTER", "COLOR"}:
        return False
    allowed = {*LINKS, "COPULA"} - {"AND", "OR", "SLASH", "EITHER", "BOTH", "HEDGE"}
    return kinds_between <= (allowed if commas else allowed - {"COMMA"})


def _merge(left: Token, right: Token) -> Mention:
    one, two = _single(left), _single(right)
    return Mention(one.letter or two.letter, one.color or two.color, one.other or two.other)


def _single(token: Token) -> Mention:
    if token.kind == "LETTER":
        return Mention(letter=token.text)
    if token.kind == "COLOR":
        return Mention(color=token.text)
    return Mention(other=token.text)
