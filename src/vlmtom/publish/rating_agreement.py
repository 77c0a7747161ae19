"""How far judges agree with people who rated the same descriptions: two tables, one a score."""

from collections.abc import Sequence
from typing import Any

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source, judges_note, tester_label, testers_note
from vlmtom.stats.exact import Number, end_of, show
from vlmtom.stats.profile_tables import averaged
from vlmtom.stats.rating_agreement import PEOPLE

Row = dict[str, Any]

_NAMES = {"intent": "Intentionality", "approp": "Appropriateness"}
_HEADS = ("=", "≤ 1", "diff.", "", "kappa", "", "alpha", "rho")
_WHY = {
    "no_pairs": "no description was scored by both",
    "too_few": "too few descriptions",
    "constant": "all scores are equal (0/0)",
}


def rating_agreement_tex(table: Sequence[Row], key: Sequence[Row], source: Source) -> str:
    """The LaTeX source. table: exact rows of RATING_AGREEMENT; key: rows of RATING_KEY."""
    return "\n".join(
        _of_score(score, [row for row in table if row["score"] == score], key, source)
        for score in _NAMES
    )


def _of_score(score: str, table: Sequence[Row], key: Sequence[Row], source: Source) -> str:
    judges = [row["kind"] for row in table if row["judge"] != PEOPLE]
    conditions = [row["condition"] for row in table]
    firsts = [n for n, name in enumerate(conditions) if n and name != conditions[n - 1]]
    return LatexTable(
        label=f"tab:rating-agreement-{score}",
        caption=(
            f"{_NAMES[score]}: judges against people who rated the same descriptions. Per cent of "
            "pairs of scores that are equal (=) or at most one level apart (≤ 1); diff.: mean of "
            "judge minus mean of raters, in levels; quadratically weighted kappa; Krippendorff's "
            "alpha for ordered levels; Spearman's rho."
        ),
        columns=[
            Column("clips", "l"),
            Column("judge", "l"),
            Column("n"),
            *(Column(head, "r" if head else "l") for head in _HEADS),
        ],
        rows=[
            [
                row["condition"] if not n or n in firsts else "",
                _judge(row, judges),
                str(row["n_units"]),
                _percent(row["exact"]),
                _percent(row["within_one"]),
                _signed(row["difference"], 2),
                _interval(row, "difference"),
                _signed(row["kappa"], 2),
                _interval(row, "kappa"),
                _signed(row["alpha"], 2),
                _signed(row["spearman"], 2),
            ]
            for n, row in enumerate(table)
        ],
        breaks=firsts,
        gap_pt=2,
        size="scriptsize",
        notes=_notes(table, key, source, judges),
    ).text()


def _notes(
    table: Sequence[Row], key: Sequence[Row], source: Source, judges: Sequence[str]
) -> list[str]:
    n_raters, people = table[0]["n_raters"], any(row["judge"] == PEOPLE for row in table)
    cannot = max((row["n_cannot"] for row in table), default=0)
    unscored = sorted({row["judge"] for row in table if row["n_no_verdict"]})
    kinds = [row["kind"] for row in averaged(key)]
    several = (
        "A judge is set against each rater in turn: shares are over all pairs, the other numbers "
        "means over raters; people: every two raters (alpha: all together). The difference is from "
        "the raters' mean."
    )
    notes = [
        f"Panel {source.panel}; arm {source.arm}; K = {source.trials} trials a clip; overlay "
        f"{source.overlay}; rubric SHA-256 {source.rubric_sha256[:12]}; {len(key)} descriptions "
        f"of {key[0]['sheet']}; raters: {n_raters}; n: descriptions with a pair.",
        "LLM-rated, against people's ratings of the same descriptions; descriptive.",
        several if people else "",
        "In brackets: the middle 95 % of bootstrap resamples of clips, within conditions.",
        f"Ratings that say that a description cannot be rated: {cannot}." if cannot else "",
        f"Without a score on some descriptions: {', '.join(unscored)}." if unscored else "",
        judges_note(judges),
        testers_note(kinds),
        _dashes(table),
    ]
    return [note for note in notes if note]


def _dashes(table: Sequence[Row]) -> str:
    names = ("status", *(f"{name}_status" for name in ("difference", "kappa", "alpha", "spearman")))
    found = {row[name] for row in table for name in names}
    why = [words for status, words in _WHY.items() if status in found]
    if "no_direction" in found:
        why.append("raters among themselves have no order to subtract in")
    return f"A dash: {'; or '.join(why)}." if why else ""


def _judge(row: Row, judges: Sequence[str]) -> str:
    if row["judge"] == PEOPLE:
        return "people"
    return tester_label(row["judge"], row["kind"], judges)


def _interval(row: Row, name: str) -> str:
    low, high = (row[f"{name}_{end}"] for end in ("low", "high"))
    return "" if low is None else f"[{_signed(end_of(low), 2)}, {_signed(end_of(high), 2)}]"


def _percent(share: Number | None) -> str:
    return show(None if share is None else 100 * share, 0)


def _signed(value: Number | None, digits: int) -> str:
    return show(value, digits).replace("-", "−")
