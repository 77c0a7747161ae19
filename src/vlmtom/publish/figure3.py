"""Figure 3: ToM profiles beside the two adult reference groups (cross-task paper, section 4.3)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from vlmtom.publish import scatter
from vlmtom.publish.provenance import Source, tester_label
from vlmtom.stats.references import References


def figure3(
    table: Sequence[Mapping[str, object]],
    references: References,
    source: Source,
    testers: Sequence[str],
) -> Figure:
    """Each tester's mean Intentionality and Appropriateness on ToM clips; stars: adult groups.

    table: rows of TABLE7. testers: all of the configuration, in order; it fixes their looks.
    """
    kinds = [str(row["kind"]) for row in table]
    kind_of = {str(row["tester"]): str(row["kind"]) for row in table}
    places = {
        str(row["tester"]): (float(row["intent"]), float(row["approp"]))
        for row in table
        if row["intent"] is not None
    }
    stars = {one.group: one.points["ToM"] for one in references.adults.groups if one.points}
    figure, axes = plt.subplots(figsize=(6.3, 4.2))
    scatter.plane(axes)
    if len(stars) == 2:
        scatter.draw_boundary(axes, *stars.values())
    groups = {group: scatter.place_of(point) for group, point in stars.items()}
    scatter.draw_stars(axes, groups)
    scatter.draw_points(axes, places, scatter.looks(testers))
    absent = [name for name in kind_of if name not in places]
    notes = [
        "Stars: means of human reference groups. Dashed: equally far from both.",
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
