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
    excluded_lines,
    excluded_note,
    kinds_of,
    label_of,
    named_line,
    number,
    p_text,
    pair_label,
    statistic,
)
from vlmtom.publish.pages import in_pages, text_of
from vlmtom.stats.game_tables import MEAN, MODELS, OBSERVERS
from vlmtom.stats.game_tests import EXCLUDED

NOTHING = "No pair was played."
_TOGETHER = 40  # pairs of the first table that are not cut between pages
FAMILIES = {MODELS: "pairs with a model", OBSERVERS: "pairs of observers"}
_SHARED_DRAWS = (
    "Observers of one policy share their draws: their tests, a family of their own, are no "
    "independent evidence."
)
_FACTORS = {"mode": "Mode", "tom": "ToM", "mode x tom": "Mode × ToM"}


def table2_tex(rows: Sequence[Row], study: Study, kinds: Sequence[str]) -> str:
    """The LaTeX source of the place of the reward. rows: of MOSAIC_TABLE2; kinds: of the pairs."""
    draws = [row for row in rows if row["draw"] != MEAN]
    mean = {row["condition"]: row for row in rows if row["draw"] == MEAN}
    conditions = conditions_of(rows)
    table = LatexTable(
        label="tab:mosaic-reward",
        caption=(
            "Place of the reward. k: trials of a condition with the reward in the light brown box "
            "(box 1), of all, missing ones too; p of the exact two-sided binomial test "
            "against 1/2. The place is drawn for the condition and the trial, not for who plays: k "
            "is one draw, shared by all pairs that had the same trials, and is tested once. Mean: "
            "k and p averaged over the pairs, as the paper does; a mean of p is no test, and over "
            "pairs that share a draw it is that draw's."
        ),
        columns=[Column("Draw of", "l"), *(Column(h) for _ in conditions for h in ("k", "p"))],
        groups=[("", 1), *((label_of(condition), 2) for condition in conditions)],
        rows=[],
        footer=[["mean over pairs", *(c for s in conditions for c in _reward_cells(mean[s], 1))]],
        notes=study.notes(kinds),
        gap_pt=2,
        size="scriptsize",
    )
    lines = []
    for pairs, of in _sharing(draws, conditions):
        cells = [c for s in conditions for c in _reward_cells(of.get(s), 0)]
        lines += named_line(pairs, cells, 34)
    groups = [lines[start : start + _TOGETHER] for start in range(0, len(lines), _TOGETHER)]
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], NOTHING)


def _sharing(
    draws: Sequence[Row], conditions: Sequence[str]
) -> list[tuple[str, dict[object, Row]]]:
    """The pairs that share their draws in all conditions, in words, with their rows."""
    of_pair: dict[str, dict[object, Row]] = {}
    for row in draws:
        for pair in str(row["pairs"]).split():
            of_pair.setdefault(pair, {})[row["condition"]] = row
    sharing: dict[tuple[object, ...], list[str]] = {}
    for pair, of in of_pair.items():
        key = tuple(of[s]["draw"] if s in of else None for s in conditions)
        sharing.setdefault(key, []).append(pair)
    return [(_in_words(pairs, len(of_pair)), of_pair[pairs[0]]) for pairs in sharing.values()]


def _in_words(pairs: Sequence[str], of_all: int) -> str:
    first, *others = pairs
    if not others:
        return first
    return f"all {of_all} pairs" if len(pairs) == of_all else f"{first} and {len(others)} more"


def _reward_cells(row: Row | None, digits: int) -> list[str]:
    if row is None:
        return ["–", "–"]
    return [f"{number(row['k'], digits)}/{number(row['n'], 0)}", p_text(row["p"])]


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
        notes=[note for note in (*study.notes(kinds), excluded_note(rows)) if note],
        gap_pt=3,
        size="scriptsize",
    )
    groups = []
    for own in by_pair(rows).values():
        name = pair_label(own[0], kinds)
        if own[0]["status"] == EXCLUDED:
            groups.append(excluded_lines(name, own[0]))
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
            f"({_family(rows)}). {_shared_draws(rows)}{S_NOTE} A dash: not tested, because all "
            "trials have one value or a condition has none."
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


def _sizes(rows: Sequence[Row]) -> dict[str, int]:
    """How many tests each family corrects for."""
    return {str(row["family"]): int(row["family_size"]) for row in rows}


def _family(rows: Sequence[Row]) -> str:
    sizes = _sizes(rows)
    if len(sizes) < 2:
        return f"family: the {sum(sizes.values())} tests that are defined"
    return (
        f"families: the {sizes[MODELS]} tests that are defined of pairs in which a model plays or "
        f"speaks, and the {sizes[OBSERVERS]} of observers"
    )


def _shared_draws(rows: Sequence[Row]) -> str:
    return f"{_SHARED_DRAWS} " if OBSERVERS in _sizes(rows) else ""


def table6_tex(rows: Sequence[Row], study: Study, kinds: Sequence[str]) -> str:
    """The LaTeX source of the Kruskal-Wallis tests. rows: of MOSAIC_TABLE6; kinds: of the pairs."""
    if not rows:
        return text_of([], "No pair was scored.")
    conditions = conditions_of(rows)
    lines: list[list[str]] = []
    breaks = []
    n_pairs = {}
    for family in _sizes(rows):
        own = [row for row in rows if row["family"] == family]
        of = {(row["metric"], row["condition"]): row for row in own}
        n_pairs[family] = max(int(row["n_pairs"]) for row in own)
        breaks.append(len(lines))
        lines.append([f"{FAMILIES[family].capitalize()}: {n_pairs[family]}"])
        lines += [
            [METRIC_NAMES[metric], *(c for s in conditions for c in _h_cells(of.get((metric, s))))]
            for metric in dict.fromkeys(str(row["metric"]) for row in own)
        ]
    return LatexTable(
        label="tab:mosaic-pairs",
        caption=(
            f"Kruskal-Wallis tests over the trials of {sum(n_pairs.values())} pairs"
            f"{', models and observers apart' if len(n_pairs) > 1 else ''}: H, corrected for ties, "
            f"and p by Bonferroni ({_family(rows)}). {_shared_draws(rows)}{S_NOTE} A dash: not "
            "tested (mosaic_untested.csv)."
        ),
        columns=[Column("Metric", "l"), *(Column(h) for _ in conditions for h in ("H", "p adj."))],
        groups=[("", 1), *((label_of(condition), 2) for condition in conditions)],
        rows=lines if len(n_pairs) > 1 else lines[1:],
        breaks=breaks[1:],
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
