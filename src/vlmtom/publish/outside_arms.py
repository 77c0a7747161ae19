"""Tables 6, 9 and 10 from trials of several arms or overlays that were scored elsewhere."""

from collections.abc import Mapping, Sequence

from vlmtom.stats.arm_tables import (
    TABLE9_VARIANTS,
    compared,
    table6,
    table6_variants,
    table9,
    table10,
    table10_variants,
)
from vlmtom.stats.exact import Number, show
from vlmtom.stats.references import References
from vlmtom.store.files import csv_bytes

Row = Mapping[str, object]

# The paper's rows of Table 10 with their decimals; of the two means it prints no difference.
_METRICS = {
    "median_intent_tom": ("median_intent_ToM", 1),
    "median_intent_gd": ("median_intent_GD", 1),
    "median_intent_random": ("median_intent_Random", 1),
    "mean_intent_tom": ("mean_intent_ToM", 2),
    "mean_approp_tom": ("mean_approp_ToM", 2),
    "dist_td_tom": ("dist_td_ToM", 2),
    "dist_hfasd_tom": ("dist_hfasd_ToM", 2),
}
# Tables 6 and 9 as files: their columns, the numbers with their decimals.
_TABLE6 = {"intent": 2, "approp": 2, "dist_td": 2, "dist_hfasd": 2, "margin": 2}
_TABLE6_WORDS = ("condition", "arm", "nearest", "n_testers", "status")
_TABLE9 = {
    "strict_rank_count": 0,
    "median_intent_tom": 1,
    "median_intent_gd": 1,
    "median_intent_random": 1,
    "mean_intent_tom": 2,
    "mean_approp_tom": 2,
    "dist_td_tom": 2,
    "dist_hfasd_tom": 2,
}
_TABLE9_WORDS = (
    *("arm", "overlay", "nearest_tom", "nearest_gd", "nearest_random"),
    *("n_ranked", "n_testers", "status"),
)
_WITHOUT_DELTA = ("mean_intent_tom", "mean_approp_tom")


class PrintedNumber:
    """A printed number: it may begin with a sign, and is no text that a sheet could run."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def printed_number(value: Number | None, digits: int, sign: bool = False) -> PrintedNumber | None:
    """A number as the paper prints it, half up; a difference with its sign."""
    if value is None:
        return None
    text = show(value, digits)
    plus = "+" if sign and text.strip("-0.") and not text.startswith("-") else ""
    return PrintedNumber(plus + text)


def tables(cells: Sequence[Row], references: References) -> dict[str, bytes]:
    """table6.csv and table9.csv, where there are several arms, or several overlays."""
    made = {}
    trials: dict[str, int] = {}
    for row in cells:
        if row["overlay"] == "blinded":
            trials[str(row["arm"])] = int(str(row["n_trials"]))
    if len(trials) > 1:
        rows = table6(compared(cells, table6_variants(trials)), references, trials)
        made["table6.csv"] = _csv(rows, _TABLE6, _TABLE6_WORDS)
    variants = {(row["arm"], row["overlay"]) for row in cells} & {*TABLE9_VARIANTS}
    if len(variants) > 1:
        rows = table9(compared(cells, TABLE9_VARIANTS), references)
        made["table9.csv"] = _csv(rows, _TABLE9, _TABLE9_WORDS)
    return made


def table10_csv(cells: Sequence[Row], references: References) -> bytes:
    """Table 10; without trials of the arm plain its numbered column alone."""
    found = compared(cells, table10_variants())
    rows = {str(row["metric"]): row for row in table10(found, references)}
    without_plain = ("plain", "blinded") in found.absent
    metrics = {"strict_rank_count": (f"strict_rank_count_of_{len(found.testers)}", 0), **_METRICS}
    columns = ["metric", "v1_plain", "v2_numbered", "delta"]
    printed = [
        {
            "metric": words,
            "v1_plain": printed_number(rows[name]["plain"], digits),
            "v2_numbered": printed_number(rows[name]["numbered"], digits),
            "delta": None
            if name in _WITHOUT_DELTA
            else printed_number(rows[name]["delta"], digits, sign=True),
        }
        for name, (words, digits) in metrics.items()
    ]
    shown = ["metric", "v2_numbered"] if without_plain else columns
    return csv_bytes([{name: row[name] for name in shown} for row in printed], shown)


def _csv(rows: Sequence[Row], digits: Mapping[str, int], words: Sequence[str]) -> bytes:
    """Words and printed numbers in the order of the rows' columns."""
    columns = [name for name in rows[0] if name in digits or name in words]
    return csv_bytes(
        [
            {
                name: printed_number(row[name], digits[name]) if name in digits else row[name]
                for name in columns
            }
            for row in rows
        ],
        columns,
    )
