"""What is otherwise in B than in A: rows of two runs, paired by what they are about."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vlmtom.stats.paired import mcnemar_exact

Row = Mapping[str, Any]
Key = tuple[Any, ...]
LEVELS = {"letter": "letter_correct", "strict": "strict_correct"}
SERVED = ("requested_model", "served_model", "provider", "fingerprint")
ONLY_A, ONLY_B = "only in A", "only in B"

CHANGES = ("what", "a", "b")
ITEM_COLUMNS = ("item_id", *CHANGES)
REPLY_COLUMNS = (
    *("tester", "experiment", "item_id", "trial", "turn", "ask", "request_digest", "what"),
    *("status_a", "status_b", "text_a", "text_b"),
)
REPLY_COUNTS = ("tester", "experiment", "n_both", "n_same", "n_other", "only_a", "only_b")
SERVED_COLUMNS = ("role", "name", "field", "value", "n_a", "n_b")
FLIP_COLUMNS = (
    *("tester", "arm", "measure", "level", "n_pairs", "both_right", "both_wrong"),
    *("only_a", "only_b", "p_exact", "missing_a", "missing_b", "both_missing"),
    *("n_other_pictures", "not_in_a", "not_in_b"),
)
FLIPPED_COLUMNS = (
    *("tester", "arm", "item_id", "trial", "measure", "level", "right_a", "right_b"),
    *("failure_mode_a", "failure_mode_b"),
)
VERDICT_COUNTS = (
    *("judge", "overlay", "arm", "n_pairs", "n_same_request", "intent_changed", "approp_changed"),
    *("intent_mean_difference", "approp_mean_difference", "only_a", "only_b"),
    *("n_other_pictures",),
)
VERDICT_COLUMNS = (
    *("judge", "overlay", "arm", "tester", "item_id", "trial", "same_request"),
    *("intent_a", "intent_b", "approp_a", "approp_b"),
)


@dataclass(frozen=True)
class Changed:
    """Rows of two tables under one key. rows: one a changed value (key, what, a, b)."""

    rows: list[dict[str, Any]]
    n_both: int
    n_changed: int  # keys of both, of which some value changed
    only_a: int
    only_b: int


def changed(
    a: Iterable[Row], b: Iterable[Row], key: Sequence[str], values: Sequence[str]
) -> Changed:
    """What changed in the values of rows that have one key; in the order of A, then B."""
    left, right = ({tuple(row[k] for k in key): row for row in rows} for rows in (a, b))
    rows, n_changed = [], 0
    for name, row in left.items():
        head = dict(zip(key, name, strict=True))
        if name not in right:
            rows.append(head | {"what": ONLY_A, "a": None, "b": None})
            continue
        other = right[name]
        found = [value for value in values if row[value] != other[value]]
        rows += [head | {"what": v, "a": row[v], "b": other[v]} for v in found]
        n_changed += bool(found)
    new = [name for name in right if name not in left]
    rows += [dict(zip(key, n, strict=True)) | {"what": ONLY_B, "a": None, "b": None} for n in new]
    n_both = len(right) - len(new)
    return Changed(rows, n_both, n_changed, len(left) - n_both, len(new))


def items(a: Iterable[Row], b: Iterable[Row]) -> Changed:
    """Items whose pictures (by pixels), words or trials changed."""
    return changed(
        map(_shown, a), map(_shown, b), ("item_id",), ("pictures", "words", "trials", "batch")
    )


def other_pictures(a: Iterable[Row] | None, b: Iterable[Row] | None) -> set[str]:
    """Items that show other pictures; none where one side's items are not known."""
    if a is None or b is None:
        return set()
    return {row["item_id"] for row in items(a, b).rows if row["what"] == "pictures"}


def _shown(item: Row) -> Row:
    pictures = [
        digest
        for turn in item["turns"]
        for digest in (*turn["pictures"], *([turn["video"]] if turn["video"] else ()))
    ]
    words = "\n\n".join(f"{turn['role']}: {turn['text']}" for turn in item["turns"])
    return {**item, "pictures": "; ".join(pictures), "words": words}


def replies(
    a: Iterable[Row], b: Iterable[Row], with_text: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Counts by tester and experiment (REPLY_COUNTS), and replies that differ (REPLY_COLUMNS).

    Requests are paired by digest: what was asked, of which model, in which trial. with_text: both
    sides hold the words; else the status alone is compared.
    """
    sides = [
        {
            (r["tester"], r["experiment"], r["request_digest"]): r
            for r in rows
            if r["request_digest"]
        }
        for rows in (a, b)
    ]
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    rows = []
    for key in dict.fromkeys([*sides[0], *sides[1]]):
        left, right = (side.get(key) for side in sides)
        what = _reply_change(left, right, with_text)
        counts[key[:2]][what or "same"] += 1
        if what is not None:
            rows.append(_reply_row(left, right, what))
    return [_reply_counts(key, count) for key, count in counts.items()], rows


def _reply_change(a: Row | None, b: Row | None, with_text: bool) -> str | None:
    if a is None or b is None:
        return ONLY_B if a is None else ONLY_A
    if a["status"] != b["status"]:
        return "status"
    return "text" if with_text and a["text"] != b["text"] else None


def _reply_row(a: Row | None, b: Row | None, what: str) -> dict[str, Any]:
    shared = ("tester", "experiment", "item_id", "trial", "turn", "ask", "request_digest")
    row = {name: (a or b)[name] for name in shared} | {"what": what}
    for side, reply in (("a", a), ("b", b)):
        row |= {f"{name}_{side}": reply and reply[name] for name in ("status", "text")}
    return row


def _reply_counts(key: Key, count: Counter[str]) -> dict[str, Any]:
    other = count["status"] + count["text"]
    return {
        "tester": key[0],
        "experiment": key[1],
        "n_both": count["same"] + other,
        "n_same": count["same"],
        "n_other": other,
        "only_a": count[ONLY_A],
        "only_b": count[ONLY_B],
    }


def served(a: Iterable[Row], b: Iterable[Row], role: str, name: str) -> list[dict[str, Any]]:
    """Fields of SERVED that hold other values in B, with every value and its counts.

    role: tester or judge, which is also the column `name`. Numbers of replies alone are no change.
    """
    counted: dict[Key, list[Counter[Any]]] = defaultdict(lambda: [Counter(), Counter()])
    for side, rows in enumerate((a, b)):
        for row in rows:
            for field in SERVED:
                if field in row and row["status"] != "api_error":
                    counted[row[name], field][side][row[field]] += 1
    return [
        {
            "role": role,
            "name": who,
            "field": field,
            "value": value,
            "n_a": left[value],
            "n_b": right[value],
        }
        for (who, field), (left, right) in counted.items()
        if set(left) != set(right)
        for value in dict.fromkeys([*left, *right])
    ]


def flips(
    a: Iterable[Row], b: Iterable[Row], not_paired: Collection[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Director Task outcomes paired by item, trial and measure: counts, and those that flipped.

    FLIP_COLUMNS: both_right … only_b are over pairs with a usable reply on both sides; missing_a is
    a pair that A alone lacks. not_paired: items that show other pictures. FLIPPED_COLUMNS: pairs
    that are right on one side, or missing on one side.
    """
    key = ("tester", "arm", "measure", "item_id", "trial")
    left, right = ({tuple(row[k] for k in key): row for row in rows} for rows in (a, b))
    counts: dict[Key, Counter[str]] = {}
    rows = []
    for name in dict.fromkeys([*left, *right]):
        tester, arm, measure, item_id, _trial = name
        for level, column in LEVELS.items():
            count = counts.setdefault((tester, arm, measure, level), Counter())
            if name not in left or name not in right:
                count["not_in_a" if name not in left else "not_in_b"] += 1
                continue
            if item_id in not_paired:
                count["n_other_pictures"] += 1
                continue
            values = left[name][column], right[name][column]
            count[_PAIRS[values]] += 1
            if values[0] != values[1]:
                row = dict(zip(key, name, strict=True)) | {"level": level}
                for side, outcome, value in zip(
                    "ab", (left[name], right[name]), values, strict=True
                ):
                    row |= {f"right_{side}": value}
                    row |= {f"failure_mode_{side}": outcome["failure_mode"]}
                rows.append(row)
    return [_flip_counts(name, count) for name, count in counts.items()], rows


_PAIRS = {
    (True, True): "both_right",
    (False, False): "both_wrong",
    (True, False): "only_a",
    (False, True): "only_b",
    (None, None): "both_missing",
    (None, True): "missing_a",
    (None, False): "missing_a",
    (True, None): "missing_b",
    (False, None): "missing_b",
}


def _flip_counts(name: Key, count: Counter[str]) -> dict[str, Any]:
    row = dict(zip(("tester", "arm", "measure", "level"), name, strict=True))
    row |= {column: count[column] for column in FLIP_COLUMNS[5:]}
    row["n_pairs"] = sum(count[c] for c in ("both_right", "both_wrong", "only_a", "only_b"))
    row["p_exact"] = mcnemar_exact(count["only_a"], count["only_b"])
    return row


def verdicts(
    a: tuple[Iterable[Row], Iterable[Row]],
    b: tuple[Iterable[Row], Iterable[Row]],
    not_paired: Collection[str],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Scores of one tester's trial of one clip, by judge: counts, and scores that changed.

    a, b: verdicts and descriptions. n_pairs: scored on both sides. n_same_request: of these, the
    same words were judged. Differences are B minus A over the pairs; null without one.
    """
    left, right = _scores(*a), _scores(*b)
    counts: dict[Key, Counter[str]] = {}
    rows = []
    for name in dict.fromkeys([*left, *right]):
        count = counts.setdefault(name[:3], Counter())
        one, other = left.get(name), right.get(name)
        if name[4] in not_paired:
            count["n_other_pictures"] += 1
            continue
        if one is None or other is None:
            count["only_b" if one is None else "only_a"] += 1
            continue
        same = one["request_digest"] == other["request_digest"]
        count.update({"n_pairs": 1, "n_same_request": int(same)})
        for score in ("intent", "approp"):
            count[f"{score}_changed"] += one[score] != other[score]
            count[f"{score}_sum"] += other[score] - one[score]
        if (one["intent"], one["approp"]) != (other["intent"], other["approp"]):
            rows.append(
                dict(zip(VERDICT_COLUMNS[:6], name, strict=True))
                | {"same_request": same}
                | {
                    f"{s}_{side}": v[s]
                    for s in ("intent", "approp")
                    for side, v in (("a", one), ("b", other))
                }
            )
    return [_verdict_counts(name, count) for name, count in counts.items()], rows


def _scores(verdict_rows: Iterable[Row], descriptions: Iterable[Row]) -> dict[Key, Row]:
    """Verdicts with scores by judge, overlay, arm, tester, item and trial."""
    told: dict[Key, list[Key]] = defaultdict(list)
    for row in descriptions:
        told[row["arm"], row["blind_id"]].append((row["tester"], row["item_id"], row["trial"]))
    return {
        (verdict["judge"], verdict["overlay"], verdict["arm"], *whose): verdict
        for verdict in verdict_rows
        if verdict["intent"] is not None
        for whose in told[verdict["arm"], verdict["blind_id"]]
    }


def _verdict_counts(name: Key, count: Counter[str]) -> dict[str, Any]:
    row = dict(zip(VERDICT_COUNTS[:3], name, strict=True))
    row |= {column: count[column] for column in VERDICT_COUNTS[3:]}
    n = count["n_pairs"]
    for score in ("intent", "approp"):
        row[f"{score}_mean_difference"] = count[f"{score}_sum"] / n if n else None
    return row


def flat(content: Any, before: str = "") -> dict[str, Any]:
    """A configuration by dotted keys; a list is one value."""
    if not isinstance(content, Mapping):
        return {before: content}
    found: dict[str, Any] = {}
    for name, value in content.items():
        found |= flat(value, f"{before}.{name}" if before else str(name))
    return found if content else {before: {}}


def keys(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Dotted keys whose values differ, sorted; a key that one side lacks is null there."""
    left, right = flat(a), flat(b)
    names = sorted({*left, *right})
    return [
        {"what": name, "a": _shown_value(left.get(name)), "b": _shown_value(right.get(name))}
        for name in names
        if name not in left or name not in right or left[name] != right[name]
    ]


def _shown_value(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
