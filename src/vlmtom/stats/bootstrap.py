"""How firmly a label or a number stands: the same, over resamples of what was drawn.

Numbers here are floats: shares and intervals of resamples, never a printed score.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

RESAMPLES = 2000
_TIE = 1e-9  # distances closer than this are equal; exact ones differ by far more


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
    values = np.array([[_number(cell) for cell in scene] for scene in scenes], float)
    rng = np.random.default_rng(seed)
    drawn = values[rng.integers(0, len(values), (resamples, len(values)))]
    shares = _means(drawn, axis=1)
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
    values = np.stack([np.array([[_number(c) for c in r] for r in s]) for s in (intent, approp)])
    n_clips, n_judges = values.shape[1:]
    rng = np.random.default_rng(seed)
    clips = rng.integers(0, n_clips, (resamples, n_clips))
    judges = rng.integers(0, n_judges, (resamples, n_judges))
    drawn = values[:, clips[:, :, None], judges[:, None, :]]  # score, resample, clip, judge
    if median_of_judges:
        points = _means(_medians(drawn), axis=2)
    else:
        points = _means(drawn.reshape(2, resamples, -1), axis=2)
    points = points[:, ~np.isnan(points).any(axis=0)]
    places = np.array([[float(score) for score in anchor] for anchor in anchors])
    offsets = points.T[:, None, :] - places[None, :, :]
    return _kept(np.hypot(offsets[..., 0], offsets[..., 1]), label)


def _number(value: int | None) -> float:
    return np.nan if value is None else float(value)


def _means(values: np.ndarray, axis: int) -> np.ndarray:
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
