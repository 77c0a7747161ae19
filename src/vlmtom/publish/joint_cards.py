"""The card of each tester that took part in every experiment: a table, a figure, and a page."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.publish import scatter
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import tester_label, testers_note
from vlmtom.publish.report import render_page
from vlmtom.publish.report_action_text import points
from vlmtom.publish.style import OKABE_ITO
from vlmtom.stats.exact import end_of, show

Row = Mapping[str, object]

_EXPERIMENTS = {
    "director": "Director Task",
    "triangles": "animated triangles",
    "report_action": "report before action",
    "mosaic": "treasure game",
}
_PROFILE = {"tom": "ToM", "gd": "GD", "random": "Random"}
_SCORES = {"intent": "Intent", "approp": "Approp"}
_CAPTION = (
    "Testers that took part in every experiment, a card each. Gap: correct reports less correct "
    "moves, in points. Intent and Approp: mean scores of descriptions. Report effect: hidden block "
    "chosen with the question less without it, in points. TOCS: trials of the treasure game that "
    "end as theory of mind predicts, of a tester that plays itself, in per cent."
)
_HOW = (
    "95 % intervals: over scenes, over clips and judges, over scenes as clusters, and exact over "
    "trials. Each is of its own experiment: the numbers are not on one scale, and descriptive."
)
# The axes of a card: where they begin and end, and what they hold.
_PANELS = (
    ("Gap (points)", (-100, 100), ("gap",)),
    ("Intent (0 to 5)", (0, 5), ("tom_intent", "gd_intent", "random_intent")),
    ("Approp (0 to 3)", (0, 3), ("tom_approp", "gd_approp", "random_approp")),
    ("Report effect (points)", (-100, 100), ("effect",)),
    ("TOCS (%)", (0, 100), tuple(f"tocs_{slug}" for slug in BY_SLUG)),
)


def joint_cards_tex(rows: Sequence[Row], panel: str) -> str:
    """The LaTeX source. rows: of JOINT_CARDS."""
    kinds = _kinds(rows)
    lines: list[list[str]] = []
    for tester in dict.fromkeys(str(row["tester"]) for row in rows):
        lines.append([tester_label(tester, kinds[tester], kinds.values())])
        for row in _card(rows, tester):
            lines.append([_EXPERIMENTS[str(row["experiment"])], *_cells(row)])
    return LatexTable(
        label="tab:joint-cards",
        caption=_CAPTION,
        columns=[
            Column("Experiment", "l"),
            Column("Number", "l"),
            Column("Value"),
            Column("95 % interval", "l"),
            Column("n"),
            Column("of", "l"),
        ],
        rows=lines,
        notes=[f"Panel {panel}.", f"In brackets: {_HOW}", testers_note(kinds.values())],
        size="footnotesize",
    ).text()


def joint_cards_figure(rows: Sequence[Row], panel: str) -> Figure:
    """A row of five small panels for each tester."""
    testers = list(dict.fromkeys(str(row["tester"]) for row in rows))
    kinds = _kinds(rows)
    height = 0.95 + 1.15 * len(testers)
    figure, axes = plt.subplots(
        len(testers),
        len(_PANELS),
        figsize=(7.2, height),
        squeeze=False,
        gridspec_kw={"width_ratios": [1, 1, 1, 1, 1.25]},
    )
    for number, (line, tester) in enumerate(zip(axes, testers, strict=True)):
        by_measure = {row["measure"]: row for row in _card(rows, tester)}
        for one, (title, ends, measures) in zip(line, _PANELS, strict=True):
            _draw(one, ends, [by_measure[measure] for measure in measures])
            if number == 0:
                one.set_title(title, fontsize=7, loc="left", pad=14)
        line[0].text(
            0,
            1.04,
            tester_label(tester, kinds[tester], kinds.values()),
            transform=line[0].transAxes,
            fontsize=7.5,
            weight="bold",
        )
    figure.subplots_adjust(
        left=0.08, right=0.99, top=1 - 0.42 / height, bottom=0.62 / height, hspace=0.75, wspace=0.55
    )
    notes = f"Panel {panel}. Lines: {_HOW} {testers_note(kinds.values())}"
    scatter.foot(figure, [notes])
    return figure


def joint_page(rows: Sequence[Row], panel: str, links: Mapping[str, Sequence[str]]) -> str:
    """The page of all cards. links: of each tester, pages with what stands behind its numbers."""
    kinds = _kinds(rows)
    return render_page(
        "joint.html.j2",
        title="Every experiment, a card for each tester",
        note=f"Panel {panel}. {_CAPTION} {_HOW} {testers_note(kinds.values())}".strip(),
        cards=[
            {
                "tester": tester_label(tester, kinds[tester], kinds.values()),
                "links": links.get(tester, ()),
                "rows": [
                    {"experiment": _EXPERIMENTS[str(row["experiment"])], "cells": _cells(row)}
                    for row in _card(rows, tester)
                ],
            }
            for tester in kinds
        ],
    )


def _kinds(rows: Sequence[Row]) -> dict[str, str]:
    """Model or observer, of each tester in order; of one that nothing was run of, a model."""
    found: dict[str, str] = {}
    for row in rows:
        kind = row["kind"]
        if kind is not None or str(row["tester"]) not in found:
            found[str(row["tester"])] = str(kind or "model")
    return found


def _card(rows: Sequence[Row], tester: str) -> list[Row]:
    return sorted((r for r in rows if r["tester"] == tester), key=lambda row: int(row["place"]))


def _cells(row: Row) -> list[str]:
    """Name, value, interval, n, and what n counts."""
    low, high = row["low"], row["high"]
    ends = "" if low is None else f"[{_number(row, low)}, {_number(row, high)}]"
    value = str(row["status"]) if row["value"] is None else _number(row, row["value"])
    return [_name(row), value, ends, str(row["n"]), str(row["n_of"])]


def _name(row: Row) -> str:
    measure = str(row["measure"])
    if measure == "gap":
        return "gap, a − b"
    if measure == "effect":
        return f"report effect, {str(row['of']).replace(' - ', ' − ')}"
    if row["experiment"] == "mosaic":
        return f"TOCS, {row['of']}"
    condition, score = measure.split("_")
    return f"{_SCORES[score]}, {_PROFILE[condition]} clips"


def _number(row: Row, value: object) -> str:
    exact = end_of(float(str(value)))
    if row["measure"] in ("gap", "effect"):
        return points(exact)
    return show(100 * exact, 1) if row["experiment"] == "mosaic" else show(exact, 2)


def _scaled(row: Row, value: object) -> float:
    return float(str(value)) * (1 if row["experiment"] == "triangles" else 100)


def _draw(axes: Axes, ends: tuple[float, float], rows: Sequence[Row]) -> None:
    for place, row in enumerate(rows):
        if row["value"] is None:
            middle = sum(ends) / 2
            axes.text(middle, place, str(row["status"]), fontsize=5.5, ha="center", va="center")
            continue
        if row["low"] is not None:
            spread = [_scaled(row, row[end]) for end in ("low", "high")]
            axes.plot(spread, [place, place], color=OKABE_ITO[0], linewidth=1.2)
        axes.plot(
            _scaled(row, row["value"]),
            place,
            marker="o",
            markersize=3.6,
            color=OKABE_ITO[0],
            clip_on=False,
            zorder=4,
        )
    if ends[0] < 0:
        axes.axvline(0, color="#666666", linewidth=0.6)
    if rows[0]["experiment"] == "mosaic":
        axes.axvline(50, color="#666666", linewidth=0.6, linestyle=(0, (3, 2)))
    margin = (ends[1] - ends[0]) / 40
    axes.set_xlim(ends[0] - margin, ends[1] + margin)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [_tick(row) for row in rows], fontsize=6)
    axes.tick_params(axis="x", labelsize=6, length=2)
    axes.tick_params(axis="y", length=0, pad=2)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", linewidth=0.4)


def _tick(row: Row) -> str:
    measure = str(row["measure"])
    if row["experiment"] == "mosaic":
        return BY_SLUG[measure.removeprefix("tocs_")].label
    return _PROFILE.get(measure.split("_")[0], "")
