"""Table 8: nearest adult reference groups on both tasks (cross-task paper, Appendix H)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from vlmtom.publish.joint_text import (
    GROUPS_NOTE,
    missing_note,
    references_note,
    tie_note,
    with_tie,
    yes_no,
)
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.stats.exact import show
from vlmtom.stats.references import References

Row = Mapping[str, object]

_LABEL = (Column("nearest", "l"), Column("margin"), Column("kept %"))
_WORDS = {
    "constant_input": "not defined (one of the two is constant)",
    "too_few": "not defined (fewer than three testers have both)",
}


def table8_tex(
    table: Sequence[Row],
    panel: Sequence[Row],
    references: References,
    source: Source,
    director_trials: int,
) -> str:
    """The LaTeX source of Table 8.

    table: exact rows of TABLE8; panel: rows of PANEL over both tasks. director_trials: K there.
    """
    kinds = [str(row["kind"]) for row in table]
    numbers = {str(row["measure"]): row for row in panel}
    return LatexTable(
        label="tab:joint-nearest",
        caption=(
            "Nearest adult reference group by tester on the Director Task (gap P(a) − P(b)) and "
            "on the ToM clips of the animated triangles (Euclid in Intentionality and "
            "Appropriateness). Margin: second distance minus first. Kept: share of bootstrap "
            "resamples (of scenes; of clips and judges) that keep the label."
        ),
        columns=[Column("Tester", "l"), Column("gap"), *_LABEL, *_LABEL, Column("differ", "l")],
        groups=[("", 1), ("Director Task", 4), ("Animated triangles, ToM", 3), ("", 1)],
        rows=[_row(row, kinds) for row in table],
        footer=[_footer(numbers, kinds)] if table else [],
        gap_pt=3,
        size="footnotesize",
        notes=[
            note
            for note in (
                f"Director Task: K = {director_trials} trials a scene, majority cells.",
                *source.notes(kinds),
                association_note(numbers["spearman"]),
                tie_note(table, "director_tie", "triangles_tie"),
                GROUPS_NOTE,
                missing_note(table),
                references_note(references),
            )
            if note
        ],
    ).text()


def association_note(row: Row) -> str:
    """Spearman's rho with its interval, in a sentence. row: `spearman` of PANEL."""
    interval = ""
    if row["low"] is not None:
        ends = (show(Fraction(row[end]), 2).replace("-", "−") for end in ("low", "high"))
        interval = f", 95 % bootstrap interval {' to '.join(ends)}"
    return association_words(row, interval)


def association_words(row: Row, interval: str = "") -> str:
    """Spearman's rho in a sentence, or why there is none."""
    what = "Spearman's rank correlation of gap and ToM distance to TD"
    if row["value"] is None:
        return f"{what}: {_WORDS[str(row['status'])]}."
    return f"{what}: {show(row['value'], 2).replace('-', '−')}{interval}, n = {row['n']}."


def _row(row: Row, kinds: Sequence[str]) -> list[str]:
    return [
        tester_label(str(row["tester"]), str(row["kind"]), kinds),
        _gap(row),
        with_tie(row["nearest_director"], row["director_tie"]),
        show(row["director_margin"], 3),
        _percent(row["director_stability"]),
        with_tie(row["nearest_triangles"], row["triangles_tie"]),
        show(row["triangles_margin"], 3),
        _percent(row["triangles_stability"]),
        yes_no(row["disagree"]),
    ]


def _gap(row: Row) -> str:
    n = min(row["n_a"], row["n_b"])
    gap = show(row["gap"], 3).replace("-", "−")
    return gap if n == row["n_scenes"] or row["gap"] is None else f"{gap} (n = {n})"


def _percent(share: Fraction | None) -> str:
    return show(None if share is None else 100 * share, 0)


def _footer(numbers: Mapping[str, Row], kinds: Sequence[str]) -> list[str]:
    count = numbers["disagreement_count"]
    found = "–" if count["value"] is None else f"{int(count['value'])} of {count['n']}"
    gap = show(numbers["gap"]["value"], 3).replace("-", "−")
    return [panel_label(kinds), gap, *[""] * 6, found]
