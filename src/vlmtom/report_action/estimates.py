"""What changed between two conditions of a batch, and whether it counts as a change.

Every configured comparison is told of each of its testers on every measure and on every subset of
scenes. Of these one is primary: the comparison's own measure over all scenes. Primary ones are
corrected within their families; the others are descriptive and belong to no family.
Source: report-before-action paper, sections 3 to 6, Appendix C.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.report_action.measures import (
    ACCURACY,
    ALL,
    HIDDEN,
    JOINT,
    SUBSETS,
    Condition,
    Row,
    conditions,
    measures_of,
    paired_scenes,
)
from vlmtom.stats.multiplicity import benjamini_hochberg, changed, within_margin
from vlmtom.stats.paired import paired_effect

BASES = ("move-visibility", "mean-visibility")
# Between batches the base prompt is watched on these.
WATCHED = (HIDDEN, ACCURACY, JOINT)


@dataclass(frozen=True)
class Comparison:
    """Two conditions of one batch: with, minus without. testers: null for all that were asked.

    family: comparisons that are corrected together; null for none. measure: the primary one.
    """

    batch: str
    without: str
    with_: str
    scene_set: str
    measure: str
    family: str | None = None
    testers: Sequence[str] | None = None


def estimates(
    cells: Iterable[Row],
    rates: Iterable[Row],
    comparisons: Mapping[str, Comparison],
    margin: Fraction,
) -> list[dict[str, object]]:
    """REPORT_ACTION_ESTIMATES, in the order of the comparisons, then of the testers.

    rates: rows of REPORT_ACTION_RATES of the same cells. margin: as a share, inside which a
    difference is none that matters. A tester that was not asked a condition has no row. Observers
    and models are never one family: p of the one kind is adjusted for the number of its own.
    """
    by_condition = conditions(cells)
    shares = {
        (r["tester"], r["scene_set"], r["batch"], r["arm"], r["subset"], r["measure"]): r
        for r in rates
    }
    testers = dict.fromkeys(tester for tester, *_ in by_condition)
    found = [
        row
        for name, one in comparisons.items()
        for tester in testers
        if one.testers is None or tester in one.testers
        for row in _of_tester(name, one, tester, by_condition, shares, margin)
    ]
    _correct(found)
    for row in found:
        row["changed"] = changed(row["lo"], row["hi"], row["p_adj"])
    return found


def batch_rows(rates: Iterable[Row], batches: Sequence[str]) -> list[dict[str, object]]:
    """REPORT_ACTION_BATCHES: how a base prompt's rates move between batches.

    batches: in the order of asking. drift and spread are null where a share is.
    """
    of_base: dict[tuple[str, str, str, str], dict[str, Row]] = defaultdict(dict)
    for row in rates:
        if row["arm"] in BASES and row["subset"] == ALL and row["measure"] in WATCHED:
            name = (row["tester"], row["scene_set"], row["arm"], row["measure"])
            of_base[name][str(row["batch"])] = row
    rows = []
    for (tester, scene_set, arm, measure), by_batch in of_base.items():
        asked = [batch for batch in batches if batch in by_batch]
        of = {batch: exact_share(by_batch[batch]) for batch in asked}
        shares = [share for share in of.values() if share is not None]
        first = of[asked[0]]
        for batch in asked:
            row, share = by_batch[batch], of[batch]
            rows.append(
                {
                    "tester": tester,
                    "kind": row["kind"],
                    "scene_set": scene_set,
                    "arm": arm,
                    "measure": measure,
                    "batch": batch,
                    "place": batches.index(batch) + 1,
                    **{name: row[name] for name in ("n", "events", "lo", "hi")},
                    "share": share,
                    "drift": None if share is None or first is None else share - first,
                    "spread": max(shares) - min(shares) if shares else None,
                }
            )
    return rows


def exact_share(rate: Row) -> Fraction | None:
    """The share of a row of REPORT_ACTION_RATES, from its counts."""
    return Fraction(int(rate["events"]), int(rate["n"])) if rate["n"] else None


def _of_tester(
    name: str,
    one: Comparison,
    tester: str,
    by_condition: Mapping[Condition, Sequence[Row]],
    shares: Mapping[tuple[object, ...], Row],
    margin: Fraction,
) -> list[dict[str, object]]:
    arms = (one.without, one.with_)
    sides = [by_condition.get((tester, one.scene_set, one.batch, arm)) for arm in arms]
    if sides[0] is None or sides[1] is None:
        return []
    both = [m for m in measures_of(sides[0]) if m in measures_of(sides[1])]
    rows = []
    for measure in both:
        for subset in SUBSETS:
            effect = paired_effect(paired_scenes(sides[0], sides[1], measure, subset))
            primary = measure == one.measure and subset == ALL
            rows.append(
                {
                    "comparison": name,
                    "tester": tester,
                    "kind": sides[0][0]["kind"],
                    "measure": measure,
                    "subset": subset,
                    "primary": primary,
                    "family": one.family if primary else None,
                    "scene_set": one.scene_set,
                    "batch": one.batch,
                    "without": one.without,
                    "with": one.with_,
                    "n_scenes": effect.G,
                    "n_paired": effect.G_paired,
                    **_side(0, effect.n0, effect.p0),
                    **_side(1, effect.n1, effect.p1),
                    "method": effect.method,
                    "diff": effect.diff,
                    "se": effect.se,
                    "df": effect.df,
                    "lo": effect.lo,
                    "hi": effect.hi,
                    "p": effect.p,
                    "p_adj": None,
                    "family_size": None,
                    "changed": None,
                    "within_margin": within_margin(effect.lo, effect.hi, float(margin)),
                }
            )
            for number, arm in enumerate(arms):
                share = shares[tester, one.scene_set, one.batch, arm, subset, measure]
                rows[-1] |= {f"p{number}_{end}": share[end] for end in ("lo", "hi")}
    return rows


def _side(number: int, n: int, p: Fraction | None) -> dict[str, object]:
    return {f"n{number}": n, f"p{number}": p, f"p{number}_lo": None, f"p{number}_hi": None}


def _correct(rows: Iterable[dict[str, object]]) -> None:
    """Fill in p_adj and family_size; a comparison that cannot be estimated is not counted."""
    families: dict[tuple[object, object], list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        if row["family"] is not None:
            families[row["family"], row["kind"]].append(row)
    for members in families.values():
        adjusted = benjamini_hochberg([row["p"] for row in members])
        size = sum(row["p"] is not None for row in members)
        for row, p_adj in zip(members, adjusted, strict=True):
            row |= {"p_adj": p_adj, "family_size": size}
