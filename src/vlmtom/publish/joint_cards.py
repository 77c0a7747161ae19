"""The card of each tester that took part in every experiment: a table, a figure, and a page."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.publish import scatter
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.mosaic_text import interval as share_interval
from vlmtom.publish.mosaic_text import number as share
from vlmtom.publish.provenance import Source, tester_label
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
# In the LaTeX table, whose lines have to fit a page.
_SHORT = {
    "director": "Director Task",
    "triangles": "triangles",
    "report_action": "report, action",
    "mosaic": "treasure game",
}
_COUNTED = {"clip x judge cells": "cells"}
_PROFILE = {"tom": "ToM", "gd": "GD", "random": "Random"}
_SCORES = {"intent": "Intent", "approp": "Approp"}
_CAPTION = (
    "Gap: correct reports less correct moves, in per cent of scenes. Intent and Approp: mean "
    "scores of descriptions, over clip × judge cells. Report effect: hidden block chosen with the "
    "question less without it, in points. TOCS: share of trials of the treasure game that end as "
    "theory of mind predicts, of a tester that plays itself."
)
_HOW = (
    "95 % intervals: over scenes, over clips and judges, over scenes as clusters, and exact over "
    "trials. Each is of its own experiment: the numbers are not on one scale, and descriptive."
)
# The axes of a card: their ticks, from one end to the other, and what they hold.
_PANELS = (
    ("Gap (% of scenes)", (-100, 0, 100), ("gap",)),
    ("Intent (0 to 5)", range(6), ("tom_intent", "gd_intent", "random_intent")),
    ("Approp (0 to 3)", range(4), ("tom_approp", "gd_approp", "random_approp")),
    ("Report effect (points)", (-100, 0, 100), ("effect",)),
    ("TOCS (share)", (0, 0.5, 1), tuple(f"tocs_{slug}" for slug in BY_SLUG)),
)


def joint_cards_tex(rows: Sequence[Row], source: Source) -> str:
    """The LaTeX source, a table for each tester. rows: of JOINT_CARDS."""
    kinds = _kinds(rows)
    return "\n".join(
        LatexTable(
            label=f"tab:joint-card-{number}",
            caption=" ".join(
                [
                    f"{tester_label(tester, kind, kinds.values())} in every experiment.",
                    _CAPTION,
                    _HOW,
                ]
            ),
            columns=[
                Column("Experiment", "l"),
                Column("Number", "l"),
                Column("Value"),
                Column("95 % interval", "l"),
                Column("n"),
                Column("of", "l"),
            ],
            rows=[_line(row) for row in _card(rows, tester)],
            notes=[*_what(_card(rows, tester)), *source.notes(kinds.values())],
            size="footnotesize",
        ).text()
        for number, (tester, kind) in enumerate(kinds.items(), start=1)
    )


def joint_cards_figure(rows: Sequence[Row], source: Source) -> Figure:
    """A row of five small panels for each tester."""
    kinds = _kinds(rows)
    height = 1.6 + 1.15 * len(kinds)
    figure, axes = plt.subplots(
        len(kinds),
        len(_PANELS),
        figsize=(7.2, height),
        squeeze=False,
        gridspec_kw={"width_ratios": [1, 1, 1, 1, 1.25]},
    )
    for number, (line, tester) in enumerate(zip(axes, kinds, strict=True)):
        by_measure = {row["measure"]: row for row in _card(rows, tester)}
        for one, (title, ticks, measures) in zip(line, _PANELS, strict=True):
            _draw(one, ticks, [by_measure[measure] for measure in measures])
            if number == 0:
                one.set_title(title, fontsize=7, loc="left", pad=18)
        line[0].text(
            0,
            1.06,
            _inert(tester_label(tester, kinds[tester], kinds.values())),
            transform=line[0].transAxes,
            fontsize=7.5,
            weight="bold",
        )
    notes = [f"Lines: {_HOW}", *_what(rows), *source.notes(kinds.values())]
    bottom = scatter.foot(figure, notes, above=0.28)
    figure.subplots_adjust(
        left=0.08, right=0.98, top=1 - 0.46 / height, bottom=bottom, hspace=0.75, wspace=0.55
    )
    return figure


def joint_page(rows: Sequence[Row], source: Source, links: Mapping[str, Sequence[str]]) -> str:
    """The page of all cards. links: of each tester, pages with what stands behind its numbers."""
    kinds = _kinds(rows)
    return render_page(
        "joint.html.j2",
        title="Every experiment, a card for each tester",
        note=" ".join([_CAPTION, _HOW, *source.notes(kinds.values())]),
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


def _what(rows: Sequence[Row]) -> list[str]:
    """Sentences on what was compared, and what was seen in the game."""
    effects = dict.fromkeys(
        _minus(row["of"]) for row in rows if row["experiment"] == "report_action"
    )
    arms = dict.fromkeys(
        str(row["of"]).split(", arm ")[1] for row in rows if row["experiment"] == "mosaic"
    )
    return [f"Report effect: {', '.join(effects)}.", f"Treasure game: image arm {', '.join(arms)}."]


def _line(row: Row) -> list[str]:
    """A row of the table, whose caption says what its words are short for."""
    _, *numbers = _cells(row)
    measure = str(row["measure"])
    if measure in ("gap", "effect"):
        name = {"gap": "gap, a − b", "effect": "report effect"}[measure]
    elif row["experiment"] == "mosaic":
        name = f"TOCS, {_tick(row)}"
    else:
        name = f"{_SCORES[measure.split('_')[1]]}, {_tick(row)}"
    return [_SHORT[str(row["experiment"])], name, *numbers]


def _cells(row: Row) -> list[str]:
    """Name, value, interval, n, and what n counts."""
    value = str(row["status"]) if row["value"] is None else _number(row, row["value"])
    of = str(row["n_of"])
    return [_name(row), value, _interval(row), str(row["n"]), _COUNTED.get(of, of)]


def _name(row: Row) -> str:
    measure = str(row["measure"])
    if measure == "gap":
        return "gap, a − b"
    if measure == "effect":
        return f"report effect, {_minus(row['of'])}"
    if row["experiment"] == "mosaic":
        return f"TOCS, {row['of']}"
    condition, score = measure.split("_")
    return f"{_SCORES[score]}, {_PROFILE[condition]} clips"


def _interval(row: Row) -> str:
    low, high = row["low"], row["high"]
    if low is None:
        return ""
    if row["experiment"] == "mosaic":
        return share_interval(low, high)
    return f"[{_number(row, low)}, {_number(row, high)}]"


def _number(row: Row, value: object) -> str:
    """As in the table that it is from: intervals, report_action_estimates, mosaic_signals."""
    exact = end_of(float(str(value)))
    if row["measure"] == "gap":
        return show(100 * exact, 0).replace("-", "−")
    if row["measure"] == "effect":
        return points(exact)
    return share(exact) if row["experiment"] == "mosaic" else show(exact, 2)


def _minus(text: object) -> str:
    return str(text).replace(" - ", " − ")


def _inert(text: str) -> str:
    """Text that matplotlib prints as it is, and reads no formula in."""
    return text.replace("$", r"\$")


def _scaled(row: Row, value: object) -> float:
    return float(str(value)) * (100 if row["measure"] in ("gap", "effect") else 1)


def _draw(axes: Axes, ticks: Sequence[float], rows: Sequence[Row]) -> None:
    ends = (ticks[0], ticks[-1])
    for place, row in enumerate(rows):
        if row["value"] is None:
            middle = sum(ends) / 2
            axes.text(
                middle,
                place,
                str(row["status"]),
                fontsize=5.5,
                ha="center",
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            )
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
        axes.axvline(0.5, color="#666666", linewidth=0.6, linestyle=(0, (3, 2)))
    margin = (ends[1] - ends[0]) / 40
    axes.set_xlim(ends[0] - margin, ends[1] + margin)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [_tick(row) for row in rows], fontsize=6)
    labels = [show(end_of(tick), 0 if tick == int(tick) else 1) for tick in ticks]
    axes.set_xticks(ticks, [label.replace("-", "−") for label in labels])
    axes.tick_params(axis="x", labelsize=6, length=2)
    axes.tick_params(axis="y", length=0, pad=2)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", linewidth=0.4)


def _tick(row: Row) -> str:
    measure = str(row["measure"])
    if row["experiment"] == "mosaic":
        return BY_SLUG[measure.removeprefix("tocs_")].label
    return _PROFILE.get(measure.split("_")[0], "")
