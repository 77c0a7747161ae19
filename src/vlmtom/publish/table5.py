"""Table 5: distances to the adult reference groups by condition (cross-task paper, Appendix E)."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.joint_text import GROUPS_NOTE, count_of, missing_note
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.stats.exact import show
from vlmtom.stats.profile_tables import DISTANCES, panel_profiles
from vlmtom.stats.references import References
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, object]


def table5_tex(table: Sequence[Row], references: References, source: Source) -> str:
    """The LaTeX source of Table 5. table: exact rows of TABLE5."""
    kinds = [str(row["kind"]) for row in table]
    testers = list(dict.fromkeys(row["tester"] for row in table))
    panel = panel_profiles(table, references)
    return LatexTable(
        label="tab:triangles-distances",
        caption=(
            "Animated triangles: Euclidean distance in (Intentionality, Appropriateness) from "
            "each tester's profile to the two adult reference groups, by condition. "
            "Panel mean: distances of the mean profile."
        ),
        columns=[Column("Tester", "l"), *[Column("TD"), Column("HF-ASD")] * 3, Column("cells")],
        groups=[("", 1), *((condition, 2) for condition in CONDITIONS), ("", 1)],
        rows=[_row([r for r in table if r["tester"] == name], kinds) for name in testers],
        footer=[_row(panel, kinds, panel_label(kinds))] if testers else [],
        notes=[*source.notes(kinds), GROUPS_NOTE, missing_note(table)],
    ).text()


def _row(rows: Sequence[Row], kinds: Sequence[str], name: str = "") -> list[str]:
    first = rows[0]
    by_condition = {row["condition"]: row for row in rows}
    return [
        name or tester_label(str(first["tester"]), str(first["kind"]), kinds),
        *(show(by_condition[c][column], 3) for c in CONDITIONS for column in DISTANCES),
        count_of(sum(r["n_cells"] for r in rows), sum(r["n_planned"] for r in rows)),
    ]
