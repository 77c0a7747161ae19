"""Decides the two answers of a gated reply: `Q1: ...` the set, `Q2: ...` the block to move."""

import re
from dataclasses import dataclass
from typing import Any

from vlmtom.parsing.blocks import Options, move_single, score_move, visibility_multi
from vlmtom.parsing.gate import Content, read_reply
from vlmtom.parsing.model import Parsed
from vlmtom.parsing.text import BOX_CLOSE, BOX_OPEN, normalise

_AFTER = (
    r"[\"')\]]*[^\S\n]*(?:\([^()\n]{0,30}\)[^\S\n]*)?(?:answer[^\S\n]*)?"
    r"(?::|[.)](?=\s|$)|=|->|-(?=\s)|(?=\n))"
)
_NAME = r"(?:q(?:uestion|u)?|answer(?:[^\S\n]+(?:to|for)[^\S\n]+(?:q(?:uestion)?)?)?|ans|part|a)"


@dataclass(frozen=True)
class GatedAnswers:
    """Both answers, each with its own status and reason; the texts they were read from."""

    q1: Parsed
    q2: Parsed
    q1_text: str | None
    q2_text: str | None


def gated(
    reply: Content,
    options: Options,
    *,
    finish_reason: str | None = None,
    refusal: object = None,
) -> Parsed:
    """Both answers in one Parsed whose value, status and reason are {"Q1": ..., "Q2": ...}."""
    both = gated_answers(reply, options, finish_reason=finish_reason, refusal=refusal)
    answers: dict[str, Parsed] = {"Q1": both.q1, "Q2": both.q2}
    status: Any = {name: one.status for name, one in answers.items()}
    reason: Any = {name: one.reason for name, one in answers.items()}
    return Parsed({name: one.value for name, one in answers.items()}, status, reason)


def gated_answers(
    reply: Content,
    options: Options,
    *,
    target: str | None = None,
    hidden: str | None = None,
    finish_reason: str | None = None,
    refusal: object = None,
) -> GatedAnswers:
    """Q1 as visibility_multi; Q2 as score_move where `target` is given, else as move_single."""
    gate = read_reply(reply, finish_reason, refusal)
    if gate.text is None:
        return GatedAnswers(gate.closed(), gate.closed(), None, None)
    first, second = split_gated(gate.text)
    whole = gate.text if first is None and second is None else ""
    q1 = visibility_multi(first, options) if first is not None else _absent(whole)
    if second is None:
        q2 = _absent(whole)
    elif target is None:
        q2 = move_single(second, options)
    else:
        q2 = score_move(second, options, target, hidden)
    return GatedAnswers(_answered(q1), _answered(q2), first, second)


def split_gated(text: str) -> tuple[str | None, str | None]:
    """The texts behind the last Q1 and Q2 labels; None for a label that is not there."""
    plain = normalise(text).replace(BOX_OPEN, r"\boxed{").replace(BOX_CLOSE, "}")
    for labels in (_labels(plain, _NAME, inline=True), _labels(plain, "", inline=False)):
        if not labels:
            continue
        last: dict[str, tuple[int, int]] = {}
        for number, start, end in labels:
            last[number] = (start, end)
        starts = [*sorted(start for _, start, _ in labels), len(plain)]
        out: dict[str, str] = {}
        for number, (start, end) in last.items():
            stop = next(s for s in starts if s > start)
            out[number] = plain[end:stop].strip(" \n\"',{}")
        return out.get("1"), out.get("2")
    return None, None


def _labels(plain: str, name: str, *, inline: bool) -> list[tuple[str, int, int]]:
    opening = r"(?:^|(?<=[^\w]))" if inline else r"^"
    pattern = re.compile(
        rf"{opening}(?:-[^\S\n]+)?[\"'(\[]*{name}[^\S\n]*#?(?P<number>[12]){_AFTER}",
        re.IGNORECASE | re.MULTILINE,
    )
    return [(match["number"], match.start(), match.end()) for match in pattern.finditer(plain)]


def _absent(whole: str) -> Parsed:
    """An answer without its label; a refusal of the whole is told apart from a forgotten line."""
    refused = bool(whole) and move_single(whole, {}).reason == "refusal"
    return Parsed(None, "unparsed", "refusal" if refused else "no_answer")


def _answered(answer: Parsed) -> Parsed:
    """A label with nothing behind it is an answer not given, not an empty reply."""
    return Parsed(None, "unparsed", "no_answer") if answer.status == "empty" else answer
