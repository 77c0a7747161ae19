"""Decides one output line for each input line of `vlmtom parse`: JSON in, JSON out."""

import json
from collections.abc import Iterable
from typing import Any, TextIO

from vlmtom.parsing.blocks import move_single, score_move, visibility_multi
from vlmtom.parsing.gate import Content
from vlmtom.parsing.json_answers import Keys, json_last, key_types
from vlmtom.parsing.model import Parsed
from vlmtom.parsing.two_answers import gated
from vlmtom.parsing.verdicts import judge_verdict

KINDS = ("visibility_multi", "move_single", "score_move", "gated", "json_last", "judge")
_WITH_OPTIONS = ("visibility_multi", "move_single", "score_move", "gated")


class BadParseInput(ValueError):
    """An input line, or an argument of `parse`, that does not say what to parse."""


def parse(
    kind: str,
    reply: Content,
    *,
    options: dict[str, str] | None = None,
    target: str | None = None,
    hidden: str | None = None,
    keys: Keys | None = None,
    finish_reason: str | None = None,
    refusal: object = None,
) -> Parsed:
    """The reply's value by the rules of its kind. Raises BadParseInput for a wrong request.

    options: label to colour, for the kinds about blocks; target, hidden: labels, for score_move;
    keys: for json_last. The reply itself never raises.
    """
    _check(kind, options, target, hidden, keys)
    gate = {"finish_reason": finish_reason, "refusal": refusal}
    blocks = options or {}
    if kind == "visibility_multi":
        return visibility_multi(reply, blocks, **gate)
    if kind == "move_single":
        return move_single(reply, blocks, **gate)
    if kind == "score_move":
        return score_move(reply, blocks, str(target), hidden, **gate)
    if kind == "gated":
        return gated(reply, blocks, **gate)
    if kind == "json_last":
        return json_last(reply, keys, **gate)
    return judge_verdict(reply, **gate)


def main_lines(in_stream: Iterable[str], out_stream: TextIO) -> int:
    """Parses JSON lines to JSON lines in the same order; returns their number.

    Blank lines are passed over. Raises BadParseInput, naming the line, at the first malformed one.
    """
    count = 0
    for number, line in enumerate(in_stream, 1):
        if not line.strip():
            continue
        try:
            row = _row(line)
        except BadParseInput as error:
            raise BadParseInput(f"line {number}: {error}") from None
        out_stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        count += 1
    return count


def _row(line: str) -> dict[str, Any]:
    request = _request(line)
    parsed = parse(
        request["kind"],
        request["reply"],
        options=request.get("options"),
        target=request.get("target"),
        hidden=request.get("hidden"),
        keys=request.get("keys"),
        finish_reason=request.get("finish_reason"),
        refusal=request.get("refusal"),
    )
    return {
        "id": request.get("id"),
        "value": parsed.value,
        "status": parsed.status,
        "reason": parsed.reason,
        "repaired": list(parsed.repaired),
    }


def _request(line: str) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadParseInput(
            f"expected one JSON object, found invalid JSON ({error}). "
            "Write each request on one line of its own."
        ) from None
    if not isinstance(request, dict):
        raise BadParseInput(
            f"expected a JSON object, found {_name(request)}. "
            'Write {"id": ..., "kind": ..., "reply": ...}.'
        )
    for key in ("kind", "reply"):
        if key not in request:
            raise BadParseInput(
                f"expected the key {key!r}, found {', '.join(map(repr, request)) or 'no key'}. "
                + ("Add it; a reply without text is null." if key == "reply" else _known_kinds())
            )
    if not isinstance(request["reply"], str | list | dict | None):
        raise BadParseInput(
            f"expected 'reply' to be a string, null or a list of parts, found "
            f"{_name(request['reply'])}. Give the message's content as it came."
        )
    finish = request.get("finish_reason")
    if finish is not None and not isinstance(finish, str):
        raise BadParseInput(
            f"expected 'finish_reason' to be a string or null, found {_name(finish)}. "
            "Give the provider's word, or leave it out."
        )
    return request


def _check(kind: Any, options: Any, target: Any, hidden: Any, keys: Any) -> None:
    if kind not in KINDS:
        raise BadParseInput(f"expected a known kind, found {kind!r}. {_known_kinds()}")
    if kind in _WITH_OPTIONS:
        _check_options(kind, options)
    if kind == "score_move" and target not in options:
        raise BadParseInput(
            f"expected 'target' to be one of the labels {', '.join(options)}, found {target!r}. "
            "Give the label of the block that is right to move."
        )
    if kind == "score_move" and hidden is not None and hidden not in options:
        raise BadParseInput(
            f"expected 'hidden' to be null or one of the labels {', '.join(options)}, found "
            f"{hidden!r}. Leave it out where no block is hidden."
        )
    if kind == "json_last" and keys is not None:
        _check_keys(keys)


def _check_options(kind: str, options: Any) -> None:
    example = 'Add "options": {"A": "yellow", "B": "red", "C": "blue"}, label to colour.'
    if not isinstance(options, dict) or not options:
        raise BadParseInput(
            f"expected 'options' for the kind {kind!r}, found {options!r}. {example}"
        )
    for label, color in options.items():
        if not (isinstance(color, str) and color.strip() and label.isalnum()):
            raise BadParseInput(
                f"expected 'options' to map a letter or number to a colour word, found "
                f"{label!r}: {color!r}. {example}"
            )
        if label != label.upper():
            raise BadParseInput(
                f"expected upper-case labels in 'options', found {label!r}. Write "
                f"{label.upper()!r}."
            )
    if len({color.casefold() for color in options.values()}) < len(options):
        raise BadParseInput(
            f"expected a different colour for each label in 'options', found {options!r}. "
            "A colour that two blocks share cannot name either."
        )


def _check_keys(keys: Any) -> None:
    names = list(keys) if isinstance(keys, list | tuple | dict) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise BadParseInput(
            f"expected 'keys' to be a list of names or a mapping of names to types, found "
            f"{keys!r}. "
            'Write ["visible", "move"] or {"visible": "integers", "move": "integer"}.'
        )
    try:
        key_types(keys)
    except (ValueError, TypeError) as error:
        raise BadParseInput(f"expected known types in 'keys': {error}.") from None


def _known_kinds() -> str:
    return f"Known kinds: {', '.join(KINDS)}."


def _name(value: Any) -> str:
    return {bool: "a boolean", int: "a number", float: "a number", list: "a list"}.get(
        type(value), f"a {type(value).__name__}"
    )
