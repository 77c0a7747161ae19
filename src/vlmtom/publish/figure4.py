"""Figure 4: both tasks in one plane (cross-task paper, section 5.1)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from vlmtom.publish import scatter
from vlmtom.publish.provenance import Source, tester_label
from vlmtom.stats.references import References


def figure4(
    table: Sequence[Mapping[str, object]],
    references: References,
    source: Source,
    testers: Sequence[str],
    director_trials: int,
) -> Figure:
    """Director gap across, ToM distance to TD-adult up; stars: the adult reference groups.

    table: rows of TABLE8. testers: all of the configuration, in order; it fixes their looks. The
    dashed line is the Director Task's boundary alone: the height does not decide a label.
    """
    kinds = [str(row["kind"]) for row in table]
    kind_of = {str(row["tester"]): str(row["kind"]) for row in table}
    places = {
        str(row["tester"]): (float(row["gap"]), float(row["dist_td"]))
        for row in table
        if row["gap"] is not None and row["dist_td"] is not None
    }
    groups = stars(references)
    figure, axes = plt.subplots(figsize=(6.3, 4.2))
    low = min([0.0, *(x for x, _ in places.values())])
    top = max([1.0, *(y for _, y in (*places.values(), *groups.values()))])
    axes.set_xlim(low - 0.06, 1.06)
    axes.set_ylim(-0.08 * top, 1.1 * top)
    axes.set_xlabel("Director Task: gap P(a) − P(b)")
    axes.set_ylabel("animated triangles, ToM:\ndistance to TD-adult")
    axes.grid(axis="both")
    gaps = [one.gap for one in references.adults.groups if one.gap is not None]
    if len(gaps) == 2:
        axes.axvline(
            scatter.midpoint(*gaps), color="#aaaaaa", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1
        )
    scatter.draw_stars(axes, groups)
    scatter.draw_points(axes, places, scatter.looks(testers))
    absent = [name for name in kind_of if name not in places]
    notes = [
        "Stars: human reference groups. Dashed: gap equally far from both. The height is for the "
        "eye; labels on the triangles use both scores (Table 8).",
        f"Director Task: K = {director_trials} trials a scene, majority cells.",
        *source.notes(kinds),
        scatter.absent_note(absent),
    ]
    figure.tight_layout(rect=(0, scatter.foot(figure, notes), 1, 1))
    scatter.label_points(
        axes,
        [
            *groups.items(),
            *((tester_label(name, kind_of[name], kinds), place) for name, place in places.items()),
        ],
    )
    return figure


def stars(references: References) -> dict[str, tuple[float, float]]:
    """Each adult group's gap, and how far its ToM profile is from that of TD-adult."""
    adults = [one for one in references.adults.groups if one.gap is not None and one.points]
    origin = next((one.points["ToM"] for one in adults if one.group == "TD-adult"), None)
    if origin is None:
        return {}
    return {
        one.group: (float(one.gap), float(origin.distance(one.points["ToM"]))) for one in adults
    }
