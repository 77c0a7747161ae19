"""Agreement between judges: against the library, by hand, and where alpha is not defined."""

from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmtom.stats.agreement import agreement, agreement_rows

SCORES = st.one_of(st.none(), st.integers(0, 5))


@given(st.lists(st.tuples(SCORES, SCORES, SCORES), min_size=2, max_size=25))
def test_alpha_is_the_library_s(units):
    found = agreement(units)
    if found.alpha is None:
        assert found.status in ("constant", "too_few")
        return
    data = np.array([[np.nan if v is None else v for v in unit] for unit in units]).T
    expected = krippendorff.alpha(data, value_domain=range(6), level_of_measurement="ordinal")
    assert float(found.alpha) == pytest.approx(expected, abs=1e-12)


def test_alpha_of_two_units_by_hand():
    # (0, 0) and (0, 1): three 0 and one 1. d(0, 1) = (4 - (3 + 1) / 2)^2 = 4. Observed: 4.
    # Expected: 3 * 1 * 4 = 12. alpha = 1 - (4 - 1) * 4 / 12 = 0
    found = agreement([(0, 0), (0, 1)])
    assert (found.alpha, found.exact, found.within_one) == (0, Fraction(1, 2), 1)


def test_shares_are_over_pairs_and_a_missing_score_makes_none():
    # pairs: (3, 3), (3, 5), (3, 5) of the first unit, (1, 2) of the second; the third has none
    found = agreement([(3, 3, 5), (1, None, 2), (None, 4, None)])
    assert (found.n_units, found.n_pairs) == (2, 4)
    assert (found.exact, found.within_one) == (Fraction(1, 4), Fraction(1, 2))


@pytest.mark.parametrize(
    ("units", "status", "exact"),
    [
        ([(2, 2), (2, 2)], "constant", 1),
        ([(2, None), (None, 3)], "too_few", None),
        ([], "too_few", None),
    ],
)
def test_where_alpha_is_not_defined_it_is_null_with_the_reason(units, status, exact):
    found = agreement(units)
    assert (found.alpha, found.status, found.exact) == (None, status, exact)


def test_one_constant_judge_beside_one_that_varies_has_an_alpha():
    found = agreement([(2, 2), (2, 3), (2, 4)])
    assert found.status == "ok" and found.alpha <= 0


def described(blind_id, arm="numbered", kind="model"):
    return {"arm": arm, "blind_id": blind_id, "kind": kind}


def verdict(blind_id, judge, intent, overlay="blinded", arm="numbered"):
    scores = {"intent": intent, "approp": None if intent is None else 1}
    return {"arm": arm, "blind_id": blind_id, "judge": judge, "overlay": overlay} | scores


def test_rows_are_of_the_overlay_and_of_models_where_there_is_one():
    said = [described("a"), described("b"), described("o", kind="observer"), described("a")]
    verdicts = [
        *(verdict("a", "j1", 1), verdict("a", "j2", 2), verdict("b", "j1", 4)),
        *(verdict("b", "j2", None), verdict("o", "j1", 0), verdict("o", "j2", 5)),
        *(verdict("a", "j1", 5, "informed"), verdict("a", "j2", 5, "informed")),
    ]
    rows = agreement_rows(said, verdicts, ["j1", "j2"], ["numbered", "plain"])
    assert [(r["arm"], r["score"], r["judges"]) for r in rows] == [
        (arm, score, "all") for arm in ("numbered", "plain") for score in ("intent", "approp")
    ]
    intent, approp, nothing, _ = rows
    assert (intent["n_units"], intent["n_pairs"], intent["exact"]) == (1, 1, 0)
    assert intent["within_one"] == 1
    assert (approp["alpha"], approp["status"], approp["exact"]) == (None, "constant", 1)
    assert (nothing["n_units"], nothing["status"]) == (0, "too_few")


def test_of_three_judges_every_pair_stands_beside_all():
    verdicts = [verdict("a", judge, level) for level, judge in enumerate(("x", "y", "z"))]
    rows = agreement_rows([described("a")], verdicts, ["x", "y", "z"], ["numbered"])
    assert [r["judges"] for r in rows if r["score"] == "intent"] == [
        *("all", "x and y", "x and z", "y and z"),
    ]
