"""What a run and the cross-task paper print, side by side: how much is the same, and by tester."""

from collections.abc import Iterable, Mapping, Sequence

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import end_of, show
from vlmtom.stats.published import (
    CONTRADICTS,
    DIFFERS,
    NOT_PUBLISHED,
    NOT_RUN,
    SAME,
    counted,
)

Row = Mapping[str, object]

_HEADS = {
    SAME: "same",
    DIFFERS: "differ",
    CONTRADICTS: "contradict",
    NOT_RUN: "not run",
    NOT_PUBLISHED: "not printed",
}
_BY_TESTER = "Where the two differ, the printed value stands in parentheses; a dash: not run."
# Columns of the tables by tester, under what they are printed in: head, file, column of the file.
_DIRECTOR = {
    "Table 2": (
        *(("a", "crosstask_table2", "a"), ("b", "crosstask_table2", "b")),
        *(("c.Q1", "crosstask_table2", "cQ1"), ("c.Q2", "crosstask_table2", "cQ2")),
        ("ego.", "crosstask_table2", "ego_b"),
    ),
    "Table 8": (("gap", "crosstask_table8", "gap_x"),),
    "Table 3, b": (
        ("no occ.", "crosstask_table3", "no_occluder_b_letter"),
        ("same", "crosstask_table3", "same_side_b_letter"),
    ),
}
_TRIANGLES = {
    "Table 7": (
        ("Intent", "crosstask_table7", "intent"),
        ("Approp", "crosstask_table7", "approp"),
        ("to TD", "crosstask_table7", "dist_td"),
        ("to HF-ASD", "crosstask_table7", "dist_hfasd"),
    ),
    "Table 11": (("strict rank", "crosstask_table11", "strict_rank"),),
}


def published_tex(
    rows: Sequence[Row], source: Source, director_trials: int, kinds: Iterable[str]
) -> str:
    """The LaTeX source of three tables: counts by printed table, and both tasks by tester.

    rows: of PUBLISHED, exact or stored; kinds: of the testers. Without triangles (no trials in
    the source) the third is left out.
    """
    kinds = list(kinds)
    notes = [
        f"Director Task: K = {director_trials} trials a scene, majority cells.",
        *(source.notes(kinds) if source.trials else [f"Panel {source.panel}.", "Descriptive."]),
    ]
    tables = [_counts(rows, notes), _by_tester(rows, "Director Task", _DIRECTOR, notes)]
    if source.trials:
        tables.append(_by_tester(rows, "Animated triangles, ToM condition", _TRIANGLES, notes))
    return "\n".join(table.text() for table in tables)


def _counts(rows: Sequence[Row], notes: Sequence[str]) -> LatexTable:
    found = counted(rows)
    largest = _largest(rows)
    return LatexTable(
        label="tab:published",
        caption=(
            "This run beside the cross-task paper (arXiv 2608.00261): values by printed table, "
            "compared at the printed digits, ours rounded half up. Contradict: the printed value "
            "contradicts the rest of the paper, whatever ours is. Largest: the largest difference "
            "of those that differ, ours unrounded. Not printed: testers that the paper has not. "
            "Every value stands in published.csv."
        ),
        columns=[
            Column("Printed in", "l"),
            *(Column(head) for head in _HEADS.values()),
            Column("largest"),
        ],
        rows=[
            [
                f"Table {table}" if table.isdigit() else "text",
                *(str(counts[status]) for status in _HEADS),
                largest.get(table, "–"),
            ]
            for table, counts in found.items()
        ],
        footer=[
            [
                "all",
                *(str(sum(counts[status] for counts in found.values())) for status in _HEADS),
                "",
            ]
        ],
        notes=notes,
    )


def _by_tester(
    rows: Sequence[Row],
    task: str,
    groups: Mapping[str, Sequence[tuple[str, str, str]]],
    notes: Sequence[str],
) -> LatexTable:
    columns = [column for of_group in groups.values() for column in of_group]
    by_place = {
        (row["tester"], row["file"], row["measure"]): row
        for row in rows
        if row["printed"] is not None and str(row["row"]) in _names(row)
    }
    testers = [
        tester
        for tester in dict.fromkeys(str(row["tester"]) for row in rows if row["tester"])
        if any(_ours(by_place.get((tester, *place))) for _, *place in columns)
    ]
    return LatexTable(
        label=f"tab:published-{task.split()[0].lower()}",
        caption=f"{task}: this run beside the cross-task paper, by tester. {_BY_TESTER}",
        columns=[Column("Tester", "l"), *(Column(head) for head, *_ in columns)],
        groups=[("", 1), *((name, len(of_group)) for name, of_group in groups.items())],
        rows=[
            [tester, *(_cell(by_place.get((tester, *place))) for _, *place in columns)]
            for tester in testers
        ],
        size="footnotesize",
        gap_pt=3,
        notes=notes,
    )


def _names(row: Row) -> tuple[str, ...]:
    """Names of the rows that the tables by tester show: a tester's own, of the numbered arm."""
    return (str(row["tester"]), f"{row['tester']} / numbered")


def _ours(row: Row | None) -> bool:
    return row is not None and row["ours"] is not None


def _cell(row: Row | None) -> str:
    if row is None or row["ours"] is None:
        return "–"
    ours, printed = str(row["ours"]), str(row["printed"])
    return ours if ours == printed else f"{ours} ({printed})"


def _largest(rows: Iterable[Row]) -> dict[str, str]:
    """The largest difference by printed table, of values that differ."""
    found: dict[str, object] = {}
    for row in rows:
        if row["status"] == DIFFERS and row["difference"] is not None:
            table, size = str(row["table"]), abs(row["difference"])
            found[table] = max(found.get(table, size), size)
    return {
        table: show(end_of(size) if isinstance(size, float) else size, 3)
        for table, size in found.items()
    }
