"""How numbers are printed: decimal, half up, from the exact fraction."""

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction


def half_up(value: Fraction | int, digits: int) -> Decimal:
    """The value rounded half up (away from zero) to that many decimal digits.

    Python's own `round` goes half to even and starts from a binary float: 0.125 becomes 0.12.
    """
    value = Fraction(value)
    scaled = abs(value) * 10**digits
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    if 2 * rest >= scaled.denominator:
        whole += 1
    with localcontext() as context:
        context.prec = max(28, len(str(whole)) + digits)
        context.rounding = ROUND_HALF_UP
        number = Decimal(whole).scaleb(-digits)
    # copy_negate, unlike a minus sign, does not round to the context's digits
    return number.copy_negate() if value < 0 and whole else number


def printed(value: Fraction | int | None, digits: int, missing: str = "–") -> str:
    """The value as it stands in a table; a dash where there is none."""
    return missing if value is None else f"{half_up(value, digits):.{digits}f}"
