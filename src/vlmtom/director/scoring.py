"""From replies to outcomes: each reply parsed and scored on its measures.

Source: cross-task paper, section 3.1 and Appendix C (failure modes, letter level).
"""

from collections.abc import Iterable, Mapping, Sequence

from vlmtom.director.cells import MEASURES_OF
from vlmtom.errors import BadData
from vlmtom.parsing import Parsed, gated_answers, score_move, visibility_multi

Row = Mapping[str, object]

SETS = frozenset({"a", "cQ1"})
AT_LETTER_LEVEL = frozenset({"correct", "letter_only_correct"})


def outcomes(replies: Iterable[Row], keys: Sequence[Row]) -> list[dict[str, object]]:
    """One row per reply and measure (DIRECTOR_OUTCOMES), in the order of the replies.

    replies: rows of REPLIES; keys: rows of DIRECTOR_KEYS. A reply whose status is not ok is
    missing: nothing is scored. One that cannot be parsed is not correct and not egocentric.
    Raises BadData for a reply to an item that has no key.
    """
    by_item = {key["item_id"]: key for key in keys}
    rows = []
    for reply in replies:
        key = by_item.get(reply["item_id"])
        if key is None:
            raise BadData(
                f"{reply['tester']}: a reply to {reply['item_id']}, which has no key. Replies and "
                "keys are of different stimuli; delete the replies' Parquet and run again."
            )
        rows += _outcomes(reply, key)
    return rows


def score_reply(text: str, key: Row) -> dict[str, Parsed]:
    """The parse of each measure of a reply's text.

    Sets (a, cQ1) have the sorted colours as value; moves (b, cQ2) letter, colour, failure mode.
    """
    options = dict(zip(key["labels"], key["colors"], strict=True))
    if key["sub_prompt"] == "a":
        return {"a": visibility_multi(text, options)}
    if key["sub_prompt"] == "b":
        return {"b": score_move(text, options, key["target"], key["hidden"])}
    both = gated_answers(text, options, target=key["target"], hidden=key["hidden"])
    if key["sub_prompt"] == "c":
        return {"cQ1": both.q1, "cQ2": both.q2}
    # Asked for alone, the answer may stand without its label.
    labelled = both.q2_text is not None
    alone = both.q2 if labelled else score_move(text, options, key["target"], key["hidden"])
    return {"cQ2": alone}


def _outcomes(reply: Row, key: Row) -> list[dict[str, object]]:
    shared = {
        name: reply[name]
        for name in ("tester", "kind", "arm", "stimulus", "item_id", "trial", "status")
    }
    measures = MEASURES_OF[key["sub_prompt"]]
    if reply["status"] != "ok":
        return [shared | _unscored(measure) for measure in measures]
    parses = score_reply(reply["text"], key)
    return [shared | _scored(measure, parses[measure], reply, key) for measure in measures]


def _unscored(measure: str) -> dict[str, object]:
    return {
        "measure": measure,
        "parse": None,
        "reason": None,
        "repaired": [],
        "value": None,
        "letter": None,
        "color": None,
        "failure_mode": None,
        "letter_correct": None,
        "strict_correct": None,
        "egocentric": None,
        "egocentric_strict": None,
    }


def _scored(measure: str, parse: Parsed, reply: Row, key: Row) -> dict[str, object]:
    is_set = measure in SETS
    row = _unscored(measure) | {
        # The reply came whole; one that holds no answer after its reasoning is unparsed too.
        "parse": "parsed" if parse.status == "parsed" else "unparsed",
        "reason": parse.reason,
        "repaired": list(parse.repaired),
        "letter_correct": False,
        "strict_correct": False,
        "egocentric": None if is_set else False,
        "egocentric_strict": None if is_set else False,
        "failure_mode": None if is_set else "unparsed",
    }
    if parse.status != "parsed":
        return row
    if is_set:
        correct = set(parse.value) == _visible_colors(key)
        strict = correct and _colors_alone_agree(measure, parse, reply, key)
        return row | {"value": parse.value, "letter_correct": correct, "strict_correct": strict}
    mode = parse.value["failure_mode"]
    return row | {
        "value": _moved_color(parse, key),
        "letter": parse.value["letter"],
        "color": parse.value["color"],
        "failure_mode": mode,
        "letter_correct": mode in AT_LETTER_LEVEL,
        "strict_correct": mode == "correct",
        "egocentric": mode == "egocentric",
        "egocentric_strict": mode == "egocentric" and _pair_agrees(parse, key),
    }


def _visible_colors(key: Row) -> set[str]:
    return {
        color
        for label, color in zip(key["labels"], key["colors"], strict=True)
        if label in key["visible"]
    }


def _pair_agrees(parse: Parsed, key: Row) -> bool:
    """Whether the colour word is that of the letter's block; a colour alone agrees with itself."""
    letter, color = parse.value["letter"], parse.value["color"]
    return letter is None or color == dict(zip(key["labels"], key["colors"], strict=True))[letter]


def _moved_color(parse: Parsed, key: Row) -> list[str]:
    """The colour of the block that was named, by the letter if there is one."""
    colors = dict(zip(key["labels"], key["colors"], strict=True))
    color = colors.get(parse.value["letter"], parse.value["color"])
    return [] if color is None else [color]


def _colors_alone_agree(measure: str, parse: Parsed, reply: Row, key: Row) -> bool:
    """Whether the colour words by themselves name the set that letters and colours name.

    The reply is read once more with labels that it cannot hold, so that letters decide nothing.
    """
    unsaid = {str(number): color for number, color in enumerate(key["colors"], 1)}
    if measure == "a":
        alone = visibility_multi(reply["text"], unsaid)
    else:
        alone = gated_answers(reply["text"], unsaid).q1
    return alone.status == "parsed" and alone.value == parse.value
