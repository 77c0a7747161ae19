"""From verdicts to profiles: rounded cells by clip and judge, and a tester's point per condition.

Source: cross-task paper, section 4.1 (mean over trials, rounded to the scale), Tables 5, 7 and 11.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from vlmtom.errors import BadData
from vlmtom.stats.complete import refuse_gaps
from vlmtom.stats.rounding import half_up

Row = Mapping[str, object]
Aggregation = Literal["mean_of_judges", "median_of_judges"]

CONDITIONS = ("ToM", "GD", "Random")
AGGREGATIONS = ("mean_of_judges", "median_of_judges")
SCALES = {"intent": 5, "approp": 3}  # the highest level of each; the lowest is 0

# Over-attribution: a cell of a Random clip with a high Intentionality (the one acts in reply to
# the other, or more) that the clip does not bear out (wrong in kind, or no answer).
HIGH_INTENT = 3
LOW_APPROP = 1


@dataclass(frozen=True)
class Profile:
    """A tester's place in one condition, exact; None where no cell has a score.

    n_cells of n_planned cells have a score. Of n_scores planned (trials x judges), n_missing have
    no usable reply or verdict, n_unparsed no description or no verdict that could be read.
    """

    tester: str
    kind: str
    arm: str
    overlay: str
    condition: str
    intent: Fraction | None
    approp: Fraction | None
    median_intent: Fraction | None
    n_cells: int
    n_planned: int
    n_scores: int
    n_missing: int
    n_unparsed: int


def cells(
    descriptions: Iterable[Row],
    verdicts: Iterable[Row],
    judges: Sequence[str],
    overlays: Mapping[str, Sequence[str]],
) -> list[dict[str, object]]:
    """Rows of TRIANGLES_CELLS, in the order of overlays, descriptions and judges.

    descriptions: rows of DESCRIPTIONS; verdicts: rows of VERDICTS of all judges and overlays.
    judges: those planned; one without any verdict has cells that are null.
    overlays: the arms that each overlay was planned for. Descriptions of other arms are left out.
    A trial without a usable reply or verdict is missing; one whose reply holds no description, or
    whose verdict cannot be read, is unparsed; neither is in the mean. Raises BadData for a verdict
    that stands there twice, that no judge was planned for, or that belongs to no description.
    """
    grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    blind_ids: set[object] = set()
    for row in descriptions:
        grouped[row["tester"], row["arm"], row["clip"]].append(row)
        blind_ids.add(row["blind_id"])
    by_key = _verdicts_by_key(verdicts, judges, blind_ids)
    return [
        _cell(
            trials,
            judge,
            overlay,
            [by_key.get((overlay, judge, trial["arm"], trial["blind_id"])) for trial in trials],
        )
        for overlay, arms in overlays.items()
        for (_, arm, _), trials in grouped.items()
        if arm in arms
        for judge in judges
    ]


def check_complete(cell_rows: Iterable[Row], allow_missing: bool) -> None:
    """Raise MissingReplies for a cell without one score, unless gaps are allowed."""
    cell_rows = list(cell_rows)
    gaps = [
        f"{row['tester']} {row['arm']} {row['clip']} by {row['judge']} ({row['overlay']})"
        for row in cell_rows
        if row["intent"] is None
    ]
    refuse_gaps("triangles", gaps, len(cell_rows), allow_missing)


def mean_level(levels: Sequence[int]) -> int | None:
    """The mean rounded half up to a level of the scale; None without a value.

    Never Python's round, which goes half to even: trials 2 and 3 are 3, not 2.
    """
    return int(half_up(Fraction(sum(levels), len(levels)), 0)) if levels else None


def profiles(
    cell_rows: Iterable[Row], aggregation: Aggregation = "mean_of_judges"
) -> list[Profile]:
    """The profiles of every tester, arm and overlay, by condition, testers in order of appearance.

    cell_rows: rows of TRIANGLES_CELLS. mean_of_judges: the plain mean over the clip x judge cells
    that have a score; every printed profile is a multiple of 1/12, which it alone gives.
    median_of_judges: the median over judges of each clip, then the mean over clips (section 3.2).
    The median is over the cells in either case.
    """
    if aggregation not in AGGREGATIONS:
        raise ValueError(f"aggregation {aggregation!r}; expected one of {', '.join(AGGREGATIONS)}")
    grouped: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in cell_rows:
        grouped[str(row["tester"]), str(row["arm"]), str(row["overlay"])].append(row)
    return [
        _profile(rows, condition, aggregation)
        for rows in grouped.values()
        for condition in CONDITIONS
    ]


def profile_rows(
    cell_rows: Iterable[Row], aggregation: Aggregation = "mean_of_judges"
) -> list[dict[str, object]]:
    """Rows of PROFILES; as profiles."""
    exact = ("intent", "approp", "median_intent")
    rows = []
    for profile in profiles(cell_rows, aggregation):
        row = dict(vars(profile))
        rows.append(row | {n: None if row[n] is None else float(row[n]) for n in exact})
    return rows


def median(levels: Iterable[int | Fraction]) -> Fraction | None:
    """The middle value, or the mean of the two middle ones; None without a value."""
    ordered = sorted(levels)
    if not ordered:
        return None
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return Fraction(ordered[middle])
    return Fraction(ordered[middle - 1] + ordered[middle]) / 2


def scored(cell_rows: Iterable[Row], condition: str) -> list[Row]:
    """The cells of a condition that have a score."""
    return [r for r in cell_rows if r["condition"] == condition and r["intent"] is not None]


def over_attributed(cell_rows: Iterable[Row]) -> int:
    """How many scored cells of Random clips have high Intentionality and low Appropriateness."""
    return sum(
        row["intent"] >= HIGH_INTENT and row["approp"] <= LOW_APPROP
        for row in scored(cell_rows, "Random")
    )


def _verdicts_by_key(
    verdicts: Iterable[Row], judges: Sequence[str], blind_ids: set[object]
) -> dict[tuple[object, ...], Row]:
    by_key: dict[tuple[object, ...], Row] = {}
    for row in verdicts:
        key = (row["overlay"], row["judge"], row["arm"], row["blind_id"])
        if key in by_key:
            raise BadData(f"verdict {key} stands there twice; each counts once.")
        if row["judge"] not in judges:
            raise BadData(
                f"verdict {key} is of a judge that was not planned; "
                f"expected {', '.join(judges) or 'none'}."
            )
        if row["blind_id"] not in blind_ids:
            raise BadData(
                f"verdict {key} belongs to no description. "
                "Descriptions and verdicts must come from one blinding; make both again."
            )
        by_key[key] = row
    return by_key


def _cell(
    trials: Sequence[Row], judge: str, overlay: str, verdicts: Sequence[Row | None]
) -> dict[str, object]:
    first = trials[0]
    given = [v for v in verdicts if v is not None and v["parse"] == "parsed"]
    undescribed = sum(trial["parse"] == "unparsed" for trial in trials)
    unread = sum(v is not None and v["parse"] == "unparsed" for v in verdicts)
    unparsed = undescribed + unread
    return {
        "tester": first["tester"],
        "kind": first["kind"],
        "arm": first["arm"],
        "clip": first["clip"],
        "condition": first["condition"],
        "judge": judge,
        "overlay": overlay,
        "intent": mean_level([v["intent"] for v in given]),
        "approp": mean_level([v["approp"] for v in given]),
        "n_trials": len(trials),
        "n_scored": len(given),
        "n_missing": len(trials) - len(given) - unparsed,
        "n_unparsed": unparsed,
    }


def _profile(rows: Sequence[Row], condition: str, aggregation: Aggregation) -> Profile:
    usable = scored(rows, condition)
    of_condition = [row for row in rows if row["condition"] == condition]
    return Profile(
        tester=str(rows[0]["tester"]),
        kind=str(rows[0]["kind"]),
        arm=str(rows[0]["arm"]),
        overlay=str(rows[0]["overlay"]),
        condition=condition,
        intent=_center(usable, "intent", aggregation),
        approp=_center(usable, "approp", aggregation),
        median_intent=median(row["intent"] for row in usable),
        n_cells=len(usable),
        n_planned=len(of_condition),
        n_scores=sum(row["n_trials"] for row in of_condition),
        n_missing=sum(row["n_missing"] for row in of_condition),
        n_unparsed=sum(row["n_unparsed"] for row in of_condition),
    )


def _center(rows: Sequence[Row], score: str, aggregation: Aggregation) -> Fraction | None:
    values = [Fraction(row[score]) for row in rows]
    if aggregation == "median_of_judges":
        by_clip: dict[object, list[Fraction]] = defaultdict(list)
        for row, value in zip(rows, values, strict=True):
            by_clip[row["clip"]].append(value)
        values = [median(clip) for clip in by_clip.values()]
    return sum(values, Fraction()) / len(values) if values else None
