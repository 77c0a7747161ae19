"""Testers as points: one look per tester in every figure, labels that do not cover each other."""

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from vlmtom.publish.style import OKABE_ITO
from vlmtom.stats.references import Point

# Yellow is too light for a mark on white; black is the references'.
_COLORS = tuple(color for color in OKABE_ITO if color not in ("#F0E442", "#000000"))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "h")
_STARS = {"TD-adult": "black", "HF-ASD-adult": "white"}
_GREY = "#555555"


@dataclass(frozen=True)
class Look:
    """How a tester is drawn."""

    color: str
    marker: str
    number: int


def looks(testers: Sequence[str]) -> dict[str, Look]:
    """The look of each tester, by its place in the configuration: the same in every figure."""
    return {
        tester: Look(_COLORS[i % len(_COLORS)], _MARKERS[i % len(_MARKERS)], i + 1)
        for i, tester in enumerate(testers)
    }


def draw_points(
    axes: Axes, places: Mapping[str, tuple[float, float]], of: Mapping[str, Look]
) -> None:
    """One mark a tester. Where several stand on one place, later ones are smaller: all are seen."""
    seen: dict[tuple[float, float], int] = {}
    for tester, place in places.items():
        # Marks closer than this cannot be told apart; they are drawn as one place.
        key = (round(place[0], 2), round(place[1], 2))
        depth = seen.get(key, 0)
        seen[key] = depth + 1
        axes.plot(
            *place,
            linestyle="none",
            marker=of[tester].marker,
            markersize=(6.5 if of[tester].marker == "D" else 7.5) * 0.66**depth,
            markerfacecolor=of[tester].color,
            markeredgecolor="white" if depth else "black",
            markeredgewidth=0.6,
            clip_on=False,
            zorder=4 + depth,
        )


def draw_stars(axes: Axes, places: Mapping[str, tuple[float, float]]) -> None:
    """The human reference groups, told apart by fill."""
    for group, place in places.items():
        axes.plot(
            *place,
            linestyle="none",
            marker="*",
            markersize=14,
            markerfacecolor=_STARS.get(group, "#999999"),
            markeredgecolor="black",
            markeredgewidth=0.9,
            clip_on=False,
            zorder=3,
        )


def star_handles() -> list[Line2D]:
    """The reference groups in a legend."""
    return [
        Line2D(
            [],
            [],
            linestyle="none",
            marker="*",
            markersize=10,
            markerfacecolor=fill,
            markeredgecolor="black",
            label=group,
        )
        for group, fill in _STARS.items()
    ]


def draw_boundary(axes: Axes, first: Point, second: Point) -> None:
    """The line from which both groups are equally far."""
    middle = (float(first.intent + second.intent) / 2, float(first.approp + second.approp) / 2)
    step = (float(second.approp - first.approp), float(first.intent - second.intent))
    if not any(step):
        return
    axes.axline(
        middle,
        (middle[0] + step[0], middle[1] + step[1]),
        color="#aaaaaa",
        linewidth=0.8,
        linestyle=(0, (4, 3)),
        zorder=1,
    )


def label_points(
    axes: Axes,
    texts: Sequence[tuple[str, tuple[float, float]]],
    keep_clear: Sequence[tuple[float, float]] = (),
    size: float = 7.5,
) -> None:
    """Write each text beside its place, where it covers no mark and no other text.

    Tried in a fixed order, nearest places first, so that the figure is a function of its data. A
    line leads to the mark where the text stands away from it, or nearer to another one.
    keep_clear: further places to leave free. Call it when limits and size are final.
    """
    figure = axes.figure
    renderer = figure.canvas.get_renderer()
    unit = figure.dpi / 72
    marks = [axes.transData.transform(place) for place in (*(p for _, p in texts), *keep_clear)]
    taken = [_box(mark, (5.5, 5.5), unit) for mark in marks]
    frame = axes.get_window_extent(renderer)
    for (text, place), mark in zip(texts, marks, strict=False):
        note = axes.annotate(
            text,
            place,
            (0, 0),
            textcoords="offset points",
            fontsize=size,
            ha="center",
            va="center",
            zorder=6,
            arrowprops={
                "arrowstyle": "-",
                "color": _GREY,
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 2,
            },
        )
        extent = note.get_window_extent(renderer)
        half = extent.width / 2 / unit, extent.height / 2 / unit
        tried = [
            (offset, _box(mark + np.array(offset) * unit, half, unit)) for offset in _tried(half)
        ]
        offset, box = min(tried, key=lambda one: _cost(one[1], taken, frame))
        note.set_position(offset)
        taken.append(box)
        away = _gap(box, mark)
        near = min((_gap(box, m) for m in marks if np.hypot(*(m - mark)) > unit), default=np.inf)
        note.arrow_patch.set_visible(away > 12 * unit or near < 1.3 * away)


def _tried(half: tuple[float, float]) -> list[tuple[float, float]]:
    """Offsets of a text's middle from its mark, in points, the nearest first."""
    sides = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
    return [
        (
            dx * (half[0] + gap * (0.7 if dx and dy else 1)),
            dy * (half[1] + gap * (0.7 if dx else 0.8)),
        )
        for gap, (dx, dy) in itertools.product((8, 13, 19, 26, 34, 44, 56, 70), sides)
    ]


def _box(middle: np.ndarray, half: tuple[float, float], unit: float) -> Bbox:
    x, y = middle
    width, height = half[0] * unit, half[1] * unit
    return Bbox.from_extents(x - width, y - height, x + width, y + height)


def _cost(box: Bbox, taken: Sequence[Bbox], frame: Bbox) -> float:
    """The area that a text would cover of others, or have outside the axes."""
    outside = box.width * box.height - _area(Bbox.intersection(box, frame))
    return sum(_area(Bbox.intersection(box, other)) for other in taken) + 4 * outside


def _gap(box: Bbox, mark: np.ndarray) -> float:
    """How far a mark's middle is from a box, in pixels."""
    dx = max(box.x0 - mark[0], 0, mark[0] - box.x1)
    dy = max(box.y0 - mark[1], 0, mark[1] - box.y1)
    return float(np.hypot(dx, dy))


def _area(box: Bbox | None) -> float:
    return 0.0 if box is None else box.width * box.height


def place_of(point: Point | None) -> tuple[float, float] | None:
    """A point as axes coordinates: Intentionality across, Appropriateness up."""
    return None if point is None else (float(point.intent), float(point.approp))


def plane(axes: Axes) -> None:
    """The whole plane of both scales, so that figures compare."""
    axes.set_xlim(-0.35, 5.2)
    axes.set_ylim(-0.2, 3.35)
    axes.set_xticks(range(6))
    axes.set_yticks(range(4))
    axes.set_xlabel("Intentionality (0–5)")
    axes.set_ylabel("Appropriateness (0–3)")
    axes.grid(axis="both")


def foot(figure: Figure, notes: Sequence[str], above: float = 0.0) -> float:
    """Write the source notes at the foot; returns the share of the height they take.

    above: height in inches to keep free above them.
    """
    width = int(19 * figure.get_figwidth())
    lines = textwrap.wrap(" ".join(note for note in notes if note), width)
    height = figure.get_figheight()
    figure.text(
        0.01, 0.01, "\n".join(lines), fontsize=6.5, color="#444444", va="bottom", linespacing=1.2
    )
    return (0.08 + 0.112 * len(lines) + above) / height


def absent_note(names: Sequence[str]) -> str:
    """Who has no point, by name."""
    return f"Without a point (no scored cell): {', '.join(names)}." if names else ""


def midpoint(first: Fraction, second: Fraction) -> float:
    """Halfway between two references."""
    return float((first + second) / 2)
