"""The card of one trial of the treasure game: paths, valences, preferences, words and views.

The four panels of Figures 7 to 11 of the MOSAIC paper (appendix G), and what both agents saw at
the end of one round.
"""

from collections.abc import Sequence
from itertools import pairwise

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from vlmtom.mosaic.view import BOX_COLORS, BOX_M, picture
from vlmtom.mosaic.world import (
    BOXES,
    CELL_CM,
    LIMIT,
    ROLES,
    ROUNDS,
    VERBAL_ROUNDS,
    PublicState,
    Role,
)
from vlmtom.publish.mosaic_trial import BOX_NAMES, NAMES, ShownTrial, wrapped
from vlmtom.publish.style import OKABE_ITO

COLORS: dict[Role, str] = {"subject": OKABE_ITO[0], "participant": OKABE_ITO[3]}
MARKERS: dict[Role, str] = {"subject": "o", "participant": "s"}
LINES: dict[Role, str] = {"subject": "-", "participant": (0, (5, 2))}
DARK, LIGHT = (to_hex([c / 255 for c in color]) for color in BOX_COLORS)
GREY = "#444444"

_WIDTH = 6.8  # inches, as all lengths here; heights are from the top of the page
_PANELS = (0.75, 3.57)
_VIEWS, _VIEW_WIDTH = 4.32, 3.26
_WORDS = 6.62
_NOTES = 0.36
_TEXT, _NOTE = 7.0, 6.5  # points
_STEP = _TEXT * 1.3 / 72  # of a line of text
_QUESTION_LINES, _ANSWER_LINES = 2, 3
_LEFT, _INDENT, _RIGHT = 0.08, 0.68, 6.70
_EDGE = (LIMIT + 0.5) * CELL_CM


class _Page:
    """A figure as high as what is said needs."""

    def __init__(self, lines: int, exchanges: int) -> None:
        spaces = _STEP * (lines + 1.75 + 0.35 * exchanges)
        self.height = round(_WORDS + spaces + _NOTES, 2)  # whole pixels of a PNG
        self.figure = plt.figure(figsize=(_WIDTH, self.height))

    def up(self, inches: float) -> float:
        """Inches from the top as a share of the height from the bottom."""
        return 1 - inches / self.height

    def text(self, x: float, y: float, text: str, size: float = _TEXT, **how) -> None:
        """Words; what is in them is no mathematics."""
        how = {"va": "top", "fontsize": size, "parse_math": False, **how}
        self.figure.text(x / _WIDTH, self.up(y), text, **how)


def mosaic_card(shown: ShownTrial, notes: Sequence[str] = (), round_: int | None = None) -> Figure:
    """The card of a trial, 6.8 inches wide and at most 9.5 high.

    notes: sentences on the run that it is of, for its foot; without, who played. round_: at the end
    of which both agents' views are shown; null: that at which most is to be seen
    (ShownTrial.telling_round). Raises BadData if it was not played.
    """
    round_ = shown.telling_round if round_ is None else round_
    state, dialogue = shown.state(round_), _dialogue(shown)
    page = _Page(sum(len(lines) for _, _, lines in dialogue), len(VERBAL_ROUNDS))
    grid = page.figure.add_gridspec(
        2,
        2,
        left=0.085,
        right=0.985,
        top=page.up(_PANELS[0]),
        bottom=page.up(_PANELS[1]),
        width_ratios=(1.06, 1),
        wspace=0.24,
        hspace=0.62,
    )
    # Letters on whole pixels take a little more room than their font says.
    head = wrapped(f"{shown.condition.label}: {shown.ending}", (_RIGHT - _LEFT) * 69, 8.5, 2)
    page.text(_LEFT, 0.13, "\n".join(head), 8.5)
    _paths(page.figure.add_subplot(grid[:, 0]), shown)
    _valences(page.figure.add_subplot(grid[0, 1]), shown)
    _preferences(page.figure.add_subplot(grid[1, 1]), shown)
    _views(page, shown, round_, state)
    _print_dialogue(page, dialogue)
    _notes(page, shown, notes)
    return page.figure


def _letter(axes: Axes, letter: str, title: str) -> None:
    axes.set_title(f"{letter}   {title}", loc="left", fontsize=8.5, pad=15, parse_math=False)


def _paths(axes: Axes, shown: ShownTrial) -> None:
    _letter(axes, "a", "Paths on the board")
    half = BOX_M * 50
    for number, (x, y) in enumerate(BOXES):
        color = (DARK, LIGHT)[number]
        at = (x * CELL_CM - half, y * CELL_CM - half)
        axes.add_patch(
            Rectangle(at, 2 * half, 2 * half, facecolor=color, edgecolor="black", zorder=2)
        )
        opened = "\n(opens)" if number == shown.trial["choice"] else ""
        outwards = 1 if x > 0 else -1
        axes.text(
            x * CELL_CM + outwards * (half + 14),
            y * CELL_CM,
            f"{BOX_NAMES[number].capitalize()} box{opened}",
            fontsize=7,
            ha="left" if x > 0 else "right",
            va="center",
            zorder=5,
        )
    x, y = (v * CELL_CM for v in BOXES[int(shown.trial["reward"])])
    axes.plot(x, y, "*", ms=11, mfc=OKABE_ITO[6], mec="black", mew=0.8, zorder=6, ls="none")
    for role in ROLES:
        _path(axes, shown, role)
    axes.set_xlim(-_EDGE, _EDGE)
    axes.set_ylim(-_EDGE, _EDGE)
    axes.set_aspect("equal", anchor="N")
    axes.grid(visible=True, axis="both")
    axes.set_xlabel("x (cm)", fontsize=8, labelpad=1)
    axes.set_ylabel("y (cm)", fontsize=8, labelpad=-4)
    axes.tick_params(labelsize=7)
    axes.set_xticks(range(-400, 401, 200))
    axes.set_yticks(range(-400, 401, 200))
    star = Line2D([], [], ls="none", marker="*", ms=9, mfc=OKABE_ITO[6], mec="black", mew=0.7)
    lines = [
        Line2D([], [], color=COLORS[role], ls=LINES[role], marker=MARKERS[role], ms=4)
        for role in ROLES
    ]
    axes.legend(
        [*lines, star],
        [*(NAMES[role] for role in ROLES), "treasure"],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.13),
        ncols=3,
        fontsize=7,
        handlelength=2.4,
        columnspacing=1.2,
    )


def _path(axes: Axes, shown: ShownTrial, role: Role) -> None:
    """A role's way: hollow where it starts, ticks to where it looks, rounds where it has moved."""
    steps = shown.of(role)
    xs = [int(step["x"]) * CELL_CM for step in steps]
    ys = [int(step["y"]) * CELL_CM for step in steps]
    color, marker = COLORS[role], MARKERS[role]
    axes.plot(xs, ys, color=color, ls=LINES[role], marker=marker, ms=4.5, lw=1.4, zorder=4)
    axes.plot(xs[0], ys[0], marker=marker, ms=6, mfc="white", mec=color, mew=1.4, zorder=4.5)
    looks = {(x, y, float(s["hx"]), float(s["hy"])) for x, y, s in zip(xs, ys, steps, strict=True)}
    for x, y, hx, hy in sorted(looks):
        ends = [x, x + 30 * hx], [y, y + 30 * hy]
        axes.plot(*ends, color=color, lw=1.1, solid_capstyle="round", zorder=4)
    side = 1 if role == "subject" else -1
    for at, rounds in _arrivals(xs, ys).items():
        axes.annotate(
            ", ".join(map(str, rounds)),
            at,
            (5.5 * side, -2.2),
            textcoords="offset points",
            fontsize=5.5,
            color=color,
            ha="left" if side > 0 else "right",
            zorder=5,
        )


def _arrivals(xs: Sequence[int], ys: Sequence[int]) -> dict[tuple[int, int], list[int]]:
    """The rounds in which a role came to a place, by place."""
    found: dict[tuple[int, int], list[int]] = {}
    for round_, (before, at) in enumerate(pairwise(zip(xs, ys, strict=True)), 1):
        if at != before:
            found.setdefault(at, []).append(round_)
    return found


def _by_round(axes: Axes) -> None:
    axes.set_xlim(-0.3, ROUNDS + 0.3)
    axes.set_ylim(-1.08, 1.08)
    axes.set_xticks(range(ROUNDS + 1))
    axes.set_yticks((-1, -0.5, 0, 0.5, 1))
    axes.tick_params(labelsize=7)
    for number in VERBAL_ROUNDS:
        axes.axvline(number, color="#aaaaaa", lw=0.7, ls=":", zorder=1)


def _line(axes: Axes, xs: Sequence[int], ys: Sequence[float], label: str, **how) -> None:
    axes.plot(xs, ys, label=label, lw=1.4, ms=4, clip_on=False, zorder=3, **how)


def _valences(axes: Axes, shown: ShownTrial) -> None:
    _letter(axes, "b", "Marie's expression")
    steps = shown.of("subject")
    rounds = [int(step["round"]) for step in steps]
    face, skin = ([float(s[name]) for s in steps] for name in ("facial", "physiological"))
    _line(axes, rounds, face, "facial", color=OKABE_ITO[0], marker="o")
    _line(axes, rounds, skin, "physiological", color=OKABE_ITO[5], marker="s", ls=(0, (4, 1.5)))
    _by_round(axes)
    axes.set_ylabel("valence", fontsize=8, labelpad=1)
    _legend(axes)


def _preferences(axes: Axes, shown: ShownTrial) -> None:
    _letter(axes, "c", "Participant's preferences")
    steps = shown.of("participant")
    rounds = [int(step["round"]) for step in steps]
    looks = {
        "other": ("for Marie", {"color": OKABE_ITO[0], "marker": "o"}),
        "dark": ("dark box", {"color": DARK, "marker": "s", "ls": (0, (4, 1.5))}),
        "light": ("light box", {"color": LIGHT, "marker": "^", "mec": DARK, "mew": 0.6}),
    }
    for entity, (label, how) in looks.items():
        values = [2 * float(step[f"own_{entity}"]) - 1 for step in steps]
        _line(axes, rounds, values, label, **how)
    _by_round(axes)
    axes.set_ylabel("preference", fontsize=8, labelpad=1)
    axes.set_xlabel("round (dotted: Q1, Q2, Q3)", fontsize=8, labelpad=1)
    _legend(axes)


def _legend(axes: Axes) -> None:
    """Between a panel's title and its frame."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 0.95),
        ncols=3,
        fontsize=6.5,
        handlelength=2.6,
        columnspacing=1.2,
        borderpad=0.2,
    )


def _views(page: _Page, shown: ShownTrial, round_: int, state: PublicState) -> None:
    arm = str(shown.trial["arm"])
    unseen = "; not shown in this arm" if arm == "none" else ""
    high = _VIEW_WIDTH / 1.5
    for role, left in zip(ROLES, (_LEFT, _WIDTH - _LEFT - _VIEW_WIDTH), strict=True):
        place = (left / _WIDTH, page.up(_VIEWS + high), _VIEW_WIDTH / _WIDTH, high / page.height)
        axes = page.figure.add_axes(place)
        axes.imshow(picture(state, role, "standard" if arm == "none" else arm))
        axes.set_axis_off()
        who = "Marie" if role == "subject" else "the participant"
        axes.set_title(
            f"What {who} sees, end of round {round_}{unseen}",
            loc="left",
            fontsize=7.5,
            pad=3,
            color=COLORS[role],
        )


def _dialogue(shown: ShownTrial) -> list[tuple[int, Role, list[str]]]:
    """Lines of each question and answer, by round."""
    wide = (_RIGHT - _INDENT) * 72
    most: dict[Role, int] = {"participant": _QUESTION_LINES, "subject": _ANSWER_LINES}
    said = []
    for round_ in VERBAL_ROUNDS:
        for role, letter in (("participant", "Q"), ("subject", "A")):
            text = shown.said(round_, role)
            lines = wrapped(f"{letter}: {'–' if text is None else text}", wide, _TEXT, most[role])
            said.append((round_, role, lines))
    return said


def _print_dialogue(page: _Page, dialogue: Sequence[tuple[int, Role, list[str]]]) -> None:
    page.text(_LEFT, _WORDS, "d   What was said", 8.5)
    y = _WORDS + 1.75 * _STEP
    for round_, role, lines in dialogue:
        if role == "participant":
            number = VERBAL_ROUNDS.index(round_) + 1
            page.text(_LEFT, y, f"Q{number}, round {round_}", 6.5, color=GREY)
        for line in lines:
            page.text(_INDENT, y, line, color=COLORS[role])
            y += _STEP
        if role == "subject":
            y += 0.35 * _STEP


def _notes(page: _Page, shown: ShownTrial, notes: Sequence[str]) -> None:
    text = " ".join([f"{shown.title}.", *(notes or shown.notes)])
    lines = wrapped(text, (_RIGHT - _LEFT) * 72, _NOTE, 2)
    at = page.height - _NOTES + 0.08
    page.text(_LEFT, at, "\n".join(lines), _NOTE, color=GREY)
