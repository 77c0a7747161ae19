"""Numbers that stay exact until they are printed: fractions, and square roots of fractions."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from vlmtom.stats.rounding import half_up, printed

_DIGITS = 50  # of a root where it must be subtracted from another


@dataclass(frozen=True, order=True)
class Root:
    """The square root of a fraction: a distance that compares and prints without an error."""

    square: Fraction

    def __float__(self) -> float:
        return math.sqrt(self.square)

    def decimals(self, digits: int) -> Decimal:
        """Rounded half up to that many decimal digits, from the exact root."""
        square = self.square
        # floor(sqrt(q) 10^d + 1/2) = floor((floor(sqrt(4 q 10^2d)) + 1) / 2), in integers
        whole = math.isqrt(4 * square.numerator * 10 ** (2 * digits) // square.denominator)
        return half_up(Fraction((whole + 1) // 2, 10**digits), digits)

    def fraction(self) -> Fraction:
        """The root to 50 significant digits."""
        with localcontext() as context:
            context.prec = _DIGITS
            root = (Decimal(self.square.numerator) / Decimal(self.square.denominator)).sqrt()
        return Fraction(root)


Number = Fraction | Root | int


def show(value: Number | None, digits: int, missing: str = "–") -> str:
    """A number as it stands in a table, half up; a dash where there is none."""
    if isinstance(value, Root):
        return f"{value.decimals(digits):.{digits}f}"
    return printed(value, digits, missing)


def end_of(value: float) -> Fraction:
    """The fraction that a float of the bootstrap or of least squares stands for, to be printed.

    Shares and means over a few cells have small denominators, which floats miss by a trifle: a
    half would then be printed to the wrong side.
    """
    return Fraction(value).limit_denominator(10**6)


def as_fraction(value: Fraction | float | int) -> Fraction:
    """The fraction behind a number of ours, also behind the float that it is stored as.

    A float is the one nearest to a mean or share over at most thousands of cells: the fraction
    with the smallest denominator that has this float. Raises ValueError for a NaN.
    """
    if not isinstance(value, float):
        return Fraction(value)
    near = Fraction(value).limit_denominator(10**6)
    # An irrational distance has no such fraction, and is taken as it is.
    return near if float(near) == value else Fraction(value)


def plain(rows: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Rows with floats in place of exact numbers, as they are stored."""
    return [
        {name: float(v) if isinstance(v, Fraction | Root) else v for name, v in row.items()}
        for row in rows
    ]
