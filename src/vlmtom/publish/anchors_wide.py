"""Wider anchors: the nearest of all Director references (cross-task paper, Appendix H)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from vlmtom.publish.joint_text import gaps_note, references_note, short, tie_note, with_tie, yes_no
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, panel_label, tester_label
from vlmtom.stats.exact import show
from vlmtom.stats.profile_tables import averaged
from vlmtom.stats.references import References

Row = Mapping[str, object]

_COLUMNS = (
    Column("Tester", "l"),
    Column("gap"),
    Column("adults", "l"),
    Column("all groups", "l"),
    Column("margin"),
    Column("kept %"),
    Column("differ", "l"),
)


def anchors_wide_tex(
    table: Sequence[Row], references: References, source: Source, director_trials: int
) -> str:
    """The LaTeX source. table: exact rows of ANCHORS_WIDE. director_trials: K there."""
    kinds = [str(row["kind"]) for row in table]
    return LatexTable(
        label="tab:anchors-wide",
        caption=(
            "Director Task: nearest reference group by gap P(a) − P(b) among the two adult groups "
            "(as in the joint table) and among all groups with a gap. Margin: second distance "
            "minus first. Kept: share of bootstrap resamples of scenes that keep the label of the "
            "wider set. Differ: this label and that of the ToM clips, for which the means of the "
            "adult groups alone are published. A cohort's name is that of the human group; it "
            "says nothing of a tester."
        ),
        columns=_COLUMNS,
        groups=[("", 2), ("nearest of", 2), ("", 3)],
        rows=[_row(row, kinds) for row in table],
        footer=[_footer(averaged(table), kinds)] if table else [],
        gap_pt=3,
        notes=[
            note
            for note in (
                f"Director Task: K = {director_trials} trials a scene, majority cells.",
                *source.notes(kinds),
                tie_note(table, "tie"),
                gaps_note(references),
                references_note(references),
            )
            if note
        ],
    ).text()


def _row(row: Row, kinds: Sequence[str]) -> list[str]:
    kept = row["stability"]
    n = min(row["n_a"], row["n_b"])
    gap = show(row["gap"], 3).replace("-", "−")
    return [
        tester_label(str(row["tester"]), str(row["kind"]), kinds),
        gap if n == row["n_scenes"] or row["gap"] is None else f"{gap} (n = {n})",
        short(row["nearest_adult"]),
        with_tie(row["nearest_director"], row["tie"]),
        show(row["margin"], 3),
        show(None if kept is None else 100 * Fraction(kept), 0),
        yes_no(row["disagree"]),
    ]


def _footer(table: Sequence[Row], kinds: Sequence[str]) -> list[str]:
    return [
        panel_label(kinds, "panel"),
        "",
        "",
        f"{_of(table, 'moved')} moved",
        *[""] * 2,
        _of(table, "disagree"),
    ]


def _of(table: Sequence[Row], column: str) -> str:
    known = [row[column] for row in table if row[column] is not None]
    return f"{sum(known)} of {len(known)}" if known else "–"
