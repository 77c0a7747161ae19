"""Decides the value of a JSON answer: the last object with all required keys, type by type."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vlmtom.parsing import jsonish, lexicon
from vlmtom.parsing.gate import Content, is_blank, read_reply
from vlmtom.parsing.jsonish import Found
from vlmtom.parsing.model import Parsed, Unreadable, read, unparsed, words
from vlmtom.parsing.text import normalise

Keys = Sequence[str] | Mapping[str, str]
DEFAULT_KEYS = {"visible": "integers", "move": "integer"}

_UNITS = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS = {word: i for i, word in enumerate(_UNITS)} | {
    word: 10 * i for i, word in enumerate(_TENS, 2)
}
NUMBER_WORDS |= {
    f"{ten}{sep}{unit}": NUMBER_WORDS[ten] + NUMBER_WORDS[unit]
    for ten in _TENS
    for unit in _UNITS[1:10]
    for sep in "- "
}


def json_last(
    reply: Content,
    keys: Keys | None = None,
    *,
    finish_reason: str | None = None,
    refusal: object = None,
) -> Parsed:
    """The required keys of the last object that has them all, itself or one level down.

    keys: names, or a mapping of names to types (integer, integers, number, string, boolean);
    a bare name has its type in DEFAULT_KEYS, else integer.
    """
    types = key_types(keys)
    document = whole_reply(reply, finish_reason, refusal)
    if document is None:
        gated = read_reply(reply, finish_reason, refusal)
        if gated.text is None:
            return gated.closed()
        found = jsonish.objects(_spaces(gated.text))
        plain = gated.text
    else:
        found, plain = _documents(document), ""
    repaired: set[str] = set()
    try:
        chosen = last_with(found, types, plain)
        repaired |= chosen.repaired
        value = {key: typed(chosen.value[key], kind, repaired) for key, kind in types.items()}
    except Unreadable as error:
        return unparsed(error.reason)
    return read(value, tuple(sorted(repaired)))


def key_types(keys: Keys | None) -> dict[str, str]:
    """The required keys with their types. Raises ValueError for a type that does not exist."""
    if keys is None:
        return dict(DEFAULT_KEYS)
    if not isinstance(keys, Mapping):
        return {key: DEFAULT_KEYS.get(key, "integer") for key in keys}
    unknown = sorted(set(keys.values()) - set(_TYPES))
    if unknown:
        raise ValueError(f"unknown type {unknown[0]!r}; known types: {', '.join(sorted(_TYPES))}")
    return dict(keys)


def last_with(found: list[Found], keys: Mapping[str, str], plain: str) -> Found:
    """The last object that has every key, itself or one level down. Raises Unreadable."""
    for candidate in reversed(found):
        if keys.keys() <= candidate.value.keys():
            return candidate
        for inner in reversed(list(candidate.value.values())):
            if isinstance(inner, dict) and keys.keys() <= inner.keys():
                return Found(inner, candidate.repaired, candidate.end)
    if found:
        raise Unreadable("missing_field")
    refused = bool(plain) and bool(lexicon.REFUSAL.search(normalise(plain)))
    raise Unreadable("refusal" if refused else "no_json")


def whole_reply(reply: Content, finish_reason: str | None, refusal: object) -> Any:
    """The reply as one valid document, before reasoning tags inside its strings are looked at."""
    if not isinstance(reply, str) or is_blank(reply):
        return None
    if read_reply("x", finish_reason, refusal).text is None:
        return None
    try:
        return jsonish.whole(reply.strip("\ufeff \n\r\t"))
    except ValueError:
        return None


def _documents(document: Any) -> list[Found]:
    if isinstance(document, list):
        return [Found(one, frozenset(), 0) for one in document if isinstance(one, dict)]
    return [Found(document, frozenset(), 0)] if isinstance(document, dict) else []


def _spaces(text: str) -> str:
    """Characters no one sees are no part of the syntax: gone, or an ordinary space."""
    text = re.sub("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]", "", text)
    return text.replace("\u00a0", " ")


# Types -----------------------------------------------------------------------------------------


def typed(value: Any, kind: str, repaired: set[str]) -> Any:
    """The value as its type; repairs are added to `repaired`. Raises Unreadable."""
    return _TYPES[kind](value, repaired)


def integer(value: Any, repaired: set[str]) -> int:
    """A whole number: 7, 7.0, "7", "seven". Raises Unreadable (bad_type, non_integer)."""
    if isinstance(value, str):
        return _spelled(value, repaired)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable("bad_type")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Unreadable("bad_type")
        if not value.is_integer():
            raise Unreadable("non_integer")
        repaired.add("integral_float")
    return int(value)


def _spelled(value: str, repaired: set[str]) -> int:
    word = " ".join(value.casefold().split())
    if word in NUMBER_WORDS:
        repaired.add("number_word")
        return NUMBER_WORDS[word]
    number = re.fullmatch(r"([+-]?\d{1,30})(?:\.(\d{1,30}))?", word, re.ASCII)
    if not number:
        raise Unreadable("bad_type")
    if number[2] and number[2].strip("0"):
        raise Unreadable("non_integer")
    repaired.add("number_string")
    return int(number[1])


def _integers(value: Any, repaired: set[str]) -> list[int]:
    if not isinstance(value, list):
        raise Unreadable("bad_type")
    return [integer(one, repaired) for one in value]


def _number(value: Any, repaired: set[str]) -> int | float:
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,30}\.\d{1,30}\s*", value, re.ASCII):
        repaired.add("number_string")
        return float(value)
    return integer(value, repaired)


def _string(value: Any, repaired: set[str]) -> str:
    if not isinstance(value, str):
        raise Unreadable("bad_type")
    return value


def _boolean(value: Any, repaired: set[str]) -> bool:
    if not isinstance(value, bool):
        raise Unreadable("bad_type")
    return value


_TYPES: dict[str, Callable[[Any, set[str]], Any]] = {
    "integer": integer,
    "integers": _integers,
    "number": _number,
    "string": _string,
    "boolean": _boolean,
}
