"""Table 10: the panel's headline with and without badges on the frames (Appendix K)."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.arm_text import caption_notes, gaps_note, pair, signed
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source
from vlmtom.stats.arm_tables import OK, TABLE10_ARMS, Comparison
from vlmtom.stats.exact import show

Row = Mapping[str, object]

# Metric, its words, decimals.
_LINES = (
    ("median_intent_tom", "median Intent, ToM", 1),
    ("median_intent_gd", "median Intent, GD", 1),
    ("median_intent_random", "median Intent, Random", 1),
    ("dist_td_tom", "distance to TD-adult, ToM", 2),
    ("dist_hfasd_tom", "distance to HF-ASD-adult, ToM", 2),
)
_COLUMNS = (Column("Panel", "l"), Column("plain", "c"), Column("numbered", "c"), Column("Δ"))


def table10_tex(
    table: Sequence[Row],
    found: Comparison,
    source: Source,
    trials: Mapping[str, int],
) -> str:
    """The LaTeX source of Table 10.

    table: exact rows of TABLE10; found: the comparison behind them; trials: K by
    arm.
    """
    by_metric = {str(row["metric"]): row for row in table}
    lines = {name: _line(by_metric[name], words, digits) for name, words, digits in _LINES}
    first = table[0]
    return LatexTable(
        label="tab:plain-numbered",
        caption=(
            "Frames without badges (plain) and with them (numbered, the canonical way): the "
            "panel's numbers, and numbered minus plain, from the exact numbers. Medians over all "
            "clip × judge cells; distances of the panel mean profile. Strict rank: ToM > GD > "
            "Random on a tester's medians of Intent."
        ),
        columns=_COLUMNS,
        rows=[
            _ranks(by_metric["strict_rank_count"], found),
            *(lines[name] for name, _, _ in _LINES[:3]),
            _means(by_metric["mean_intent_tom"], by_metric["mean_approp_tom"]),
            *(lines[name] for name, _, _ in _LINES[3:]),
        ],
        footer=[
            [
                "cells",
                *(f"{first[f'n_cells_{arm}']}/{first[f'n_planned_{arm}']}" for arm in TABLE10_ARMS),
                "",
            ]
        ],
        notes=[
            *caption_notes(
                source, {arm: trials[arm] for arm in TABLE10_ARMS}, [source.overlay], found
            ),
            _status_note(table),
            gaps_note((first[f"n_cells_{arm}"], first[f"n_planned_{arm}"]) for arm in TABLE10_ARMS),
        ],
    ).text()


def _line(row: Row, words: str, digits: int) -> list[str]:
    shown = [show(row[arm], digits) for arm in TABLE10_ARMS]
    return [words, *shown, signed(row["delta"], digits)]


def _ranks(row: Row, found: Comparison) -> list[str]:
    shown = [
        "–" if row[arm] is None else f"{row[arm]} / {len(found.testers)}" for arm in TABLE10_ARMS
    ]
    return ["testers with strict rank", *shown, signed(row["delta"], 0)]


def _means(intent: Row, approp: Row) -> list[str]:
    delta = "–"
    if intent["delta"] is not None:
        delta = f"({signed(intent['delta'], 2)}, {signed(approp['delta'], 2)})"
    shown = [pair(intent[arm], approp[arm]) for arm in TABLE10_ARMS]
    return ["mean (Intent, Approp), ToM", *shown, delta]


def _status_note(table: Sequence[Row]) -> str:
    wrong = {str(row["status"]) for row in table} - {OK}
    return "–: no number, because a condition or an arm has no scored cell." if wrong else ""
