"""Table 6: the panel's profile with and without motion, order and badges (paper, Appendix F)."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.arm_text import absent_note, caption_notes, gaps_note, pair
from vlmtom.publish.joint_text import GROUPS_NOTE, count_of, tie_note, with_tie
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source
from vlmtom.stats.arm_tables import Comparison
from vlmtom.stats.exact import show

Row = Mapping[str, object]

_COLUMNS = (
    Column("clips", "l"),
    Column("arm", "l"),
    Column("(Intent, Approp)"),
    Column("TD"),
    Column("HF-ASD"),
    Column("nearest", "l"),
    Column("margin"),
    Column("cells"),
)


def table6_tex(table: Sequence[Row], found: Comparison, source: Source) -> str:
    """The LaTeX source of Table 6.

    table: exact rows of TABLE6; found: the comparison behind them.
    """
    trials = {str(row["arm"]): int(str(row["n_trials"])) for row in table}
    starts = [
        place
        for place, row in enumerate(table)
        if place and row["condition"] != table[place - 1]["condition"]
    ]
    return LatexTable(
        label="tab:triangles-arms",
        caption=(
            "Animated triangles by arm: panel mean profile in each condition, its Euclidean "
            "distances to the two adult reference groups, and the nearer of them. The frames are "
            "shown in their order (numbered, the canonical arm), from the last to the first "
            "(reversed), in a drawn order (shuffled), or without badges (plain); or the middle "
            "one is shown alone (keyframe)."
        ),
        columns=_COLUMNS,
        gap_pt=3,
        groups=[("", 2), ("panel mean", 1), ("distance to", 2), ("", 3)],
        rows=[_row(row, place == 0 or place in starts) for place, row in enumerate(table)],
        breaks=starts,
        notes=[
            *caption_notes(source, trials, [source.overlay], found),
            GROUPS_NOTE,
            tie_note(table, "tie"),
            absent_note(table),
            gaps_note((row["n_cells"], row["n_planned"]) for row in table),
        ],
    ).text()


def _row(row: Row, first: bool) -> list[str]:
    return [
        str(row["condition"]) if first else "",
        str(row["arm"]),
        pair(row["intent"], row["approp"]),
        show(row["dist_td"], 2),
        show(row["dist_hfasd"], 2),
        with_tie(row["nearest"], row["tie"]),
        show(row["margin"], 2),
        count_of(row["n_cells"], row["n_planned"]),
    ]
