"""How far judges or coders agree: alpha for ordered levels, kappa for named codes, equal shares.

Everything is exact. Source of alpha: Krippendorff, Computing Krippendorff's Alpha-Reliability
(2011), ordinal metric; tests compare it with the library `krippendorff`. Of kappa: Cohen, A
Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20 (1960).
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.stats.profile_tables import averaged
from vlmtom.triangles.cells import SCALES

Row = Mapping[str, object]

ALL = "all"


@dataclass(frozen=True)
class Agreement:
    """Agreement of two judges or more on units that at least two of them scored.

    exact, within_one: shares of the pairs of scores on one unit; null without a pair. alpha: null
    unless status is ok. status: too_few (no unit has two scores), constant (all scores are equal:
    no disagreement is to be expected, and alpha is 0/0).
    """

    alpha: Fraction | None
    exact: Fraction | None
    within_one: Fraction | None
    n_units: int
    n_pairs: int
    status: str


def agreement(units: Iterable[Sequence[int | None]]) -> Agreement:
    """Agreement over units, each the scores of the judges in one order; None: no score."""
    given = [[score for score in unit if score is not None] for unit in units]
    given = [scores for scores in given if len(scores) > 1]
    pairs = [pair for scores in given for pair in itertools.combinations(scores, 2)]
    if not pairs:
        return Agreement(None, None, None, 0, 0, "too_few")
    n = len(pairs)
    alpha = ordinal_alpha(given)
    return Agreement(
        alpha=alpha,
        exact=Fraction(sum(a == b for a, b in pairs), n),
        within_one=Fraction(sum(abs(a - b) <= 1 for a, b in pairs), n),
        n_units=len(given),
        n_pairs=n,
        status="constant" if alpha is None else "ok",
    )


def ordinal_alpha(units: Sequence[Sequence[int]]) -> Fraction | None:
    """Krippendorff's alpha of units with two scores or more; None where all scores are equal.

    Two levels are as far apart as there are scores from the middle of the one to the middle of
    the other, so that the size of a level's number does not matter, only its place.
    """
    counts = Counter(score for scores in units for score in scores)
    levels = sorted(counts)

    def apart(a: int, b: int) -> Fraction:
        low, high = sorted((a, b))
        between = sum(counts[level] for level in levels if low <= level <= high)
        return (between - Fraction(counts[low] + counts[high], 2)) ** 2

    squares = {pair: apart(*pair) for pair in itertools.combinations(levels, 2)}
    expected = sum((counts[a] * counts[b] * d for (a, b), d in squares.items()), Fraction())
    if not expected:
        return None
    observed = Fraction()
    for scores in units:
        for a, b in itertools.combinations(sorted(scores), 2):
            observed += squares.get((a, b), Fraction()) / (len(scores) - 1)
    return 1 - (counts.total() - 1) * observed / expected


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa of two coders, unweighted; value null unless status is ok.

    status: no_pairs, or constant (both give one and the same code throughout: 0/0).
    """

    value: Fraction | None
    n_pairs: int
    n_equal: int
    status: str

    @property
    def share(self) -> Fraction | None:
        """Pairs of equal codes; null without a pair."""
        return Fraction(self.n_equal, self.n_pairs) if self.n_pairs else None


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> Kappa:
    """Kappa of pairs of codes: what agreement is there of that which chance leaves room for."""
    n, equal = len(pairs), sum(a == b for a, b in pairs)
    if not n:
        return Kappa(None, 0, 0, "no_pairs")
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    by_chance = Fraction(sum(first[code] * second[code] for code in first), n * n)
    if by_chance == 1:
        return Kappa(None, n, equal, "constant")
    return Kappa((Fraction(equal, n) - by_chance) / (1 - by_chance), n, equal, "ok")


def agreement_rows(
    descriptions: Iterable[Row],
    verdicts: Iterable[Row],
    judges: Sequence[str],
    arms: Sequence[str],
    overlay: str = "blinded",
) -> list[dict[str, object]]:
    """Rows of JUDGE_AGREEMENT, exact: by arm and score all judges together, then every pair.

    descriptions: rows of DESCRIPTIONS; verdicts: rows of VERDICTS. A unit is a description of a
    model (of an observer, where there is no model); one that several trials share counts once.
    """
    written = {(row["arm"], row["blind_id"]) for row in averaged(descriptions)}
    by_unit: dict[tuple[object, object], dict[object, Row]] = defaultdict(dict)
    for row in verdicts:
        unit = (row["arm"], row["blind_id"])
        if row["overlay"] == overlay and unit in written:
            by_unit[unit][row["judge"]] = row
    rows = []
    for arm, score in itertools.product(arms, SCALES):
        units = [
            [judged[judge][score] if judge in judged else None for judge in judges]
            for (of_arm, _), judged in sorted(by_unit.items(), key=lambda item: str(item[0]))
            if of_arm == arm
        ]
        rows.append(_row(arm, score, ALL, len(judges), agreement(units)))
        if len(judges) > 2:
            for a, b in itertools.combinations(range(len(judges)), 2):
                found = agreement([(unit[a], unit[b]) for unit in units])
                rows.append(_row(arm, score, f"{judges[a]} and {judges[b]}", 2, found))
    return rows


def _row(arm: str, score: str, judges: str, n_judges: int, found: Agreement) -> dict[str, object]:
    return {"arm": arm, "score": score, "judges": judges, "n_judges": n_judges} | vars(found)
