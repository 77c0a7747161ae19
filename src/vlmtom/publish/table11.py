"""Table 11: median Intentionality by condition and its order (cross-task paper, Appendix K)."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.arm_text import shown_note
from vlmtom.publish.joint_text import count_of, missing_note, yes_no
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.stats.exact import show
from vlmtom.stats.profile_tables import Reading, averaged, medians_of
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, object]

_COLUMNS = (
    Column("Tester", "l"),
    Column("arm", "l"),
    *(Column(condition) for condition in CONDITIONS),
    Column("strict rank", "l"),
    Column("over-attr."),
    Column("cells"),
)


LONG = 30  # rows beyond which a page needs smaller letters


def table11_tex(
    table: Sequence[Row],
    cell_rows: Sequence[Row],
    source: Source,
    trials: Mapping[str, int] | None = None,
) -> str:
    """The LaTeX source of Table 11.

    table: exact rows of TABLE11; cell_rows: the rows of TRIANGLES_CELLS behind them, over which
    the panel's medians are pooled. trials: K by arm; the source's for all, if left out.
    """
    kinds = [str(row["kind"]) for row in table]
    arms = list(dict.fromkeys(str(row["arm"]) for row in table))
    starts = [
        place for place, row in enumerate(table) if place and row["arm"] != table[place - 1]["arm"]
    ]
    # Who is the panel is decided once: an arm that was asked of observers alone has no model.
    panel, panel_cells = averaged(table), averaged(cell_rows)
    of_arms = {arm: (trials or {}).get(arm, source.trials) for arm in arms}
    return LatexTable(
        label="tab:triangles-rank",
        caption=(
            "Animated triangles: median Intentionality over clip × judge cells by condition; "
            "strict rank: ToM > GD > Random on these medians. Over-attribution: cells of Random "
            "clips with Intentionality ≥ 3 and Appropriateness ≤ 1."
        ),
        columns=_COLUMNS,
        groups=[("", 2), ("median Intent", 3), ("", 3)],
        rows=[_row(row, kinds) for row in table],
        footer=[
            _panel_row(of_arm, Reading(arm, source.overlay).cells(panel_cells), kinds)
            for arm in arms
            if (of_arm := [row for row in panel if row["arm"] == arm])
        ],
        gap_pt=3,
        breaks=starts,
        size="scriptsize" if len(table) + len(arms) > LONG else "small",
        notes=[
            *source.notes(kinds, shown_note(of_arms, [source.overlay]) if len(arms) > 1 else ""),
            missing_note(table),
        ],
    ).text()


def _row(row: Row, kinds: Sequence[str]) -> list[str]:
    return [
        tester_label(str(row["tester"]), str(row["kind"]), kinds),
        str(row["arm"]),
        *(show(row[f"median_{condition.lower()}"], 1) for condition in CONDITIONS),
        yes_no(row["strict_rank"]),
        count_of(row["over_attribution"], row["n_random"]),
        count_of(row["n_cells"], row["n_planned"]),
    ]


def _panel_row(table: Sequence[Row], cells: Sequence[Row], kinds: Sequence[str]) -> list[str]:
    medians = medians_of(cells)
    ranks = [row["strict_rank"] for row in table if row["strict_rank"] is not None]
    return [
        panel_label(kinds, "panel median"),
        str(table[0]["arm"]),
        *(show(medians[condition], 1) for condition in CONDITIONS),
        f"{sum(ranks)} of {len(ranks)}" if ranks else "–",
        *(
            count_of(sum(row[n] for row in table), sum(row[of] for row in table))
            for n, of in (("over_attribution", "n_random"), ("n_cells", "n_planned"))
        ),
    ]
