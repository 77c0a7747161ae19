"""Every number behind the game's heat maps, with how far it moves when trials are drawn again.

Shares of trials have the exact interval; means have the percentile interval of the bootstrap over
trials, which has no width where all trials agree. Source: MOSAIC paper, Figures 3, 5 and 6.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from vlmtom.stats.bootstrap import RESAMPLES, percentile_interval
from vlmtom.stats.exact import as_fraction
from vlmtom.stats.game import METRICS, Cell, Pair, Played, Row, pair_of, summary, values
from vlmtom.stats.game_tests import EXCLUDED, NO_TRIALS, OK, exact_interval
from vlmtom.store.digests import seed_for

EXACT, BOOTSTRAP = "exact", "bootstrap"
UNDECIDED = Fraction(1, 2)  # pairs with a larger uncertainty rate are shown apart


def signals(found: Played, seed: int, resamples: int = RESAMPLES) -> list[dict[str, object]]:
    """Rows of MOSAIC_SIGNALS, of every pair in every arm; an excluded one has no value."""
    return [
        row for cell in found.cells for row in _rows(cell, found.unread(cell.pair), seed, resamples)
    ]


def _rows(cell: Cell, unread: str | None, seed: int, resamples: int) -> list[dict[str, object]]:
    of = summary(cell.trials)
    head = cell.head() | {"n": of.n, "n_missing": of.n_missing, "unread": unread}
    status = EXCLUDED if unread else OK if of.n else NO_TRIALS
    if status != OK:
        blank = {"value": None, "low": None, "high": None, "method": None, "status": status}
        return [head | {"metric": metric} | blank for metric in ("tocs", "ur", *_MEANS)]
    counts = {"tocs": of.conforming, "ur": of.chosen[2]}
    ends = {metric: (exact_interval(k, of.n), EXACT) for metric, k in counts.items()}
    ends |= {
        metric: (interval, BOOTSTRAP)
        for metric, interval in _resampled(cell, seed, resamples).items()
    }
    means = {"ur": of.ur} | {metric: of.mean(metric) for metric in METRICS}
    return [
        head
        | {
            "metric": metric,
            "value": means[metric],
            "low": interval[0],
            "high": interval[1],
            "method": method,
            "status": OK,
        }
        for metric, (interval, method) in ends.items()
    ]


_MEANS = tuple(metric for metric in METRICS if metric != "tocs")


def _resampled(cell: Cell, seed: int, resamples: int) -> dict[str, tuple[float, float]]:
    """The middle 95 % of resampled means; all metrics of a cell meet the same draws."""
    done = cell.done
    rng = np.random.default_rng(
        seed_for(seed, "bootstrap", "mosaic", cell.pair.slug, cell.condition)
    )
    drawn = rng.integers(0, len(done), (resamples, len(done)))
    found = {}
    for metric in _MEANS:
        own = values(done, metric)
        means = np.array([float(value) for value in own])[drawn].mean(axis=1)
        interval = percentile_interval(means, float(sum(own) / len(own)))
        found[metric] = (interval.low, interval.high)
    return found


def undecided(rows: Sequence[Row]) -> list[Pair]:
    """The pairs that open neither box in more than half of their trials, over all conditions.

    rows: of MOSAIC_SIGNALS.
    """
    found = []
    for pair in dict.fromkeys(pair_of(row) for row in rows):
        own = [
            row
            for row in rows
            if pair_of(row) == pair and row["metric"] == "ur" and row["status"] == OK
        ]
        neutral = sum(as_fraction(row["value"]) * row["n"] for row in own)
        if neutral > UNDECIDED * sum(row["n"] for row in own):
            found.append(pair)
    return found
