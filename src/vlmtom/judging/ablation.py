"""Which judges could take the flagships' place, and what that saves (Table 13).

Source: cross-task paper, Appendix N: list price of 3,000 input and 1,000 output tokens a call.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from vlmtom.settings import Price

Row = Mapping[str, Any]
Role = Literal["chosen", "flagship", "candidate"]

INPUT_TOKENS, OUTPUT_TOKENS = 3000, 1000
PANELS = {"chosen": "all chosen", "flagship": "all flagships"}


@dataclass(frozen=True)
class Candidate:
    """A judge of the battery beyond its scores. usd_per_call: null where no price is known."""

    family: str
    role: Role
    usd_per_call: Fraction | None


def usd_per_call(price: Price | None) -> Fraction | None:
    """A verdict at list price; None without a price."""
    if price is None:
        return None
    # By way of their decimal spelling: 0.3 is three tenths, not the nearest binary fraction.
    per_input, per_output = (
        Fraction(str(usd)) for usd in (price.input_usd_per_mtok, price.output_usd_per_mtok)
    )
    return (INPUT_TOKENS * per_input + OUTPUT_TOKENS * per_output) / 1_000_000


def candidate(family: str, role: Role, kind: str, price: Mapping[str, float] | None) -> Candidate:
    """A judge by its entry of the registry. An observer has no price."""
    known = None if price is None or kind == "observer" else Price(**price)
    return Candidate(family, role, usd_per_call(known))


def table13(battery: Iterable[Row], judges: Mapping[str, Candidate]) -> list[dict[str, Any]]:
    """One row a judge (TABLE13), exact; then a sum for the chosen judges and for the flagships.

    battery: rows of JUDGE_BATTERY, or rows with its columns as far as they stand here.
    """
    scores = ("intent_recovery", "approp_recovery", "max_intent_sd", "max_approp_sd")
    rows = []
    for row in battery:
        judge = judges[row["judge"]]
        rows.append(
            {
                "family": judge.family,
                "judge": row["judge"],
                "kind": row["kind"],
                "role": judge.role,
                **{name: row[name] for name in scores},
                "verdict": row["verdict"],
                "usd_per_call": judge.usd_per_call,
                "saving": None,
                "n_scored": row["n_scored"],
                "n_planned": row["n_planned"],
                "status": row["status"],
            }
        )
    return rows + _sums(rows)


def panel_usd(rows: Iterable[Row], role: Role) -> Fraction | None:
    """What one description costs with all judges of a role; None if there is none, or no price."""
    costs = [row["usd_per_call"] for row in rows if row["role"] == role]
    return sum(costs, Fraction()) if costs and None not in costs else None


def saving(chosen: Fraction | None, flagship: Fraction | None) -> Fraction | None:
    """The share of the flagships' cost that the chosen judges save; None where one is unknown."""
    if chosen is None or not flagship:
        return None
    return 1 - chosen / flagship


def _sums(rows: Sequence[Row]) -> list[dict[str, Any]]:
    costs: dict[Role, Fraction | None] = {role: panel_usd(rows, role) for role in PANELS}
    sums = []
    for role, name in PANELS.items():
        of_role = [row for row in rows if row["role"] == role]
        if not of_role:
            continue
        sums.append(
            dict.fromkeys(rows[0])
            | {
                "judge": name,
                "role": f"{role}_sum",
                "usd_per_call": costs[role],
                "saving": saving(costs["chosen"], costs["flagship"]) if role == "chosen" else None,
                "n_scored": sum(row["n_scored"] for row in of_role),
                "n_planned": sum(row["n_planned"] for row in of_role),
                "status": "ok" if costs[role] is not None else "no_price",
            }
        )
    return sums
