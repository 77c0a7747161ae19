"""Table 4: three blocks against four (cross-task paper, Appendix D)."""

from collections.abc import Mapping, Sequence

from vlmtom.director.controls import TABLE4_ARMS
from vlmtom.publish.director_text import Design, by_tester, count, label, notes
from vlmtom.publish.latex import Column, LatexTable

Row = Mapping[str, object]


def table4_tex(table: Sequence[Row], design: Design) -> str:
    """The LaTeX source of Table 4. table: rows of ARM_COUNTS of the arms with three and four."""
    kinds = [str(row["kind"]) for row in table]
    scenes = max((int(row["n_scenes"]) for row in table), default=0)
    three, four = TABLE4_ARMS
    columns = [
        (arm, column)
        for measures in (("b_strict", "ego_b_strict"), ("cQ2_strict",), ("cQ2",))
        for arm in (three, four)
        for column in measures
    ]
    heads = ("n=3 b", "n=3 ego.", "n=4 b", "n=4 ego.", "n=3", "n=4", "n=3", "n=4")
    return LatexTable(
        label="tab:director-blocks",
        caption=(
            f"Director Task, number of blocks: counts out of {scenes} scenes with three and with "
            "four blocks. b: correct, and egocentric (the hidden block), letter and colour "
            "agreeing; c.Q2: correct after c.Q1, at both levels."
        ),
        columns=[Column("Tester", "l"), *(Column(head) for head in heads)],
        groups=[("", 1), ("b, strict", 4), ("c.Q2, strict", 2), ("c.Q2, letter", 2)],
        rows=[
            [label(rows, kinds), *(count(rows.get(arm), column) for arm, column in columns)]
            for rows in by_tester(table).values()
        ],
        gap_pt=3,
        notes=notes(table, TABLE4_ARMS, design, "strict level but for the last two columns", kinds),
    ).text()
