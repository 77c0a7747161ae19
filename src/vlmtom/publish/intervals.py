"""Intervals: numbers of both tasks with their 95 % bootstrap intervals, by tester."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.joint_text import GROUPS_NOTE
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.publish.table8 import association_words
from vlmtom.stats.exact import end_of, show
from vlmtom.stats.profile_tables import PANEL

Row = Mapping[str, object]

_DIRECTOR = {
    "a": "a",
    "b": "b",
    "cQ1": "c.Q1",
    "cQ2": "c.Q2",
    "gap": "a − b",
    "recovery": "c.Q2 − b",
}
_TOM = {
    "tom_intent": "Intent",
    "tom_approp": "Approp",
    "tom_dist_td": "to TD",
    "tom_dist_hfasd": "to HF-ASD",
}
_OTHERS = {
    "gd_intent": "Intent",
    "gd_approp": "Approp",
    "random_intent": "Intent",
    "random_approp": "Approp",
}
_HOW = "In brackets: the middle 95 % of bootstrap resamples"
_FEW = "No interval: a single scene or cell, or none."


def intervals_tex(table: Sequence[Row], source: Source, director_trials: int) -> str:
    """The LaTeX source of three tables: Director Task, ToM clips, GD and Random clips.

    table: exact rows of INTERVALS. director_trials: K there.
    """
    kinds = [str(row["kind"]) for row in table if row["kind"] != PANEL]
    notes = [*source.notes(kinds)]
    director = LatexTable(
        label="tab:intervals-director",
        caption=(
            "Director Task: correct, and differences, in per cent of scenes. "
            f"{_HOW} of scenes; for the panel all testers meet the same draws, and testers are "
            f"not drawn. K = {director_trials} trials a scene, majority cells, letter level."
        ),
        columns=[Column("Tester", "l"), *(Column(head) for head in _DIRECTOR.values())],
        size="footnotesize",
        rows=_rows(table, _DIRECTOR, kinds, 0, scale=100),
        notes=[*notes, _few(table, _DIRECTOR)],
    )
    tom = LatexTable(
        label="tab:intervals-tom",
        caption=(
            "Animated triangles, ToM clips: mean scores and distances to the two adult groups. "
            f"{_HOW} of clips and judges, crossed; testers are not drawn. A distance has no sign: "
            "scatter alone lengthens it, so that its interval lies high where it is short."
        ),
        columns=[Column("Tester", "l"), *(Column(head) for head in _TOM.values())],
        groups=[("", 1), ("profile", 2), ("distance", 2)],
        rows=_rows(table, _TOM, kinds, 2),
        notes=[*notes, GROUPS_NOTE, *_association(table), _few(table, _TOM)],
    )
    others = LatexTable(
        label="tab:intervals-gd-random",
        caption=(
            f"Animated triangles, GD and Random clips: mean scores. {_HOW} of clips and judges, "
            "crossed; testers are not drawn."
        ),
        columns=[Column("Tester", "l"), *(Column(head) for head in _OTHERS.values())],
        groups=[("", 1), ("GD", 2), ("Random", 2)],
        rows=_rows(table, _OTHERS, kinds, 2),
        notes=[*notes, _few(table, _OTHERS)],
    )
    return "\n".join(part.text() for part in (director, tom, others))


def _rows(
    table: Sequence[Row],
    columns: Mapping[str, str],
    kinds: Sequence[str],
    digits: int,
    scale: int = 1,
) -> list[list[str]]:
    """Two lines for each tester that has one of the numbers: these, and their intervals."""
    by_key = {(row["tester"], row["kind"], row["measure"]): row for row in table}
    whose = dict.fromkeys((r["tester"], r["kind"]) for r in table if r["measure"] in columns)
    lines = []
    for tester, kind in whose:
        name = tester_label(str(tester), str(kind), kinds)
        found = [by_key[tester, kind, measure] for measure in columns]
        values = [row["value"] for row in found]
        lines.append(
            [
                panel_label(kinds) if kind == PANEL else name,
                *(_signed(v if v is None or scale == 1 else scale * v, digits) for v in values),
            ]
        )
        lines.append(["", *(_interval(row, digits, scale) for row in found)])
    return lines


def _interval(row: Row, digits: int, scale: int) -> str:
    if row["low"] is None:
        return ""
    low, high = (_signed(scale * end_of(row[end]), digits) for end in ("low", "high"))
    return f"[{low}, {high}]"


def _signed(value: object, digits: int) -> str:
    return show(value, digits).replace("-", "−")


def _few(table: Sequence[Row], columns: Mapping[str, str]) -> str:
    missing = any(row["low"] is None for row in table if row["measure"] in columns)
    return _FEW if missing else ""


def _association(table: Sequence[Row]) -> list[str]:
    """What Spearman's rho does where testers are drawn, and where items are."""
    rows = {str(row["measure"]): row for row in table if row["kind"] == PANEL}
    drawn = {"spearman": "testers drawn", "spearman_items": "scenes, clips and judges drawn"}
    found = [rows[measure] for measure in drawn if measure in rows]
    if not found or found[0]["value"] is None:
        return [association_words(row) for row in found[:1]]
    told = [
        f"[{_signed(end_of(row['low']), 2)}, {_signed(end_of(row['high']), 2)}], "
        f"{drawn[str(row['measure'])]}"
        for row in found
        if row["low"] is not None
    ]
    rho = f"{association_words(found[0])}"
    return [f"{rho} Its intervals: {'; '.join(told)}." if told else rho]
