"""Figure 5: profiles by condition (cross-task paper, Appendix E)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from vlmtom.publish import scatter
from vlmtom.publish.provenance import Source, tester_label
from vlmtom.stats.references import References
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, object]


def figure5(
    table: Sequence[Row], references: References, source: Source, testers: Sequence[str]
) -> Figure:
    """One plane a condition, as in Figure 3; a point's number is its tester's in the legend.

    table: rows of TABLE5. testers: all of the configuration, in order; it fixes their looks.
    """
    kinds = [str(row["kind"]) for row in table]
    kind_of = {str(row["tester"]): str(row["kind"]) for row in table}
    of = scatter.looks(testers)
    columns = 3
    legend_height = 0.17 * -(-(len(kind_of) + 2) // columns) + 0.12
    figure, all_axes = plt.subplots(1, 3, figsize=(7.2, 3.1 + legend_height), sharey=True)
    labels = []
    for axes, condition in zip(all_axes, CONDITIONS, strict=True):
        scatter.plane(axes)
        axes.set_title(condition, fontsize=9)
        axes.label_outer()
        stars = {
            one.group: one.points[condition]
            for one in references.adults.groups
            if condition in one.points
        }
        if len(stars) == 2:
            scatter.draw_boundary(axes, *stars.values())
        groups = {group: scatter.place_of(point) for group, point in stars.items()}
        scatter.draw_stars(axes, groups)
        places = {
            str(row["tester"]): (float(row["intent"]), float(row["approp"]))
            for row in table
            if row["condition"] == condition and row["intent"] is not None
        }
        scatter.draw_points(axes, places, of)
        labels.append(([(str(of[n].number), p) for n, p in places.items()], [*groups.values()]))
    absent = [f"{r['tester']} ({r['condition']})" for r in table if r["intent"] is None]
    notes = [
        "Stars: means of human reference groups. Dashed: equally far from both.",
        *source.notes(kinds),
        scatter.absent_note(absent),
    ]
    bottom = scatter.foot(figure, notes, above=legend_height)
    _legend(figure, kind_of, kinds, of, columns, bottom)
    figure.tight_layout(rect=(0, bottom, 1, 1))
    for axes, (texts, clear) in zip(all_axes, labels, strict=True):
        scatter.label_points(axes, texts, clear, size=7)
    return figure


def _legend(
    figure: Figure,
    kind_of: Mapping[str, str],
    kinds: Sequence[str],
    of: Mapping[str, scatter.Look],
    columns: int,
    top: float,
) -> None:
    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=of[name].marker,
            markerfacecolor=of[name].color,
            markeredgecolor="black",
            markeredgewidth=0.6,
            label=f"{of[name].number}  {tester_label(name, kind, kinds)}",
        )
        for name, kind in kind_of.items()
    ]
    handles += scatter.star_handles()
    figure.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=columns,
        fontsize=7.5,
        borderpad=0,
        handletextpad=0.3,
        labelspacing=0.3,
    )
