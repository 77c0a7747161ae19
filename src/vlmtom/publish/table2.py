"""Table 2: Director Task counts by tester (cross-task paper, Appendix B)."""

from collections.abc import Mapping, Sequence

from vlmtom.director import cells
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import panel_label, tester_label, testers_note
from vlmtom.stats.rounding import printed

_COLUMNS = (
    Column("Tester", "l"),
    Column("a"),
    Column("b"),
    Column("c.Q1"),
    Column("c.Q2"),
    Column("ego. (b)"),
    Column("recovery"),
    Column("unparsed"),
    Column("missing"),
)
_SHOWN = ("a", "b", "cQ1", "cQ2", "ego_b")


def table2_tex(table: Sequence[Mapping[str, object]], trials: int, panel: str) -> str:
    """The LaTeX source of Table 2.

    table: rows of TABLE2. trials: K, the trials behind a cell. panel: the configuration's name.
    """
    kinds = [str(row["kind"]) for row in table]
    averaged = [row for row in table if row["kind"] == "model"] or list(table)
    scenes = max((int(row["n_scenes"]) for row in table), default=0)
    notes = [
        f"Panel {panel}; K = {trials} trials a scene, majority of the usable trials, "
        "letter level; descriptive.",
        testers_note(kinds),
    ]
    if any(row["missing"] for row in table):
        notes.append("Where replies are missing, counts are given with the scenes that have one.")
    return LatexTable(
        label="tab:director-counts",
        caption=(
            f"Director Task: counts out of {scenes} canonical scenes on each sub-prompt, and "
            "egocentric errors on b. a: which blocks the director sees; b: which block to move; "
            "c.Q1 and c.Q2: both, asked in this order. Recovery: P(c.Q2) − P(b), in points."
        ),
        columns=_COLUMNS,
        rows=[_row(row, kinds) for row in table],
        footer=[_panel_row(averaged, panel_label(kinds))] if averaged else [],
        notes=[note for note in notes if note],
    ).text()


def _row(row: Mapping[str, object], kinds: Sequence[str]) -> list[str]:
    recovery = cells.difference(row, "cQ2", "b")
    return [
        tester_label(str(row["tester"]), str(row["kind"]), kinds),
        *(_count(row, measure) for measure in _SHOWN),
        printed(None if recovery is None else 100 * recovery, 1),
        str(row["unparsed"]),
        str(row["missing"]),
    ]


def _count(row: Mapping[str, object], measure: str) -> str:
    n = row[f"n_{measure.removeprefix('ego_')}"]
    if n == 0:
        return "–"
    return str(row[measure]) if n == row["n_scenes"] else f"{row[measure]}/{n}"


def _panel_row(table: Sequence[Mapping[str, object]], label: str) -> list[str]:
    shares = [cells.panel_share(table, measure) for measure in _SHOWN]
    recovery = cells.panel_difference(table, "cQ2", "b")
    return [
        f"{label} (%)",
        *(printed(None if share is None else 100 * share, 1) for share in shares),
        printed(None if recovery is None else 100 * recovery, 1),
        str(sum(int(row["unparsed"]) for row in table)),
        str(sum(int(row["missing"]) for row in table)),
    ]
