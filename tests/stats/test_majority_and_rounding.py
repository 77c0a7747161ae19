"""Majorities over usable trials; numbers printed half up from the exact fraction."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmtom.stats.majority import Majority, majority
from vlmtom.stats.rounding import half_up, printed


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([True, True, False], Majority(True, 3, 2, False)),
        ([True, False, False], Majority(False, 3, 1, False)),
        ([True, False, None], Majority(False, 2, 1, True)),  # a tie is not correct
        ([True, None, None], Majority(True, 1, 1, False)),
        ([None, None, None], Majority(None, 0, 0, False)),
        ([], Majority(None, 0, 0, False)),
    ],
)
def test_the_majority_is_over_usable_trials(trials, expected):
    assert majority(trials) == expected


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(1, 8), 2, "0.13"),  # binary round() gives 0.12
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(64, 108) * 100, 1, "59.3"),
        (Fraction(13, 108) * 100, 1, "12.0"),
        (Fraction(5, 2), 0, "3"),
        (Fraction(-1, 1000), 2, "0.00"),  # never "-0.00"
        (1, 1, "1.0"),
    ],
)
def test_numbers_are_printed_half_up(value, digits, text):
    assert printed(value, digits) == text


def test_nothing_is_printed_as_a_dash():
    assert printed(None, 1) == "–"


@given(st.fractions(), st.integers(0, 6))
def test_the_printed_number_is_at_most_half_a_unit_away(value, digits):
    error = Fraction(half_up(value, digits)) - value
    assert abs(error) <= Fraction(1, 2 * 10**digits)
    assert half_up(value, digits).as_tuple().exponent == -digits
    assert isinstance(half_up(value, digits), Decimal)
