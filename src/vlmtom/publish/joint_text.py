"""What the tables of the joint result share: short group names, counts with their n, notes."""

from collections.abc import Iterable, Mapping

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
    if not references.excluded:
        return ""
    return f"No gap is published for {', '.join(references.excluded)}: not references."
