"""How firmly a label or a number stands: the same, over resamples of what was drawn.

Numbers here are floats: shares and intervals of resamples, never a printed score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

RESAMPLES = 2000
_ENDS = (0.025, 0.975)
_TIE = 1e-9  # distances closer than this are equal; exact ones differ by far more


@dataclass(frozen=True)
class Interval:
    """The middle 95 % of the resamples in which a number is defined; n_defined: how many."""

    low: float
    high: float
    n_defined: int


def matrix(tables: Sequence[Sequence[Sequence[int | None]]]) -> np.ndarray:
    """(tables, rows, columns) float64; NaN, inside the computation alone, for None."""
    return np.array([[[_number(cell) for cell in row] for row in rows] for rows in tables], float)


def percentile_interval(values: np.ndarray, value: float) -> Interval | None:
    """The 95 % percentile interval of a number over its resamples (1-D, NaN where undefined).

    value: the number itself, which both ends are where all resamples agree on it: an interval
    without width is a finding, not a gap. None where no resample defines the number.
    """
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    if np.abs(values - value).max() < _TIE:
        return Interval(value, value, len(values))
    low, high = (float(end) for end in np.quantile(values, _ENDS))
    return Interval(low, high, len(values))


def scene_shares(values: np.ndarray, seed: int, resamples: int) -> np.ndarray:
    """(testers, resamples, measures): shares over scenes drawn with replacement, NaN without one.

    values: (testers, scenes, measures), 1, 0 or NaN. All testers meet the same draws.
    """
    n_scenes = values.shape[1]
    drawn = np.random.default_rng(seed).integers(0, n_scenes, (resamples, n_scenes))
    return np.stack([means(of_tester[drawn], axis=1) for of_tester in values])


def profile_points(
    values: np.ndarray, seed: int, resamples: int, median_of_judges: bool = False
) -> np.ndarray:
    """(testers, scores, resamples): means over clips and judges drawn with replacement, crossed.

    values: (testers, scores, clips, judges), NaN for a cell without a score. All testers meet the
    same draws; each resample takes every cell of the drawn clips by the drawn judges.
    """
    n_clips, n_judges = values.shape[2:]
    rng = np.random.default_rng(seed)
    clips = rng.integers(0, n_clips, (resamples, n_clips))
    judges = rng.integers(0, n_judges, (resamples, n_judges))
    found = []
    for of_tester in values:
        drawn = of_tester[:, clips[:, :, None], judges[:, None, :]]  # score, resample, clip, judge
        if median_of_judges:
            found.append(means(_medians(drawn), axis=2))
        else:
            found.append(means(drawn.reshape(len(drawn), resamples, -1), axis=2))
    return np.stack(found)


def gap_label_stability(
    scenes: Sequence[tuple[bool | None, bool | None]],
    anchors: Sequence[Fraction],
    label: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> Fraction | None:
    """The share of resamples of the scenes whose gap is nearest to the same anchor.

    scenes: each one's cells of a and b; None for one without a usable trial. label: the anchor's
    place. A resample without any usable a or b is left out; None if all are.
    """
    shares = scene_shares(matrix([scenes]), seed, resamples)[0]
    gaps = shares[:, 0] - shares[:, 1]
    gaps = gaps[~np.isnan(gaps)]
    distances = np.abs(gaps[:, None] - np.array([float(anchor) for anchor in anchors]))
    return _kept(distances, label)


def profile_label_stability(
    intent: Sequence[Sequence[int | None]],
    approp: Sequence[Sequence[int | None]],
    anchors: Sequence[tuple[Fraction, Fraction]],
    label: int,
    seed: int,
    resamples: int = RESAMPLES,
    median_of_judges: bool = False,
) -> Fraction | None:
    """The share of resamples of clips and of judges whose profile is nearest to the same anchor.

    intent, approp: levels by clip (rows) and judge (columns), None for a cell without a score.
    Clips and judges are crossed: each resample draws both, and takes every cell of the two draws.
    A resample without a score is left out; None if all are.
    """
    values = np.stack([matrix([scores]) for scores in (intent, approp)], axis=1)
    points = profile_points(values, seed, resamples, median_of_judges)[0]
    points = points[:, ~np.isnan(points).any(axis=0)]
    places = np.array([[float(score) for score in anchor] for anchor in anchors])
    offsets = points.T[:, None, :] - places[None, :, :]
    return _kept(np.hypot(offsets[..., 0], offsets[..., 1]), label)


def _number(value: int | None) -> float:
    return np.nan if value is None else float(value)


def means(values: np.ndarray, axis: int) -> np.ndarray:
    """Means over the values present; NaN (inside the computation alone) where none is."""
    present = ~np.isnan(values)
    count = present.sum(axis=axis)
    total = np.where(present, values, 0).sum(axis=axis)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _medians(values: np.ndarray) -> np.ndarray:
    """Medians along the last axis over the values present; NaN where none is."""
    ordered = np.sort(values, axis=-1)  # NaN goes last
    count = (~np.isnan(values)).sum(axis=-1)
    low = np.maximum(count - 1, 0) // 2
    pair = [np.take_along_axis(ordered, i[..., None], -1)[..., 0] for i in (low, count // 2)]
    return np.where(count > 0, (pair[0] + pair[1]) / 2, np.nan)


def _kept(distances: np.ndarray, label: int) -> Fraction | None:
    """The share of rows whose nearest column is the label; of equal ones the first counts."""
    if not len(distances):
        return None
    least = distances.min(axis=1, keepdims=True)
    found = np.argmax(distances <= least + _TIE, axis=1)
    return Fraction(int((found == label).sum()), len(distances))
