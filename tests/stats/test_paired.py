"""Paired conditions: golden sets, an independent fit, and what must hold for any counts."""

import csv
import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from vlmtom.stats import paired as module
from vlmtom.stats.paired import (
    Answer,
    Cluster,
    Scene,
    counted,
    paired,
    paired_effect,
    single_share,
)

# expected.csv: closed form, checked against statsmodels 0.15, a numpy sandwich and R geepack 1.3.9;
# share intervals with numpy 2.4.6, which does not promise the same draws in other major versions.
GOLDEN = Path(__file__).parents[1] / "data" / "golden"
SEED = 20261
on_any_machine = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
DRAWS_PINNED = np.__version__.startswith("2.")


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


EXPECTED = {row["dataset"]: row for row in rows_of(GOLDEN / "expected.csv")}


def golden(name):
    rows = rows_of(GOLDEN / f"{name}.csv")
    bits = {"0": 0, "1": 1, "": None}
    return counted(Answer(row["scene"], bits[row["condition"]], bits[row["y"]]) for row in rows)


def scenes(*counts):
    """n0, s0, n1, s1 of each scene."""
    return [Scene(f"s{place:03}", *count) for place, count in enumerate(counts)]


def numbers(effect):
    return (effect.diff, effect.se, effect.df, effect.lo, effect.hi, effect.p)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_golden_set_comes_out_to_six_digits(name):
    want = EXPECTED[name]
    found = paired(golden(name), SEED)
    effect = found.effect
    assert effect.method == want["method"]
    for column in ("G", "n0", "n1", "G_paired", "df"):
        text = want[column]
        assert getattr(effect, column) == (float(text) if text else None), column
    for column in ("p0", "p1", "diff", "se", "lo", "hi", "p"):
        assert float(getattr(effect, column)) == pytest.approx(float(want[column]), abs=5e-7)
    for condition, share in enumerate((found.share0, found.share1)):
        assert share.method == want[f"share{condition}_method"]
        exact = share.method == "bounded" or DRAWS_PINNED
        for end in ("lo", "hi"):
            value = float(want[f"share{condition}_{end}"])
            assert getattr(share, end) == pytest.approx(value, abs=5e-7 if exact else 0.03)


def design(counts):
    """y, X = (1, condition) and the scene of every answered reply."""
    rows = [
        (int(reply < s), condition, place)
        for place, one in enumerate(counts)
        for condition, (n, s) in enumerate(((one.n0, one.s0), (one.n1, one.s1)))
        for reply in range(n)
    ]
    y, condition, scene = np.array(rows).T
    return y, np.column_stack([np.ones(len(y)), condition]), scene


def statsmodels_gee(counts):
    """p0, p1, their difference and its robust delta-method error, from a fit by statsmodels."""
    import statsmodels.api as sm

    y, X, scene = design(counts)
    model = sm.GEE(
        y, X, groups=scene, family=sm.families.Binomial(), cov_struct=sm.cov_struct.Independence()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = model.fit(cov_type="robust", maxiter=200, ctol=1e-12)
    return (*fit.params, *delta_method(np.array(fit.params), np.array(fit.cov_params())))


def delta_method(b, V):
    p0, p1 = 1 / (1 + np.exp(-b[0])), 1 / (1 + np.exp(-b.sum()))
    gradient = np.array([p1 * (1 - p1) - p0 * (1 - p0), p1 * (1 - p1)])
    return p0, p1, p1 - p0, math.sqrt(gradient @ V @ gradient)


def logit_sandwich(counts):
    """Parameters and robust V on the logit scale, from the scores of scenes."""
    y, X, scene = design(counts)
    p = np.array([y[X[:, 1] == c].mean() for c in (0, 1)])
    b = np.array([np.log(p[0] / (1 - p[0])), np.log(p[1] / (1 - p[1]) / (p[0] / (1 - p[0])))])
    fitted = p[X[:, 1].astype(int)]
    bread = np.linalg.inv((X * (fitted * (1 - fitted))[:, None]).T @ X)
    scores = np.array([((y - fitted)[:, None] * X)[scene == g].sum(axis=0) for g in set(scene)])
    return b, bread @ (scores.T @ scores) @ bread


@pytest.mark.parametrize("name", ["g1_balanced", "g2_missing"])
def test_gee_is_what_statsmodels_fits(name):
    effect = paired_effect(golden(name))
    b0, b1, p0, p1, diff, se = statsmodels_gee(golden(name))
    assert [float(effect.p0), float(effect.p1)] == pytest.approx([p0, p1], abs=1e-9)
    assert [float(effect.diff), effect.se] == pytest.approx([diff, se], abs=1e-9)
    want = EXPECTED[name]
    assert [b0, b1] == pytest.approx([float(want["sm_b0"]), float(want["sm_b1"])], abs=5e-7)


@pytest.mark.parametrize("name", ["g1_balanced", "g2_missing"])
def test_gee_is_the_delta_method_on_the_logit_scale(name):
    b, V = logit_sandwich(golden(name))
    want = EXPECTED[name]
    assert b == pytest.approx([float(want["sm_b0"]), float(want["sm_b1"])], abs=5e-7)
    found = [V[0, 0], V[0, 1], V[1, 1]]
    assert found == pytest.approx([float(want[v]) for v in ("V00", "V01", "V11")], abs=5e-7)
    effect = paired_effect(golden(name))
    assert [float(effect.diff), effect.se] == pytest.approx(delta_method(b, V)[2:], abs=1e-12)


def test_gee_is_what_statsmodels_fits_to_random_sets_with_missing_replies():
    rng = np.random.default_rng(8)
    compared = 0
    while compared < 25:
        n = rng.integers(0, 6, size=(int(rng.integers(3, 25)), 2))
        s = rng.binomial(n, rng.uniform(0.1, 0.9, size=n.shape))
        counts = scenes(
            *((a, b, c, d) for (a, c), (b, d) in zip(n.tolist(), s.tolist(), strict=True))
        )
        effect = paired_effect(counts)
        if effect.method != "gee":
            continue
        *_, p0, p1, diff, se = statsmodels_gee(counts)
        ours = [float(effect.p0), float(effect.p1), float(effect.diff), effect.se]
        assert ours == pytest.approx([p0, p1, diff, se], abs=1e-9)
        compared += 1


def test_statsmodels_reports_convergence_where_the_counts_say_that_no_fit_can_hold():
    # why counts decide: one condition without an event drives the intercept to minus infinity
    b0 = statsmodels_gee(golden("g3_no_event_one_condition"))[0]
    assert b0 < -20
    assert paired_effect(golden("g3_no_event_one_condition")).method == "cluster_t"


def test_cluster_t_on_complete_data_is_gee_with_one_more_degree_and_a_small_sample_factor():
    # D = .2, .4, 0, .2: mean .2, sd sqrt(.08 / 3), se = sd / 2
    effect = paired_effect(scenes((5, 0, 5, 1), (5, 0, 5, 2), (5, 0, 5, 0), (5, 0, 5, 1)))
    assert (effect.method, effect.diff, effect.df) == ("cluster_t", Fraction(1, 5), 3)
    assert effect.se == pytest.approx(math.sqrt(0.08 / 3) / 2)
    # u = (s1 - 5 x .2) / 20 = 0, .05, -.05, 0
    assert effect.se == pytest.approx(math.sqrt(2 * 0.05**2) * math.sqrt(4 / 3))
    # R: qt(.975, 3) = 3.182446
    assert effect.hi == pytest.approx(0.2 + 3.182446 * effect.se, abs=1e-6)


def test_cluster_t_is_clipped_to_what_a_difference_can_be():
    effect = paired_effect(scenes((1, 0, 1, 1), (1, 0, 1, 1), (1, 0, 1, 0)))
    assert (effect.method, effect.diff, effect.hi) == ("cluster_t", Fraction(2, 3), 1)
    assert effect.lo == pytest.approx(2 / 3 - 4.302653 / 3, abs=1e-6)  # qt(.975, 2), sd 1/sqrt 3


def test_with_missing_replies_cluster_t_keeps_the_mean_of_scenes_and_the_shares_of_replies():
    # p1 - p0 = 1/6 over replies; scenes differ by 1, 0 and 0
    effect = paired_effect(scenes((5, 0, 1, 1), (5, 0, 4, 0), (5, 0, 1, 0)))
    assert (effect.p0, effect.p1, effect.diff) == (0, Fraction(1, 6), Fraction(1, 3))


def test_no_event_at_all_over_the_papers_scenes():
    effect = paired_effect(scenes(*[(5, 0, 5, 0)] * 160))
    # 1 - .025^(1/160) = 1 - exp(-3.6888795 / 160)
    assert (effect.method, effect.p) == ("bounded", 1)
    assert [effect.lo, effect.hi] == pytest.approx([-0.0227917, 0.0227917], abs=5e-8)


def test_every_reply_of_every_scene_turned_around_is_bounded_and_away_from_zero():
    effect = paired_effect(scenes(*[(5, 0, 5, 5)] * 12))
    # 2 (.025)^(1/12) - 1; p = 2 / 2^12
    assert (effect.method, effect.diff, effect.hi) == ("bounded", 1, 1)
    assert effect.lo == pytest.approx(2 * 0.025 ** (1 / 12) - 1)
    assert effect.p == 2**-11


def test_equal_differences_from_unequal_numbers_of_replies_still_have_a_variance():
    # every scene differs by 0, yet replies weigh scenes differently in the two conditions
    effect = paired_effect(scenes((2, 1, 4, 2), (4, 0, 2, 0), (5, 5, 5, 5)))
    assert effect.method == "gee" and effect.se > 0
    assert effect.diff == Fraction(7, 11) - Fraction(6, 11)


def test_where_numbers_of_replies_cancel_the_variance_the_scenes_differences_are_judged():
    # u = (s1 - n1 p1) / N1 - (s0 - n0 p0) / N0, p0 = p1 = 1/2, N0 = N1 = 16:
    # scenes 1, 2: s - n/2 is +1 in both conditions, of 2 replies without and 6 with; 3, 4: -1
    counts = scenes((2, 2, 6, 4), (6, 4, 2, 2), (2, 0, 6, 2), (6, 2, 2, 0))
    effect = paired_effect(counts)
    assert (effect.p0, effect.p1) == (Fraction(1, 2), Fraction(1, 2))
    # D = -1/3, 1/3, 1/3, -1/3: variance 4/9 / (4 * 3)
    assert (effect.method, effect.diff, effect.df) == ("cluster_t", 0, 3)
    assert effect.se == pytest.approx(math.sqrt(1 / 27))


UNPAIRED = scenes((4, 2, 0, 0), (4, 1, 0, 0), (0, 0, 4, 3), (0, 0, 4, 2))


@pytest.mark.parametrize(
    ("counts", "method"),
    [
        ([], "not_estimable"),
        (scenes((5, 1, 5, 2)), "not_estimable"),  # one scene
        (scenes((5, 1, 5, 2), (5, 2, 5, 4)), "not_estimable"),  # below three
        (scenes((5, 1, 5, 2), (5, 2, 5, 4), (0, 0, 0, 0)), "not_estimable"),  # one not answered
        (scenes((5, 1, 0, 0), (5, 2, 0, 0), (5, 3, 0, 0)), "not_estimable"),  # one condition
        (scenes((5, 0, 0, 0), (5, 0, 0, 0), (0, 0, 5, 1)), "not_estimable"),  # boundary, no pair
        (scenes((2, 1, 0, 0), (2, 1, 0, 0), (0, 0, 2, 1)), "not_estimable"),  # no variance, no pair
        (UNPAIRED, "gee"),  # shares of different scenes can be compared, as samples
        (scenes((5, 0, 5, 1), (5, 0, 0, 0), (5, 0, 0, 0)), "bounded"),  # one pair
    ],
)
def test_counts_decide_the_method(counts, method):
    effect = paired_effect(counts)
    assert effect.method == method
    if method == "not_estimable":
        assert numbers(effect) == (None,) * 6


def test_a_condition_that_nobody_answered_has_no_share_and_the_other_keeps_its_own():
    found = paired(scenes((5, 1, 0, 0), (5, 2, 0, 0), (5, 3, 0, 0)), SEED)
    assert (found.effect.p0, found.effect.p1) == (Fraction(2, 5), None)
    assert found.share0.method == "bootstrap" and found.share0.share == Fraction(2, 5)
    share = found.share1
    assert (share.G, share.method, share.share, share.lo, share.hi) == (
        *(0, "not_estimable", None, None, None),
    )


def test_missing_replies_are_in_no_count():
    answers = [Answer("b", 1, None), Answer("a", 0, True), Answer("a", 1, 0), Answer("a", 1, None)]
    assert counted(answers) == [Scene("a", 1, 1, 1, 0), Scene("b", 0, 0, 0, 0)]


@pytest.mark.parametrize("answer", [Answer("a", 2, 1), Answer("a", 0, 2), Answer("a", 0, 0.5)])
def test_an_answer_that_is_no_zero_or_one_is_refused(answer):
    with pytest.raises(ValueError, match="condition and y are 0 or 1: Answer"):
        counted([answer])


@pytest.mark.parametrize("count", [(1, 2, 0, 0), (0, 0, 1, 2), (1, -1, 0, 0)])
def test_more_events_than_replies_are_refused(count):
    with pytest.raises(ValueError, match="scene s000: events outside 0 to the replies"):
        scenes(count)
    with pytest.raises(ValueError, match="scene a: events outside 0 to the replies"):
        Cluster("a", 1, 2)


def test_a_scene_that_is_there_twice_is_refused():
    twice = [Scene("a", 1, 1, 1, 1), Scene("a", 1, 1, 1, 1)]
    with pytest.raises(ValueError, match="scene a is there 2 times; counts are one row a scene"):
        paired_effect(twice)
    with pytest.raises(ValueError, match="scene a is there 2 times"):
        single_share([Cluster("a", 1, 1)] * 2, SEED)


def test_scenes_that_share_one_share_have_no_interval_of_no_width():
    # u = 1 - .025^(1/4) for those not seen to deviate: [p (1 - u), p + u (1 - p)]
    share = single_share([Cluster(name, 5, 2) for name in "abcd"], SEED)
    still = 0.025**0.25
    assert share.method == "bounded"
    assert [share.lo, share.hi] == pytest.approx([0.4 * still, 1 - 0.6 * still])
    # one scene says next to nothing
    one = single_share([Cluster("a", 5, 2)], SEED)
    assert [one.lo, one.hi] == pytest.approx([0.01, 0.985])


def test_a_bootstrap_draws_scenes_of_that_condition_sorted_by_name():
    clusters = [Cluster("b", 2, 1), Cluster("c", 0, 0), Cluster("a", 4, 4)]
    drawn = np.random.default_rng(3).integers(0, 2, size=(2000, 2))
    shares = np.array([4, 1])[drawn].sum(axis=1) / np.array([4, 2])[drawn].sum(axis=1)
    share = single_share(clusters, 3)
    assert [share.lo, share.hi] == list(np.quantile(shares, [0.025, 0.975]))


def test_draws_do_not_depend_on_how_they_are_cut(monkeypatch):
    clusters = [Cluster(f"s{i}", 5, i % 6) for i in range(7)]
    whole = single_share(clusters, 11, resamples=501)
    monkeypatch.setattr(module, "_DRAWS", 7 * 13 + 1)
    assert single_share(clusters, 11, resamples=501) == whole


SCENE = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)).map(
    lambda c: (c[0], min(c[1], c[0]), c[2], min(c[3], c[2]))
)
COUNTS = st.lists(SCENE, max_size=30)
# rare events and equal differences, so that every method is met
RARE = st.lists(
    st.sampled_from([(5, 0, 5, 0), (5, 0, 5, 1), (5, 1, 5, 2), (5, 5, 5, 5), (3, 0, 4, 0)]),
    min_size=1,
    max_size=12,
)
ANY = COUNTS | RARE | st.builds(lambda c, k: [c] * k, SCENE, st.integers(1, 40))


@on_any_machine
@given(ANY)
def test_swapping_the_conditions_mirrors_everything(counts):
    there = paired_effect(scenes(*counts))
    back = paired_effect(scenes(*((c, d, a, b) for a, b, c, d in counts)))
    assert back.method == there.method
    assert (back.p0, back.p1, back.n0, back.n1) == (there.p1, there.p0, there.n1, there.n0)
    if there.method == "not_estimable":
        return
    assert (back.diff, back.se, back.df, back.p) == (-there.diff, there.se, there.df, there.p)
    assert [back.lo, back.hi] == pytest.approx([-there.hi, -there.lo], abs=1e-14)


@on_any_machine
@given(ANY)
def test_events_and_non_events_swapped_mirror_everything(counts):
    there = paired_effect(scenes(*counts))
    back = paired_effect(scenes(*((a, a - b, c, c - d) for a, b, c, d in counts)))
    assert back.method == there.method
    if there.method != "not_estimable":
        assert (back.diff, back.se, back.p) == (-there.diff, there.se, there.p)


@on_any_machine
@given(ANY)
@example([(5, 0, 5, 0)] * 4)
@example([(5, 0, 5, 5)] * 5)  # bounded, lo = 2 (.025)^(1/5) - 1 < 0; six scenes are above
@example([(5, 0, 5, 5)] * 6)
@example([(5, 0, 5, 1), *[(5, 0, 5, 0)] * 4])
def test_p_is_below_five_percent_exactly_where_the_interval_excludes_zero(counts):
    effect = paired_effect(scenes(*counts))
    assume(effect.method != "not_estimable")
    outside = effect.lo > 0 or effect.hi < 0
    assume(abs(effect.p - 0.05) > 1e-9)  # where both just touch, floats may fall either way
    assert (effect.p < 0.05) == outside
    assert effect.lo <= effect.diff <= effect.hi
    assert all(math.isfinite(value) for value in numbers(effect) if value is not None)
    assert 0 <= effect.p <= 1


@on_any_machine
@given(ANY, st.randoms(use_true_random=False))
def test_names_and_order_of_scenes_do_not_matter(counts, random):
    names = [f"x{place}" for place in range(len(counts))]
    random.shuffle(names)
    renamed = [Scene(name, *count) for name, count in zip(names, counts, strict=True)]
    random.shuffle(renamed)
    assert paired_effect(renamed) == paired_effect(scenes(*counts))


@on_any_machine
@given(ANY)
def test_shares_and_their_intervals_lie_in_zero_to_one(counts):
    found = paired(scenes(*counts), SEED, resamples=50)
    for share in (found.share0, found.share1):
        if share.method == "not_estimable":
            assert (share.n, share.share, share.lo, share.hi) == (0, None, None, None)
        else:
            assert 0 <= share.lo < share.hi <= 1
        if share.method == "bounded":
            assert share.lo <= share.share <= share.hi
