"""Figure 2: accuracy on the four sub-prompts by tester (cross-task paper, section 4.2)."""

import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from vlmtom.director import cells
from vlmtom.publish.provenance import tester_label, testers_note
from vlmtom.publish.style import HATCHES, OKABE_ITO

_NAMES = {
    "a": "a: what the director sees",
    "b": "b: which block to move",
    "cQ1": "c.Q1: as a, asked first",
    "cQ2": "c.Q2: as b, after Q1",
}


def figure2(table: Sequence[Mapping[str, object]], trials: int, panel: str) -> Figure:
    """Grouped bars: share of scenes correct, one group a tester; diamonds: egocentric on b.

    table: rows of TABLE2. A tester without a cell on a measure has no bar there, and "n = 0".
    """
    kinds = [str(row["kind"]) for row in table]
    scenes = max((int(row["n_scenes"]) for row in table), default=0)
    width = 0.19
    figure, axes = plt.subplots(figsize=(max(6.3, 0.95 * len(table) + 1.6), 3.6))
    for number, (measure, name) in enumerate(_NAMES.items()):
        offset = (number - 1.5) * width
        shares = [cells.share(row, measure) for row in table]
        axes.bar(
            [place + offset for place in range(len(table))],
            [float(share or 0) for share in shares],
            width,
            label=name,
            color=OKABE_ITO[number],
            hatch=HATCHES[number],
            edgecolor="white",
            linewidth=0.4,
        )
        for place, share in enumerate(shares):
            # A bar of no height must not look like a bar that was forgotten.
            if share is None or share == 0:
                text = "n = 0" if share is None else "0"
                axes.annotate(
                    text,
                    (place + offset, 0),
                    (0, 1.5),
                    textcoords="offset points",
                    ha="center",
                    fontsize=6.5,
                    color="#444444",
                )
    ego = [(place, cells.share(row, "ego_b")) for place, row in enumerate(table)]
    axes.plot(
        [place - 0.5 * width for place, share in ego if share is not None],
        [float(share) for _, share in ego if share is not None],
        linestyle="none",
        marker="D",
        markersize=5,
        markerfacecolor="white",
        markeredgecolor="black",
        clip_on=False,
        zorder=3,
        label="egocentric on b",
    )
    axes.set_xticks(
        range(len(table)),
        [tester_label(str(row["tester"]), str(row["kind"]), kinds) for row in table],
        rotation=20 if len(table) > 4 else 0,
        ha="right" if len(table) > 4 else "center",
    )
    axes.set_ylim(0, 1.04)
    axes.set_ylabel(f"share of {scenes} scenes")
    axes.tick_params(axis="x", length=0)
    handles, names = axes.get_legend_handles_labels()
    order = sorted(range(len(names)), key=lambda i: not isinstance(handles[i], BarContainer))
    axes.legend(
        [handles[i] for i in order],
        [names[i] for i in order],
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3,
        fontsize=7.5,
    )
    note = f"Panel {panel}, K = {trials}, majority cells, letter level, descriptive."
    lines = [note, *textwrap.wrap(testers_note(kinds), int(19 * figure.get_figwidth()))]
    figure.text(0.01, 0.01, "\n".join(lines), fontsize=6.5, color="#444444", va="bottom")
    figure.tight_layout(rect=(0, 0.035 * len(lines), 1, 1))
    return figure
