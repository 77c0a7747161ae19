"""The game's further tables in LaTeX: signals, frames, ablations, what has no test."""

from collections.abc import Sequence

from vlmtom.mosaic.conditions import BY_SLUG
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.mosaic_tables import FAMILIES, NOTHING
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
    interval,
    kinds_of,
    label_of,
    named_line,
    number,
    pair_label,
)
from vlmtom.publish.pages import in_pages, text_of
from vlmtom.stats.game_tables import ALL
from vlmtom.stats.game_tests import EXCLUDED

_TESTS = {
    "all": "all of its tests",
    "binomial": "binomial against 1/2",
    "binomial_ur": "binomial against (1 − UR)/2",
    "chi_square": "chi-square",
    "scheirer_ray_hare": "Scheirer-Ray-Hare",
    "kruskal_wallis": "Kruskal-Wallis",
}
_DECEIVED = "comp-tom1"


def signals_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of all metrics with intervals. rows: of MOSAIC_SIGNALS."""
    kinds, conditions = kinds_of(rows), conditions_of(rows)
    table = LatexTable(
        label="tab:mosaic-signals",
        caption=(
            "Metrics by condition with 95 % intervals. Intervals: exact (Clopper and Pearson) for "
            "TOCS and UR, the middle 95 % of resamples of trials for the others, none where all "
            "trials agree. TAS, GAS: alignment of the subject's trajectory and gaze "
            "with the reward; FES: share of rounds with a face; S: whether the box that opened is "
            f"the one signalled. {S_NOTE}"
        ),
        columns=[
            Column("Pair and metric", "l"),
            *(c for _ in conditions for c in (Column(""), Column("", "l"))),
        ],
        groups=[("", 1), *((label_of(condition), 2) for condition in conditions)],
        rows=[],
        notes=[note for note in (*study.notes(kinds), excluded_note(rows)) if note],
        gap_pt=2,
        size="scriptsize",
    )
    groups = []
    for own in by_pair(rows).values():
        if own[0]["status"] == EXCLUDED:
            continue
        of = {(row["metric"], row["condition"]): row for row in own}
        lines = [[pair_label(own[0], kinds)], ["n", *_counts(of, conditions)]]
        for metric, name in METRIC_NAMES.items():
            cells = [c for s in conditions for c in _value_cells(of.get((metric, s)))]
            lines.append([name, *cells])
        groups.append(lines)
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], NOTHING)


def _counts(of: dict[tuple[object, object], Row], conditions: Sequence[str]) -> list[str]:
    cells = []
    for condition in conditions:
        row = of.get(("tocs", condition))
        missing = f"({row['n_missing']} missing)" if row and row["n_missing"] else ""
        cells += [str(row["n"]) if row else "–", missing]
    return cells


def _value_cells(row: Row | None) -> list[str]:
    if row is None:
        return ["–", ""]
    return [number(row["value"]), interval(row["low"], row["high"])]


def frames_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of reasoning against action. rows: of MOSAIC_FRAMES."""
    kinds = kinds_of(rows)
    table = LatexTable(
        label="tab:mosaic-frames",
        caption=(
            "Reasoning against action. The box that the reasoning of a round says the agent goes "
            "to, against the box that its step brings it nearer to, sideways: rounds with the "
            "same box, with the other one, with a box stated and no step to a side, and with none "
            "stated (n: rounds that could be read; unr.: those that could not). Other %: share of "
            "the other among both. At the right, trials by what the participant preferred in "
            "round 1, dark/light/neither: those in which Marie had shown nothing yet (no step, no "
            "turn, no face), before any cue; and all, after Marie's first action."
        ),
        columns=[
            Column("Pair and condition", "l"),
            Column("role", "l"),
            *(Column(h) for h in ("n", "unr.", "same", "other", "no step", "none", "other %")),
            *(Column(head) for head in ("no cue yet", "all")),
        ],
        groups=[("", 4), ("stated box", 5), ("preferred in round 1", 2)],
        rows=[],
        notes=[
            *study.notes(kinds),
            "An agent that writes no reasoning states none and has no preference here.",
        ],
        gap_pt=2,
        size="scriptsize",
    )
    groups = []
    for own in by_pair(rows).values():
        lines = [[pair_label(own[0], kinds)]]
        for row in own:
            first = label_of(row["condition"]) if row["role"] == "subject" else ""
            lines.append([first, str(row["role"]), *_frame_cells(row)])
        groups.append(lines)
    return text_of(in_pages(table, groups, MOST_ROWS) if groups else [], NOTHING)


def _frame_cells(row: Row) -> list[str]:
    def count(said: str, went: str) -> int:
        return int(row[f"said_{said}_went_{went}"])

    same = count("dark", "dark") + count("light", "light")
    still = count("dark", "neither") + count("light", "neither")
    none = sum(count("none", went) for went in ("dark", "light", "neither"))
    share = None if row["against"] is None else 100 * row["against"]
    preferred = [
        "/".join(str(row[f"{name}_{box}"]) for box in ("dark", "light", "neither"))
        if row[n]
        else "–"
        for n, name in (("n_uncued", "prefers"), ("n_first", "first"))
    ]
    return [
        *(str(row[name]) for name in ("n_rounds", "n_unreadable")),
        *map(str, (same, row["n_against"], still, none)),
        number(share, 1),
        *preferred,
    ]


def untested_tex(rows: Sequence[Row], study: Study, kinds: Sequence[str]) -> str:
    """The LaTeX source of what has no test. rows: of MOSAIC_UNTESTED; kinds: of the pairs."""
    table = LatexTable(
        label="tab:mosaic-untested",
        caption=(
            "Tests that drop out by rule. They are in no family. No choice: neither box "
            "opened in any trial; one value: all trials have it; one reward, one box: the reward "
            "was always in one box, or always the same opened; unreadable: more than half of the "
            "answers of a member were, so that the pair is in no table but that of outcomes; all "
            "of its tests: two binomial tests and a chi-square for each condition, and the "
            "Scheirer-Ray-Hare tests. n: tests."
        ),
        columns=[
            Column("Test, pair and condition", "l"),
            *(Column(head, "l") for head in ("metric", "why")),
            Column("n"),
        ],
        rows=[],
        notes=study.notes(kinds),
        gap_pt=3,
        size="scriptsize",
    )
    groups: dict[tuple[object, object], list[list[str]]] = {}
    for row in rows:
        named = f"{_TESTS[str(row['test'])]}, {FAMILIES.get(str(row['pair']), row['pair'])}"
        key = (row["test"], row["pair"])
        groups.setdefault(key, [[named]]).append(_untested_cells(row))
    return text_of(
        in_pages(table, list(groups.values()), MOST_ROWS) if groups else [],
        "Every test of the run applies; none drops out.",
    )


def _untested_cells(row: Row) -> list[str]:
    condition = "all" if row["condition"] == ALL else label_of(row["condition"])
    metric = METRIC_NAMES.get(str(row["metric"]), str(row["metric"]))
    return [condition, metric, SHORT[str(row["status"])], str(row["n_tests"])]


def ablations_tex(rows: Sequence[Row], study: Study) -> str:
    """The LaTeX source of the ablations beside the reference agent. rows: of MOSAIC_ABLATIONS."""
    kinds, conditions = kinds_of(rows), conditions_of(rows)
    if not rows:
        return text_of([], "No ablation of the reference agent was played.")
    deceived = BY_SLUG[_DECEIVED].label
    who = "The whole agent, in the first row, and those" if rows[0]["reference"] else "Agents"
    lines = []
    for own in by_pair(rows).values():
        of = {row["condition"]: row for row in own}
        name = pair_label(own[0], kinds)
        signals = [number((of.get(_DECEIVED) or {}).get(m)) for m in ("tas", "gas", "s_traj")]
        outcomes = [number((of.get(s) or {}).get("tocs")) for s in conditions]
        lines += named_line(name, [*outcomes, *signals], 22)
    return LatexTable(
        label="tab:mosaic-ablations",
        caption=(
            f"{who} that lack a part of the reference agent: TOCS by "
            f"condition, and the signals in {deceived}, where it should mislead. S: trajectory, "
            "as the paper prints it."
        ),
        columns=[
            Column("Pair", "l"),
            *(Column(label_of(condition)) for condition in conditions),
            *(Column(head) for head in ("TAS", "GAS", "S")),
        ],
        groups=[("", 1), ("TOCS", len(conditions)), (deceived, 3)],
        rows=lines,
        breaks=(1,) if rows[0]["reference"] else (),
        notes=[note for note in (*study.notes(kinds), excluded_note(rows)) if note],
        gap_pt=2,
        size="scriptsize",
    ).text()
