"""The game's Figure 2: outcome against uncertainty, a panel a condition (MOSAIC paper, 4.1)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.publish import scatter
from vlmtom.publish.mosaic_heatmaps import empty_figure
from vlmtom.publish.mosaic_text import (
    Row,
    Study,
    by_pair,
    excluded_note,
    kinds_of,
    pair_label,
)
from vlmtom.stats.game import Pair

_COLUMNS = 3  # of the legend
_LEGEND_LINE = 0.135  # inches
_SIZES = {"low": 4.2, "medium": 6.6, "high": 9.4, None: 4.2}


def mosaic_figure2(rows: Sequence[Row], study: Study, families: Mapping[str, str]) -> Figure:
    """TOCS (up) against UR (across), one mark a pair: colour and shape its family, size its bias.

    rows: of MOSAIC_TABLE3. families: of agents by slug; one that is not there is its own. A pair
    is of its subject's family.
    """
    shown = [row for row in rows if row["tocs"] is not None]
    if not shown:
        return empty_figure("Outcome against uncertainty: no pair was scored.", rows, study)
    kinds = kinds_of(shown)
    pairs = list(by_pair(shown))
    family_of = {pair: families.get(pair.subject, pair.subject) for pair in pairs}
    looks = scatter.looks(list(dict.fromkeys(family_of.values())))
    numbers = {pair: number for number, pair in enumerate(pairs, 1)}
    above = _LEGEND_LINE * (-(-len(pairs) // _COLUMNS) + 1) + 0.3
    figure, grid = plt.subplots(2, 2, figsize=(7.2, 5.6 + above), sharex=True, sharey=True)
    texts = []
    for axes, condition, letter in zip(grid.flat, CONDITIONS, "abcd", strict=True):
        own = [row for row in shown if row["condition"] == condition.slug]
        texts.append((axes, _draw(axes, own, family_of, looks, numbers)))
        axes.set_title(f"{letter}  {condition.label}", fontsize=8.5, loc="left")
    for axes in grid[:, 0]:
        axes.set_ylabel("TOCS")
    for axes in grid[1]:
        axes.set_xlabel("uncertainty rate")
    notes = [
        "TOCS: share of trials with the predicted score; uncertainty rate: share of trials in "
        "which neither box opened. Dashed: chance for a participant who opens a box as often; the "
        "grey area cannot be reached. Size: share of the box that opened more often, among trials "
        "with a choice: low below .60, high from .75 on; small too where no box ever opened.",
        *study.notes(kinds),
        excluded_note(rows),
    ]
    bottom = scatter.foot(figure, notes, above=above)
    _legend(figure, shown, pairs, family_of, looks, bottom)
    figure.tight_layout(rect=(0, bottom, 1, 1), w_pad=1.0)
    for axes, labels in texts:
        scatter.label_points(axes, labels, size=7)
    return figure


def _draw(
    axes: Axes,
    rows: Sequence[Row],
    family_of: Mapping[Pair, str],
    looks: Mapping[str, scatter.Look],
    numbers: Mapping[Pair, int],
) -> list[tuple[str, tuple[float, float]]]:
    """Marks of a panel; returns their labels, one a place."""
    axes.fill([0, 1, 1], [1, 1, 0], color="#eeeeee", linewidth=0, zorder=0)
    axes.plot([0, 1], [0.5, 0], color="#777777", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    at: dict[tuple[float, float], list[str]] = {}
    # Large marks first, so that a small one on the same place is seen.
    for row in sorted(rows, key=lambda row: -_SIZES[row["pb_class"]]):
        (pair,) = by_pair([row])
        look = looks[family_of[pair]]
        place = (float(row["ur"]), float(row["tocs"]))
        at.setdefault((round(place[0], 2), round(place[1], 2)), []).append(str(numbers[pair]))
        axes.plot(
            *place,
            linestyle="none",
            marker=look.marker,
            markersize=_SIZES[row["pb_class"]],
            markerfacecolor=look.color,
            markeredgecolor="black",
            markeredgewidth=0.5,
            alpha=0.9,
            clip_on=False,
            zorder=4,
        )
    axes.set_xlim(-0.06, 1.06)
    axes.set_ylim(-0.06, 1.08)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.tick_params(labelsize=7.5)
    axes.grid(visible=True, axis="both")
    return [(", ".join(sorted(names, key=int)), place) for place, names in at.items()]


def _legend(
    figure: Figure,
    rows: Sequence[Row],
    pairs: Sequence[Pair],
    family_of: Mapping[Pair, str],
    looks: Mapping[str, scatter.Look],
    top: float,
) -> None:
    kinds, first = kinds_of(rows), {pair: own[0] for pair, own in by_pair(rows).items()}
    handles = [
        _mark(
            looks[family_of[pair]].marker,
            looks[family_of[pair]].color,
            5.5,
            f"{number}  {pair_label(first[pair], kinds)}",
        )
        for number, pair in enumerate(pairs, 1)
    ]
    figure.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=_COLUMNS,
        fontsize=7,
        borderpad=0,
        handletextpad=0.3,
        labelspacing=0.3,
    )
    sizes = [
        _mark("o", "white", _SIZES[name], f"{name} positional bias")
        for name in ("low", "medium", "high")
    ]
    lines = -(-len(pairs) // _COLUMNS)
    figure.legend(
        handles=sizes,
        loc="upper center",
        bbox_to_anchor=(0.5, top - (_LEGEND_LINE * lines + 0.12) / figure.get_figheight()),
        ncols=_COLUMNS,
        fontsize=7,
        borderpad=0,
        handletextpad=0.3,
    )


def _mark(marker: str, color: str, size: float, label: str) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="none",
        marker=marker,
        markersize=size,
        markerfacecolor=color,
        markeredgecolor="black",
        markeredgewidth=0.6,
        label=label,
    )
