"""Length: words of descriptions, and contrasts of Intentionality at equal length."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.stats.exact import end_of, show
from vlmtom.stats.profile_tables import PANEL

Row = Mapping[str, object]

_WHY = {
    "no_cells": "a condition has no scored description",
    "constant_length": "all descriptions are as long",
    "fixed_by_condition": "the condition fixes the length",
    "too_few": "too few descriptions",
}


def length_tex(table: Sequence[Row], source: Source) -> str:
    """The LaTeX source. table: exact rows of LENGTH."""
    kinds = [str(row["kind"]) for row in table if row["kind"] != PANEL]
    return LatexTable(
        label="tab:length",
        caption=(
            "Animated triangles: words in a description (mean over usable trials) by condition; "
            "rho: Spearman's rank correlation of words and Intentionality (mean of judges) over a "
            "tester's descriptions; differences of mean Intentionality between conditions, and "
            "the same at equal log words (least squares over descriptions, for the panel with an "
            "intercept for each tester). Estimates alone: no test, no interval."
        ),
        columns=[
            Column("Tester", "l"),
            *(Column(name) for name in ("ToM", "GD", "Random", "rho")),
            *[Column("raw"), Column("adj.")] * 2,
            Column("n"),
        ],
        groups=[("", 1), ("words", 3), ("", 1), ("ToM − GD", 2), ("ToM − Random", 2), ("", 1)],
        rows=[_row(row, kinds) for row in table if row["kind"] != PANEL],
        footer=[_row(row, kinds) for row in table if row["kind"] == PANEL],
        gap_pt=3,
        notes=[*source.notes(kinds), *_undefined(table, kinds)],
    ).text()


def _row(row: Row, kinds: Sequence[str]) -> list[str]:
    tester = tester_label(str(row["tester"]), str(row["kind"]), kinds)
    n, planned = row["n_scored"], row["n_descriptions"]
    return [
        panel_label(kinds) if row["kind"] == PANEL else tester,
        *(show(row[f"words_{name}"], 1) for name in ("tom", "gd", "random")),
        _signed(row["rho"]),
        *(
            _signed(row[name])
            for name in ("tom_gd", "tom_gd_adjusted", "tom_random", "tom_random_adjusted")
        ),
        str(n) if n == planned else f"{n}/{planned}",
    ]


def _signed(value: object) -> str:
    number = end_of(value) if isinstance(value, float) else value
    return show(number, 2).replace("-", "−")


def _undefined(table: Sequence[Row], kinds: Sequence[str]) -> list[str]:
    """Why an adjusted difference has a dash, by reason."""
    told = []
    for status, why in _WHY.items():
        names = [
            panel_label(kinds) if row["kind"] == PANEL else str(row["tester"])
            for row in table
            if row["status"] == status
        ]
        if names:
            told.append(f"Not adjusted, because {why}: {', '.join(names)}.")
    return told
