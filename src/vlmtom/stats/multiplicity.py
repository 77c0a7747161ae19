"""Which of many comparisons count as a change: Benjamini-Hochberg within declared families.

Source: report-before-action paper, Appendix C (false discovery rate 0.05). A family is a list that
the configuration declares, never what happened to be significant.
"""

from collections import defaultdict
from collections.abc import Sequence

FDR = 0.05


def benjamini_hochberg(ps: Sequence[float | None]) -> list[float | None]:
    """Adjusted p of one family, in the order given: min over j >= i of m p(j) / j, at most 1.

    None (a comparison that cannot be estimated) stays None and is not counted in m.
    Raises ValueError for a p outside [0, 1], NaN included.
    """
    for p in ps:
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"expected p in [0, 1] or None, found {p}")
    known = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    least = 1.0
    for rank in range(len(known), 0, -1):
        p, place = known[rank - 1]
        least = min(least, len(known) * p / rank)
        adjusted[place] = least
    return adjusted


def adjusted_by_family(
    ps: Sequence[float | None], families: Sequence[str | None]
) -> list[float | None]:
    """Adjusted p of each comparison within its family; None outside of any family.

    ps, families: one a comparison, in one order.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, (_, family) in enumerate(zip(ps, families, strict=True)):
        if family is not None:
            places[family].append(place)
    adjusted: list[float | None] = [None] * len(ps)
    for members in places.values():
        found = benjamini_hochberg([ps[place] for place in members])
        for place, p_adj in zip(members, found, strict=True):
            adjusted[place] = p_adj
    return adjusted


def excludes_zero(lo: float | None, hi: float | None) -> bool | None:
    """0 is outside the interval, before any rounding; None without an interval."""
    return None if lo is None or hi is None else lo > 0 or hi < 0


def changed(
    lo: float | None, hi: float | None, p_adj: float | None, fdr: float = FDR
) -> bool | None:
    """The interval excludes 0 and the adjusted p is at most fdr; None where either is missing.

    Both are asked for: an interval can exclude 0 while the adjusted p is above (Appendix C has two
    at 0.058), and a comparison outside of the families is not called a change.
    """
    away = excludes_zero(lo, hi)
    return None if away is None or p_adj is None else away and p_adj <= fdr


def within_margin(lo: float | None, hi: float | None, margin: float) -> bool | None:
    """The whole interval is inside (-margin, margin), ends excluded; None without an interval.

    margin: in the unit of lo and hi, above 0; the paper's 10 points are 0.1 of a share.
    Raises ValueError for a margin of 0 or less.
    """
    if not margin > 0:
        raise ValueError(f"expected a margin above 0, found {margin}")
    return None if lo is None or hi is None else -margin < lo and hi < margin
