"""What the tables of the joint result share: short group names, counts with their n, notes."""

from collections.abc import Iterable, Mapping

from vlmtom.stats.exact import show
from vlmtom.stats.references import References

GROUPS_NOTE = "TD and HF-ASD: the adult reference groups; distances describe, no more."


def short(group: str | None) -> str:
    """A group's name in a narrow column; a dash where there is none."""
    return "–" if group is None else group.removesuffix("-adult")


def with_tie(group: str | None, tie: object) -> str:
    """The short name, marked where the second group is exactly as near."""
    return f"{short(group)}*" if tie else short(group)


def tie_note(rows: Iterable[Mapping[str, object]], *columns: str) -> str:
    """What the mark means, where it is set."""
    if any(row[column] for row in rows for column in columns):
        return "*: exactly as near to the other group; the first in order is named."
    return ""


def count_of(n: object, planned: object) -> str:
    """How many of how many."""
    return f"{n}/{planned}"


def missing_note(rows: Iterable[Mapping[str, object]]) -> str:
    """How missing cells and scores are treated, and whose they are, where there are any."""
    rows = list(rows)
    told = []
    if any(row["n_cells"] != row["n_planned"] for row in rows):
        told.append("Missing cells are not in the means; cells: with a score, of those planned.")
    lacking: dict[str, list[int]] = {}
    for row in rows:
        counts = lacking.setdefault(str(row["tester"]), [0, 0, 0])
        for place, column in enumerate(("n_missing", "n_unparsed", "n_scores")):
            counts[place] += int(row[column])
    named = [
        f"{tester} {missing} missing and {unparsed} unparsed of {planned}"
        for tester, (missing, unparsed, planned) in lacking.items()
        if missing or unparsed
    ]
    if named:
        told.append(f"Scores (trials × judges) not in the means: {'; '.join(named)}.")
    return " ".join(told)


def yes_no(value: bool | None) -> str:
    """A flag in a table; a dash where it is not known."""
    return "–" if value is None else "yes" if value else "no"


def references_note(references: References) -> str:
    """Which groups are no reference because no gap is published, by name."""
    kept = {one.group for one in references.groups}
    gone = [name for name in references.excluded if name not in kept]
    told = [f"No gap is published for {', '.join(gone)}: not references."] if gone else []
    partly = [name for name in references.excluded if name in kept]
    if partly:
        told.append(
            f"No gap is published for {', '.join(partly)}: no reference on the Director Task."
        )
    return " ".join(told)


def gaps_note(references: References) -> str:
    """Each group's gap and how it came to be, and the rates that are no anchors."""
    words = {
        "published_gap": "published",
        "a_minus_b": "published a minus b",
        "error_rate_assuming_a_1": "error rate, a taken as 1",
    }
    by_derivation: dict[str, list[str]] = {}
    for one in references.with_gap:
        named = f"{one.group} {show(one.gap, 3)}"
        by_derivation.setdefault(words[str(one.derivation)], []).append(named)
    told = [f"Gaps ({how}): {', '.join(named)}." for how, named in by_derivation.items()]
    if references.brackets:
        rates = (
            f"{one.group} {show(one.rate, 2)} ({one.measure.replace('_', ' ')})"
            for one in references.brackets
        )
        told.append(f"Rates of another kind, no anchors: {', '.join(rates)}.")
    return " ".join(told)
