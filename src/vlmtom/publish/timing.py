"""When calls were made: by tester, arm, window and hour, as a table and a figure.

Load on a provider's servers changes with the hour: arms that are compared should have met the
same (cross-task paper, Appendix A).
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import matplotlib.dates as dates
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import tester_label, testers_note
from vlmtom.publish.style import OKABE_ITO

Row = Mapping[str, object]
MARKERS = "osD^vPX*"
LEGEND_COLUMNS = 4


def timing_rows(replies: Iterable[Row]) -> list[dict[str, object]]:
    """Rows of TIMING, in the order of testers and arms; replies that never came are left out."""
    grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in replies:
        if row["started_utc"] is None:
            continue
        hour = row["started_utc"].replace(minute=0, second=0, microsecond=0)
        key = (row["tester"], row["kind"], row["experiment"], row["arm"], row["window"], hour)
        grouped[key].append(row)
    names = ("tester", "kind", "experiment", "arm", "window", "hour")
    return [
        dict(zip(names, key, strict=True))
        | {
            "n": len(rows),
            "first": min(row["started_utc"] for row in rows),
            "last": max(row["started_utc"] for row in rows),
            "median_s": float(statistics.median(float(row["duration_s"] or 0) for row in rows)),
        }
        for key, rows in sorted(grouped.items(), key=_order(grouped))
    ]


def timing_tex(rows: Sequence[Row], panel: str) -> str:
    """The LaTeX source: first and last call of each tester, experiment and window.

    Arms are asked together, interleaved; the Parquet and CSV files have them one by one.
    """
    grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["tester"], row["kind"], row["experiment"], row["window"]].append(row)
    kinds = [str(row["kind"]) for row in rows]
    notes = [f"Panel {panel}. Times in UTC; hours: in how many a call began.", testers_note(kinds)]
    return LatexTable(
        label="tab:timing",
        caption="When calls were made.",
        columns=[
            Column("Tester", "l"),
            Column("experiment", "l"),
            Column("window"),
            Column("arms"),
            Column("n"),
            Column("first", "l"),
            Column("last", "l"),
            Column("hours"),
        ],
        rows=[
            [
                tester_label(str(tester), str(kind), kinds),
                str(experiment),
                str(window),
                str(len({row["arm"] for row in of_key})),
                str(sum(int(row["n"]) for row in of_key)),
                f"{min(row['first'] for row in of_key):%Y-%m-%d %H:%M}",
                f"{max(row['last'] for row in of_key):%m-%d %H:%M}",
                str(len({row["hour"] for row in of_key})),
            ]
            for (tester, kind, experiment, window), of_key in grouped.items()
        ],
        gap_pt=3,
        size="footnotesize",
        notes=[note for note in notes if note],
    ).text()


def timing_figure(rows: Sequence[Row], panel: str) -> Figure:
    """Each tester's calls in time: a line from first to last of an hour, a mark for each arm."""
    testers = list(dict.fromkeys(str(row["tester"]) for row in rows))
    arms = list(dict.fromkeys(f"{row['experiment']}/{row['arm']}" for row in rows))
    # A tester's arms stay inside its own row, and each has a colour and mark that no other has.
    step = min(0.18, 0.8 / max(len(arms), 1))
    lines = -(-len(arms) // LEGEND_COLUMNS)
    row_in = max(0.42, 0.09 * len(arms))
    height = 0.9 + 0.2 * lines + row_in * max(len(testers), 1)
    figure, axes = plt.subplots(figsize=(6.5, height))
    for place, arm in enumerate(arms):
        # Marks go on by one with each round of colours: no pair comes twice in 64 arms.
        color = OKABE_ITO[place % len(OKABE_ITO)]
        marker = MARKERS[(place + place // len(OKABE_ITO)) % len(MARKERS)]
        offset = step * (place - (len(arms) - 1) / 2)
        of_arm = [row for row in rows if f"{row['experiment']}/{row['arm']}" == arm]
        heights = [testers.index(str(row["tester"])) + offset for row in of_arm]
        firsts = [dates.date2num(row["first"]) for row in of_arm]
        lasts = [dates.date2num(row["last"]) for row in of_arm]
        axes.hlines(heights, firsts, lasts, color=color, linewidth=2)
        axes.plot(
            firsts, heights, marker, color=color, markeredgecolor="black", markersize=4, label=arm
        )
    axes.set_yticks(range(len(testers)), testers)
    axes.set_ylim(max(len(testers), 1) - 0.5, -0.5)
    axes.xaxis_date(tz=UTC)
    locator = dates.AutoDateLocator(tz=UTC)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator, tz=UTC))
    if rows:
        _widen(axes, rows)
    axes.set_xlabel(f"UTC; panel {panel}")
    axes.grid(visible=True, axis="x")
    if arms:
        axes.legend(
            loc="lower center",
            bbox_to_anchor=(0.4, 1.0),
            ncols=min(LEGEND_COLUMNS, len(arms)),
            fontsize=7,
        )
    figure.tight_layout()
    return figure


def _widen(axes: plt.Axes, rows: Sequence[Row]) -> None:
    first: datetime = min(row["first"] for row in rows)
    last: datetime = max(row["last"] for row in rows)
    margin = max((last - first) * 0.05, timedelta(seconds=1))
    axes.set_xlim(dates.date2num(first - margin), dates.date2num(last + margin))


def _order(grouped: Mapping[tuple[object, ...], object]):
    """Testers, experiments and arms as they came; windows and hours by time."""
    seen = {key[:4]: place for place, key in reversed(list(enumerate(grouped)))}
    return lambda entry: (seen[entry[0][:4]], entry[0][4], entry[0][5])
