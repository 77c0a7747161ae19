"""The leading page of the treasure game's report: its numbers, and ways to what is behind them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vlmtom.publish.mosaic_text import (
    METRIC_NAMES,
    S_NOTE,
    Row,
    Study,
    by_pair,
    kinds_of,
    label_of,
    number,
    pair_label,
)
from vlmtom.publish.report import Link, render_page
from vlmtom.publish.report_files import TITLES
from vlmtom.stats.game import Pair
from vlmtom.stats.game_tests import EXCLUDED


@dataclass(frozen=True)
class Beside:
    """What was made beside the page. tables, figures: their names; the rest: whether it is there.

    pages: the pairs that have one, by their names in paths.
    """

    tables: Sequence[str] = ()
    figures: Sequence[str] = ()
    film: bool = False
    joint: bool = False
    pages: Sequence[str] = ()


def page_name(pair: str) -> str:
    """The file of a pair's trials, calls and replies."""
    return f"mosaic.{pair}.html"


def style_name(pair: str) -> str:
    """The file that holds what a pair was shown."""
    return f"mosaic.{pair}.css"


def mosaic_page(
    signals: Sequence[Row], outcomes: Sequence[Row], study: Study, beside: Beside
) -> str:
    """The page. signals, outcomes: rows of MOSAIC_SIGNALS and MOSAIC_TABLE3."""
    kinds = kinds_of(signals)
    counted = by_pair(outcomes)
    notes = [*study.notes(kinds), S_NOTE]
    further = [Link("every experiment's card of each tester", "joint.html")] if beside.joint else []
    if beside.film:
        further.append(Link("a trial as a film", "../figures/mosaic_film.mp4"))
    return render_page(
        "mosaic.html.j2",
        title="The treasure game",
        note=" ".join(notes),
        metrics=list(METRIC_NAMES.values()),
        pairs=[
            _numbers(pair, rows, counted.get(pair, []), kinds, beside.pages)
            for pair, rows in by_pair(signals).items()
        ],
        tables=[_link(name, "tables", "csv") for name in beside.tables],
        figures=[_link(name, "figures", "png") for name in beside.figures],
        further=further,
    )


def _link(name: str, folder: str, form: str) -> Link:
    """A product of the game; that it is of the game need not be said on its page."""
    title = re.sub("^Treasure game[,:] ", "", TITLES.get(name, name))
    return Link(f"{title[:1].upper()}{title[1:]}", f"../{folder}/{name}.{form}")


def _numbers(
    pair: Pair,
    rows: Sequence[Row],
    outcomes: Sequence[Row],
    kinds: Sequence[str],
    pages: Sequence[str],
) -> dict[str, object]:
    of: dict[str, dict[str, Row]] = {}
    for row in rows:
        of.setdefault(str(row["condition"]), {})[str(row["metric"])] = row
    lines = []
    for condition, metrics in of.items():
        any_row = next(iter(metrics.values()))
        values = (metrics[name]["value"] if name in metrics else None for name in METRIC_NAMES)
        counts = (str(any_row["n"]), str(any_row["n_missing"]))
        lines.append([label_of(condition), *counts, *map(number, values)])
    return {
        "label": pair_label(rows[0], kinds),
        "page": page_name(pair.slug) if pair.slug in pages else "",
        "unreadable": _unreadable(outcomes),
        "lines": lines,
    }


def _unreadable(outcomes: Sequence[Row]) -> list[str]:
    """How many answers could not be read; Table 3 has one image arm of a pair."""
    if not outcomes:
        return ["–"]
    row = outcomes[0]
    counted = []
    for name in row:
        of = name.removeprefix("unreadable")  # of the pair, or of a role
        if of != name and row[f"answers{of}"]:
            whose = f"{of.strip('_')}: " if of else ""
            counted.append(f"{whose}{row[name]} of {row[f'answers{of}']}")
    excluded = ["excluded"] if row["status"] == EXCLUDED else []
    return [*excluded, *counted] or ["nobody asked"]
