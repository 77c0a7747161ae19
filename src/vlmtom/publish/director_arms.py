"""All arms of the Director Task by tester, and the contrasts between them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from vlmtom.director.controls import CONTRASTS
from vlmtom.publish.director_text import ARM_NAMES, Design, by_tester, count, label, notes
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import panel_label, tester_label
from vlmtom.stats.profile_tables import averaged
from vlmtom.stats.rounding import printed

Row = Mapping[str, object]

_SHOWN = ("a", "b", "cQ1", "cQ2", "ego_b", "ego_cQ2")
# Tables 3 and 4 show the other arms.
_ARMS = ("canonical", "unasked", "rule", "reasoning")
_SHORT = {
    "asking first": "asking first",
    "form of c alone": "form",
    "rule for view": "rule, b",
    "rule for view, form of c": "rule, c.Q2",
    "reasoning, a": "reas., a",
    "reasoning, b": "reas., b",
    "reasoning, c.Q2": "reas., c.Q2",
}
_QUESTIONS = {"a": "a", "b": "b", "cQ1": "c.Q1", "cQ2": "c.Q2"}


def director_arms_tex(table: Sequence[Row], design: Design) -> str:
    """The LaTeX source of the counts by arm. table: rows of ARM_COUNTS of every arm."""
    kinds = [str(row["kind"]) for row in table]
    scenes = max((int(row["n_scenes"]) for row in table), default=0)
    return LatexTable(
        label="tab:director-arms",
        caption=(
            f"Director Task by arm: counts out of {scenes} scenes, letter level; ego.: the hidden "
            "block was chosen. Unasked: c.Q2 in c's own form without c.Q1. Rule: no director, the "
            "same block excluded by a stated rule. Reasoning: the canonical prompts with reasoning "
            "allowed. The control arms of the paper are in tables of their own."
        ),
        columns=[
            Column("Tester", "l"),
            Column("arm", "l"),
            *(Column(head) for head in ("a", "b", "c.Q1", "c.Q2", "ego. (b)", "ego. (c.Q2)")),
        ],
        rows=[
            [
                label(rows, kinds) if number == 0 else "",
                ARM_NAMES[arm],
                *(count(row, column) for column in _SHOWN),
            ]
            for rows in by_tester(table).values()
            for number, (arm, row) in enumerate((arm, rows[arm]) for arm in _ARMS if arm in rows)
        ],
        notes=notes(table, _ARMS, design, "letter level", kinds),
    ).text()


def contrasts_tex(table: Sequence[Row], design: Design) -> str:
    """The LaTeX source of the contrasts. table: rows of DIRECTOR_CONTRASTS."""
    kinds = [str(row["kind"]) for row in table]
    names = [one.name for one in CONTRASTS if any(row["contrast"] == one.name for row in table)]
    cells: dict[str, dict[str, Row]] = {}
    for row in table:
        cells.setdefault(str(row["tester"]), {})[str(row["contrast"])] = row
    asked = "; ".join(
        f"{_SHORT[one.name]}: {_side(one.arm, one.measure)} − "
        f"{_side(one.other_arm, one.other_measure)}"
        for one in CONTRASTS
        if one.name in names
    )
    return LatexTable(
        label="tab:director-contrasts",
        caption=(
            "Director Task, contrasts between arms in points, over the scenes that have a usable "
            "trial on both sides; in brackets scenes gained/lost. "
            f"{asked or 'No arm to compare with was run'}."
        ),
        columns=[Column("Tester", "l"), *(Column(_SHORT[name]) for name in names)],
        rows=[
            [
                tester_label(tester, str(next(iter(rows.values()))["kind"]), kinds),
                *(_cell(rows.get(name)) for name in names),
            ]
            for tester, rows in cells.items()
        ],
        footer=[_panel(table, names, kinds)] if table else [],
        gap_pt=1,
        size="scriptsize",
        notes=notes([], list(design.trials), design, "letter level", kinds),
    ).text()


def _side(arm: str, measure: str) -> str:
    return f"{_QUESTIONS[measure]} {ARM_NAMES[arm]}"


def _cell(row: Row | None) -> str:
    if row is None or not row["n"]:
        return "–"
    points = Fraction(100 * (int(row["gained"]) - int(row["lost"])), int(row["n"]))
    return f"{printed(points, 1)} ({row['gained']}/{row['lost']})"


def _panel(table: Sequence[Row], names: Sequence[str], kinds: Sequence[str]) -> list[str]:
    shown = []
    for name in names:
        rows = [row for row in averaged(table) if row["contrast"] == name and row["n"]]
        points = [
            Fraction(100 * (int(row["gained"]) - int(row["lost"])), int(row["n"])) for row in rows
        ]
        shown.append(printed(sum(points, Fraction()) / len(points) if points else None, 1))
    return [panel_label(kinds), *shown]
