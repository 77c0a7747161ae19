"""The figure of reasoning traces: readings by tester and condition, and what is taken as seen."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from vlmtom.publish import scatter
from vlmtom.publish.action_traces import READING_NAMES, READINGS, TraceSource, left_out
from vlmtom.publish.provenance import tester_label
from vlmtom.publish.style import HATCHES, OKABE_ITO

Row = Mapping[str, Any]

# Light and dark by turns, with a hatch each, so that neighbours differ in grey as well.
_COLORS = (OKABE_ITO[0], OKABE_ITO[6], OKABE_ITO[4], OKABE_ITO[1], "#ffffff")
_LOOKS = dict(zip(READINGS, zip(_COLORS, HATCHES, strict=False), strict=True))
_NOT_SEEN = OKABE_ITO[3]
_LEAST_LABELLED = 0.09  # of the bar; a narrower part has no room for its number
_ROW_IN, _GAP = 0.23, 0.45


def figure_traces(table: Sequence[Row], source: TraceSource) -> Figure:
    """A bar a tester and condition, stacked by reading; beside it the hidden choices' share.

    table: exact rows of REPORT_ACTION_TRACES. Rows without a used code have no bar, and a word.
    """
    kinds = [row["kind"] for row in table]
    labels = _labels(table)
    places, place = [], 0.0
    for n, row in enumerate(table):
        before = table[n - 1] if n else row
        if n:
            same = (row["coder"], row["tester"]) == (before["coder"], before["tester"])
            place += 1 if same else 1 + _GAP
        places.append(place)
    height = _ROW_IN * (place + 2) + 1.75
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(7.2, height), sharey=True, gridspec_kw={"width_ratios": (3, 1)}
    )
    for where, row in zip(places, table, strict=True):
        _draw_readings(left, where, row)
        _draw_not_seen(right, where, row)
    left.set_yticks(places, labels, fontsize=7)
    left.set_ylim(place + 0.8, -0.8)
    left.set_xlabel("share of coded traces, %", fontsize=8)
    right.set_xlabel("hidden choices:\nblock not seen, %", fontsize=8)
    for axes in (left, right):
        axes.set_xlim(0, 1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100"], fontsize=7.5)
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x")
        axes.tick_params(axis="y", length=0)
    right.set_xlim(0, 1.32)
    right.tick_params(axis="y", labelleft=False)
    coders = ", ".join(
        tester_label(slug, kind, source.coders.values()) for slug, kind in source.coders.items()
    )
    notes = [
        f"Coded by {coders}. In the bars: traces. At the right: hidden choices whose trace takes "
        "the director not to see the block, of those coded.",
        *source.notes(kinds),
        *left_out(table),
    ]
    legend_height = 0.3
    bottom = scatter.foot(figure, notes, above=legend_height)
    figure.legend(
        handles=[
            Patch(
                facecolor=color,
                hatch=hatch,
                edgecolor="black",
                linewidth=0.6,
                label=READING_NAMES[reading],
            )
            for reading, (color, hatch) in _LOOKS.items()
        ],
        loc="lower left",
        bbox_to_anchor=(0.01, bottom - (legend_height - 0.02) / height),
        ncols=len(_LOOKS),
        fontsize=7.5,
        handlelength=1.8,
        columnspacing=1.2,
    )
    figure.tight_layout(rect=(0, bottom, 1, 1))
    return figure


def _labels(table: Sequence[Row]) -> list[str]:
    """What parts the rows: condition always, batch, scene set and coder where there are several."""
    kinds = [row["kind"] for row in table]
    labels = []
    for n, row in enumerate(table):
        before = table[n - 1] if n else None
        names = [row["arm"]]
        for name in ("batch", "scene_set", "coder"):
            if len({other[name] for other in table}) > 1:
                names.append(row[name])
        head = tester_label(row["tester"], row["kind"], kinds)
        is_first = before is None or (before["coder"], before["tester"]) != (
            row["coder"],
            row["tester"],
        )
        labels.append((f"{head}   " if is_first else "") + ", ".join(names))
    return labels


def _draw_readings(axes: Axes, where: float, row: Row) -> None:
    if not row["n_coded"]:
        words = {"no_traces": "no trace came along", "gate_failed": "the coder failed the tests"}
        text = words.get(row["status"], "no code")
        axes.text(0.01, where, text, va="center", fontsize=7, color="#444444")
        return
    start = 0.0
    for reading, (color, hatch) in _LOOKS.items():
        share = float(row[f"{reading}_share"])
        if not share:
            continue
        axes.barh(
            where,
            share,
            left=start,
            height=0.78,
            color=color,
            hatch=hatch,
            edgecolor="black",
            linewidth=0.6,
        )
        if share >= _LEAST_LABELLED:
            axes.text(
                start + share / 2,
                where,
                str(row[f"n_{reading}"]),
                ha="center",
                va="center",
                fontsize=7,
                bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"},
            )
        start += share


def _draw_not_seen(axes: Axes, where: float, row: Row) -> None:
    share = row["hidden_no_share"]
    if share is None:
        axes.text(0.02, where, "–", va="center", fontsize=7)
        return
    axes.barh(where, float(share), height=0.78, color=_NOT_SEEN, edgecolor="black", linewidth=0.6)
    axes.text(
        float(share) + 0.03,
        where,
        f"{row['n_hidden_no']} of {row['n_hidden_coded']}",
        va="center",
        fontsize=7,
    )
