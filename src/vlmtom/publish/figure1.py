"""Figure 1: the design of both tasks, drawn from what was really shown and asked (section 3)."""

import io
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vlmtom.errors import BadData
from vlmtom.publish import scatter
from vlmtom.publish.figure4 import stars
from vlmtom.stats.references import References

Row = Mapping[str, object]

_SIZE = (6.3, 4.5)  # inches
_WIDTH, _TOP = 0.315, 0.935  # of a picture's column; where pictures begin
_LEFT = (0.008, 0.345, 0.682)  # of the three columns
_TEXT = 7.0  # points
_STEP = _TEXT * 1.25 / 72 / _SIZE[1]  # of a line of text, as a share of the page's height
_BEFORE_HEAD = 0.35 * _STEP
_LINE = 39  # characters of a column's line at that size
_SIDE = 4  # cells of a sheet in a row and in a column
_ENLARGED = (1, 16)  # cells of the sheet that are shown again, so that badges can be read
_PART = 0.875  # of an enlarged cell's height: below a letterboxed frame is nothing


@dataclass(frozen=True)
class Scene:
    """A scene as it was shown. question, order: of prompts a and b; names: colour words by letter.

    visible: letters that the director sees. own: the block that the order names for the tester's
    eyes; meant: for the director's.
    """

    png: bytes
    question: str
    order: str
    names: Mapping[str, str]
    visible: Sequence[str]
    own: str
    meant: str


@dataclass(frozen=True)
class Clip:
    """A sheet as it was shown. request: the prompt's last paragraph; script: told to judges."""

    png: bytes
    name: str
    condition: str
    request: str
    script: str
    source: str


def scene_of(items: Sequence[Row], keys: Sequence[Row]) -> tuple[str, Mapping[str, object]]:
    """The pixel SHA-256 of the scene to draw, and what Scene says of it but for the picture.

    It is the first canonical scene with an order for the largest block, as in the paper's example,
    or the first one. Raises BadData without a canonical scene.
    """
    canonical = [row for row in keys if row["arm"] == "canonical" and row["sub_prompt"] == "b"]
    if not canonical:
        raise BadData("figure 1: no canonical scene among the keys. Render the stimuli again.")
    key = next((row for row in canonical if row["polarity"] == "largest"), canonical[0])
    of_scene = {
        row["sub_prompt"]: row["turns"][0]
        for row in items
        if row["arm"] == "canonical" and row["stimulus"] == key["stimulus"]
    }
    [picture] = of_scene["b"]["pictures"]
    return picture, {
        "question": of_scene["a"]["text"].split("\n\n")[1],
        "order": re.findall(r'"[^"]+"', of_scene["b"]["text"])[0],
        "names": dict(zip(key["labels"], key["colors"], strict=True)),
        "visible": list(key["visible"]),
        "own": key["own_view"],
        "meant": key["target"],
    }


def clip_of(items: Sequence[Row], keys: Sequence[Row]) -> tuple[str, Mapping[str, object]]:
    """Likewise for the sheet: the first ToM clip of the numbered arm."""
    numbered = [row for row in keys if row["arm"] == "numbered" and row["condition"] == "ToM"]
    if not numbered:
        raise BadData("figure 1: no numbered ToM clip among the keys. Render the stimuli again.")
    key = numbered[0]
    turn = next(row for row in items if row["item_id"] == key["item_id"])["turns"][0]
    [picture] = turn["pictures"]
    return picture, {
        "name": key["stimulus"],
        "condition": key["condition"],
        "request": turn["text"].split("\n\n")[-1],
        "script": key["script"],
        "source": key["stimulus_source"],
    }


def figure1(scene: Scene, clip: Clip, references: References) -> Figure:
    """Both tasks and the plane of their measures; stars: the adult reference groups, no tester."""
    figure = plt.figure(figsize=_SIZE)
    picture, sheet = _pixels(scene.png), _pixels(clip.png)
    notes = _notes(figure, clip)
    low = _picture(figure, _LEFT[0], _WIDTH, _TOP, picture)
    _write(figure, _LEFT[0], low - 0.012, _scene_lines(scene))
    low = _picture(figure, _LEFT[1], _WIDTH, _TOP, sheet)
    part = 0.49 * _WIDTH
    for cell, left in zip(_ENLARGED, (_LEFT[1], _LEFT[1] + _WIDTH - part), strict=True):
        bottom = _picture(figure, left, part, low - 0.012, _cell(sheet, cell))
    _write(figure, _LEFT[1], bottom - 0.012, _clip_lines(clip, bottom - 0.012 - notes))
    foot = bottom + 0.02
    _plane(figure.add_axes((0.745, foot, 0.245, _TOP - foot)), references)
    _write(figure, _LEFT[2], foot - 0.095, _PLANE_LINES)
    titles = ("Director Task", "Animated triangles", "Both tasks in one plane")
    for left, title in zip(_LEFT, titles, strict=True):
        figure.text(left, _TOP + 0.012, title, fontsize=9, fontweight="bold", va="bottom")
    return figure


def _notes(figure: Figure, clip: Clip) -> float:
    """Write what stands at the foot; returns the share of the height it takes."""
    origin = "Synthetic clip" if clip.source == "synthetic" else f"Clip: {clip.source}"
    notes = [
        "Scene, sheet and words are those of this run.",
        f"{origin} ({clip.name}, condition {clip.condition}).",
        "Groups are references for description; no tester is drawn (Figure 4 has them).",
    ]
    return scatter.foot(figure, notes)


_PLANE_LINES = (
    (
        "plain",
        "Stars: human reference groups (published means). Dashed: equally far from both gaps.",
    ),
    ("head", "Question"),
    ("plain", "Is a tester's nearest group the same on both tasks?"),
    ("plain", "On the Director Task the nearer gap decides, on the triangles the nearer profile."),
)


def _scene_lines(scene: Scene) -> list[tuple[str, str]]:
    every = list(scene.names)
    return [
        ("plain", f"Director: {scene.order}"),
        ("plain", f"The tester sees {_listed(every)}: {_block(scene, scene.own)}."),
        ("plain", f"The director sees {_listed(scene.visible)}: {_block(scene, scene.meant)}."),
        ("head", "Asked, each in a call of its own"),
        ("plain", f"a  {scene.question}"),
        ("plain", "b  Which block do you move?"),
        ("plain", "c  a, then b, in one call"),
        ("plain", f"Moving {scene.own} is the egocentric error."),
        ("head", "Measure"),
        ("plain", "gap x = P(a correct) − P(b correct)"),
    ]


def _clip_lines(clip: Clip, room: float) -> list[tuple[str, str]]:
    """room: share of the page's height. A script that does not fit ends in an ellipsis."""
    lines = _told(clip, clip.script)
    # Lines too many; a sliver less than a thousandth of one is none.
    over = math.ceil((_height(lines) - room) / _STEP - 1e-3)
    if over <= 0:
        return lines
    kept = max(1, len(textwrap.wrap(clip.script, _LINE)) - over)
    short = textwrap.wrap(clip.script, _LINE, max_lines=kept, placeholder=" …")
    return _told(clip, " ".join(short))


def _told(clip: Clip, script: str) -> list[tuple[str, str]]:
    return [
        ("plain", clip.request),
        ("head", "Judges score the description, told"),
        ("plain", script),
        ("plain", "Intent 0 to 5, Approp 0 to 3."),
        ("head", "Measure"),
        ("plain", "profile (Intent, Approp), ToM clips"),
        ("plain", "y = its distance to that of TD-adult"),
    ]


def _block(scene: Scene, letter: str) -> str:
    """What the order names among the blocks that are seen."""
    extremum = re.search(r"the (\w+) block", scene.order)
    word = extremum[1] if extremum else "meant"
    return f"{word} is {letter} ({scene.names[letter]})"


def _listed(letters: Sequence[str]) -> str:
    return ", ".join(letters)


def _picture(figure: Figure, left: float, width: float, top: float, pixels: np.ndarray) -> float:
    """A picture in its own proportions, with a frame; returns where it ends below."""
    rows, columns = pixels.shape[:2]
    bottom = top - width * _SIZE[0] * rows / columns / _SIZE[1]
    axes = figure.add_axes((left, bottom, width, top - bottom))
    axes.imshow(pixels, interpolation="lanczos", aspect="auto")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.6)
    return bottom


def _cell(sheet: np.ndarray, number: int) -> np.ndarray:
    """One cell of a sheet, without the empty part at its foot."""
    height, width = (side // _SIDE for side in sheet.shape[:2])
    row, column = divmod(number - 1, _SIDE)
    top, left = row * height, column * width
    return sheet[top : top + int(_PART * height), left : left + width]


def _write(figure: Figure, left: float, top: float, lines: Sequence[tuple[str, str]]) -> None:
    """Lines of text below each other, wrapped to the column; heads are bold."""
    for kind, text in lines:
        top -= _BEFORE_HEAD if kind == "head" else 0.0
        shown = _wrapped(text, _LINE)
        figure.text(
            *(left, top),
            shown,
            fontsize=_TEXT,
            fontweight="bold" if kind == "head" else "normal",
            va="top",
            linespacing=1.25,
        )
        top -= _STEP * (shown.count("\n") + 1)


def _height(lines: Sequence[tuple[str, str]]) -> float:
    """How much of the page's height they take, written below each other."""
    rows = sum(_wrapped(text, _LINE).count("\n") + 1 for _, text in lines)
    return _STEP * rows + _BEFORE_HEAD * sum(kind == "head" for kind, _ in lines)


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width))


def _pixels(png: bytes) -> np.ndarray:
    return plt.imread(io.BytesIO(png), format="png")


def _plane(axes: Axes, references: References) -> None:
    places = stars(references)
    top = max([2.0, *(y for _, y in places.values())])
    axes.set_xlim(-0.06, 1.06)
    axes.set_ylim(-0.08 * top, 1.25 * top)
    axes.set_xlabel("x: gap, Director Task", fontsize=7.5, labelpad=2)
    axes.set_ylabel("y: distance to TD-adult, triangles", fontsize=7.5, labelpad=2)
    axes.set_xticks([0, 0.5, 1])
    axes.tick_params(labelsize=7)
    axes.grid(axis="both")
    gaps: list[Fraction] = [
        one.gap for one in references.adults.groups if one.group in places and one.gap is not None
    ]
    if len(gaps) == 2:
        axes.axvline(
            scatter.midpoint(*gaps), color="#888888", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1
        )
    scatter.draw_stars(axes, places)
    scatter.label_points(axes, list(places.items()), size=7)
