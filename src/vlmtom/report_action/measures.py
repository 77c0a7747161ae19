"""What replies come to: counts by scene, and the shares of report before action over them.

A measure is a share of answered and parsed replies: what is missing or unparsed is in no
denominator, and is counted beside it. Source: report-before-action paper, section 3 (measures),
sections 4 to 6 (what is told of them), Appendix B (scenes left out), Appendix C (answered replies,
scenes as clusters).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from vlmtom.errors import BadData
from vlmtom.report_action.prompts import ASKED_FIRST, REPORT_KEYS
from vlmtom.stats.complete import refuse_gaps
from vlmtom.stats.paired import Cluster, Scene, single_share
from vlmtom.store.schemas import ACTION_CHOICES as CHOICES
from vlmtom.store.schemas import ACTION_LOST as LOST
from vlmtom.store.schemas import ACTION_REPORTS as REPORTS

Row = Mapping[str, object]
Condition = tuple[str, str, str, str]  # tester, scene set, batch, arm

HIDDEN, ACCURACY, JOINT = "hidden_chosen", "visible_correct", "joint"
DIRECTOR_VIEW = "director_view_chosen"
DESPITE_REPORT, BY_DIGIT = "hidden_despite_report", "largest_digit_of_others"
ALL = "all"
# Which scenes: those where choosing by digit cannot choose the hidden block (section 4), and those
# where no other visible block looks largest from the director's eye (Appendix B).
SUBSETS: Mapping[str, Callable[[Row], bool]] = {
    ALL: lambda cell: True,
    "hidden_not_largest_digit": lambda cell: not cell["hidden_has_largest_digit"],
    "without_misleading": lambda cell: not cell["misleading_size"],
}


def _of(report: Sequence[str], choice: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{one}_{other}" for one in report for other in choice)


@dataclass(frozen=True)
class Measure:
    """A share: the columns of a cell whose sum is the events, and those whose sum is the n."""

    events: tuple[str, ...]
    n: tuple[str, ...]


# Reports that say which blocks the director sees, or knows of.
ASKING = (*(name for name, key in REPORT_KEYS.items() if key == "visible"), ASKED_FIRST)
_REPORTED = REPORTS[:2]
MEASURES: Mapping[str, Measure] = {
    HIDDEN: Measure(_of(REPORTS, CHOICES[:1]), _of(REPORTS, CHOICES)),
    ACCURACY: Measure(_of(REPORTS[:1], CHOICES), _of(_REPORTED, CHOICES)),
    JOINT: Measure(_of(REPORTS[:1], CHOICES[:1]), _of(_REPORTED, CHOICES)),
    DIRECTOR_VIEW: Measure(_of(REPORTS, CHOICES[1:2]), _of(REPORTS, CHOICES)),
    # The hidden block chosen, of the replies whose own report leaves it out (section 5).
    DESPITE_REPORT: Measure(("excluding_hidden",), ("n_excluding",)),
    # The largest digit among visible blocks, of what is neither hidden nor meant (section 6).
    BY_DIGIT: Measure(_of(REPORTS, CHOICES[2:3]), _of(REPORTS, CHOICES[2:])),
}
COUNTS = (*LOST, *_of(REPORTS, CHOICES), "n_excluding", "excluding_hidden")


def cells(
    outcomes: Iterable[Row],
    keys: Iterable[Row],
    asked: Mapping[str, Sequence[str]],
    replies: int,
) -> list[dict[str, object]]:
    """REPORT_ACTION_CELLS: counts of one tester's replies to one item, in the order of the keys.

    outcomes: rows of REPORT_ACTION_OUTCOMES; keys: of REPORT_ACTION_KEYS; asked: the batches of
    each tester; replies: K, planned of each item. A reply of which nothing came, not even a status,
    is missing too. Raises BadData for an outcome that stands there twice or was not planned.
    """
    keys = list(keys)
    found: dict[tuple[str, str], dict[int, Row]] = defaultdict(dict)
    kinds: dict[str, str] = {}
    for row in outcomes:
        of_item = found[str(row["tester"]), str(row["item_id"])]
        if int(row["trial"]) in of_item:
            raise BadData(
                f"outcome {row['tester']} {row['item_id']} {row['trial']} stands there twice; "
                "each counts once."
            )
        of_item[int(row["trial"])] = row
        kinds[str(row["tester"])] = str(row["kind"])
    rows = [
        _cell(tester, kinds[tester], key, found.pop((tester, str(key["item_id"])), {}), replies)
        for tester, batches in asked.items()
        if tester in kinds
        for key in keys
        if key["batch"] in batches
    ]
    if found:
        tester, item = next(iter(found))
        raise BadData(
            f"outcomes of {tester} on {item}, which is not asked of it. Stimuli and outcomes must "
            "be of one configuration; delete the outcomes and run `snakemake` again."
        )
    return rows


def check_complete(rows: Sequence[Row], allow_missing: bool) -> None:
    """Raise MissingReplies for an item without one reply, unless gaps are allowed."""
    gaps = [f"{r['tester']} {r['item_id']}" for r in rows if r["n_missing"] == r["n_planned"]]
    refuse_gaps("report_action", gaps, len(rows), allow_missing)


def conditions(rows: Iterable[Row]) -> dict[Condition, list[Row]]:
    """Cells of each tester, scene set, batch and condition, in order of appearance."""
    grouped: dict[Condition, list[Row]] = {}
    for row in rows:
        name = (str(row["tester"]), str(row["scene_set"]), str(row["batch"]), str(row["arm"]))
        grouped.setdefault(name, []).append(row)
    return grouped


def choices(rows: Iterable[Row]) -> list[dict[str, object]]:
    """REPORT_ACTION_CHOICES: report by choice, and what was lost, of each condition and subset."""
    return [
        {
            **_head(name, of_condition),
            "subset": subset,
            "n_scenes": len(chosen := [cell for cell in of_condition if belongs(cell)]),
            **{column: sum(int(cell[column]) for cell in chosen) for column in COUNTS},
        }
        for name, of_condition in conditions(rows).items()
        for subset, belongs in SUBSETS.items()
    ]


def rates(rows: Iterable[Row], seed: int, resamples: int) -> list[dict[str, object]]:
    """REPORT_ACTION_RATES: every measure of each condition and subset, with its 95 % interval.

    A measure that a condition does not have (no report asked) has no row; one without any reply
    has a row without a share. seed: of the bootstrap of scenes, the same for all.
    """
    found = []
    for name, of_condition in conditions(rows).items():
        for subset, belongs in SUBSETS.items():
            chosen = [cell for cell in of_condition if belongs(cell)]
            for measure in measures_of(of_condition):
                clusters = [
                    Cluster(str(cell["stimulus"]), *counted(cell, measure)) for cell in chosen
                ]
                share = single_share(clusters, seed, resamples)
                found.append(
                    {
                        **_head(name, of_condition),
                        "subset": subset,
                        "measure": measure,
                        "n_scenes": share.G,
                        "n": share.n,
                        "events": sum(one.s for one in clusters),
                        "share": share.share,
                        "lo": share.lo,
                        "hi": share.hi,
                        "method": share.method,
                    }
                )
    return found


def measures_of(of_condition: Sequence[Row]) -> list[str]:
    """The measures that a condition has: those of the report only where one was asked."""
    reports = any(cell["asks_visible"] for cell in of_condition)
    of_report = (ACCURACY, JOINT, DESPITE_REPORT)
    return [measure for measure in MEASURES if reports or measure not in of_report]


def counted(cell: Row, measure: str) -> tuple[int, int]:
    """A cell's replies that a measure is over, and those of them with the event."""
    columns = MEASURES[measure]
    return sum(int(cell[c]) for c in columns.n), sum(int(cell[c]) for c in columns.events)


def paired_scenes(
    without: Iterable[Row], with_: Iterable[Row], measure: str, subset: str
) -> list[Scene]:
    """Counts by scene of two conditions, condition 0 without and 1 with."""
    belongs = SUBSETS[subset]
    by_scene: dict[str, list[int]] = {}
    for place, of_condition in ((0, without), (2, with_)):
        for cell in of_condition:
            if belongs(cell):
                counts = by_scene.setdefault(str(cell["stimulus"]), [0, 0, 0, 0])
                counts[place : place + 2] = counted(cell, measure)
    return [Scene(scene, *counts) for scene, counts in sorted(by_scene.items())]


def _cell(
    tester: str, kind: str, key: Row, of_item: Mapping[int, Row], replies: int
) -> dict[str, object]:
    answered = [row for row in of_item.values() if row["parse"] == "parsed"]
    unparsed = [row for row in of_item.values() if row["parse"] == "unparsed"]
    n_ok = sum(row["status"] == "ok" for row in of_item.values())
    if n_ok > replies:
        raise BadData(
            f"{tester}, {key['item_id']}: {n_ok} replies where {replies} are planned. Outcomes "
            "must be of one configuration; delete them and run `snakemake` again."
        )
    counts = dict.fromkeys(_of(REPORTS, CHOICES), 0)
    for row in answered:
        counts[f"{_report(row)}_{_choice(row)}"] += 1
    excluding = [row for row in answered if row["report_excludes_hidden"]]
    return {
        "tester": tester,
        "kind": kind,
        "item_id": key["item_id"],
        "arm": key["arm"],
        "stimulus": key["stimulus"],
        "scene_set": key["scene_set"],
        "batch": key["batch"],
        "asks_visible": key["report"] in ASKING,
        "hidden_has_largest_digit": key["hidden_has_largest_digit"],
        "misleading_size": key["misleading_size"],
        "n_planned": replies,
        "n_missing": replies - n_ok,
        "n_refused": sum(row["status"] == "refused" for row in of_item.values()),
        "n_unparsed": len(unparsed),
        "n_refused_in_words": sum(row["reason"] == "refusal" for row in unparsed),
        "n_answered": len(answered),
        **counts,
        "n_excluding": len(excluding),
        "excluding_hidden": sum(bool(row["hidden_chosen"]) for row in excluding),
    }


def _report(row: Row) -> str:
    correct = row["visible_correct"]
    return "no_report" if correct is None else "correct" if correct else "incorrect"


def _choice(row: Row) -> str:
    if row["hidden_chosen"]:
        return "hidden"
    if row["director_view_chosen"]:
        return "director_view"
    return "largest_digit" if row["largest_visible_digit_chosen"] else "other"


def _head(name: Condition, of_condition: Sequence[Row]) -> dict[str, object]:
    tester, scene_set, batch, arm = name
    kind = of_condition[0]["kind"]
    return {
        "tester": tester,
        "kind": kind,
        "scene_set": scene_set,
        "batch": batch,
        "arm": arm,
    }
