"""The figure of arms: ToM profiles in each arm, and whose medians keep the strict order there."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from vlmtom.publish import scatter
from vlmtom.publish.arm_text import shown_note
from vlmtom.publish.provenance import Source, tester_label
from vlmtom.stats.arm_tables import TABLE6_ARMS
from vlmtom.stats.profile_tables import averaged
from vlmtom.stats.references import References

Row = Mapping[str, object]

CONDITION = "ToM"
COLUMNS = 3


def figure_arms(
    profiles: Sequence[Row],
    ranks: Sequence[Row],
    references: References,
    source: Source,
    trials: Mapping[str, int],
    testers: Sequence[str],
) -> Figure:
    """One plane an arm, as in Figure 3, and a last one with the strict ranks of all arms.

    profiles: rows of PROFILES; ranks: rows of TABLE11; trials: K by arm; testers: all of the
    configuration, in order: it fixes their looks.
    """
    profiles = [
        row
        for row in profiles
        if row["overlay"] == source.overlay and row["condition"] == CONDITION
    ]
    arms = [arm for arm in TABLE6_ARMS if arm in trials]
    kind_of = {str(row["tester"]): str(row["kind"]) for row in profiles}
    of = scatter.looks(testers)
    rows = -(-(len(arms) + 1) // COLUMNS)
    legend_height = 0.17 * -(-(len(kind_of) + 2) // COLUMNS) + 0.12
    figure, grid = plt.subplots(
        rows, COLUMNS, figsize=(7.2, 2.35 * rows + 0.6 + legend_height), squeeze=False
    )
    all_axes = list(grid.flat)
    stars = {
        one.group: place
        for one in references.adults.groups
        if (place := scatter.place_of(one.points.get(CONDITION))) is not None
    }
    labels = [
        (axes, *_draw_arm(axes, arm, profiles, references, stars, of))
        for axes, arm in zip(all_axes, arms, strict=False)
    ]
    _draw_ranks(all_axes[len(arms)], ranks, arms, of, list(kind_of))
    for axes in all_axes[len(arms) + 1 :]:
        axes.set_visible(False)
    kinds = list(kind_of.values())
    absent = [f"{r['tester']} ({r['arm']})" for r in profiles if r["intent"] is None]
    notes = [
        f"Profiles on {CONDITION} clips. Stars: means of human reference groups. Dashed: equally "
        "far from both. Strict rank: ToM > GD > Random on the medians of Intentionality; filled: "
        "yes, open: no, line: not known.",
        *source.notes(kinds, shown_note({arm: trials[arm] for arm in arms}, [source.overlay])),
        scatter.absent_note(absent),
    ]
    bottom = scatter.foot(figure, notes, above=legend_height)
    _legend(figure, kind_of, of, bottom)
    figure.tight_layout(rect=(0, bottom, 1, 1))
    for axes, texts, clear in labels:
        scatter.label_points(axes, texts, clear, size=7)
    return figure


def _draw_arm(
    axes: Axes,
    arm: str,
    profiles: Sequence[Row],
    references: References,
    stars: Mapping[str, tuple[float, float]],
    of: Mapping[str, scatter.Look],
) -> tuple[list[tuple[str, tuple[float, float]]], list[tuple[float, float]]]:
    scatter.plane(axes)
    axes.set_title(arm, fontsize=9)
    if axes.get_subplotspec().colspan.start:
        axes.set_ylabel("")
    points = [one.points[CONDITION] for one in references.adults.groups if CONDITION in one.points]
    if len(points) == 2:
        scatter.draw_boundary(axes, *points)
    scatter.draw_stars(axes, stars)
    places = {
        str(row["tester"]): (float(row["intent"]), float(row["approp"]))
        for row in profiles
        if row["arm"] == arm and row["intent"] is not None
    }
    scatter.draw_points(axes, places, of)
    return [(str(of[name].number), place) for name, place in places.items()], [*stars.values()]


def _draw_ranks(
    axes: Axes,
    ranks: Sequence[Row],
    arms: Sequence[str],
    of: Mapping[str, scatter.Look],
    testers: Sequence[str],
) -> None:
    """A square a tester and arm, filled where the order is strict; their number at the right."""
    for height, arm in enumerate(reversed(arms)):
        of_arm = {str(row["tester"]): row["strict_rank"] for row in ranks if row["arm"] == arm}
        for across, tester in enumerate(testers):
            strict = of_arm.get(tester)
            axes.plot(
                across,
                height,
                linestyle="none",
                marker="_" if strict is None else "s",
                markersize=6.5,
                markerfacecolor="black" if strict else "white",
                markeredgecolor="black",
                markeredgewidth=0.8,
                clip_on=False,
            )
        counted = averaged(row for row in ranks if row["arm"] == arm)
        known = [row["strict_rank"] for row in counted if row["strict_rank"] is not None]
        axes.text(
            len(testers) - 0.3,
            height,
            f"{sum(known)} of {len(known)}" if known else "–",
            va="center",
            fontsize=7.5,
        )
    axes.set_title("strict rank", fontsize=9)
    axes.set_xlim(-0.6, len(testers) + 0.25 * len(testers) + 0.6)
    axes.set_ylim(-0.7, len(arms) - 0.3)
    axes.set_xticks(range(len(testers)), [str(of[tester].number) for tester in testers])
    axes.set_yticks(range(len(arms)), [*reversed(arms)])
    axes.tick_params(length=0, labelsize=7.5)
    axes.grid(visible=False)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("tester")


def _legend(
    figure: Figure, kind_of: Mapping[str, str], of: Mapping[str, scatter.Look], top: float
) -> None:
    kinds = list(kind_of.values())
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
    figure.legend(
        handles=[*handles, *scatter.star_handles()],
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=COLUMNS,
        fontsize=7.5,
        borderpad=0,
        handletextpad=0.3,
        labelspacing=0.3,
    )
