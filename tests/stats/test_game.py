"""Statistics of the game: the paper's p values, its reference agent's tests, and what has none."""

import csv
import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tests.mosaic.rows import trial, trials_of_fixture
from vlmtom.stats.game import (
    Pair,
    Readable,
    bias_class,
    choices_by_reward,
    pairs_in_arms,
    played_of,
    readable,
    summary,
    values,
)
from vlmtom.stats.game_tests import (
    Found,
    binomial,
    bonferroni,
    chi_square,
    exact_interval,
    kruskal_wallis,
    scheirer_ray_hare,
)
from vlmtom.stats.published import PUBLISHED
from vlmtom.stats.rounding import printed
from vlmtom.store import schemas


def published(name):
    with (PUBLISHED / f"mosaic_{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def as_printed(p, digits=3):
    """A p as the paper prints it."""
    return "<0.001" if p < 0.001 else printed(Fraction(p), digits)


@pytest.mark.parametrize(
    "row", published("table3"), ids=lambda row: f"{row['model']}-{row['condition']}"
)
def test_every_p_of_the_printed_table_3_is_the_exact_binomial_over_fifty(row):
    k = Fraction(row["tocs"]) * 50
    assert k.denominator == 1
    assert as_printed(binomial(int(k), 50).p) == row["p"]


def test_the_binomial_with_a_null_of_its_own_by_hand():
    # 2 of 2 at 1/4: 1/16; no other count is as unlikely.
    assert binomial(2, 2, Fraction(1, 4)).p == pytest.approx(1 / 16)
    assert binomial(0, 50, Fraction(0)) == Found(None, None, "no_choice")
    assert binomial(0, 0) == Found(None, None, "no_trials")


def test_a_share_of_none_or_all_has_the_limits_of_the_exact_interval():
    # (0.025)^(1/50) = 0.9289 is where 50 of 50 have a probability of 2.5 %.
    low, high = exact_interval(50, 50)
    assert (low, high) == (pytest.approx(0.025 ** (1 / 50)), 1.0)
    assert exact_interval(0, 0) is None


# Box choice (columns) by reward (rows), recovered from the reference agent's TOCS and chi-square.
PCM = {
    "Coop-ToM0": [[19, 2], [3, 26]],
    "Coop-ToM1": [[17, 3], [5, 25]],
    "Comp-ToM0": [[22, 0], [1, 24]],
    "Comp-ToM1": [[4, 16], [19, 9]],
}


@pytest.mark.parametrize(
    "row",
    [row for row in published("table4") if row["model"] == "PCM-LLM"],
    ids=lambda row: row["condition"],
)
def test_the_chi_square_of_the_reference_agent_is_the_printed_one_with_yates(row):
    found = chi_square(PCM[row["condition"]])
    assert (printed(Fraction(found.statistic), 2), as_printed(found.p)) == (row["chi2"], row["p"])
    plain = stats.chi2_contingency(PCM[row["condition"]], correction=False)
    assert printed(Fraction(plain.statistic), 2) != row["chi2"]


@pytest.mark.parametrize(
    "row",
    [row for row in published("table4") if row["applicable"] == "yes"],
    ids=lambda row: f"{row['model']}-{row['condition']}",
)
def test_every_p_of_the_printed_table_4_but_one_is_of_chi_square_on_one_df(row):
    # The statistic has two decimals: p must lie between those of its ends.
    chi2 = float(row["chi2"])
    ends = [stats.chi2.sf(max(0, chi2 + half), 1) for half in (0.005, -0.005)]
    if (row["model"], row["condition"]) == ("llama3.1-8b", "Coop-ToM0"):
        # Printed as 1.000, which no statistic that rounds to 0.02 has; that of 0.02 is .888.
        assert printed(Fraction(stats.chi2.sf(0.02, 1)), 3) == "0.888" and row["p"] == "1.000"
        assert ends[1] < 0.91
    elif row["p"] == "<0.001":
        assert ends[0] < 0.001
    else:
        assert ends[0] - 5e-4 <= float(row["p"]) <= ends[1] + 5e-4


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ([[0, 0], [0, 0]], "no_choice"),
        ([[5, 5], [0, 0]], "one_reward"),
        ([[5, 0], [5, 0]], "one_choice"),
    ],
)
def test_a_table_with_an_empty_row_or_column_is_not_tested(table, status):
    assert chi_square(table) == Found(None, None, status)


def signs(plus, minus, zero=0):
    return [1] * plus + [-1] * minus + [0] * zero


SENS = {
    ("coop", 0): signs(46, 4),
    ("coop", 1): signs(43, 7),
    ("comp", 0): signs(46, 1, 3),
    ("comp", 1): signs(13, 35, 2),
}


def test_the_printed_h_of_the_reference_agent_are_those_of_the_trajectory_channel():
    found = scheirer_ray_hare(SENS).by_factor()
    print_ = {row["factor"]: row for row in published("table5") if row["model"] == "PCM-LLM"}
    assert [printed(test.statistic, 2) for test in found.values()] == ["22.25", "35.42", "24.67"]
    for metric in ("TAS", "S"):  # the paper prints the same numbers for both
        own = [
            r["H"] for r in published("table5") if (r["model"], r["metric"]) == ("PCM-LLM", metric)
        ]
        assert own == ["22.25", "35.42", "24.67"]
    assert print_.keys() == {"Mode", "ToM", "ModexToM"}
    assert [float(np.mean(v)) for v in SENS.values()] == [0.84, 0.72, 0.90, -0.44]


def test_no_trajectory_alignment_with_the_printed_means_could_have_the_printed_h():
    # TAS .96, .96, 1, 1: each cell of the first two has 49 + and 1 -, or 48 + and 2 without.
    for coop in (signs(49, 1), signs(48, 0, 2)):
        cells = {
            **{("coop", tom): coop for tom in (0, 1)},
            **{("comp", tom): signs(50, 0) for tom in (0, 1)},
        }
        found = scheirer_ray_hare(cells)
        assert found.mode.statistic < Fraction("4.07") and found.tom.statistic == 0


def test_the_statistic_is_the_textbooks_on_ranks_without_ties():
    # Ranks 1 to 8, two a cell: coop0 1 2, coop1 3 4, comp0 5 6, comp1 7 8.
    # SS_mode = 4 (2.5-4.5)^2 + 4 (6.5-4.5)^2 = 32; SS_tom = 4 (3.5-4.5)^2 + 4 (5.5-4.5)^2 = 8;
    # interaction 0; MS = 8 * 9 / 12 = 6 (the variance of 1..8 with N - 1).
    keys = itertools.product(("coop", "comp"), (0, 1))
    cells = {key: [2 * n + 1, 2 * n + 2] for n, key in enumerate(keys)}
    found = scheirer_ray_hare(cells)
    assert [test.statistic for test in found.by_factor().values()] == [
        *(Fraction(32, 6), Fraction(8, 6), 0)
    ]
    assert found.mode.p == pytest.approx(stats.chi2.sf(32 / 6, 1))


def test_with_missing_trials_an_effect_is_the_adjusted_one_of_least_squares():
    rng = np.random.default_rng(7)
    keys = list(itertools.product(("coop", "comp"), (0, 1)))
    cells = {
        key: rng.integers(-1, 2, size).tolist()
        for key, size in zip(keys, (9, 6, 8, 4), strict=True)
    }
    ranks = stats.rankdata([value for own in cells.values() for value in own])
    # Effect coding; without an effect's column the residual sum of squares grows by the effect's.
    design = np.array(
        [
            [1, a := 1 if mode == "coop" else -1, b := 1 if tom == 0 else -1, a * b]
            for (mode, tom), own in cells.items()
            for _ in own
        ],
        float,
    )

    def rest(columns):
        return np.linalg.lstsq(design[:, columns], ranks, rcond=None)[1][0]

    ms = ranks.var(ddof=1)
    full = rest([0, 1, 2, 3])
    for test, left in zip(
        scheirer_ray_hare(cells).by_factor().values(),
        ([0, 2, 3], [0, 1, 3], [0, 1, 2]),
        strict=True,
    ):
        assert float(test.statistic) == pytest.approx((rest(left) - full) / ms)


def test_what_cannot_be_tested_says_why():
    same = {key: [1, 1] for key in SENS}
    assert {t.status for t in scheirer_ray_hare(same).by_factor().values()} == {"constant"}
    lacking = {key: own for key, own in SENS.items() if key != ("comp", 1)}
    assert scheirer_ray_hare(lacking).mode == Found(None, None, "no_condition")
    assert kruskal_wallis([[1, 1], [1, 1]]) == Found(None, None, "constant")
    assert kruskal_wallis([[1, 0]]) == Found(None, None, "one_pair")
    assert kruskal_wallis([[], []]) == Found(None, None, "no_trials")


def test_kruskal_wallis_is_corrected_for_ties():
    # Two groups 0 0 1 and 1 1 1: mid-ranks 1.5 1.5 4.5 and 4.5 4.5 4.5, N = 6.
    # H = 12/42 (7.5^2/3 + 13.5^2/3) - 21 = 1.7143; ties 2 and 4: 1 - (6 + 60)/210 = 0.6857; 2.5.
    found = kruskal_wallis([[0, 0, 1], [1, 1, 1]])
    assert found.statistic == pytest.approx(2.5)


CONSTANT = {
    "llava-7b": ("TOCS", "TAS", "GAS", "S"),
    "qwenvl-2b": ("TAS", "GAS", "S"),
    "qwenvl-8b": ("TAS", "FES", "S"),
    "qwenvl-4b": ("FES",),
}


def test_the_printed_family_of_192_is_that_of_the_defined_tests():
    # 15 models, of Figures 3 and 5; 5 metrics, 3 factors; 11 pairs that never vary.
    models = {row["model"] for name in ("fig3", "fig5") for row in published(name)}
    assert len(models) == 15
    tests = [
        Found(None, None, "constant") if metric in CONSTANT.get(model, ()) else Found(1.0, 0.5)
        for model in sorted(models)
        for metric in ("TOCS", "TAS", "GAS", "FES", "S")
        for _ in range(3)
    ]
    m, _ = bonferroni(tests)
    assert (len(tests), m) == (225, 192)
    remaining = next(r["value"] for r in published("headline") if "nonsignificant" in r["key"])
    assert m == len(published("table5")) + int(remaining)
    # Every printed p_adj is that of the printed H with a family of 192.
    for row in published("table5"):
        p = stats.chi2.sf(float(row["H"]), 1)
        assert (
            as_printed(bonferroni([Found(float(row["H"]), p)] + [Found(0.0, 1.0)] * 191)[1][0])
            == (row["p_adj"])
        )


def test_a_metric_that_is_constant_in_print_is_constant_in_the_printed_figures():
    # A mean of 0 with FES, or of 0 in all four conditions: what makes the list above a reading.
    of = {
        (r["model"], r["metric"], r["condition"]): r["value"]
        for name in ("fig3", "fig5")
        for r in published(name)
    }
    for model, metrics in CONSTANT.items():
        for metric in metrics:
            shown = {value for key, value in of.items() if key[:2] == (model, metric)}
            assert metric == "TOCS" or {float(value) for value in shown} == {0.0}


def test_the_summary_of_the_reference_trials_by_condition():
    cells = played_of(trials_of_fixture()).cells
    assert [cell.condition for cell in cells] == [
        "coop-tom0",
        "coop-tom1",
        "comp-tom0",
        "comp-tom1",
    ]
    for cell, table in zip(cells, PCM.values(), strict=True):
        # The recovered table is known up to which is called which.
        found, recovered = (
            chi_square(counts) for counts in (choices_by_reward(cell.trials), table)
        )
        assert found.statistic == pytest.approx(recovered.statistic)
    deceived = summary(cells[3].trials)
    assert (deceived.tocs, deceived.ur, deceived.mean("s_traj")) == (
        *(Fraction(7, 10), Fraction(1, 25), Fraction(-11, 25)),
    )
    assert deceived.chance == Fraction(12, 25)
    assert values(cells[3].done, "s_eq12")[0] == 1


def test_a_missing_trial_is_in_no_denominator_and_counted():
    rows = [trial(1, choice=0), trial(2, choice=-1), trial(3, status="missing")]
    found = summary(rows)
    assert (found.n, found.n_missing, found.n_choice) == (2, 1, 1)
    assert (found.tocs, found.tocs_choice, found.ur) == (Fraction(1, 2), 1, Fraction(1, 2))
    nothing = summary([trial(1, status="missing")])
    assert (nothing.n, nothing.tocs, nothing.pb_all, nothing.mean("fes")) == (0, None, None, None)


def test_positional_bias_has_three_classes():
    shares = (Fraction(59, 100), Fraction(3, 5), Fraction(74, 100), Fraction(3, 4), None)
    assert [bias_class(share) for share in shares] == ["low", "medium", "medium", "high", None]


def test_a_pair_is_excluded_from_more_than_half_unreadable_answers_on():
    half, more = ([trial(1, unreadable=n, answers=32), trial(2)] for n in (16, 17))
    assert (readable(half).excluded, readable(more).excluded) == (False, True)
    assert not readable([trial(1, unreadable=None, answers=None)]).excluded


def test_an_arm_stands_for_a_pair_and_standard_goes_first():
    rows = [
        trial(1, subject=s, participant=s, arm=a) for s, a in (("a", "blank"), ("a", "standard"))
    ]
    rows += [trial(1, subject="b", participant="b", arm="none")]
    found = played_of(rows)
    assert found.main().pairs == [Pair("a", "a"), Pair("b", "b", "none")]
    assert pairs_in_arms(found.pairs) == [Pair("a", "a"), Pair("a", "a", "blank")]
    assert Pair("b", "b", "none").slug == "b+b+none"


def test_a_trial_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="trial 1 is there twice"):
        played_of([trial(1), trial(1)])


def test_trials_that_are_made_up_here_have_the_columns_of_played_ones():
    assert {*trial(1)} == {*schemas.MOSAIC_TRIALS.names}


def test_unreadable_answers_are_counted_over_both_roles():
    # 10 + 7 of 16 + 16: more than half of 32, and not of the subject's own alone
    by_role = {"unreadable_subject": 10, "unreadable_participant": 7}
    row = trial(1) | by_role | {"answers_subject": 16, "answers_participant": 16}
    assert readable([row]) == Readable(17, 32) and readable([row]).excluded
