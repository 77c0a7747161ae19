"""The run beside the game's paper: how much is the same, and outcome and signals of each model."""

from collections.abc import Sequence

from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.mosaic_text import MOST_ROWS, Row, Study
from vlmtom.publish.pages import in_pages, text_of
from vlmtom.stats.game_published import ARMS
from vlmtom.stats.published import DIFFERS, NOT_RUN, SAME

_HEADS = {SAME: "same", DIFFERS: "differ", NOT_RUN: "not run"}
_METRICS = ("TOCS", "TAS", "GAS", "FES", "S")
_LABELS = [condition.label for condition in CONDITIONS]


def mosaic_published_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source. rows: of MOSAIC_PUBLISHED."""
    notes = [*study.notes(()), *_named(rows)]
    return text_of([_counts(rows, notes), *_by_model(rows, notes)], "")


def _named(rows: Sequence[Row]) -> list[str]:
    """Which pairs stand for a model that has another name."""
    pairs = {str(row["model"]): str(row["pair"]) for row in rows if row["pair"] is not None}
    other = [
        f"{model} is {pair.split('+')[0]} here, as the configuration says"
        for model, pair in pairs.items()
        if model.casefold() not in (f"{pair.split('+')[0]}{end}" for end in ("", *ARMS))
    ]
    return [f"{'; '.join(other)}."] if other else []


def _counts(rows: Sequence[Row], notes: Sequence[str]) -> LatexTable:
    tables = list(dict.fromkeys(str(row["table"]) for row in rows))

    def cells(own: Sequence[Row]) -> list[str]:
        return [str(sum(row["status"] == status for row in own)) for status in _HEADS]

    return LatexTable(
        label="tab:mosaic-published",
        caption=(
            "This run beside the game's paper (arXiv 2608.20975). Printed values of models, "
            "compared at the printed digits, ours rounded half up. A printed model is the pair of "
            "two agents of its name. The S of the figures is that of the trajectory; in Table 5 "
            "the paper prints under TAS the numbers of S, which no TAS of Figure 3 can have. The "
            "game and its pictures are ours, so that equal numbers are not expected. Every value "
            "stands in mosaic_published.csv."
        ),
        columns=[Column("Printed in", "l"), *(Column(head) for head in _HEADS.values())],
        rows=[[table, *cells([row for row in rows if row["table"] == table])] for table in tables],
        footer=[["all", *cells(rows)]],
        notes=notes,
        size="footnotesize",
    )


def _by_model(rows: Sequence[Row], notes: Sequence[str]) -> list[LatexTable]:
    """Outcome and signals of the models that were run."""
    of: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        named = _place(row)
        if named is not None and row["ours"] is not None:
            of.setdefault(named, row)
    table = LatexTable(
        label="tab:mosaic-published-models",
        caption=(
            "Outcome and signals beside the paper's. Ours, and in parentheses the printed value "
            "where it is another; a dash: not printed, or not run."
        ),
        columns=[Column("Model and metric", "l"), *(Column(label) for label in _LABELS)],
        rows=[],
        notes=notes,
        size="scriptsize",
    )
    groups = []
    for model in dict.fromkeys(model for model, _, _ in of):
        lines = [
            [metric, *(_cell(of.get((model, metric, label))) for label in _LABELS)]
            for metric in _METRICS
        ]
        groups.append([[model], *lines])
    return list(in_pages(table, groups, MOST_ROWS)) if groups else []


def _place(row: Row) -> tuple[str, str, str] | None:
    """Model, metric and condition of a printed outcome or signal; None for a test."""
    parts = str(row["row"]).split(" / ")
    if row["measure"] == "tocs":
        return (parts[0], "TOCS", parts[1])
    return (parts[0], parts[2], parts[1]) if row["measure"] == "value" else None


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    ours, printed = (str(row[name]).replace("-", "−") for name in ("ours", "printed"))
    return ours if ours == printed else f"{ours} ({printed})"
