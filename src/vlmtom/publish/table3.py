"""Table 3: the floor of the Director Task, where nothing is hidden (cross-task paper, App. C)."""

from collections.abc import Mapping, Sequence

from vlmtom.director.controls import FLOOR_ARMS, TABLE3_ARMS
from vlmtom.publish.director_text import Design, by_tester, count, label, notes
from vlmtom.publish.joint_text import yes_no
from vlmtom.publish.latex import Column, LatexTable

Row = Mapping[str, object]


def table3_tex(table: Sequence[Row], design: Design) -> str:
    """The LaTeX source of Table 3. table: rows of ARM_COUNTS in the three arms."""
    kinds = [str(row["kind"]) for row in table]
    asked = by_tester(table)
    scenes = max((int(row["n_scenes"]) for row in table), default=0)
    return LatexTable(
        label="tab:director-floor",
        caption=(
            f"Director Task, floor control: counts out of {scenes} scenes. No occluder: without "
            "the partition; same side: the director sits beside the tester. In both the block "
            "that is meant is the tester's own extremum. Pass: b in at least 11 of 12."
        ),
        columns=[
            Column("Tester", "l"),
            *(Column(head) for head in ("canon.", "no occ.", "same")),
            *(Column(head, "l") for head in ("no occ.", "same")),
            *(Column(head) for _ in ("a", "cQ1", "cQ2") for head in ("no occ.", "same")),
        ],
        groups=[("", 1), ("b", 3), ("pass", 2), ("a", 2), ("c.Q1", 2), ("c.Q2", 2)],
        rows=[
            [
                label(rows, kinds),
                *(count(rows.get(arm), "b") for arm in TABLE3_ARMS),
                *(yes_no(rows.get(arm, {}).get("floor_pass")) for arm in FLOOR_ARMS),
                *(
                    count(rows.get(arm), measure)
                    for measure in ("a", "cQ1", "cQ2")
                    for arm in FLOOR_ARMS
                ),
            ]
            for rows in asked.values()
        ],
        gap_pt=2,
        size="scriptsize",
        notes=notes(table, TABLE3_ARMS, design, "letter level", kinds),
    ).text()
