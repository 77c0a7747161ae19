"""The tests of the game: binomial, chi-square, Scheirer-Ray-Hare, Kruskal-Wallis, Bonferroni.

A test that a set of trials does not allow has no p, and a status that says why; it is in no
family. Source: MOSAIC paper, appendix F.2.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

OK = "ok"
NO_TRIALS = "no_trials"  # none was played
NO_CHOICE = "no_choice"  # neither box opened in any trial
CONSTANT = "constant"  # all trials have one value
ONE_REWARD = "one_reward"  # the reward was always in the same box
ONE_CHOICE = "one_choice"  # the same box opened in every trial with a choice
NO_CONDITION = "no_condition"  # a condition of the four has no played trial
ONE_PAIR = "one_pair"  # there is nobody to compare with
EXCLUDED = "excluded"  # more than half of the answers of a member could not be read
WHY = {
    NO_TRIALS: "no trial was played",
    NO_CHOICE: "neither box opened in any trial",
    CONSTANT: "all trials have one value",
    ONE_REWARD: "the reward was always in the same box",
    ONE_CHOICE: "the same box opened in every trial with a choice",
    NO_CONDITION: "a condition has no played trial",
    ONE_PAIR: "fewer than two pairs were scored",
    EXCLUDED: "more than half of the answers of a member could not be read",
}
FACTORS = ("mode", "tom", "mode x tom")


@dataclass(frozen=True)
class Found:
    """A statistic (null of a binomial test) and its p; both null unless the status is ok."""

    statistic: Fraction | float | None
    p: float | None
    status: str = OK


def untested(status: str) -> Found:
    """A test that does not apply."""
    return Found(None, None, status)


def binomial(k: int, n: int, null: Fraction = Fraction(1, 2)) -> Found:
    """The exact two-sided test of k hits in n trials against a probability.

    Two-sided as R and scipy have it: over all counts that are no likelier than k. A null of 0 is a
    participant who never opens a box: no_choice.
    """
    from scipy.stats import binomtest

    if not n:
        return untested(NO_TRIALS)
    if not null:
        return untested(NO_CHOICE)
    return Found(None, float(binomtest(k, n, float(null)).pvalue))


def exact_interval(k: int, n: int) -> tuple[float, float] | None:
    """The 95 % interval of Clopper and Pearson for a share; None without a trial."""
    from scipy.stats import binomtest

    if not n:
        return None
    found = binomtest(k, n).proportion_ci(0.95, method="exact")
    return float(found.low), float(found.high)


def chi_square(table: Sequence[Sequence[int]]) -> Found:
    """Independence in a 2 x 2 table of counts, with Yates's correction.

    table: a row a place of the reward, a column a box that opened. By rule it does not apply where
    a row or a column is empty.
    """
    from scipy.stats import chi2_contingency

    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    if not sum(rows):
        return untested(NO_CHOICE)
    if 0 in rows:
        return untested(ONE_REWARD)
    if 0 in columns:
        return untested(ONE_CHOICE)
    found = chi2_contingency(table, correction=True)
    return Found(float(found.statistic), float(found.pvalue))


@dataclass(frozen=True)
class TwoWay:
    """Both main effects and the interaction of a Scheirer-Ray-Hare test, each on 1 df."""

    mode: Found
    tom: Found
    interaction: Found

    def by_factor(self) -> dict[str, Found]:
        """By the name that tables have."""
        return dict(zip(FACTORS, (self.mode, self.tom, self.interaction), strict=True))


def scheirer_ray_hare(cells: Mapping[tuple[str, int], Sequence[Fraction | int]]) -> TwoWay:
    """The test of mode x ToM order on the ranks of all trials together.

    cells: values by mode (coop, comp) and order (0, 1). Ties share the mean of their ranks, and
    H = SS / MS with MS = sum of (r - mean)^2 over (N - 1), which is the correction for ties. SS is
    that of the effect's contrast between the cells' mean ranks, (sum of c_i r_i)^2 / sum of 1/n_i
    with c_i = 1 or -1: with cells of one size it is the textbook's, with missing trials each
    effect is adjusted for the others. H is exact; p is of chi-square on 1 df.
    """
    from scipy.stats import chi2

    wanted = [(mode, tom) for mode in ("coop", "comp") for tom in (0, 1)]
    if not all(cells.get(key) for key in wanted):
        return TwoWay(*[untested(NO_CONDITION)] * 3)
    everything = [value for key in wanted for value in cells[key]]
    ranks = _ranks(everything)
    if len(ranks) == 1:
        return TwoWay(*[untested(CONSTANT)] * 3)
    n = len(everything)
    middle = Fraction(n + 1, 2)
    ms = sum((ranks[value] - middle) ** 2 for value in everything) / (n - 1)
    means = [
        sum((ranks[value] for value in cells[key]), Fraction()) / len(cells[key]) for key in wanted
    ]
    spread = sum(Fraction(1, len(cells[key])) for key in wanted)

    def effect(*signs: int) -> Found:
        contrast = sum(sign * mean for sign, mean in zip(signs, means, strict=True))
        h = contrast**2 / spread / ms
        return Found(h, float(chi2.sf(float(h), 1)))

    return TwoWay(effect(1, 1, -1, -1), effect(1, -1, 1, -1), effect(1, -1, -1, 1))


def _ranks(numbers: Sequence[Fraction | int]) -> dict[Fraction | int, Fraction]:
    """The mid-rank of each distinct value."""
    counts = Counter(numbers)
    found, below = {}, 0
    for value in sorted(counts):
        found[value] = below + Fraction(counts[value] + 1, 2)
        below += counts[value]
    return found


def kruskal_wallis(groups: Sequence[Sequence[Fraction | int]]) -> Found:
    """Whether groups of trials, one a pair, come from one distribution. Empty ones are left out."""
    from scipy.stats import kruskal

    groups = [group for group in groups if group]
    if not groups:
        return untested(NO_TRIALS)
    if len(groups) < 2:
        return untested(ONE_PAIR)
    if len({value for group in groups for value in group}) == 1:
        return untested(CONSTANT)
    found = kruskal(*([float(value) for value in group] for group in groups))
    return Found(float(found.statistic), float(found.pvalue))


def bonferroni(tests: Sequence[Found]) -> tuple[int, list[float | None]]:
    """How many tests of a family are defined, m, and each one's p times m, at most 1."""
    m = sum(test.p is not None for test in tests)
    return m, [None if test.p is None else min(1.0, m * test.p) for test in tests]
