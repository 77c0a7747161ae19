"""Replies to outcomes: what was reported, what was chosen, and whose view the choice is of.

Missing and unparsed replies drop out of every denominator, and are counted (paper, Appendix C:
answered replies only).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from vlmtom.errors import BadData
from vlmtom.parsing import json_last
from vlmtom.report_action.prompts import ASKED_FIRST, Condition

Row = Mapping[str, Any]


def outcome_rows(replies: Iterable[Row], keys: Iterable[Row]) -> list[dict[str, Any]]:
    """REPORT_ACTION_OUTCOMES: one row an item and trial, in the order of the replies.

    replies: rows of REPLIES, the last ask of each turn; keys: rows of REPORT_ACTION_KEYS. Raises
    BadData for a reply to an item that has no key.
    """
    by_item = {str(row["item_id"]): row for row in keys}
    turns: dict[tuple[str, int], dict[int, Row]] = defaultdict(dict)
    for row in replies:
        turns[str(row["item_id"]), int(row["trial"])][int(row["turn"])] = row
    found = []
    for (item, trial), of_trial in turns.items():
        if item not in by_item:
            raise BadData(
                f"a reply to {item}, which has no key. Stimuli and replies must be of one "
                "configuration; delete the one that is not, and run `snakemake` again."
            )
        found.append(_outcome(by_item[item], trial, of_trial))
    return found


def _outcome(key: Row, trial: int, of_trial: Mapping[int, Row]) -> dict[str, Any]:
    asked = Condition(key["request"], key["report"], key["constraint"])
    last = of_trial[max(of_trial)]
    status = _status(of_trial, len(asked.keys))
    row = {
        "tester": last["tester"],
        "kind": last["kind"],
        "arm": key["arm"],
        "stimulus": key["stimulus"],
        "item_id": key["item_id"],
        "scene_set": key["scene_set"],
        "batch": key["batch"],
        "trial": trial,
        "status": status,
        "parse": None,
        "reason": None,
        "repaired": [],
        **dict.fromkeys(_VALUES),
    }
    if status != "ok":
        return row
    values, reasons, repaired = _read(asked, of_trial)
    row["repaired"] = repaired
    row["parse"] = "parsed" if "choice" in values else "unparsed"
    row["reason"] = reasons.get("choice")
    if "choice" not in values:
        return row
    choice = values["choice"]
    if choice not in key["labels"]:
        # No such block: the reply chose nothing that could be anybody's view.
        return row | {"parse": "unparsed", "reason": "off_vocabulary"}
    hidden = choice == key["hidden"]
    visible = values.get("visible")
    correct = None if visible is None else set(visible) == set(key["visible"])
    return row | {
        "visible": None if visible is None else sorted(set(visible)),
        "count": values.get("count"),
        "choice": choice,
        "visible_correct": correct,
        "hidden_chosen": hidden,
        "director_view_chosen": choice == key["director_view"],
        "largest_digit_chosen": choice == key["largest_digit"],
        "largest_visible_digit_chosen": choice == max(key["visible"]),
        "joint": None if correct is None else correct and hidden,
        "report_excludes_hidden": None if visible is None else key["hidden"] not in visible,
    }


_VALUES = (
    *("visible", "count", "choice", "visible_correct", "hidden_chosen", "director_view_chosen"),
    *("largest_digit_chosen", "largest_visible_digit_chosen", "joint", "report_excludes_hidden"),
)


def _status(of_trial: Mapping[int, Row], turns: int) -> str:
    """`ok` only where every turn was answered: a choice after a failed first turn is none."""
    for number in range(1, turns + 1):
        if number not in of_trial:
            return "api_error"
        if of_trial[number]["status"] != "ok":
            return str(of_trial[number]["status"])
    return "ok"


def _read(
    asked: Condition, of_trial: Mapping[int, Row]
) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Values by key; why a key has none; repairs.

    In two turns each is read alone: a first answer that cannot be read costs the report, and not
    the choice. In one turn the keys stand in one object, the last that has them all.
    """
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    repaired: list[str] = []
    for number, types in enumerate(asked.keys, 1):
        reply = of_trial[number]
        parsed = json_last(
            reply["text"], types, finish_reason=reply["finish_reason"], refusal=reply["refusal"]
        )
        if parsed.status == "parsed":
            values |= parsed.value
            repaired += [repair for repair in parsed.repaired if repair not in repaired]
        else:
            reasons |= dict.fromkeys(types, parsed.reason)
    assert asked.report == ASKED_FIRST or len(asked.keys) == 1
    return values, reasons, repaired
