"""How far judges agree with people who rated the same descriptions, and people with each other.

A judge is set against each rater in turn, as raters are against each other, and the numbers are
averaged over raters: what a judge reaches can then be read beside what people reach. Against the
mean of several raters, whose errors cancel, a judge would seem nearer to people than people are.
The difference alone is from the raters' mean. Everything is exact but the ends of intervals.

Weighted kappa: Cohen, Psychological Bulletin 70 (1968), quadratic weights; its mean over pairs of
raters: Light, Psychological Bulletin 76 (1971). Alpha: stats/agreement.py.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from vlmtom.stats.agreement import agreement
from vlmtom.stats.association import rank_correlation
from vlmtom.stats.bootstrap import RESAMPLES, Interval, percentile_interval
from vlmtom.store.digests import seed_for
from vlmtom.triangles.cells import CONDITIONS, SCALES

Row = Mapping[str, object]

ALL = "all"
PEOPLE = "people"


@dataclass(frozen=True)
class Pair:
    """Two scores on one description: a judge's and a rater's, or two raters'."""

    item: str
    clip: str
    condition: str
    a: int
    b: int


@dataclass(frozen=True)
class Statistic:
    """A number with the reason where it has none. status: ok, no_pairs, too_few, constant."""

    value: Fraction | None
    status: str


def weighted_kappa(pairs: Sequence[tuple[int, int]]) -> Statistic:
    """Kappa with quadratic weights: 1 - mean (a - b)^2 / the same over all a with all b.

    The number of levels of the scale does not matter to it. No value for less than two pairs, and
    where every score is the same (0/0).
    """
    if len(pairs) < 2:
        return Statistic(None, "too_few" if pairs else "no_pairs")
    n = len(pairs)
    observed = Fraction(sum((a - b) ** 2 for a, b in pairs), n)
    expected = Fraction(sum((a - b) ** 2 for a, _ in pairs for _, b in pairs), n * n)
    if not expected:
        return Statistic(None, "constant")
    return Statistic(1 - observed / expected, "ok")


def ranked_alike(pairs: Sequence[tuple[int, int]]) -> Statistic:
    """Spearman's rho of the pairs, ties by mid-rank; below three pairs it has no value."""
    if len(pairs) < 3:
        return Statistic(None, "too_few" if pairs else "no_pairs")
    rho = rank_correlation(*zip(*pairs, strict=True))
    return Statistic(rho, "constant" if rho is None else "ok")


def alpha_of(units: Sequence[Sequence[int | None]]) -> Statistic:
    """Krippendorff's alpha, ordinal; a single unit, which shows no agreement, has none."""
    found = agreement(units)
    if found.n_units < 2:
        return Statistic(None, "too_few" if found.n_units else "no_pairs")
    return Statistic(found.alpha, found.status)


def rating_agreement_rows(
    key: Sequence[Row],
    ratings: Iterable[Row],
    verdicts: Iterable[Row],
    judges: Mapping[str, str],
    seed: int,
    overlay: str = "blinded",
    resamples: int = RESAMPLES,
) -> list[dict[str, object]]:
    """Rows of RATING_AGREEMENT, exact: by score and condition every judge, then people.

    key: rows of RATING_KEY; ratings: rows of RATINGS; verdicts: rows of VERDICTS; judges: kind by
    slug. A description that a rater could not rate, or a judge did not score, makes no pair;
    both are counted. Rows of people are there where two or more rated. All rows meet the same
    draws of clips, which are drawn within conditions.
    """
    by_rater: dict[str, dict[object, Row]] = defaultdict(dict)
    for row in ratings:
        by_rater[str(row["rater"])][row["item_id"]] = row
    by_judge: dict[object, dict[object, Row]] = defaultdict(dict)
    for row in verdicts:
        if row["overlay"] == overlay:
            by_judge[row["judge"]][row["blind_id"]] = row
    rows = []
    for score, condition in itertools.product(SCALES, (ALL, *CONDITIONS)):
        shown = [row for row in key if condition in (ALL, row["condition"])]
        if not shown:
            continue
        people = [
            [of_rater[row["item_id"]][score] for row in shown]
            for _, of_rater in sorted(by_rater.items())
        ]
        n_cannot = sum(level is None for levels in people for level in levels)
        drawn = _Draws(shown, seed, resamples)
        shared = {"score": score, "condition": condition}
        counts = {"n_raters": len(people), "n_rated": len(shown), "n_cannot": n_cannot}
        for judge, kind in judges.items():
            found = [by_judge[judge].get(row["blind_id"]) for row in shown]
            scores = [None if row is None else row[score] for row in found]
            sides = [_pairs(shown, scores, levels) for levels in people]
            alphas = [alpha_of([(pair.a, pair.b) for pair in pairs]) for pairs in sides]
            difference, interval = _difference(sides, drawn)
            rows.append(
                shared
                | {"judge": judge, "kind": kind}
                | counts
                | {"n_no_verdict": sum(level is None for level in scores)}
                | _of_pairs(score, sides, _mean(alphas), drawn)
                | _named("difference", difference, interval)
            )
        if len(people) > 1:
            sides = [_pairs(shown, a, b) for a, b in itertools.combinations(people, 2)]
            alpha = alpha_of(list(zip(*people, strict=True)))
            rows.append(
                shared
                | {"judge": PEOPLE, "kind": PEOPLE}
                | counts
                | {"n_no_verdict": None}
                | _of_pairs(score, sides, alpha, drawn)
                | _named("difference", Statistic(None, "no_direction"), None)
            )
    return rows


def _pairs(shown: Sequence[Row], a: Sequence[int | None], b: Sequence[int | None]) -> list[Pair]:
    return [
        Pair(str(row["item_id"]), str(row["clip"]), str(row["condition"]), one, other)
        for row, one, other in zip(shown, a, b, strict=True)
        if one is not None and other is not None
    ]


def _of_pairs(
    score: str, sides: Sequence[Sequence[Pair]], alpha: Statistic, drawn: "_Draws"
) -> dict[str, object]:
    """What a judge and people have alike. sides: the pairs with each rater, or of two raters."""
    pairs = [pair for side in sides for pair in side]
    n = len(pairs)
    scores = [[(pair.a, pair.b) for pair in side] for side in sides]
    kappa = _mean([weighted_kappa(side) for side in scores])
    rho = _mean([ranked_alike(side) for side in scores])
    interval = None
    if kappa.value is not None:
        interval = drawn.interval(drawn.kappas(sides, SCALES[score] + 1), kappa.value)
    return {
        "n_units": len({pair.item for pair in pairs}),
        "n_pairs": n,
        "exact": Fraction(sum(pair.a == pair.b for pair in pairs), n) if n else None,
        "within_one": Fraction(sum(abs(p.a - p.b) <= 1 for p in pairs), n) if n else None,
        "status": "ok" if n else "no_pairs",
        **_named("kappa", kappa, interval),
        "kappa_resamples": interval.n_defined if interval else 0,
        "alpha": alpha.value,
        "alpha_status": alpha.status,
        "spearman": rho.value,
        "spearman_status": rho.status,
    }


def _mean(found: Sequence[Statistic]) -> Statistic:
    """The mean over raters; without a value for one of them there is none."""
    for one in found:
        if one.value is None:
            return one
    values = [one.value for one in found if one.value is not None]
    return Statistic(sum(values, Fraction()) / len(values), "ok")


def _difference(
    sides: Sequence[Sequence[Pair]], drawn: "_Draws"
) -> tuple[Statistic, Interval | None]:
    """Mean over descriptions of a judge's score minus the mean of those who rated it."""
    by_item: dict[str, list[Pair]] = defaultdict(list)
    for side in sides:
        for pair in side:
            by_item[pair.item].append(pair)
    if not by_item:
        return Statistic(None, "no_pairs"), None
    found = {
        item: pairs[0].a - Fraction(sum(pair.b for pair in pairs), len(pairs))
        for item, pairs in by_item.items()
    }
    mean = sum(found.values(), Fraction()) / len(found)
    of_clips = [(by_item[item][0].clip, float(value)) for item, value in found.items()]
    return Statistic(mean, "ok"), drawn.interval(drawn.means(of_clips), mean)


def _named(name: str, found: Statistic, interval: Interval | None) -> dict[str, object]:
    return {
        name: found.value,
        f"{name}_low": interval.low if interval else None,
        f"{name}_high": interval.high if interval else None,
        f"{name}_status": found.status,
    }


class _Draws:
    """How often each clip is in each resample, drawn with replacement within its condition."""

    def __init__(self, shown: Sequence[Row], seed: int, resamples: int) -> None:
        self._place: dict[str, int] = {}
        parts = []
        self._enough = True
        for condition in CONDITIONS:
            clips = sorted({str(row["clip"]) for row in shown if row["condition"] == condition})
            if not clips:
                continue
            self._enough &= len(clips) > 1
            self._place |= {clip: len(self._place) + n for n, clip in enumerate(clips)}
            rng = np.random.default_rng(seed_for(seed, "rating", "clips", condition))
            drawn = rng.integers(0, len(clips), (resamples, len(clips)))
            parts.append((drawn[:, :, None] == np.arange(len(clips))).sum(axis=1))
        self._times = np.concatenate(parts, axis=1).astype(float)  # (resamples, clips)

    def interval(self, values: np.ndarray, value: Fraction) -> Interval | None:
        """The interval of a number over the resamples; None where a condition has one clip."""
        return percentile_interval(values, float(value)) if self._enough else None

    def means(self, of_clips: Sequence[tuple[str, float]]) -> np.ndarray:
        """(resamples,): the mean over descriptions, each given as its clip and its value."""
        sums, counts = np.zeros((2, self._times.shape[1]))
        for clip, value in of_clips:
            sums[self._place[clip]] += value
            counts[self._place[clip]] += 1
        return _ratio(self._times @ sums, self._times @ counts)

    def kappas(self, sides: Sequence[Sequence[Pair]], levels: int) -> np.ndarray:
        """(resamples,): weighted kappa, mean over sides; NaN where one of them has none."""
        apart = np.subtract.outer(np.arange(levels), np.arange(levels)) ** 2
        found = []
        for side in sides:
            joint = np.zeros((self._times.shape[1], levels, levels))
            for pair in side:
                joint[self._place[pair.clip], pair.a, pair.b] += 1
            counts = np.tensordot(self._times, joint, axes=1)  # resample, a, b
            observed = (counts * apart).sum(axis=(1, 2)) * counts.sum(axis=(1, 2))
            expected = np.einsum("ri,ij,rj->r", counts.sum(axis=2), apart, counts.sum(axis=1))
            found.append(1 - _ratio(observed, expected))
        return np.mean(found, axis=0)


def _ratio(over: np.ndarray, under: np.ndarray) -> np.ndarray:
    """NaN (inside the computation alone) where there is nothing to divide by."""
    return np.where(under > 0, over / np.where(under > 0, under, 1), np.nan)
