"""The game's tables in LaTeX: rewards, outcomes, tests, image arms."""

from collections.abc import Sequence

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.mosaic_text import (
    METRIC_NAMES,
    MOST_ROWS,
    S_NOTE,
    SHORT,
    Row,
    Study,
    by_pair,
    conditions_of,
    excluded_note,
    excluded_words,
    kinds_of,
    label_of,
    named_line,
    number,
    p_text,
    pair_label,
    statistic,
)
from vlmtom.publish.pages import in_pages, text_of
from vlmtom.stats.game_tables import PANEL
from vlmtom.stats.game_tests import EXCLUDED

NOTHING = "No pair was played."
_TOGETHER = 40  # pairs of the first table that are not cut between pages
_FACTORS = {"mode": "Mode", "tom": "ToM", "mode x tom": "Mode × ToM"}


def table2_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the place of the reward. rows: of MOSAIC_TABLE2."""
    pairs = [row for row in rows if row["kind"] != PANEL]
    panel = {row["condition"]: row for row in rows if row["kind"] == PANEL}
    conditions, kinds = conditions_of(rows), kinds_of(pairs)
    table = LatexTable(
        label="tab:mosaic-reward",
        caption=(
            "Place of the reward. k: trials of a condition with the reward in the light brown box "
            "(box 1), of all, missing ones too; p of the exact two-sided binomial test "
            "against 1/2. Mean: k and p averaged over the pairs, as the paper does; pooled: one "
            "test over the trials of all pairs."
        ),
        columns=[Column("Pair", "l"), *(Column(h) for _ in conditions for h in ("k", "p"))],
        groups=[("", 1), *((label_of(condition), 2) for condition in conditions)],
        rows=[],
        footer=[
            ["mean", *(c for s in conditions for c in _mean_cells(panel[s]))],
            ["pooled", *(c for s in conditions for c in _pooled_cells(panel[s]))],
        ],
        notes=study.notes(kinds),
        gap_pt=2,
        size="scriptsize",
    )
    lines = []
    for own in by_pair(pairs).values():
        of = {row["condition"]: row for row in own}
        lines += named_line(pair_label(own[0], kinds), _reward_cells(of, conditions), 34)
    groups = [lines[start : start + _TOGETHER] for start in range(0, len(lines), _TOGETHER)]
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], NOTHING)


def _reward_cells(of: dict[object, Row], conditions: Sequence[str]) -> list[str]:
    cells = []
    for condition in conditions:
        row = of.get(condition)
        cells += (
            ["–", "–"]
            if row is None
            else [f"{number(row['k'], 0)}/{number(row['n'], 0)}", p_text(row["p"])]
        )
    return cells


def _mean_cells(row: Row) -> list[str]:
    return [f"{number(row['k'], 1)}/{number(row['n'], 0)}", p_text(row["p"])]


def _pooled_cells(row: Row) -> list[str]:
    k, n = (round(row[name] * row["n_pairs"]) for name in ("k", "n"))
    return [f"{k}/{n}", p_text(row["p_pooled"])]


def table3_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of outcomes against chance. rows: of MOSAIC_TABLE3."""
    kinds = kinds_of(rows)
    table = LatexTable(
        label="tab:mosaic-outcomes",
        caption=(
            "Outcomes against chance. TOCS: share of all trials with the predicted score (Eq. 2), "
            "so that those in which neither box opened are misses, with p of the exact two-sided "
            "binomial test against 1/2. Ch.: TOCS among the trials in which a box opened. UR: "
            "share of trials in which neither did. PB: share of the box that opened more often, "
            "over all trials (Eq. 4) and (ch.) over those with a choice, the latter low below "
            ".60, high from .75 on. Null: (1 − UR)/2, chance for a participant who opens a box as "
            "often, with the p of the test against it. No p is adjusted."
        ),
        columns=[
            Column("Pair and condition", "l"),
            *(Column(head) for head in ("n", "miss.", "TOCS", "p", "ch.", "UR", "PB", "ch.")),
            Column("class", "l"),
            *(Column(head) for head in ("null", "p")),
        ],
        rows=[],
        notes=study.notes(kinds),
        gap_pt=3,
        size="scriptsize",
    )
    groups = []
    for own in by_pair(rows).values():
        name = pair_label(own[0], kinds)
        if own[0]["status"] == EXCLUDED:
            groups.append([[f"{name}: {excluded_words(own[0])}"]])
            continue
        groups.append([[name], *map(_outcome_cells, own)])
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], NOTHING)


def _outcome_cells(row: Row) -> list[str]:
    return [
        label_of(row["condition"]),
        str(row["n"]),
        str(row["n_missing"]),
        number(row["tocs"]),
        p_text(row["p"]),
        *(number(row[name]) for name in ("tocs_choice", "ur", "pb_all", "pb_choice")),
        str(row["pb_class"] or "–"),
        number(row["null_ur"]),
        p_text(row["p_ur"]),
    ]


def table4_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of choice by place of the reward. rows: of MOSAIC_TABLE4."""
    kinds = kinds_of(rows)
    boxes = ("dark", "light")
    table = LatexTable(
        label="tab:mosaic-independence",
        caption=(
            "Choice by place of the reward. Trials by the box that opened; neutral: neither did, "
            "left out. Chi-square on 1 df with Yates's correction. Without a test: always the same "
            "reward, or always the same box. No p is adjusted."
        ),
        columns=[
            Column("Pair and condition", "l"),
            *(Column(head) for head in (*boxes, *boxes, "neutral", "chi-square", "p")),
            Column("", "l"),
        ],
        groups=[("", 1), ("reward dark", 2), ("reward light", 2), ("", 4)],
        rows=[],
        notes=study.notes(kinds),
        gap_pt=3,
        size="scriptsize",
    )
    groups = [
        [
            [pair_label(own[0], kinds)],
            *(
                [
                    label_of(row["condition"]),
                    *(str(row[f"{reward}_{box}"]) for reward in boxes for box in boxes),
                    str(row["n_neutral"]),
                    statistic(row["chi2"]),
                    p_text(row["p"]),
                    "" if row["p"] is not None else SHORT[str(row["status"])],
                ]
                for row in own
            ),
        ]
        for own in by_pair(rows).values()
    ]
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], "No pair was scored.")


def table5_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the Scheirer-Ray-Hare tests. rows: of MOSAIC_TABLE5."""
    kinds = kinds_of(rows)
    table = LatexTable(
        label="tab:mosaic-factors",
        caption=(
            "Scheirer-Ray-Hare tests by pair. Interaction mode, ToM order and both together on "
            "the trials of a pair: H, corrected for ties, on 1 df, and p by Bonferroni "
            f"({_family(rows)}). {S_NOTE} A dash: not tested, because all trials have one value "
            "or a condition has none."
        ),
        columns=[
            Column("Pair and metric", "l"),
            Column("n"),
            *(Column(head) for _ in _FACTORS for head in ("H", "p adj.")),
        ],
        groups=[("", 2), *((name, 2) for name in _FACTORS.values())],
        rows=[],
        notes=study.notes(kinds),
        gap_pt=4,
        size="scriptsize",
    )
    groups = []
    for own in by_pair(rows).values():
        lines = [[pair_label(own[0], kinds)]]
        for metric in dict.fromkeys(str(row["metric"]) for row in own):
            of = {row["factor"]: row for row in own if row["metric"] == metric}
            n = str(next(iter(of.values()))["n"])
            cells = [c for factor in _FACTORS for c in _h_cells(of[factor])]
            lines.append([METRIC_NAMES[metric], n, *cells])
        groups.append(lines)
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], "No pair was scored.")


def _h_cells(row: Row | None) -> list[str]:
    return ["–", "–"] if row is None else [statistic(row["h"]), p_text(row["p_adj"])]


def _family(rows: Sequence[Row]) -> str:
    sizes = {int(row["family_size"]) for row in rows}
    return f"family: the {max(sizes, default=0)} tests that are defined"


def table6_tex(rows: Sequence[Row], study: Study, kinds: Sequence[str]) -> str:
    """The LaTeX source of the Kruskal-Wallis tests. rows: of MOSAIC_TABLE6; kinds: of the pairs."""
    if not rows:
        return text_of([], "No pair was scored.")
    conditions = conditions_of(rows)
    of = {(row["metric"], row["condition"]): row for row in rows}
    pairs = max(int(row["n_pairs"]) for row in rows)
    return LatexTable(
        label="tab:mosaic-pairs",
        caption=(
            f"Kruskal-Wallis tests over the trials of {pairs} pairs: H, corrected for ties, and p "
            f"by Bonferroni ({_family(rows)}). {S_NOTE} A dash: not tested (mosaic_untested.csv)."
        ),
        columns=[Column("Metric", "l"), *(Column(h) for _ in conditions for h in ("H", "p adj."))],
        groups=[("", 1), *((label_of(condition), 2) for condition in conditions)],
        rows=[
            [METRIC_NAMES[metric], *(c for s in conditions for c in _h_cells(of.get((metric, s))))]
            for metric in dict.fromkeys(str(row["metric"]) for row in rows)
        ],
        notes=study.notes(kinds),
        gap_pt=4,
        size="footnotesize",
    ).text()


def table7_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of outcomes by image arm. rows: of MOSAIC_TABLE7."""
    kinds, conditions = kinds_of(rows), conditions_of(rows)
    table = LatexTable(
        label="tab:mosaic-arms",
        caption=(
            "Outcomes by image arm. TOCS over all trials (Eq. 2) and, in parentheses, among the "
            "trials in which a box opened. Blank: a grey picture; face: the other's face in the "
            "corner; none: no picture."
        ),
        columns=[Column("Pair and arm", "l"), *(Column(label_of(s)) for s in conditions)],
        rows=[],
        notes=[note for note in (*study.notes(kinds), excluded_note(rows)) if note],
        size="footnotesize",
    )
    groups: dict[tuple[str, str], list[list[str]]] = {}
    for pair, own in by_pair(rows).items():
        of = {row["condition"]: row for row in own}
        cells = [_outcome_pair(of.get(condition)) for condition in conditions]
        line = named_line(pair_label(own[0], kinds), cells, 30)
        groups.setdefault((pair.subject, pair.participant), []).extend(line)
    return text_of(
        in_pages(table, list(groups.values()), MOST_ROWS) if groups else [],
        "No pair was played in several image arms.",
    )


def _outcome_pair(row: Row | None) -> str:
    if row is None or row["tocs"] is None:
        return "–"
    return f"{number(row['tocs'])} ({number(row['tocs_choice'])})"
