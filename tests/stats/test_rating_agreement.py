"""Judges against people: known answers, other implementations, and what is not defined."""

from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr
from statsmodels.stats.inter_rater import cohens_kappa

from vlmtom.stats.exact import plain
from vlmtom.stats.rating_agreement import (
    PEOPLE,
    alpha_of,
    ranked_alike,
    rating_agreement_rows,
    weighted_kappa,
)
from vlmtom.store import schemas

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30)
CLIPS = {"ToM": ("c1", "c2"), "GD": ("c3", "c4"), "Random": ("c5", "c6")}
PLACES = [(condition, clip) for condition, clips in CLIPS.items() for clip in clips for _ in "ab"]
N = len(PLACES)  # 12: two descriptions a clip
LADDER = [0, 1, 2, 3, 4, 5] * 2


def key():
    return [
        {"item_id": f"i{n}", "blind_id": f"b{n}", "condition": condition, "clip": clip}
        for n, (condition, clip) in enumerate(PLACES)
    ]


def ratings(rater, levels):
    """Intentionality as given, Appropriateness always 2; None: cannot be rated."""
    return [
        {
            "rater": rater,
            "item_id": f"i{n}",
            "cannot": level is None,
            "intent": level,
            "approp": None if level is None else 2,
        }
        for n, level in enumerate(levels)
    ]


def verdicts(judge, levels, overlay="blinded"):
    return [
        {"judge": judge, "overlay": overlay, "blind_id": f"b{n}", "intent": level, "approp": 2}
        for n, level in enumerate(levels)
    ]


def table(people, judged, **options):
    given = [row for rater, levels in people.items() for row in ratings(rater, levels)]
    scored = [row for judge, levels in judged.items() for row in verdicts(judge, levels)]
    kinds = dict.fromkeys(judged, "model")
    rows = rating_agreement_rows(key(), given, scored, kinds, seed=3, **options)
    schemas.RATING_AGREEMENT.table(plain(rows))
    return {(row["score"], row["condition"], row["judge"]): row for row in rows}


# One number against others' implementations


@given(PAIRS)
def test_weighted_kappa_is_that_of_statsmodels(pairs):
    found = weighted_kappa(pairs)
    counts = np.zeros((6, 6))
    for a, b in pairs:
        counts[a, b] += 1
    if found.value is None:
        assert found.status == "constant" and np.count_nonzero(counts) == 1
        return
    theirs = cohens_kappa(counts, weights=np.arange(6), wt="quadratic", return_results=False)
    assert float(found.value) == pytest.approx(theirs, abs=1e-12)


def test_weighted_kappa_by_hand():
    # (0, 0) (1, 1) (2, 0): squares 0 0 4, mean 4/3. All a with all b: 0 1 0 | 1 0 1 | 4 1 4,
    # mean 12/9. kappa = 1 - (4/3) / (4/3)
    assert weighted_kappa([(0, 0), (1, 1), (2, 0)]).value == 0
    # (0, 1) (1, 2) (2, 2): mean 2/3; 1 4 4 | 0 1 1 | 1 0 0, mean 12/9. kappa = 1/2
    assert weighted_kappa([(0, 1), (1, 2), (2, 2)]).value == Fraction(1, 2)
    assert weighted_kappa([(0, 1), (1, 0)]).value == -1


@given(PAIRS)
def test_rank_correlation_is_that_of_scipy(pairs):
    found = ranked_alike(pairs)
    if found.value is None:
        constant = any(len(set(side)) == 1 for side in zip(*pairs, strict=True))
        assert found.status == ("too_few" if len(pairs) < 3 else "constant")
        assert len(pairs) < 3 or constant
        return
    theirs = spearmanr(*zip(*pairs, strict=True)).statistic
    assert float(found.value) == pytest.approx(theirs, abs=1e-12)


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 5))] * 3), max_size=20))
def test_alpha_is_that_of_the_library(units):
    found = alpha_of(units)
    paired = [unit for unit in units if sum(level is not None for level in unit) > 1]
    if found.value is None:
        levels = {level for unit in paired for level in unit if level is not None}
        assert len(paired) < 2 or len(levels) == 1
        return
    data = np.array([[np.nan if v is None else v for v in unit] for unit in paired]).T
    theirs = krippendorff.alpha(data, value_domain=range(6), level_of_measurement="ordinal")
    assert float(found.value) == pytest.approx(theirs, abs=1e-12)


# Rows with a known answer


def test_a_judge_that_says_what_the_rater_says_agrees_perfectly():
    rows = table({"kim": LADDER}, {"j": LADDER})
    row = rows["intent", "all", "j"]
    assert (row["n_units"], row["n_pairs"], row["n_raters"]) == (12, 12, 1)
    assert [row[name] for name in ("exact", "within_one", "kappa", "alpha", "spearman")] == [1] * 5
    assert row["difference"] == row["difference_low"] == row["difference_high"] == 0
    assert row["kappa_low"] == row["kappa_high"] == 1
    assert not any(judge == PEOPLE for *_, judge in rows), "one rater has nobody to agree with"


def test_levels_that_have_nothing_to_do_with_each_other_agree_by_chance():
    # every level of the one meets every level of the other once: nothing beyond chance
    cross = [(a, b) for a in range(6) for b in range(6)]
    assert weighted_kappa(cross).value == 0
    assert ranked_alike(cross).value == 0
    # 12 alike in place but 2 levels higher and lower in turn: difference 0, never within one
    people = [2, 2, 3, 3] * 3
    row = table({"kim": people}, {"j": [0, 4, 1, 5] * 3})["intent", "all", "j"]
    assert (row["exact"], row["within_one"], row["difference"]) == (0, 0, 0)
    # squares 4 all; all with all: (2,0) 4 (2,4) 4 (2,1) 1 (2,5) 9 and the mirror image: 18/4
    assert row["kappa"] == 1 - Fraction(4 * 4, 18)


def test_a_constant_shift_is_a_difference_and_no_loss_of_order():
    people = [0, 1, 2, 3, 4, 4] * 2
    row = table({"kim": people}, {"j": [level + 1 for level in people]})["intent", "all", "j"]
    assert (row["difference"], row["spearman"]) == (1, 1)
    assert row["difference_low"] == row["difference_high"] == 1
    assert (row["exact"], row["within_one"]) == (0, 1)
    assert row["kappa"] < 1 and row["alpha"] < 1


def test_where_all_scores_are_equal_nothing_beyond_chance_is_defined():
    row = table({"kim": LADDER, "lee": LADDER}, {"j": LADDER})["approp", "ToM", "j"]
    assert (row["exact"], row["difference"]) == (1, 0)  # always 2
    for name in ("kappa", "alpha", "spearman"):
        assert (row[name], row[f"{name}_status"]) == (None, "constant")
    assert (row["kappa_low"], row["kappa_high"], row["kappa_resamples"]) == (None, None, 0)


def test_a_judge_with_one_level_for_all_has_kappa_0_and_no_rank_correlation():
    row = table({"kim": LADDER}, {"j": [3] * 12})["intent", "all", "j"]
    # mean (a - b)^2 is the same over pairs as over all a with all b
    assert (row["kappa"], row["kappa_status"]) == (0, "ok")
    assert (row["spearman"], row["spearman_status"]) == (None, "constant")


def test_one_description_and_none_have_their_own_words():
    alone = [4] + [None] * 11
    rows = table({"kim": alone}, {"j": LADDER})
    row = rows["intent", "ToM", "j"]
    assert (row["n_units"], row["exact"], row["difference"]) == (1, 0, -4)
    assert [row[f"{n}_status"] for n in ("kappa", "alpha", "spearman")] == ["too_few"] * 3
    row = rows["intent", "GD", "j"]
    assert (row["n_units"], row["exact"], row["difference"]) == (0, None, None)
    for name in ("", "difference_", "kappa_", "alpha_", "spearman_"):
        assert row[f"{name}status"] == "no_pairs", name
    assert rows["intent", "all", "j"]["n_cannot"] == 11


def test_a_judge_without_a_verdict_is_counted_and_another_overlay_is_not_its():
    scored = [*verdicts("j", LADDER[:8]), *verdicts("j", [0] * 12, overlay="informed")]
    scored[0] |= {"intent": None, "approp": None}  # unparsed
    rows = rating_agreement_rows(key(), ratings("kim", LADDER), scored, {"j": "model"}, seed=3)
    row = next(r for r in rows if (r["score"], r["condition"]) == ("intent", "all"))
    assert (row["n_units"], row["n_no_verdict"], row["exact"]) == (7, 5, 1)


# Several raters


def test_several_raters_are_met_one_by_one_and_the_difference_is_from_their_mean():
    kim, lee = LADDER, [level if n % 2 else 5 - level for n, level in enumerate(LADDER)]
    both = table({"kim": kim, "lee": lee}, {"j": kim})
    with_lee = table({"lee": lee}, {"j": kim})["intent", "all", "j"]
    row, people = both["intent", "all", "j"], both["intent", "all", PEOPLE]
    # with kim everything is 1, with lee what it is with lee
    for name in ("kappa", "alpha", "spearman", "exact", "within_one"):
        assert row[name] == (1 + with_lee[name]) / 2, name
        assert people[name] == with_lee[name], f"{name}: kim and lee are what j and lee are"
    mean = [Fraction(a + b, 2) for a, b in zip(kim, lee, strict=True)]
    assert row["difference"] == sum(kim) / Fraction(12) - sum(mean) / 12
    assert (people["difference"], people["difference_status"]) == (None, "no_direction")
    assert (people["kind"], people["n_no_verdict"]) == (PEOPLE, None)


def test_of_three_raters_people_are_every_two_and_alpha_is_of_all():
    a, b, c = LADDER, LADDER[::-1], [min(level + 1, 5) for level in LADDER]
    rows = table({"a": a, "b": b, "c": c}, {"j": a})
    found = rows["intent", "all", PEOPLE]
    pairs = [list(zip(x, y, strict=True)) for x, y in ((a, b), (a, c), (b, c))]
    assert found["kappa"] == sum(weighted_kappa(pair).value for pair in pairs) / 3
    assert found["alpha"] == alpha_of(list(zip(a, b, c, strict=True))).value
    assert found["n_pairs"] == 36 and found["n_units"] == 12


def test_what_one_rater_cannot_rate_counts_with_the_others():
    kim = [None, *LADDER[1:]]
    row = table({"kim": kim, "lee": LADDER}, {"j": LADDER})["intent", "all", "j"]
    assert (row["n_units"], row["n_pairs"], row["n_cannot"]) == (12, 23, 1)


# Intervals


def exact_resample(people, judged, drawn):
    """Kappa and difference of clips drawn, by hand: a clip drawn twice counts twice."""
    pairs = [
        (judged[n], people[n])
        for clip in drawn
        for n, (_, name) in enumerate(PLACES)
        if name == clip
    ]
    return weighted_kappa(pairs).value, Fraction(sum(a - b for a, b in pairs), len(pairs))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(0, 5), min_size=N, max_size=N),
    st.lists(st.integers(0, 5), min_size=N, max_size=N),
)
def test_ends_of_intervals_are_quantiles_over_clips_drawn_within_a_condition(people, judged):
    row = table({"kim": people}, {"j": judged}, resamples=4000)["intent", "ToM", "j"]
    # Two clips: both twice, or one each, in the shares 1/4 1/2 1/4. The middle 95 % of 4000 spans
    # from the least to the largest of the three.
    draws = [("c1", "c1"), ("c1", "c2"), ("c2", "c2")]
    kappas, differences = zip(*(exact_resample(people, judged, d) for d in draws), strict=True)
    assert row["difference_low"] == pytest.approx(float(min(differences)))
    assert row["difference_high"] == pytest.approx(float(max(differences)))
    defined = [float(kappa) for kappa in kappas if kappa is not None]
    if row["kappa"] is not None:
        assert row["kappa_low"] == pytest.approx(min(defined))
        assert row["kappa_high"] == pytest.approx(max(defined))
        assert (row["kappa_resamples"] == 4000) == (None not in kappas)


def test_conditions_are_drawn_each_on_its_own():
    # Each has a clip on which the judge is 1 above and one on which it is 1 below. Of two drawn
    # with replacement the mean is -1, 0, 1 in shares 1/4 1/2 1/4. Three on their own: all at 1 in
    # 1/64, below 2.5 %, so that 97.5 % of resamples end at the next value, (1 + 1 + 0)/3. Drawn
    # as one, all would be at 1 in 1/4.
    people = [2] * N
    judged = [3, 3, 1, 1] * 3
    rows = table({"kim": people}, {"j": judged}, resamples=4000)
    found = rows["intent", "all", "j"]
    assert found["difference"] == 0
    assert found["difference_high"] == pytest.approx(2 / 3)
    assert found["difference_low"] == pytest.approx(-2 / 3)
    for condition in CLIPS:
        assert rows["intent", condition, "j"]["difference_high"] == 1


def test_draws_follow_from_the_seed_and_one_clip_has_no_interval():
    people, judged = LADDER, LADDER[::-1]
    assert table({"kim": people}, {"j": judged}) == table({"kim": people}, {"j": judged})
    alone = [row for row in key() if row["clip"] in ("c1", "c3", "c5")]
    rows = rating_agreement_rows(
        alone, ratings("kim", people), verdicts("j", judged), {"j": "model"}, seed=3
    )
    for row in rows:
        assert row["difference"] is not None
        assert row["difference_low"] is row["kappa_low"] is None
