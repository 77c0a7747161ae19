"""The run beside the game's paper: how much is the same, and the signals of each model."""

from collections.abc import Sequence

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.mosaic_text import Row, Study
from vlmtom.publish.pages import in_pages, text_of
from vlmtom.stats.published import DIFFERS, NOT_RUN, SAME

_HEADS = {SAME: "same", DIFFERS: "differ", NOT_RUN: "not run"}


def mosaic_published_tex(rows: Sequence[Row], study: Study, kinds: Sequence[str]) -> str:
    """The LaTeX source. rows: of MOSAIC_PUBLISHED; kinds: of the pairs that stand for a model."""
    notes = study.notes(kinds) if kinds else [f"Panel {study.panel}."]
    return text_of([_counts(rows, notes), *_values(rows, notes)], "")


def _counts(rows: Sequence[Row], notes: Sequence[str]) -> LatexTable:
    tables = list(dict.fromkeys(str(row["table"]) for row in rows))

    def cells(own: Sequence[Row]) -> list[str]:
        return [str(sum(row["status"] == status for row in own)) for status in _HEADS]

    return LatexTable(
        label="tab:mosaic-published",
        caption=(
            "This run beside the game's paper (arXiv 2608.20975): printed values of models, "
            "compared at the printed digits, ours rounded half up. A printed model is the pair of "
            "two agents of its name. The S of Figures 3, 5 and 6 is that of the trajectory. In "
            "Table 5 the paper prints under TAS the numbers of S, which no TAS of Figure 3 can "
            "have. The games are ours, so that equal numbers are not expected."
        ),
        columns=[Column("Printed in", "l"), *(Column(head) for head in _HEADS.values())],
        rows=[[table, *cells([row for row in rows if row["table"] == table])] for table in tables],
        footer=[["all", *cells(rows)]],
        notes=notes,
        size="footnotesize",
    )


def _values(rows: Sequence[Row], notes: Sequence[str]) -> list[LatexTable]:
    """Every value of a model that was run, ours and the printed one."""
    run = [row for row in rows if row["status"] != NOT_RUN]
    if not run:
        return []
    table = LatexTable(
        label="tab:mosaic-published-values",
        caption="Printed values of the models that were run, and ours.",
        columns=[
            *(Column(head, "l") for head in ("Printed row", "value")),
            *(Column(head) for head in ("printed", "ours")),
        ],
        rows=[],
        notes=notes,
        size="scriptsize",
    )
    groups = []
    for number in dict.fromkeys(str(row["table"]) for row in run):
        own = [row for row in run if row["table"] == number]
        lines = [[str(row[name]) for name in ("row", "measure", "printed", "ours")] for row in own]
        for start in range(0, len(lines), _TOGETHER):
            head = number if not start else f"{number}, continued"
            groups.append([[head], *lines[start : start + _TOGETHER]])
    return list(in_pages(table, groups))


_TOGETHER = 16  # rows that are not cut between pages
