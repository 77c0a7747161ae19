"""Table 7: ToM profiles and their distances to the adult groups (cross-task paper, Appendix G)."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.joint_text import GROUPS_NOTE, count_of, missing_note, tie_note, with_tie
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.stats.exact import show
from vlmtom.stats.profile_tables import panel_profiles
from vlmtom.stats.references import References

Row = Mapping[str, object]

_COLUMNS = (
    Column("Tester", "l"),
    Column("Intent"),
    Column("Approp"),
    Column("TD"),
    Column("HF-ASD"),
    Column("nearest", "l"),
    Column("margin"),
    Column("cells"),
)
_NUMBERS = ("intent", "approp", "dist_td", "dist_hfasd")


def table7_tex(table: Sequence[Row], references: References, source: Source) -> str:
    """The LaTeX source of Table 7. table: exact rows of TABLE7."""
    kinds = [str(row["kind"]) for row in table]
    panel = panel_profiles([row | {"condition": "ToM"} for row in table], references)[0]
    return LatexTable(
        label="tab:triangles-tom",
        caption=(
            "Animated triangles, ToM clips: each tester's mean Intentionality (0–5) and "
            "Appropriateness (0–3), its Euclidean distances to the two adult reference groups, "
            "the nearer of them, and by how much (margin: larger distance minus smaller)."
        ),
        columns=_COLUMNS,
        groups=[("", 1), ("profile", 2), ("distance to", 2), ("", 3)],
        rows=[
            _row(row, tester_label(str(row["tester"]), str(row["kind"]), kinds)) for row in table
        ],
        footer=[_row(panel, panel_label(kinds))] if table else [],
        notes=[*source.notes(kinds), GROUPS_NOTE, tie_note(table, "tie"), missing_note(table)],
    ).text()


def _row(row: Row, name: str) -> list[str]:
    return [
        name,
        *(show(row[column], 3) for column in _NUMBERS),
        with_tie(row["nearest"], row["tie"]),
        show(row["margin"], 3),
        count_of(row["n_cells"], row["n_planned"]),
    ]
