"""Whether two measures order the testers alike: Spearman's rank correlation, ties by mid-rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from vlmtom.stats.bootstrap import RESAMPLES
from vlmtom.stats.exact import Root


@dataclass(frozen=True)
class Association:
    """rho: to 50 digits; null unless the status is ok.

    status: ok, constant_input (all of one measure equal), too_few (below three pairs).
    low, high: 95 % percentile interval over resamples of the testers; resamples in which a measure
    is constant are left out, n_defined are kept. null where none is left.
    """

    rho: Fraction | None
    status: str
    n: int
    low: float | None = None
    high: float | None = None
    n_defined: int = 0


def mid_ranks(values: Sequence[Any]) -> list[Fraction]:
    """Ranks from 1; equal values share the mean of their places."""
    return [
        sum(other < value for other in values)
        + Fraction(sum(other == value for other in values) + 1, 2)
        for value in values
    ]


def spearman(
    x: Sequence[Any], y: Sequence[Any], seed: int, resamples: int = RESAMPLES
) -> Association:
    """Pearson's correlation of the mid-ranks, with a bootstrap interval over the pairs.

    x, y: exact numbers, so that equal ones are equal. The shortcut with squared differences of
    ranks is wrong with ties: -0.1625 for the published panel, where this gives -0.187276.
    """
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values of x, {len(y)} of y")
    if len(x) < 3:
        return Association(None, "too_few", len(x))
    ranks = mid_ranks(x), mid_ranks(y)
    rho = _pearson(*ranks)
    if rho is None:
        return Association(None, "constant_input", len(x))
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(x), (resamples, len(x)))
    values = correlations(*(np.array([float(r) for r in rank])[drawn] for rank in ranks))
    if not len(values):
        return Association(rho, "ok", len(x))
    low, high = (float(q) for q in np.quantile(values, (0.025, 0.975)))
    return Association(rho, "ok", len(x), low, high, len(values))


def rank_correlation(x: Sequence[Any], y: Sequence[Any]) -> Fraction | None:
    """Spearman's rho alone, to 50 digits; None where all of one measure are equal.

    x, y: exact numbers, as many of the one as of the other, and at least one.
    """
    return _pearson(mid_ranks(x), mid_ranks(y))


def _pearson(x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction | None:
    mean_x, mean_y = (sum(values, Fraction()) / len(values) for values in (x, y))
    xy = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    xx = sum((a - mean_x) ** 2 for a in x)
    yy = sum((b - mean_y) ** 2 for b in y)
    if not xx or not yy:
        return None
    size = Root(Fraction(xy) ** 2 / (xx * yy)).fraction()
    return -size if xy < 0 else size


def correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho of each row; rows in which one is constant are left out."""
    from scipy.stats import rankdata

    x, y = (rankdata(values, axis=1) for values in (x, y))
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    size = (x**2).sum(axis=1) * (y**2).sum(axis=1)
    defined = size > 0
    return ((x * y).sum(axis=1)[defined] / np.sqrt(size[defined])).clip(-1, 1)
