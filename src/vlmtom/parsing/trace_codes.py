"""Decides the codes that a coder gives a trace; one that is not there is never made up."""

from collections.abc import Mapping
from typing import Any

from vlmtom.parsing import jsonish, lexicon
from vlmtom.parsing.gate import Content, read_reply
from vlmtom.parsing.json_answers import whole_reply
from vlmtom.parsing.model import Parsed, Unreadable, read, unparsed
from vlmtom.parsing.text import normalise

FIELDS: Mapping[str, tuple[str, ...]] = {
    "reading": ("director_view", "own_view", "prior_knowledge", "largest_digit", "no_rule"),
    "director_sees_choice": ("yes", "no", "unclear"),
    "visibility_worked_out": ("yes", "no"),
}
QUOTE = "quote"
_KEYS = (*FIELDS, QUOTE)


def trace_code(
    reply: Content, *, finish_reason: str | None = None, refusal: object = None
) -> Parsed:
    """{"reading": …, "director_sees_choice": …, "visibility_worked_out": …, "quote": …}.

    An object counts that has all keys, itself or one level down. Two that differ are
    conflicting_verdicts: a coder gives one, so the other is quoted or injected text. A code outside
    its list is off_vocabulary, one that is no string bad_type; letters' case does not matter.
    Whether the quote stands in the trace is not decided here.
    """
    document = whole_reply(reply, finish_reason, refusal)
    gated = read_reply(reply, finish_reason, refusal)
    if gated.text is None and not isinstance(document, dict):
        return gated.closed()
    if isinstance(document, dict):
        found = [(document, frozenset[str]())]
    else:
        found = [(one.value, one.repaired) for one in jsonish.objects(gated.text or "")]
    complete = [(one, marks) for outer, marks in found for one in _with_all_keys(outer)]
    try:
        if not complete:
            refused = not found and lexicon.REFUSAL.search(normalise(gated.text or ""))
            raise Unreadable("missing_field" if found else "refusal" if refused else "no_json")
        given = [_codes(one) for one, _ in complete]
    except Unreadable as error:
        return unparsed(error.reason)
    if any(one != given[0] for one in given):
        return unparsed("conflicting_verdicts")
    return read(given[-1], tuple(sorted(complete[-1][1])))


def _with_all_keys(found: dict[str, Any]) -> list[dict[str, Any]]:
    nested = [one for one in found.values() if isinstance(one, dict)]
    return [one for one in (found, *nested) if one.keys() >= {*_KEYS}]


def _codes(found: dict[str, Any]) -> dict[str, str]:
    if {*_KEYS} & getattr(found, "keys_twice", frozenset()):
        raise Unreadable("conflicting_verdicts")
    codes = {}
    for key in _KEYS:
        value = found[key]
        if not isinstance(value, str):
            raise Unreadable("bad_type")
        codes[key] = value if key == QUOTE else value.strip().casefold()
        if key != QUOTE and codes[key] not in FIELDS[key]:
            raise Unreadable("off_vocabulary")
    return codes
