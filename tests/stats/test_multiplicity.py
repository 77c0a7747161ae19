"""Benjamini-Hochberg within families, and what is called a change."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from vlmtom.stats.multiplicity import (
    adjusted_by_family,
    benjamini_hochberg,
    changed,
    excludes_zero,
    within_margin,
)

# equal to statsmodels' fdr_bh and scipy's false_discovery_control
GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "bh_expected.csv"
P = st.floats(0, 1)
on_any_machine = settings(deadline=None)


def test_the_golden_family_comes_out_as_printed():
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = benjamini_hochberg([float(row["p"]) for row in rows])
    assert [round(p, 6) for p in found] == [float(row["p_adj"]) for row in rows]


@on_any_machine
@given(st.lists(P, min_size=1, max_size=80))
def test_adjusted_values_are_those_of_statsmodels_and_scipy(ps):
    found = benjamini_hochberg(ps)
    assert found == pytest.approx(multipletests(ps, method="fdr_bh")[1], rel=1e-12, abs=1e-300)
    assert found == pytest.approx(false_discovery_control(ps), rel=1e-12, abs=1e-300)


def test_what_cannot_be_estimated_stays_and_is_not_counted():
    # m = 2: .02 * 2 / 1, .04 * 2 / 2
    assert benjamini_hochberg([None, 0.04, None, 0.02]) == [None, 0.04, None, 0.04]
    assert benjamini_hochberg([]) == []
    assert benjamini_hochberg([None]) == [None]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_p_that_is_no_probability_is_refused(p):
    with pytest.raises(ValueError, match=r"expected p in \[0, 1\] or None, found"):
        benjamini_hochberg([0.5, p])


def test_families_do_not_see_each_other_and_the_rest_is_not_adjusted():
    ps = [0.01, 0.02, 0.03, 0.04, None]
    families = ["one", "two", None, "two", "one"]
    # one: .01 alone; two: .02 * 2 / 1 = .04, .04
    assert adjusted_by_family(ps, families) == [0.01, 0.04, None, 0.04, None]
    with pytest.raises(ValueError, match="zip"):
        adjusted_by_family([0.1], [])


def test_a_change_needs_the_interval_and_the_adjusted_p():
    assert changed(0.01, 0.2, 0.05) is True
    assert changed(-0.2, -0.01, 0.001) is True
    assert changed(0.01, 0.2, 0.058) is False  # as the two of Appendix C
    assert changed(-0.01, 0.2, 0.01) is False
    assert changed(0.0, 0.2, 0.01) is False  # 0 is in the interval
    assert changed(None, None, None) is None
    assert changed(0.01, 0.2, None) is None  # in no family
    assert changed(0.01, 0.2, 0.058, fdr=0.1) is True


def test_zero_is_outside_before_rounding():
    assert excludes_zero(1e-9, 0.1) is True
    assert excludes_zero(-0.1, -1e-9) is True
    assert excludes_zero(0.0, 0.1) is False
    assert excludes_zero(None, None) is None


def test_unchanged_within_the_margin_needs_the_whole_interval_inside():
    assert within_margin(-0.099, 0.099, 0.1) is True
    assert within_margin(-0.1, 0.05, 0.1) is False  # an end on the margin is not inside
    assert within_margin(0.02, 0.11, 0.1) is False
    assert within_margin(None, None, 0.1) is None
    with pytest.raises(ValueError, match="expected a margin above 0"):
        within_margin(-0.01, 0.01, 0)
