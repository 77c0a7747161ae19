"""Whether an outcome's share differs between two conditions asked of the same scenes.

Replies to one scene are alike, so scenes are the clusters. Counts decide which method holds, never
a failed fit: where a condition has no event, or every scene changes by the same amount, packages
report convergence and an interval of no width. Shares and variances are exact until their root.

Source: report-before-action paper, Appendix C; what it leaves open is in docs/paired_baseline.md.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeVar

import numpy as np
from scipy import special

from vlmtom.stats.bootstrap import RESAMPLES

Method = Literal["not_estimable", "bounded", "cluster_t", "gee"]
ShareMethod = Literal["not_estimable", "bounded", "bootstrap"]

ALPHA = 0.05  # of two-sided tests; intervals are 95 %
FEWEST_SCENES = 3  # G - 2 degrees of freedom
_DRAWS = 2**22  # of scenes at a time, which bounds the memory of the bootstrap


@dataclass(frozen=True)
class Answer:
    """One reply. condition: 0 without, 1 with; y: the event, None for a reply that cannot count."""

    scene: str
    condition: int
    y: bool | int | None


@dataclass(frozen=True)
class Scene:
    """Counts of one scene: n answered replies, s of them with the event, by condition.

    Raises ValueError unless 0 <= s <= n.
    """

    scene: str
    n0: int
    s0: int
    n1: int
    s1: int

    def __post_init__(self) -> None:
        if not (0 <= self.s0 <= self.n0 and 0 <= self.s1 <= self.n1):
            raise ValueError(f"scene {self.scene}: events outside 0 to the replies: {self}")

    @property
    def paired(self) -> bool:
        """Answered in both conditions."""
        return self.n0 > 0 and self.n1 > 0

    @property
    def difference(self) -> Fraction:
        """Share with minus share without, in [-1, 1]; of a paired scene."""
        return Fraction(self.s1, self.n1) - Fraction(self.s0, self.n0)


@dataclass(frozen=True)
class Cluster:
    """Counts of one scene in one condition: n answered replies, s of them with the event.

    Raises ValueError unless 0 <= s <= n.
    """

    scene: str
    n: int
    s: int

    def __post_init__(self) -> None:
        if not 0 <= self.s <= self.n:
            raise ValueError(f"scene {self.scene}: events outside 0 to the replies: {self}")


Unit = TypeVar("Unit", Scene, Cluster)


@dataclass(frozen=True)
class Effect:
    """The difference of two conditions, with minus without, and its 95 % interval.

    G: scenes with an answered reply; G_paired: those answered in both conditions; n0, n1: answered
    replies. p0, p1: shares of the replies, in [0, 1]; null without a reply. diff: p1 - p0 by gee;
    the mean of the paired scenes' differences by cluster_t and bounded, which with missing replies
    can be another number. se: standard error of diff, 0 by bounded. df: degrees of freedom, null
    by bounded. lo, hi: in [-1, 1], but not clipped by gee. p: two-sided, not adjusted; below 0.05
    exactly where 0 is outside the interval. All from diff on null where not_estimable.
    """

    G: int
    G_paired: int
    n0: int
    n1: int
    method: Method
    p0: Fraction | None
    p1: Fraction | None
    diff: Fraction | None = None
    se: float | None = None
    df: int | None = None
    lo: float | None = None
    hi: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class Share:
    """One condition's share of G scenes and n answered replies, with its 95 % interval in [0, 1].

    share, lo, hi: null where not_estimable, which is without any reply.
    """

    G: int
    n: int
    method: ShareMethod
    share: Fraction | None = None
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class Paired:
    """A comparison: the difference, and the share of each condition."""

    effect: Effect
    share0: Share
    share1: Share


def counted(answers: Iterable[Answer]) -> list[Scene]:
    """Counts by scene, sorted by its name; a scene without any answered reply has zeros.

    Raises ValueError for a condition or y that is not 0 or 1 (y may be None).
    """
    counts: dict[str, list[int]] = {}
    for answer in answers:
        if answer.condition not in (0, 1) or answer.y not in (0, 1, None):
            raise ValueError(f"condition and y are 0 or 1: {answer}")
        count = counts.setdefault(answer.scene, [0, 0, 0, 0])
        if answer.y is not None:
            count[2 * answer.condition] += 1
            count[2 * answer.condition + 1] += int(answer.y)
    return [Scene(scene, *counts[scene]) for scene in sorted(counts)]


def paired(scenes: Sequence[Scene], seed: int, resamples: int = RESAMPLES) -> Paired:
    """The difference between the conditions, and both shares. seed: of the shares' bootstrap."""
    return Paired(
        paired_effect(scenes),
        single_share([Cluster(s.scene, s.n0, s.s0) for s in scenes], seed, resamples),
        single_share([Cluster(s.scene, s.n1, s.s1) for s in scenes], seed, resamples),
    )


def paired_effect(scenes: Iterable[Scene]) -> Effect:
    """Condition 1 minus condition 0 over scenes (one a name, in any order), by what counts allow.

    not_estimable below three scenes, without a reply in one condition, or where gee does not hold
    and no scene is paired; bounded where all paired scenes differ by one amount and gee has no
    variance; cluster_t where a condition has no event or nothing else; in all other cases gee.
    Raises ValueError for a scene that is there twice.
    """
    scenes = _answered(scenes, lambda scene: scene.n0 + scene.n1)
    pairs = [scene for scene in scenes if scene.paired]
    n0, s0, n1, s1 = (sum(getattr(s, name) for s in scenes) for name in ("n0", "s0", "n1", "s1"))
    head = (len(scenes), len(pairs), n0, n1)
    shares = (Fraction(s0, n0) if n0 else None, Fraction(s1, n1) if n1 else None)
    nothing = Effect(*head, "not_estimable", *shares)
    if len(scenes) < FEWEST_SCENES or not n0 or not n1:
        return nothing
    boundary = s0 in (0, n0) or s1 in (0, n1)
    variance = Fraction(0) if boundary else _gee_variance(scenes, n0, s0, n1, s1)
    if variance:
        diff = shares[1] - shares[0]
        # Appendix C: "a delta-method t interval on G - 2 degrees of freedom"; not clipped.
        return Effect(*head, "gee", *shares, **_t_interval(diff, variance, len(scenes) - 2))
    if not pairs:
        return nothing
    if _identical(pairs):
        return Effect(*head, "bounded", *shares, **_bounded(pairs[0].difference, len(pairs)))
    # Also for scenes whose differences vary while unequal numbers of replies cancel gee's variance.
    found = _t_interval(*_mean_and_variance([s.difference for s in pairs]), len(pairs) - 1)
    found |= {"lo": max(-1.0, found["lo"]), "hi": min(1.0, found["hi"])}
    return Effect(*head, "cluster_t", *shares, **found)


def single_share(clusters: Iterable[Cluster], seed: int, resamples: int = RESAMPLES) -> Share:
    """The share of events among answered replies: a percentile interval over drawn scenes.

    clusters: one a scene, in any order; those without a reply are left out, and draws go over the
    others sorted by name. Where all scenes have one share (as at 0 and 1) each resample has it
    too, and the interval would have no width: it is bounded, by counting scenes.
    Raises ValueError for a scene that is there twice.
    """
    clusters = sorted(_answered(clusters, lambda one: one.n), key=lambda one: one.scene)
    if not clusters:
        return Share(0, 0, "not_estimable")
    n, s = sum(one.n for one in clusters), sum(one.s for one in clusters)
    share = Fraction(s, n)
    head = (len(clusters), n)
    if all(one.s * n == s * one.n for one in clusters):
        still = _not_deviating(len(clusters))
        lo, hi = float(share) * still, 1 - float(1 - share) * still
        return Share(*head, "bounded", share, lo, hi)
    drawn = _drawn_shares(clusters, seed, resamples)
    lo, hi = (float(end) for end in np.quantile(drawn, [ALPHA / 2, 1 - ALPHA / 2]))
    return Share(*head, "bootstrap", share, lo, hi)


def mcnemar_exact(only_a: int, only_b: int) -> float | None:
    """Two-sided exact p of McNemar's test; null where no pair differs.

    It takes the pairs for independent; trials of one item are not quite that.
    """
    if not only_a + only_b:
        return None
    from scipy.stats import binomtest

    return float(binomtest(only_a, only_a + only_b).pvalue)


def _answered(units: Iterable[Unit], replies: Callable[[Unit], int]) -> list[Unit]:
    """Units with a reply. Raises ValueError for a scene that is there twice."""
    units = list(units)
    for scene, times in Counter(unit.scene for unit in units).items():
        if times > 1:
            raise ValueError(f"scene {scene} is there {times} times; counts are one row a scene")
    return [unit for unit in units if replies(unit)]


def _gee_variance(scenes: Iterable[Scene], n0: int, s0: int, n1: int, s1: int) -> Fraction:
    """Sandwich variance of p1 - p0 under independence, without a small-sample factor.

    With one parameter a condition the logit model has a closed form: the sum over scenes of
    u² with u = (s1 - n1 p1) / N1 - (s0 - n0 p0) / N0; here in integers, u (N0 N1)².
    """
    total = 0
    for scene in scenes:
        with_ = scene.s1 * n1 - scene.n1 * s1
        without = scene.s0 * n0 - scene.n0 * s0
        total += (with_ * n0 * n0 - without * n1 * n1) ** 2
    return Fraction(total, (n0 * n1) ** 4)


def _identical(pairs: Sequence[Scene]) -> bool:
    """All differences are one number: of two shares they are exact, so no tolerance is needed."""
    first = pairs[0].difference
    top, bottom = first.numerator, first.denominator
    return all((s.s1 * s.n0 - s.s0 * s.n1) * bottom == top * s.n0 * s.n1 for s in pairs)


def _mean_and_variance(values: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Mean of at least two values, and its variance (sample variance / number)."""
    n = len(values)
    mean = sum(values, Fraction(0)) / n
    return mean, sum(((value - mean) ** 2 for value in values), Fraction(0)) / (n * (n - 1))


def _t_interval(diff: Fraction, variance: Fraction, df: int) -> dict[str, object]:
    se, value = math.sqrt(variance), float(diff)
    reach = float(special.stdtrit(df, 1 - ALPHA / 2)) * se
    p = 2 * float(special.stdtr(df, -abs(value) / se))
    return {"diff": diff, "se": se, "df": df, "lo": value - reach, "hi": value + reach, "p": p}


def _bounded(diff: Fraction, n_scenes: int) -> dict[str, object]:
    """Interval around a difference from which none of the scenes deviates.

    A scene that deviates could be at -1 or at +1. p is the level at which the interval just
    touches 0, so that the two never disagree.
    """
    still, value = _not_deviating(n_scenes), float(diff)
    return {
        "diff": diff,
        "se": 0.0,
        "lo": (1 + value) * still - 1,
        "hi": 1 - (1 - value) * still,
        "p": min(1.0, 2 * (1 + abs(value)) ** -n_scenes),
    }


def _not_deviating(n_scenes: int) -> float:
    """Exact lower limit of the share of scenes that do not deviate, when none of n was seen to.

    Scenes are counted, not replies: replies to one scene are taken as fully dependent.
    """
    return (ALPHA / 2) ** (1 / n_scenes)


def _drawn_shares(clusters: Sequence[Cluster], seed: int, resamples: int) -> np.ndarray:
    """(resamples,) shares over scenes drawn with replacement, some resamples at a time.

    The draws are those of one call for all: the stream does not depend on how it is cut.
    """
    n, s = (np.array([getattr(one, name) for one in clusters]) for name in ("n", "s"))
    rng = np.random.default_rng(seed)
    at_once = max(1, _DRAWS // len(clusters))
    parts = []
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        drawn = rng.integers(0, len(clusters), size=(rows, len(clusters)))
        parts.append(s[drawn].sum(axis=1) / n[drawn].sum(axis=1))
    return np.concatenate(parts)
