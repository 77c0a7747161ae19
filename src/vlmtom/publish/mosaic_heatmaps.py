"""The game's Figures 3, 5 and 6: four heat maps of signals, a row a pair, a column a condition.

Every cell carries its number, so that nothing hangs on the colours.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.publish import scatter
from vlmtom.publish.mosaic_text import (
    Row,
    Study,
    by_pair,
    excluded_note,
    kinds_of,
    number,
    pair_label,
)
from vlmtom.publish.style import OKABE_ITO
from vlmtom.stats.game import main_pairs, pair_of, pairs_in_arms
from vlmtom.stats.game_signals import undecided
from vlmtom.stats.game_tests import EXCLUDED

PANELS = {"tas": "TAS", "gas": "GAS", "fes": "FES", "s_traj": "S traj."}
_SIGNED = LinearSegmentedColormap.from_list("signed", [OKABE_ITO[3], "white", OKABE_ITO[0]])
_SHARE = LinearSegmentedColormap.from_list("share", ["white", OKABE_ITO[4]])
_LINE = 0.19  # inches a pair
_WIDTH = 7.2
_LETTER = 0.062  # inches of a pair's name in the size that it has
_WORDS = (
    "TAS, GAS: alignment of the subject's trajectory and gaze with the reward; FES: share of "
    "rounds with a face; S: whether the box that opened is the one that the trajectory signals, as "
    "the paper prints it (S of Eq. 12 in mosaic_signals.csv). A dash: no played trial."
)


def mosaic_figure3(rows: Sequence[Row], study: Study) -> Figure:
    """The pairs that open a box in half of their trials or more. rows: of MOSAIC_SIGNALS."""
    main = _main(rows)
    apart = undecided(main)
    shown = [row for row in main if pair_of(row) not in apart]
    words = "Pairs with an uncertainty rate of .50 or less over all conditions."
    return _figure(shown, main, study, words, "no pair has an uncertainty rate of .50 or less.")


def mosaic_figure5(rows: Sequence[Row], study: Study) -> Figure:
    """The other pairs. rows: of MOSAIC_SIGNALS."""
    main = _main(rows)
    apart = undecided(main)
    shown = [row for row in main if pair_of(row) in apart]
    words = "Pairs with an uncertainty rate above .50 over all conditions."
    return _figure(shown, main, study, words, "no pair has an uncertainty rate above .50.")


def mosaic_figure6(rows: Sequence[Row], study: Study) -> Figure:
    """Pairs that were played in several image arms, in each. rows: of MOSAIC_SIGNALS."""
    order = {pair: place for place, pair in enumerate(pairs_in_arms(by_pair(rows)))}
    shown = sorted((row for row in rows if pair_of(row) in order), key=lambda r: order[pair_of(r)])
    words = (
        "Pairs by image arm. Blank: a grey picture; face: the other's face in the corner; none: no "
        "picture."
    )
    return _figure(shown, shown, study, words, "no pair was played in several image arms.")


def empty_figure(words: str, rows: Sequence[Row], study: Study) -> Figure:
    """A figure that says that it has nothing to show."""
    figure = plt.figure(figsize=(_WIDTH, 1.4))
    figure.text(0.5, 0.62, words, ha="center", va="center", fontsize=10)
    scatter.foot(figure, [*study.notes(kinds_of(rows)), excluded_note(rows)])
    return figure


def _figure(
    shown: Sequence[Row], rows: Sequence[Row], study: Study, words: str, nothing: str
) -> Figure:
    """shown: the rows of its pairs; rows: of which excluded pairs are named."""
    shown = [row for row in shown if row["status"] != EXCLUDED]
    if not shown:
        return empty_figure(f"Signals: {nothing}", rows, study)
    kinds = kinds_of(shown)
    pairs = by_pair(shown)
    names = [pair_label(own[0], kinds) for own in pairs.values()]
    notes = [words, _WORDS, *study.notes(kinds), excluded_note(rows)]
    body = _LINE * len(pairs)
    figure = plt.figure(figsize=(_WIDTH, 1.0))
    foot = _foot_height(notes)
    height = body + foot + 0.68
    figure.set_size_inches(_WIDTH, height)
    scatter.foot(figure, notes)
    left = min(2.4, 0.12 + _LETTER * max(map(len, names)))
    width = (_WIDTH - left - 0.05) / len(PANELS)
    for place, (metric, title) in enumerate(PANELS.items()):
        box = (left + place * width, foot + 0.42, width - 0.1, body)
        axes = figure.add_axes((box[0] / _WIDTH, box[1] / height, box[2] / _WIDTH, box[3] / height))
        _draw(axes, list(pairs.values()), metric)
        axes.set_title(f"{'abcd'[place]}  {title}", fontsize=8.5, loc="left", pad=3)
        axes.set_yticks(range(len(names)), names if place == 0 else [""] * len(names))
    return figure


def _draw(axes: Axes, pairs: Sequence[Sequence[Row]], metric: str) -> None:
    values = np.full((len(pairs), len(CONDITIONS)), np.nan)
    for down, own in enumerate(pairs):
        of = {row["condition"]: row["value"] for row in own if row["metric"] == metric}
        for across, condition in enumerate(CONDITIONS):
            value = of.get(condition.slug)
            if value is not None:
                values[down, across] = float(value)
            strong = value is not None and abs(float(value)) > 0.7
            axes.text(
                across,
                down,
                number(value),
                ha="center",
                va="center",
                fontsize=6.2,
                color="white" if strong else "black",
            )
    low, colors = (0, _SHARE) if metric == "fes" else (-1, _SIGNED)
    axes.imshow(np.ma.masked_invalid(values), cmap=colors, vmin=low, vmax=1, aspect="auto")
    axes.set_xticks(
        range(len(CONDITIONS)),
        [condition.label.replace("-", "\n") for condition in CONDITIONS],
    )
    axes.tick_params(length=0, labelsize=6.2, pad=2)
    axes.tick_params(axis="y", labelsize=7)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_linewidth(0.5)


def _foot_height(notes: Sequence[str]) -> float:
    """Inches that the notes take, as scatter.foot writes them."""
    figure = plt.figure(figsize=(_WIDTH, 10))
    try:
        return scatter.foot(figure, notes) * 10
    finally:
        plt.close(figure)


def _main(rows: Sequence[Row]) -> list[Row]:
    """The rows of one arm of each pair, as tables have them."""
    kept = set(main_pairs(by_pair(rows)))
    return [row for row in rows if pair_of(row) in kept]
