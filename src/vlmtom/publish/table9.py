"""Table 9: the panel's headline by what judges were told, plain and numbered (Appendix J)."""

from collections.abc import Callable, Mapping, Sequence

from vlmtom.publish.arm_text import absent_note, caption_notes, gaps_note, pair
from vlmtom.publish.joint_text import GROUPS_NOTE, count_of, with_tie
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source
from vlmtom.stats.arm_tables import Comparison
from vlmtom.stats.exact import show
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, object]


def table9_tex(
    table: Sequence[Row],
    found: Comparison,
    source: Source,
    trials: Mapping[str, int],
) -> str:
    """The LaTeX source of Table 9.

    table: exact rows of TABLE9, which become columns; found: the comparison behind
    them; trials: K by arm.
    """
    arms = list(dict.fromkeys(str(row["arm"]) for row in table))
    run = {arm: trials[arm] for arm in arms if arm in trials}
    overlays = [
        name
        for name in dict.fromkeys(str(row["overlay"]) for row in table)
        if any(row["overlay"] == name and row["n_planned"] for row in table)
    ]
    ties = any(row[f"tie_{condition.lower()}"] for row in table for condition in CONDITIONS)
    return LatexTable(
        label="tab:judge-disclosure",
        caption=(
            "What judges are told: the panel's numbers on the same descriptions, judged without "
            "(blinded, the canonical way) and with the human range of the clip's condition in the "
            "judge's prompt (informed). Medians of Intent over all clip × judge cells; distances "
            "of the panel mean profile. Strict rank: ToM > GD > Random on a tester's medians."
        ),
        gap_pt=3,
        columns=[Column("", "l"), *(Column(str(row["overlay"]), "c") for row in table)],
        groups=[("", 1), *((arm, sum(row["arm"] == arm for row in table)) for arm in arms)],
        rows=[[name, *(cell(row) for row in table)] for name, cell in _LINES],
        notes=[
            *caption_notes(source, run, overlays, found),
            GROUPS_NOTE,
            "*: exactly as near to the other group; the first in order is named." if ties else "",
            absent_note(table),
            gaps_note((row["n_cells"], row["n_planned"]) for row in table),
        ],
    ).text()


def _medians(row: Row) -> str:
    values = [row[f"median_intent_{condition.lower()}"] for condition in CONDITIONS]
    if all(value is None for value in values):
        return "–"
    return "/".join(show(value, 1) for value in values)


def _ranks(row: Row) -> str:
    count = row["strict_rank_count"]
    return "–" if count is None else f"{count} / {row['n_ranked']}"


def _nearest(condition: str) -> Callable[[Row], str]:
    name = condition.lower()
    return lambda row: with_tie(row[f"nearest_{name}"], row[f"tie_{name}"])


_LINES = (
    ("medians, ToM/GD/Random", _medians),
    ("strict rank, testers", _ranks),
    (
        "mean (Intent, Approp), ToM",
        lambda row: pair(row["mean_intent_tom"], row["mean_approp_tom"]),
    ),
    ("distance to TD, ToM", lambda row: show(row["dist_td_tom"], 2)),
    ("distance to HF-ASD, ToM", lambda row: show(row["dist_hfasd_tom"], 2)),
    *((f"nearest group, {condition}", _nearest(condition)) for condition in CONDITIONS),
    ("cells", lambda row: count_of(row["n_cells"], row["n_planned"]) if row["n_planned"] else "–"),
)
