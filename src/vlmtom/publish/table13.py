"""Table 13: the judges of the battery with their prices (cross-task paper, Appendix N)."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.judge_battery import SCORES, Battery, scores_of
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import tester_label
from vlmtom.stats.exact import show

Row = Mapping[str, object]


def table13_tex(table: Sequence[Row], battery: Battery) -> str:
    """The LaTeX source of Table 13. table: exact rows of TABLE13, sums last."""
    judges = [row for row in table if row["verdict"] is not None]
    kinds = [str(row["kind"]) for row in judges]
    return LatexTable(
        label="tab:judge-ablation",
        caption=(
            "Judges of the validation battery: recovery, stability, and cost. USD: a call at list "
            "price for 3,000 input and 1,000 output tokens; of a sum, all its judges on one "
            "description. A dash: no price is known, and observers have none."
        ),
        columns=[
            *(Column("Family", "l"), Column("Judge", "l"), Column("role", "l")),
            *SCORES,
            *(Column("verdict", "l"), Column("USD")),
        ],
        rows=[
            [
                str(row["family"]),
                tester_label(str(row["judge"]), str(row["kind"]), kinds),
                str(row["role"]),
                *scores_of(row),
                str(row["verdict"]),
                show(row["usd_per_call"], 4),
            ]
            for row in judges
        ],
        footer=[
            ["", str(row["judge"]), "", *[""] * 5, show(row["usd_per_call"], 4)]
            for row in table
            if row["verdict"] is None
        ],
        gap_pt=1,
        size="scriptsize",
        notes=[*saving_note(table), *battery.notes(table)],
    ).text()


def saving_note(table: Sequence[Row]) -> list[str]:
    """What the chosen judges save against the flagships, where both have a price."""
    found = [row["saving"] for row in table if row["saving"] is not None]
    return [f"Chosen against flagships: {show(100 * found[0], 0)} % saved." for _ in found[:1]]
