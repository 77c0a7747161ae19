"""What the game's paper prints of a model, beside ours of the pair of that name.

What it prints is data (resources/published); where a run has the same number is declared below.
Nothing is computed from printed numbers. A printed model is the pair of two agents of its name;
another pair is compared only where a configuration says that it is that model, so that observers
are compared with nothing by themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.mosaic.conditions import CONDITIONS
from vlmtom.stats.exact import as_fraction
from vlmtom.stats.game import STANDARD, Pair, Row, pair_of
from vlmtom.stats.published import DIFFERS, NOT_RUN, SAME, Printed
from vlmtom.stats.rounding import printed

_SLUGS = {condition.label: condition.slug for condition in CONDITIONS}
# How the paper ends the names of its image arms, which are ours.
ARMS = {"-blank": "blank", "-fe": "face"}
_METRICS = {"TAS": "tas", "GAS": "gas", "FES": "fes", "S": "s_traj"}
_FACTORS = {"Mode": "mode", "ToM": "tom", "ModexToM": "mode x tom"}
_LEAST = "<0.001"
_STATISTICS = ("chi2", "h", "p", "p_adj")  # floats that stand for no small fraction


@dataclass(frozen=True)
class PrintedTable:
    """A printed table of models.

    ours: the table of ours that has its numbers. columns: of its file, with ours. metric: that all
    its rows are of, where the file does not say one.
    """

    number: str
    file: str
    ours: str
    columns: Mapping[str, str]
    metric: str | None = None


TABLES = (
    PrintedTable("Table 3", "mosaic_table3", "table3", {"tocs": "tocs", "p": "p"}),
    PrintedTable("Table 4", "mosaic_table4", "table4", {"chi2": "chi2", "p": "p"}),
    PrintedTable("Table 5", "mosaic_table5", "table5", {"H": "h", "p_adj": "p_adj"}),
    PrintedTable("Table 7", "mosaic_table7", "signals", {"tocs": "value"}, "tocs"),
    PrintedTable("Figure 3", "mosaic_fig3", "signals", {"value": "value"}),
    PrintedTable("Figure 5", "mosaic_fig5", "signals", {"value": "value"}),
    PrintedTable("Figure 6", "mosaic_fig6_ablation", "signals", {"value": "value"}),
)


def compare(
    print_: Printed, ours: Mapping[str, Sequence[Row]], names: Mapping[str, str]
) -> list[dict[str, object]]:
    """One row per printed value (MOSAIC_PUBLISHED).

    print_: of read_published. ours: rows of table3, table4, table5 and signals. names: by printed
    model, the folder of the pair that stands for it, beyond those of the same name.
    status: same or differs at the printed digits, half up; not_run.
    """
    pairs = {pair_of(row): str(row["kind"]) for row in ours["signals"]}
    index = {name: {_key(pair_of(row), row): row for row in rows} for name, rows in ours.items()}
    found = []
    for table in TABLES:
        for line in print_[table.file]:
            pair = _pair(line["model"], pairs, names)
            row = None if pair is None else index[table.ours].get(_key(pair, _named(table, line)))
            found += [
                _row(table, line, column, pair, None if row is None else row[own])
                for column, own in table.columns.items()
                if line[column]
            ]
    return found


def _pair(model: str, pairs: Mapping[Pair, str], names: Mapping[str, str]) -> Pair | None:
    """The pair that stands for a printed model; None where none was played."""
    arm, name = STANDARD, model
    for end, of_end in ARMS.items():
        if model.endswith(end):
            arm, name = of_end, model.removesuffix(end)
    arms = ("none",) if arm == STANDARD else ()  # a model without pictures has no other arm
    for pair, kind in pairs.items():
        if model in names:
            if pair.slug == names[model]:
                return pair
        elif (
            kind == "model"
            and pair.subject == pair.participant == name.casefold()
            and pair.arm in (arm, *arms)
        ):
            return pair
    return None


def _named(table: PrintedTable, line: Mapping[str, str]) -> dict[str, object]:
    """What names a printed row, in our words."""
    named: dict[str, object] = {}
    if "condition" in line:
        named["condition"] = _SLUGS[line["condition"]]
    if table.metric or "metric" in line:
        named["metric"] = table.metric or _METRICS[line["metric"]]
    if "factor" in line:
        named["factor"] = _FACTORS[line["factor"]]
    return named


def _key(pair: Pair, row: Mapping[str, object]) -> tuple[object, ...]:
    return (pair, *(row.get(name) for name in ("condition", "metric", "factor")))


def _row(
    table: PrintedTable, line: Mapping[str, str], column: str, pair: Pair | None, value: object
) -> dict[str, object]:
    text = line[column]
    exact = None
    if value is not None:
        stored = table.columns[column] in _STATISTICS
        exact = Fraction(value) if stored else as_fraction(value)
    shown = None if exact is None else _shown(exact, text, column)
    known = exact is not None and text != _LEAST
    parts = [line[name] for name in ("model", "condition", "metric", "factor") if name in line]
    return {
        "table": table.number,
        "file": table.file,
        "row": " / ".join(parts),
        "model": line["model"],
        "pair": None if pair is None else pair.slug,
        "measure": column,
        "printed": text,
        "ours": shown,
        "value": exact,
        "difference": exact - Fraction(text) if known else None,
        "status": NOT_RUN if shown is None else SAME if shown == text else DIFFERS,
        "source": line["source"],
    }


def _shown(value: Fraction, text: str, column: str) -> str:
    """Ours as the paper would print it."""
    if column.startswith("p") and value < Fraction(1, 1000):
        return _LEAST
    digits = 3 if text == _LEAST else len(text.partition(".")[2])
    return printed(value, digits)
