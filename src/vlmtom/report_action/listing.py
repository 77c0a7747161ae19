"""What was asked, and of which scenes: counts of the scene sets, and the prompts' words.

Source: report-before-action paper, Appendix A (prompts), Appendix B (counts of scenes).
"""

from collections.abc import Iterable, Mapping, Sequence

from vlmtom.report_action.estimates import BASES, Comparison
from vlmtom.report_action.prompts import TURN, condition, difference, parts
from vlmtom.store import sha256_text

Row = Mapping[str, object]

# Digits of a stated report, where no scene is shown.
EXAMPLE = (3, 5)
# What is counted of a set, with the row of reportaction_numbers.csv that has the paper's count.
_PUBLISHED: Mapping[str, Mapping[str, str]] = {
    "main": {
        "scenes": "scenes_main",
        "hidden_has_largest_digit": "hidden_has_largest_digit",
        "smaller_visible_has_larger_digit": "smaller_visible_has_larger_digit",
        "misleading_size": "other_block_looks_largest",
    },
    "rotated": {
        "scenes": "scenes_rotated",
        "hidden_largest": "rotated_hidden_largest",
        "hidden_middle": "rotated_hidden_middle",
        "hidden_smallest": "rotated_hidden_smallest",
    },
}


def scene_rows(
    keys: Iterable[Row], published: Iterable[Mapping[str, str]]
) -> list[dict[str, object]]:
    """REPORT_ACTION_SCENES: counts of each set, in order of appearance.

    keys: rows of REPORT_ACTION_KEYS; published: rows of reportaction_numbers.csv, as printed.
    """
    printed = {row["key"]: row["low"] for row in published}
    of_set: dict[str, dict[str, Row]] = {}
    for key in keys:
        of_set.setdefault(str(key["scene_set"]), {}).setdefault(str(key["stimulus"]), key)
    rows = []
    for name, by_scene in of_set.items():
        for what, n in _counts(list(by_scene.values())).items():
            place = _PUBLISHED.get(name, {}).get(what)
            rows.append(
                {
                    "scene_set": name,
                    "what": what,
                    "n": n,
                    "published": printed[place] if place else None,
                    "published_key": place,
                }
            )
    return rows


def prompt_rows(
    batches: Mapping[str, Sequence[str]], comparisons: Mapping[str, Comparison]
) -> list[dict[str, object]]:
    """REPORT_ACTION_PROMPTS: one row a condition and turn, in the order of the batches.

    batches: their conditions. A condition is compared with the other side of its first comparison,
    else with a base prompt or another condition of its batches that differs from it in one part; a
    base prompt with none, nor a condition that no other one is near enough to.
    """
    rows = []
    for arm in dict.fromkeys(arm for arms in batches.values() for arm in arms):
        own = [name for name, arms in batches.items() if arm in arms]
        beside = [other for name in own for other in batches[name]]
        rows += _turn_rows(arm, own, _neighbour(arm, comparisons.values(), beside))
    return rows


def _counts(keys: Sequence[Row]) -> dict[str, int]:
    rank = [_hidden_rank(key) for key in keys]
    last = [len(key["labels"]) - 1 for key in keys]
    places = list(zip(rank, last, strict=True))
    return {
        "scenes": len(keys),
        "three_blocks": sum(len(key["labels"]) == 3 for key in keys),
        "four_blocks": sum(len(key["labels"]) == 4 for key in keys),
        "hidden_largest": sum(place == top for place, top in places),
        "hidden_middle": sum(0 < place < top for place, top in places),
        "hidden_smallest": sum(place == 0 for place in rank),
        "hidden_has_largest_digit": sum(bool(key["hidden_has_largest_digit"]) for key in keys),
        "smaller_visible_has_larger_digit": sum(
            bool(key["smaller_visible_has_larger_digit"]) for key in keys
        ),
        "misleading_size": sum(bool(key["misleading_size"]) for key in keys),
    }


def _hidden_rank(key: Row) -> int:
    """How many blocks are smaller than the hidden one."""
    sizes = dict(zip(key["labels"], key["sizes_m"], strict=True))
    return sum(size < sizes[key["hidden"]] for size in sizes.values())


def _neighbour(arm: str, comparisons: Iterable[Comparison], beside: Iterable[str]) -> str | None:
    if arm in BASES:
        return None
    sides = [(one.without, one.with_) for one in comparisons if arm in (one.without, one.with_)]
    for other in [*(a if b == arm else b for a, b in sides), *BASES, *beside]:
        try:
            difference(condition(arm), condition(other), EXAMPLE)
        except ValueError:
            continue
        return other
    return None


def _turn_rows(arm: str, batches: Sequence[str], other: str | None) -> list[dict[str, object]]:
    whole = "".join(text for _, text in parts(condition(arm), EXAMPLE))
    found = None
    if other is not None:
        found = difference(condition(arm), condition(other), EXAMPLE)
    rows, before = [], 0
    for number, text in enumerate(whole.split(TURN), 1):
        start = end = None
        if found is not None:
            # The span in this turn; a part that goes on into the next turn is cut at its end.
            start = min(max(found.start - before, 0), len(text))
            end = min(max(found.start + len(found.words[0]) - before, 0), len(text))
            inside = before <= found.start <= before + len(text) or start < end
            start, end = (start, end) if inside else (None, None)
        rows.append(
            {
                "arm": arm,
                "turn": number,
                "batches": list(batches),
                "text": text,
                "sha256": sha256_text(text),
                "compared_with": other,
                "part": found.part if found else None,
                "start": start,
                "end": end,
                "other_words": found.words[1].replace(TURN, "\n") if found else None,
            }
        )
        before += len(text) + 1
    return rows
