"""The figure of differences: testers by comparison, with intervals, one block of panels a family.

A mark is filled where a change is called; outside the families, where the whole interval lies
inside the margin. Shape and fill carry all that the colours do.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from vlmtom.publish import scatter
from vlmtom.publish.provenance import tester_label
from vlmtom.publish.report_action_tables import family_sizes
from vlmtom.publish.report_action_text import Study, points, short
from vlmtom.publish.style import OKABE_ITO
from vlmtom.report_action.prompts import condition
from vlmtom.stats.exact import as_fraction

Row = Mapping[str, object]

FEWEST_COLUMNS, MOST_COLUMNS = 4, 8
_WIDTH = 7.2  # inches: both columns of a page
_LINE = 0.112  # inches a tester
_OVER = 0.68  # inches above and below a row of panels, for titles and ticks
_UNDER = 0.22  # inches of it below, for ticks
_HEAD = 0.24  # inches above a family
_FOOT = 1.0  # inches of legend and notes
_LABEL = 0.0074  # share of the width per letter of a tester's name
_UP, _DOWN, _STILL = OKABE_ITO[0], OKABE_ITO[3], "#333333"
_BAND = "#d8d8d8"
_NAME = 17  # letters of a comparison's name in a line
_REACH = 104  # points on either side
_MEASURES = {
    "visible_correct": "reports",
    "joint": "joint rate",
    "director_view_chosen": "meant block",
}


@dataclass(frozen=True)
class _Block:
    """The comparisons of one family and who was asked any of them. family: null for outside."""

    family: str | None
    comparisons: Mapping[str, Sequence[Row]]
    testers: Sequence[str]

    @property
    def panel(self) -> float:
        """Height of a row of panels, in inches."""
        return _LINE * max(len(self.testers), 2) + _OVER

    def rows(self, columns: int) -> int:
        """Rows of panels."""
        return -(-len(self.comparisons) // columns)


def report_action_effects(rows: Sequence[Row], study: Study, testers: Sequence[str]) -> Figure:
    """The figure. rows: of REPORT_ACTION_ESTIMATES; testers: in order, from the top."""
    rows = [row for row in rows if row["primary"]]
    blocks = _blocks(rows, testers)
    kinds = {str(row["tester"]): str(row["kind"]) for row in rows}
    names = {tester: tester_label(tester, kind, kinds.values()) for tester, kind in kinds.items()}
    # As few rows of panels as may be, then as few columns: the panels are as wide as they can be.
    columns = min(
        range(FEWEST_COLUMNS, MOST_COLUMNS + 1),
        key=lambda width: sum(block.rows(width) for block in blocks),
    )
    height = sum(_HEAD + block.rows(columns) * block.panel for block in blocks) + _FOOT
    figure = plt.figure(figsize=(_WIDTH, height))
    left = 0.02 + _LABEL * max((len(name) for name in names.values()), default=0)
    width = (0.995 - left) / columns
    top = height - 0.02
    sizes = family_sizes(rows)
    for block in blocks:
        figure.text(0.01, (top - 0.15) / height, _title(block, study, sizes), weight="bold", size=8)
        top -= _HEAD
        for place, (name, of_comparison) in enumerate(block.comparisons.items()):
            across, down = place % columns, place // columns
            bottom = top - (down + 1) * block.panel + _UNDER
            box = (left + across * width, bottom, width * 0.76, block.panel - _OVER)
            axes = figure.add_axes((box[0], box[1] / height, box[2], box[3] / height))
            _draw(axes, of_comparison, study, block.testers)
            axes.set_gid(name)
            axes.set_title(
                _panel_title(name, of_comparison[0]),
                fontsize=5.3 if columns < MOST_COLUMNS else 4.9,
                pad=2,
                loc="left",
                linespacing=1.05,
            )
            shown = [names[tester] if across == 0 else "" for tester in block.testers]
            axes.set_yticks(range(len(block.testers)), shown)
        top -= block.rows(columns) * block.panel
    scatter.foot(figure, _notes(rows, study))
    figure.legend(
        handles=_handles(rows, study),
        loc="lower left",
        bbox_to_anchor=(0.0, 0.66 / height),
        ncols=5,
        fontsize=6.5,
        handletextpad=0.3,
        columnspacing=1.0,
        borderpad=0,
    )
    return figure


def _blocks(rows: Sequence[Row], testers: Sequence[str]) -> list[_Block]:
    families: dict[str | None, dict[str, list[Row]]] = {}
    for row in rows:
        of_family = families.setdefault(row["family"], {})
        of_family.setdefault(str(row["comparison"]), []).append(row)
    # What is outside the families comes last.
    ordered = sorted(families.items(), key=lambda one: one[0] is None)
    asked = {name: {row["tester"] for own in of.values() for row in own} for name, of in ordered}
    return [_Block(name, of, [t for t in testers if t in asked[name]]) for name, of in ordered]


def _title(block: _Block, study: Study, sizes: Mapping[str, int]) -> str:
    if block.family is None:
        return f"Outside the families: against the margin of {study.margin_text} points"
    own = [
        f"{name.removeprefix(block.family).removeprefix(', ')} {size}".strip()
        for name, size in sizes.items()
        if name == block.family or name.startswith(f"{block.family}, ")
    ]
    return f"Family {block.family}: {', '.join(own)} comparisons"


def _draw(axes: Axes, rows: Sequence[Row], study: Study, testers: Sequence[str]) -> None:
    margin = float(study.margin_points)
    axes.axvspan(-margin, margin, color=_BAND, linewidth=0, zorder=0)
    axes.axvline(0, color="#666666", linewidth=0.6, zorder=1)
    by_tester = {str(row["tester"]): row for row in rows}
    for place, tester in enumerate(testers):
        row = by_tester.get(tester)
        if row is not None:
            _draw_row(axes, place, row)
    axes.set_xlim(-_REACH, _REACH)
    axes.set_ylim(len(testers) - 0.4, -0.6)
    axes.set_xticks([-100, -50, 0, 50, 100], ["", "−50", "0", "+50", ""])
    axes.tick_params(length=0, labelsize=6.2, pad=2)
    axes.tick_params(axis="x", labelsize=5.4)
    axes.grid(axis="x", linewidth=0.4)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def _panel_title(name: str, row: Row) -> str:
    """The comparison's name, what it is of, and the condition that is taken off."""
    requests, sides = (
        [how(str(row[side])) for side in ("with", "without")] for how in (_request, _asked)
    )
    # The request is named once where both have it: there is room for some twenty letters.
    off = sides[1] if requests[0] == requests[1] else f"{requests[1]} {sides[1]}"
    of = [_MEASURES.get(str(row["measure"]), ""), str(row["scene_set"]).replace("main", "")]
    more = ", ".join(part for part in of if part)
    named = textwrap.wrap(name, _NAME, break_on_hyphens=True)
    return "\n".join([*named, f"{requests[0]} {sides[0]}", f"− {off}", *([more] if more else [])])


def _request(arm: str) -> str:
    return condition(arm).request


def _asked(arm: str) -> str:
    return short(arm).replace(" + ", "+")


def _draw_row(axes: Axes, place: int, row: Row) -> None:
    """A mark with its interval and, in whole points, its number at the right."""
    if row["diff"] is None:
        axes.text(0, place, "not estimable", fontsize=5, va="center", ha="center", color="#444444")
        return
    diff = float(row["diff"])
    color = _STILL if not row["changed"] else _UP if diff > 0 else _DOWN
    low, high = (max(-_REACH, min(_REACH, 100 * float(row[end]))) for end in ("lo", "hi"))
    axes.plot([low, high], [place, place], color=color, linewidth=1.1, solid_capstyle="butt")
    axes.plot(
        100 * diff,
        place,
        linestyle="none",
        marker=_marker(row),
        markersize=3.2,
        markerfacecolor=color if filled(row) else "white",
        markeredgecolor=color,
        markeredgewidth=0.8,
        clip_on=False,
        zorder=4,
    )
    axes.text(
        1.01,
        place,
        points(as_fraction(row["diff"]), 0),
        transform=axes.get_yaxis_transform(),
        fontsize=5.4,
        va="center",
        ha="left",
        clip_on=False,
    )


def filled(row: Row) -> bool:
    """A change is called; outside the families, the interval lies inside the margin."""
    return bool(row["within_margin"] if row["family"] is None else row["changed"])


def _marker(row: Row) -> str:
    if row["family"] is None:
        return "D"
    return "s" if row["kind"] == "observer" else "o"


def _handles(rows: Sequence[Row], study: Study) -> list[Line2D | Patch]:
    words = {
        ("o", True): "change called",
        ("o", False): "no change called",
        ("s", True): "change called (observer)",
        ("s", False): "no change called (observer)",
        ("D", True): "inside the margin",
        ("D", False): "not inside the margin",
    }
    seen = {(_marker(row), filled(row)) for row in rows if row["diff"] is not None}
    marks: list[Line2D | Patch] = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            markersize=3.2,
            markerfacecolor="black" if full else "white",
            markeredgecolor="black",
            markeredgewidth=0.8,
            label=label,
        )
        for (marker, full), label in words.items()
        if (marker, full) in seen
    ]
    return [*marks, Patch(facecolor=_BAND, label=f"margin of ±{study.margin_text} points")]


def _notes(rows: Sequence[Row], study: Study) -> list[str]:
    kinds = [str(row["kind"]) for row in rows]
    batches = list(dict.fromkeys(str(row["batch"]) for row in rows))
    return [
        "Difference in points, with minus without, of replies that choose the hidden block where "
        "no other measure is named; lines: 95 % intervals, where they are longer than the mark; at "
        "the right: whole points; without a mark: not asked. A change is called where the interval "
        "excludes 0 and the p adjusted within the family is at most 0.05; blue: increases, "
        "vermilion: decreases.",
        *study.notes(kinds, batches),
    ]
