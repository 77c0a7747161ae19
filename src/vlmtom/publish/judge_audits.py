"""What depends on who judges: in-family cells, a judge left out, agreement between judges."""

from collections.abc import Mapping, Sequence

from vlmtom.publish.joint_text import GROUPS_NOTE, count_of, short
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import Source
from vlmtom.stats.exact import show
from vlmtom.stats.judge_audits import NONE
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, object]

_FAMILY_WORDS = {
    "all_in_family": "Without in-family cells none is left where the dash stands.",
    "family_unknown": "Where a family is unknown nothing can be left out.",
    "no_cells": "Where no cell has a score there is no median.",
}
_ALPHA_WORDS = {
    "constant": "where all scores are equal (no disagreement is to be expected: 0/0)",
    "too_few": "where no description was scored by two judges",
}
_SCORES = {"intent": "Intent", "approp": "Approp"}


def judge_family_tex(
    table: Sequence[Row], unknown: Sequence[str], kinds: Sequence[str], source: Source
) -> str:
    """The LaTeX source. table: exact rows of JUDGE_FAMILY; unknown: models of no known family."""
    statuses = {str(row["status"]) for row in table}
    notes = [words for status, words in _FAMILY_WORDS.items() if status in statuses]
    if unknown:
        notes.append(f"No family is known of {', '.join(unknown)}.")
    return LatexTable(
        label="tab:judge-family",
        caption=(
            "Same-family audit: panel median of Intentionality over clip × judge cells, with and "
            "without cells whose judge and tester are of one model family."
        ),
        columns=[
            *(Column("arm", "l"), Column("condition", "l"), Column("all"), Column("without")),
            *(Column("difference"), Column("in-family cells")),
        ],
        rows=[
            [
                str(row["arm"]),
                str(row["condition"]),
                show(row["median_all"], 1),
                show(row["median_without"], 1),
                show(row["delta"], 1).replace("-", "−"),
                "–" if row["n_family"] is None else count_of(row["n_family"], row["n_cells"]),
            ]
            for row in table
        ],
        notes=[*_notes(source, kinds, "every arm"), *notes],
    ).text()


def judge_left_out_tex(table: Sequence[Row], kinds: Sequence[str], source: Source) -> str:
    """The LaTeX source. table: exact rows of JUDGE_LEFT_OUT."""
    return LatexTable(
        label="tab:judge-left-out",
        caption=(
            "The panel without one judge: medians of Intentionality by condition, mean ToM profile "
            "(Intentionality, Appropriateness) with its distances to the adult reference groups, "
            "nearest group by condition; ch.: testers with another nearest group on ToM clips than "
            "with all judges; strict: testers with the strict rank ToM > GD > Random."
        ),
        columns=[
            Column("Left out", "l"),
            *(Column(head) for head in ("ToM", "GD", "Rand.")),
            *(Column("Int."), Column("App."), Column("TD"), Column("HF-ASD")),
            *(Column(condition, "l") for condition in CONDITIONS),
            *(Column("ch."), Column("strict"), Column("cells")),
        ],
        groups=[
            *(("", 1), ("median", 3), ("mean", 2), ("distance", 2), ("nearest", 3)),
            ("", 3),
        ],
        rows=[
            [
                str(row["left_out"]),
                *(show(row[f"median_{name.lower()}"], 1) for name in CONDITIONS),
                *(show(row[name], 2) for name in ("tom_intent", "tom_approp")),
                *(show(row[name], 2) for name in ("dist_td", "dist_hfasd")),
                *(short(row[f"nearest_{name.lower()}"]) for name in CONDITIONS),
                _count(row["labels_changed"], row["n_labels"]),
                _count(row["strict_ranks"], row["n_ranks"]),
                _cells(row),
            ]
            for row in table
        ],
        gap_pt=1,
        size="scriptsize",
        notes=[
            *source.notes(kinds),
            f"{NONE}: all judges are in.",
            GROUPS_NOTE,
            *(
                ["A dash: no cell has a score without that judge."]
                if any(row["status"] != "ok" for row in table)
                else []
            ),
        ],
    ).text()


def _cells(row: Row) -> str:
    """Scored cells; with those planned where some are missing."""
    n, planned = row["n_cells"], row["n_planned"]
    return str(n) if n == planned else count_of(n, planned)


def judge_agreement_tex(table: Sequence[Row], kinds: Sequence[str], source: Source) -> str:
    """The LaTeX source. table: exact rows of JUDGE_AGREEMENT."""
    why = [words for status, words in _ALPHA_WORDS.items() if status in _statuses(table)]
    return LatexTable(
        label="tab:judge-agreement",
        gap_pt=2,
        size="scriptsize",
        caption=(
            "Agreement between judges: Krippendorff's alpha for ordered levels, and the shares of "
            "pairs of verdicts on one description that are equal, or at most one level apart; "
            "n: descriptions."
        ),
        columns=[
            *(Column("arm", "l"), Column("score", "l"), Column("judges", "l"), Column("alpha")),
            *(Column("equal %"), Column("≤ 1 apart %"), Column("n")),
        ],
        rows=[
            [
                str(row["arm"]),
                _SCORES[str(row["score"])],
                str(row["judges"]),
                show(row["alpha"], 3).replace("-", "−"),
                _percent(row["exact"]),
                _percent(row["within_one"]),
                str(row["n_units"]),
            ]
            for row in table
        ],
        notes=[
            *_notes(source, kinds, "every arm"),
            *([f"Alpha is not defined (a dash) {', and '.join(why)}."] if why else []),
        ],
    ).text()


def _statuses(table: Sequence[Row]) -> set[str]:
    return {str(row["status"]) for row in table}


def _notes(source: Source, kinds: Sequence[str], arms: str) -> list[str]:
    """The notes of a table that is over several arms."""
    first, *rest = source.notes(kinds)
    return [first.replace(f"arm {source.arm}", arms), *rest]


def _percent(share: object) -> str:
    return show(None if share is None else 100 * share, 1)


def _count(n: object, of: object) -> str:
    return "–" if n is None else count_of(n, of)
