"""From outcomes to counts: majority cells, one per scene and measure, and Table 2 over them.

Source: cross-task paper, section 4.1 (majority of K trials), Appendix B (Table 2).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from vlmtom.errors import BadData
from vlmtom.stats.complete import refuse_gaps
from vlmtom.stats.majority import Majority, majority

Row = Mapping[str, object]

MEASURES = ("a", "b", "cQ1", "cQ2")
# Which of them a sub-prompt's reply is scored on.
MEASURES_OF = {"a": ("a",), "b": ("b",), "c": ("cQ1", "cQ2"), "cQ2": ("cQ2",)}
EGO = {"b": "ego_b", "cQ2": "ego_cQ2"}
LEVELS = {"letter": "letter_correct", "strict": "strict_correct"}
EGO_LEVELS = {"letter": "egocentric", "strict": "egocentric_strict"}


def cells(outcomes: Iterable[Row]) -> list[dict[str, object]]:
    """Majority cells: one row per tester, arm, stimulus, measure and level.

    outcomes: rows of DIRECTOR_OUTCOMES. A reply that is missing is not in its cell; an unparsed
    one is, as not correct and not egocentric. The order is that of the outcomes.
    Raises BadData if an outcome stands there twice.
    """
    grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    seen: set[tuple[object, ...]] = set()
    for row in outcomes:
        key = (row["tester"], row["arm"], row["stimulus"], row["measure"])
        if (*key, row["trial"]) in seen:
            raise BadData(f"outcome {(*key, row['trial'])} stands there twice; each counts once.")
        seen.add((*key, row["trial"]))
        grouped[key].append(row)
    rows = []
    for (_, _, _, measure), trials in grouped.items():
        for level, column in LEVELS.items():
            rows.append(_cell(trials, str(measure), level, column))
        if measure in EGO:
            for level, column in EGO_LEVELS.items():
                rows.append(_cell(trials, EGO[str(measure)], level, column))
    return rows


def check_complete(cell_rows: Iterable[Row], allow_missing: bool) -> None:
    """Raise MissingReplies for a cell without one usable trial, unless gaps are allowed."""
    base = [r for r in cell_rows if r["level"] == "letter" and r["measure"] in MEASURES]
    gaps = [
        f"{row['tester']} {row['arm']} {row['stimulus']} {row['measure']}"
        for row in base
        if row["n_usable"] == 0
    ]
    refuse_gaps("director", gaps, len(base), allow_missing)


def table2(cell_rows: Iterable[Row], arm: str = "canonical") -> list[dict[str, object]]:
    """Counts of each tester over the scenes of one arm (TABLE2), testers in order of appearance.

    Letter level, strict counts beside. gap = P(a) - P(b), recovery = P(cQ2) - P(b), each share
    over the cells that have a usable trial; null where one of the two has none.
    """
    by_tester: dict[object, list[Row]] = defaultdict(list)
    for row in cell_rows:
        if row["arm"] == arm:
            by_tester[row["tester"]].append(row)
    return [counts(rows) for rows in by_tester.values()]


def share(row: Row, measure: str) -> Fraction | None:
    """A measure's share over the cells that have a usable trial; None without one."""
    n = row[f"n_{measure.removeprefix('ego_')}"]
    return Fraction(row[measure], n) if n else None


def difference(row: Row, measure: str, other: str) -> Fraction | None:
    """P(measure) - P(other) over cells; None where one of the two has no cell."""
    left, right = share(row, measure), share(row, other)
    return None if left is None or right is None else left - right


def panel_share(table: Sequence[Row], measure: str) -> Fraction | None:
    """The mean of a measure's shares over testers, as in the panel row of Table 2."""
    shares = [value for row in table if (value := share(row, measure)) is not None]
    return sum(shares, Fraction()) / len(shares) if shares else None


def panel_difference(table: Sequence[Row], measure: str, other: str) -> Fraction | None:
    """The mean over testers of P(measure) - P(other)."""
    values = [d for row in table if (d := difference(row, measure, other)) is not None]
    return sum(values, Fraction()) / len(values) if values else None


def _cell(trials: Sequence[Row], measure: str, level: str, column: str) -> dict[str, object]:
    first = trials[0]
    result: Majority = majority(row[column] for row in trials)
    return {
        "tester": first["tester"],
        "kind": first["kind"],
        "arm": first["arm"],
        "stimulus": first["stimulus"],
        "measure": measure,
        "level": level,
        "value": result.value,
        "n_trials": len(trials),
        "n_usable": result.n_usable,
        "n_true": result.n_true,
        "n_unparsed": sum(row["parse"] == "unparsed" for row in trials),
        "tie": result.tie,
    }


def counts(rows: Sequence[Row]) -> dict[str, object]:
    """A row of TABLE2 from the cells of one tester in one arm."""
    letter = [row for row in rows if row["level"] == "letter"]
    strict = [row for row in rows if row["level"] == "strict"]

    def count(of: Sequence[Row], measure: str) -> int:
        return sum(row["value"] is True for row in of if row["measure"] == measure)

    base = [row for row in letter if row["measure"] in MEASURES]
    row: dict[str, object] = {"tester": rows[0]["tester"], "kind": rows[0]["kind"]}
    row |= {measure: count(letter, measure) for measure in (*MEASURES, *EGO.values())}
    row |= {f"{measure}_strict": count(strict, measure) for measure in MEASURES}
    row["n_scenes"] = len({row["stimulus"] for row in rows})
    row |= {
        f"n_{measure}": sum(cell["n_usable"] > 0 for cell in base if cell["measure"] == measure)
        for measure in MEASURES
    }
    row["trials"] = sum(cell["n_trials"] for cell in base)
    row["missing"] = sum(cell["n_trials"] - cell["n_usable"] for cell in base)
    row["unparsed"] = sum(cell["n_unparsed"] for cell in base)
    row["ties"] = sum(cell["tie"] for cell in letter)
    for name, measure, other in (("gap", "a", "b"), ("recovery", "cQ2", "b")):
        value = difference(row, measure, other)
        row[name] = None if value is None else float(value)
    return row
