"""Decides a judge's two scores; a score that is not there is never made up."""

import re
from typing import Any

from vlmtom.parsing import jsonish, lexicon
from vlmtom.parsing.gate import Content, read_reply
from vlmtom.parsing.json_answers import NUMBER_WORDS, integer, whole_reply
from vlmtom.parsing.model import Parsed, Unreadable, read, unparsed
from vlmtom.parsing.text import normalise

SCALES = {"intent": 5, "approp": 3}
_NAMES = {
    "intent": ("intent", "intentionality"),
    "approp": ("approp", "appropriateness"),
}
_LABEL = {"intent": r"intent(?:ionality)?", "approp": r"approp(?:riateness)?"}
_SEP = r"[:=|]|->|-(?=\s)|is|of"  # a minus before a digit belongs to the number
_VALUE = r"(?P<value>[+-]?\d+(?:[.,]\d+)?|[a-z]+(?:-[a-z]+)?)"


def judge_verdict(
    reply: Content, *, finish_reason: str | None = None, refusal: object = None
) -> Parsed:
    """{"intent": 0-5, "approp": 0-3}: from JSON objects, else from labelled lines.

    Two different verdicts are conflicting_verdicts: a judge gives one, so the other is quoted or
    injected text. Nothing is clamped, rounded or defaulted.
    """
    document = whole_reply(reply, finish_reason, refusal)
    gated = read_reply(reply, finish_reason, refusal)
    if gated.text is None and not isinstance(document, dict):
        return gated.closed()
    repaired: set[str] = set()
    try:
        if isinstance(document, dict):
            found = [(document, frozenset[str]())]
        else:
            found = [(one.value, one.repaired) for one in jsonish.objects(gated.text or "")]
        verdicts = [(inner, marks) for one, marks in found for inner in _verdict_objects(one)]
        if verdicts:
            value = _one_verdict(verdicts, repaired)
        else:
            value = _labelled(normalise(gated.text or ""), bool(found), repaired)
    except Unreadable as error:
        return unparsed(error.reason)
    return read(value, tuple(sorted(repaired)))


# JSON ------------------------------------------------------------------------------------------


def _verdict_objects(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The object if it has a score, else the objects one level down that have one."""
    if _scores(found):
        return [found]
    inner: list[Any] = []
    for value in found.values():
        inner += value if isinstance(value, list) else [value]
    return [one for one in inner if isinstance(one, dict) and _scores(one)]


def _scores(found: dict[str, Any]) -> dict[str, Any]:
    """The scores an object gives, by scale; a scale named twice differently is a conflict."""
    twice = {key.casefold() for key in getattr(found, "keys_twice", ())}
    out: dict[str, Any] = {}
    for key, value in found.items():
        for scale, names in _NAMES.items():
            if key.strip().casefold().replace("_score", "").replace(" score", "") not in names:
                continue
            if key.casefold() in twice or (scale in out and out[scale] != value):
                raise Unreadable("conflicting_verdicts")
            out[scale] = value
    return out


def _one_verdict(
    verdicts: list[tuple[dict[str, Any], frozenset[str]]], repaired: set[str]
) -> dict[str, int]:
    given = [_scores(one) for one, _ in verdicts]
    complete = [scores for scores in given if scores.keys() == SCALES.keys()]
    if not complete:
        raise Unreadable("missing_field")
    if len({_comparable(scores) for scores in complete}) > 1:
        raise Unreadable("conflicting_verdicts")
    repaired |= verdicts[given.index(complete[-1])][1]
    return {scale: _score(complete[-1][scale], scale, repaired) for scale in SCALES}


def _comparable(scores: dict[str, Any]) -> tuple[Any, ...]:
    """Equal for 3, 3.0 and "3"; what is no integer compares as written."""

    def one(scale: str) -> Any:
        try:
            return _integer(scores[scale], scale, set())
        except Unreadable:
            return repr(scores[scale])

    return tuple(one(scale) for scale in SCALES)


def _score(value: Any, scale: str, repaired: set[str]) -> int:
    number = _integer(value, scale, repaired)
    if not 0 <= number <= SCALES[scale]:
        raise Unreadable("out_of_range")
    return number


def _integer(value: Any, scale: str, repaired: set[str]) -> int:
    share = re.fullmatch(r"\s*(\S+)\s*/\s*(\d+)\s*", value) if isinstance(value, str) else None
    if share:  # a score out of another scale is no score on this one
        if int(share[2]) != SCALES[scale]:
            raise Unreadable("out_of_range")
        value = share[1]
    return integer(value, repaired)


# Labelled lines --------------------------------------------------------------------------------


def _labelled(plain: str, has_object: bool, repaired: set[str]) -> dict[str, int]:
    # A broken object is not read by way of its keys.
    plain = re.sub(r"\{[^{}]*(?:\}|$)", " ", plain)
    given = {scale: _lines(plain, scale) for scale in SCALES}
    if not any(given.values()):
        if lexicon.REFUSAL.search(plain):
            raise Unreadable("refusal")
        raise Unreadable("missing_field" if has_object else "no_json")
    if not all(given.values()):
        raise Unreadable("missing_field")
    if any(len(values) > 1 for values in given.values()):
        raise Unreadable("conflicting_verdicts")
    return {scale: _score(given[scale].pop(), scale, repaired) for scale in SCALES}


def _lines(plain: str, scale: str) -> set[str]:
    """The different scores that lines with the scale's label give, as written."""
    top = SCALES[scale]
    pattern = re.compile(
        rf"(?<![\w-]){_LABEL[scale]}\b(?![\"'])(?: (?:score|rating|level|value|verdict))?"
        rf"(?: ?[(\[][^()\[\]\n]{{0,30}}[)\]])?[\"']?"
        rf"(?P<sep> ?(?:{_SEP}|was)? ?(?:score|rating)? ?(?:{_SEP})?) ?[\"'(\[]?{_VALUE}"
        r"(?P<range> ?(?:-|to|or|~) ?\d+| ?\+(?!\d))?"
        r"(?: ?(?:/|out of|of) ?(?P<scale>\d+))?(?![\w]|[.,]\d)",
        re.IGNORECASE,
    )
    out: set[str] = set()
    for match in pattern.finditer(plain):
        value = match["value"].lower().replace(",", ".")
        word = value.isalpha() or "-" in value[1:]
        if word and value not in NUMBER_WORDS:
            continue
        if not match["sep"].strip() and not match["scale"]:
            continue  # "Intent 3 frames": a number beside the word, not a score
        if match["range"]:
            if re.fullmatch(rf"0 ?(?:-|to) ?{top}", f"{value}{match['range']}".strip()):
                continue  # the scale, restated
            raise Unreadable("bad_type")
        if match["scale"] and int(match["scale"]) != top:
            raise Unreadable("out_of_range")
        out.add(
            str(NUMBER_WORDS.get(value, value)) if not _is_whole(value) else value.split(".")[0]
        )
    return out


def _is_whole(value: str) -> bool:
    return bool(re.fullmatch(r"[+-]?\d+\.0+", value))
