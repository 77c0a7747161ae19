"""Roots that compare and print without an error."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlmtom.stats.exact import Root, plain, show


@pytest.mark.parametrize(
    ("square", "digits", "text"),
    [
        (Fraction(2), 3, "1.414"),
        (Fraction(25, 4), 0, "3"),  # 2.5 is half up, not half to even
        (Fraction(17, 8) ** 2, 2, "2.13"),  # 2.125
        (Fraction(21249, 10000) ** 2, 2, "2.12"),
        (Fraction(0), 1, "0.0"),
    ],
)
def test_a_root_is_printed_half_up(square, digits, text):
    assert show(Root(square), digits) == text


@given(st.fractions(min_value=0, max_value=100), st.integers(0, 6))
def test_a_printed_root_is_at_most_half_a_unit_away(square, digits):
    printed = Fraction(Root(square).decimals(digits))
    half = Fraction(1, 2 * 10**digits)
    assert max(printed - half, 0) ** 2 <= square < (printed + half) ** 2


def test_rows_are_stored_as_floats_and_nothing_stays_nothing():
    row = {"a": Fraction(1, 4), "b": Root(Fraction(9)), "c": None, "d": 3, "e": True}
    assert plain([row]) == [{"a": 0.25, "b": 3.0, "c": None, "d": 3, "e": True}]
    assert show(None, 2) == "–"
