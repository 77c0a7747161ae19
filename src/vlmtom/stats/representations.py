"""How much of what a film makes a tester say is left when frames are shown: similarity and tokens.

Similarity is 100 (1 - MAE / scale) percent on each of the two scales, and its total their plain
mean; MAE is the mean over clips of the absolute difference from the reference. What is said of a
clip in one representation counts as the mean over judges of each judge's mean over trials and
repetitions. Source: cross-task paper, Appendix L and Table 12; all numbers are exact.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from vlmtom.errors import BadData
from vlmtom.stats.complete import refuse_gaps

Row = Mapping[str, object]
Status = Literal[
    "ok", "reference", "reference_refused", "reference_missing", "missing", "video_not_shown"
]

SCALES = {"intent": 5, "approp": 3}  # the highest level of each; the lowest is 0
WHOLE = Fraction(100)
VIDEO = "video"  # the family whose replies must report video tokens


@dataclass(frozen=True)
class Usage:
    """What the usable replies of one tester on one representation reported.

    prompt_tokens: mean of those that reported them; None where none did. n_video: replies that
    reported video tokens, more than none.
    """

    prompt_tokens: Fraction | None
    n_replies: int
    n_usage: int
    n_video: int


def cells(
    descriptions: Iterable[Row],
    verdicts: Iterable[Row],
    judges: Sequence[str],
    repetitions: int,
    families: Mapping[str, str],
) -> list[dict[str, object]]:
    """Rows of REPRESENTATION_CELLS, in the order of descriptions and judges.

    descriptions: rows of DESCRIPTIONS, whose arm is the representation; verdicts: rows of
    REPRESENTATION_VERDICTS, repetitions of them planned for each description and judge. Raises
    BadData for a verdict that no judge was planned for, that belongs to no description, or that
    stands there twice.
    """
    grouped: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    known = set()
    for row in descriptions:
        grouped[str(row["tester"]), str(row["arm"]), str(row["clip"])].append(row)
        known.add(row["blind_id"])
    given = _verdicts(verdicts, judges, known)
    return [
        _cell(trials, judge, given, repetitions, families[arm])
        for (_, arm, _), trials in grouped.items()
        for judge in judges
    ]


def check_complete(cell_rows: Sequence[Row], allow_missing: bool) -> None:
    """Raise MissingReplies for a cell without one score, unless gaps are allowed."""
    gaps = [
        f"{row['tester']} {row['representation']} {row['clip']} by {row['judge']}"
        for row in cell_rows
        if not row["n_scored"]
    ]
    refuse_gaps("representations", gaps, len(cell_rows), allow_missing)


def usage(replies: Iterable[Row]) -> dict[tuple[str, str], Usage]:
    """What replies reported, by tester and representation. replies: rows of REPLIES."""
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in replies:
        if row["status"] == "ok":
            grouped[str(row["tester"]), str(row["arm"])].append(row)
    return {key: _usage(rows) for key, rows in grouped.items()}


def similarity(
    scores: Mapping[str, Fraction], reference: Mapping[str, Fraction], scale: int
) -> Fraction | None:
    """Percent of a scale that two sets of scores by clip agree; None without a common clip.

    Each clip counts the same. scale: the distance from the lowest to the highest score.
    """
    common = [clip for clip in scores if clip in reference]
    if not common:
        return None
    errors = sum((abs(scores[clip] - reference[clip]) for clip in common), Fraction())
    return WHOLE * (1 - errors / len(common) / scale)


def table12(
    cell_rows: Sequence[Row],
    used: Mapping[tuple[str, str], Usage],
    reference: str,
    families: Mapping[str, str],
) -> list[dict[str, object]]:
    """Exact rows of TABLE12: of each tester the reference first, then by similarity.

    cell_rows: rows of REPRESENTATION_CELLS. A clip is compared where every judge has scored it in
    both. A film counts, as the reference or beside it, only where each usable reply reported video
    tokens: else nothing shows that the tester saw it, and it has no similarity to anything.
    Observers, which have no tokens, see it by their code. families: of testers and judges.
    """
    by_tester: dict[str, list[Row]] = defaultdict(list)
    for row in cell_rows:
        by_tester[str(row["tester"])].append(row)
    table: list[dict[str, object]] = []
    for rows in by_tester.values():
        judges = list(dict.fromkeys(str(row["judge"]) for row in rows))
        who = {
            "judges": "; ".join(judges),
            "own_judges": "; ".join(_own(rows[0], judges, families)),
        }
        of_tester = ordered(compared(_of_tester(rows, used, reference)), reference)
        table += [row | who for row in of_tester]
    return table


def compared(rows: Iterable[Row]) -> list[dict[str, object]]:
    """Rows with total, similarity by 1,000 tokens, rank and Pareto mark, in the order given.

    rows: of one tester, each with intent_sim, approp_sim (percent or None), prompt_tokens (or
    None), and its status. Those with the status ok are ranked, and marked where no other of them
    has both more similarity and fewer tokens.
    """
    rows = [dict(row) for row in rows]
    for row in rows:
        both = row["intent_sim"], row["approp_sim"]
        row["total_sim"] = None if None in both else (both[0] + both[1]) / 2
        row["sim_per_1000_tokens"] = (
            None
            if row["total_sim"] is None or not row["prompt_tokens"]
            else 1000 * row["total_sim"] / row["prompt_tokens"]
        )
    candidates = [row for row in rows if row["status"] == "ok"]
    for row in rows:
        row["rank"] = row["pareto"] = None
        if row["status"] != "ok":
            continue
        row["rank"] = 1 + sum(other["total_sim"] > row["total_sim"] for other in candidates)
        if row["prompt_tokens"] is not None:
            row["pareto"] = not any(
                other["prompt_tokens"] is not None
                and other["total_sim"] > row["total_sim"]
                and other["prompt_tokens"] < row["prompt_tokens"]
                for other in candidates
            )
    return rows


def saving(row: Row, other: Row) -> tuple[Fraction, Fraction] | None:
    """How many times fewer tokens a representation takes than another, and the points it loses.

    The paper: grid_4x4 against frames_64, 11.7 times for 2.4 points (of its printed totals). None
    where a number is not there.
    """
    numbers = (row["total_sim"], other["total_sim"], row["prompt_tokens"], other["prompt_tokens"])
    if None in numbers or not row["prompt_tokens"]:
        return None
    total, other_total, tokens, other_tokens = (Fraction(number) for number in numbers)
    return other_tokens / tokens, other_total - total


def ordered(rows: Sequence[Row], reference: str) -> list[dict[str, object]]:
    """The reference first, then by rank, then those without one; equal ones as they came."""
    return [
        dict(row)
        for row in sorted(
            rows,
            key=lambda row: (
                row["representation"] != reference,
                row["rank"] is None,
                row["rank"] or 0,
            ),
        )
    ]


def _verdicts(
    verdicts: Iterable[Row], judges: Sequence[str], known: set[object]
) -> dict[tuple[object, object], list[Row]]:
    given: dict[tuple[object, object], list[Row]] = defaultdict(list)
    seen = set()
    for row in verdicts:
        key = row["judge"], row["blind_id"], row["trial"]
        if row["judge"] not in judges:
            raise BadData(
                f"verdict {key} is of a judge that was not planned; "
                f"expected {', '.join(judges) or 'none'}."
            )
        if row["blind_id"] not in known:
            raise BadData(
                f"verdict {key} belongs to no description. "
                "Descriptions and verdicts must come from one blinding; make both again."
            )
        if key in seen:
            raise BadData(f"verdict {key} stands there twice; each counts once.")
        seen.add(key)
        given[row["judge"], row["blind_id"]].append(row)
    return given


def _cell(
    trials: Sequence[Row],
    judge: str,
    given: Mapping[tuple[object, object], Sequence[Row]],
    repetitions: int,
    family: str,
) -> dict[str, object]:
    first = trials[0]
    verdicts = [row for trial in trials for row in given.get((judge, trial["blind_id"]), ())]
    read = [row for row in verdicts if row["parse"] == "parsed"]
    undescribed = sum(trial["parse"] == "unparsed" for trial in trials)
    unread = sum(row["parse"] == "unparsed" for row in verdicts)
    planned = len(trials) * repetitions
    unparsed = repetitions * undescribed + unread
    return {
        "tester": first["tester"],
        "kind": first["kind"],
        "representation": first["arm"],
        "family": family,
        "clip": first["clip"],
        "condition": first["condition"],
        "judge": judge,
        "intent_sum": sum(int(row["intent"]) for row in read),
        "approp_sum": sum(int(row["approp"]) for row in read),
        "n_trials": len(trials),
        "n_scores": planned,
        "n_scored": len(read),
        "n_missing": planned - len(read) - unparsed,
        "n_unparsed": unparsed,
    }


def _usage(rows: Sequence[Row]) -> Usage:
    tokens = [int(row["prompt_tokens"]) for row in rows if row["prompt_tokens"] is not None]
    return Usage(
        prompt_tokens=Fraction(sum(tokens), len(tokens)) if tokens else None,
        n_replies=len(rows),
        n_usage=len(tokens),
        n_video=sum(bool(row["video_tokens"]) for row in rows),
    )


def _of_tester(
    rows: Sequence[Row], used: Mapping[tuple[str, str], Usage], reference: str
) -> list[dict[str, object]]:
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_name[str(row["representation"])].append(row)
    means = {name: {score: _means(of, score) for score in SCALES} for name, of in by_name.items()}
    tester = str(rows[0]["tester"])
    state = _reference_state(by_name, means, used.get((tester, reference)), reference)
    return [
        _row(of, means[name], means.get(reference), used.get((tester, name)), state, reference)
        for name, of in by_name.items()
    ]


def _own(row: Row, judges: Iterable[str], families: Mapping[str, str]) -> list[str]:
    """The judges that are the tester itself or of its family; an observer has no family."""
    tester = str(row["tester"])
    family = families.get(tester) if row["kind"] == "model" else None
    return [
        judge
        for judge in judges
        if judge == tester or (family is not None and families.get(judge) == family)
    ]


def _reference_state(
    by_name: Mapping[str, Sequence[Row]],
    means: Mapping[str, Mapping[str, Mapping[str, Fraction]]],
    used: Usage | None,
    reference: str,
) -> Status:
    """What the reference is fit for: `reference`, or why it is none."""
    if not means.get(reference, {}).get("intent"):
        return "reference_missing"
    if _is_unseen(by_name[reference][0], used):
        return "reference_refused"
    return "reference"


def _is_unseen(row: Row, used: Usage | None) -> bool:
    """Whether it is a film of which nothing shows that a model saw it."""
    is_checked = row["family"] == VIDEO and row["kind"] != "observer"
    return is_checked and (used is None or used.n_video < used.n_replies)


def _means(rows: Sequence[Row], score: str) -> dict[str, Fraction]:
    """By clip the mean over judges, where each has scored it: half a panel is another one."""
    by_clip: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_clip[str(row["clip"])].append(row)
    return {
        clip: sum((Fraction(row[f"{score}_sum"], row["n_scored"]) for row in of_clip), Fraction())
        / len(of_clip)
        for clip, of_clip in by_clip.items()
        if all(row["n_scored"] for row in of_clip)
    }


def _row(
    rows: Sequence[Row],
    means: Mapping[str, Mapping[str, Fraction]],
    of_reference: Mapping[str, Mapping[str, Fraction]] | None,
    used: Usage | None,
    state: Status,
    reference: str,
) -> dict[str, object]:
    first = rows[0]
    clips = {row["clip"] for row in rows}
    common = [clip for clip in means["intent"] if of_reference and clip in of_reference["intent"]]
    status: Status = state
    if state == "reference" and first["representation"] != reference:
        status = "missing" if not common else "video_not_shown" if _is_unseen(first, used) else "ok"
    sims = dict.fromkeys(SCALES)
    if status in ("ok", "reference"):
        sims = {s: similarity(means[s], of_reference[s], SCALES[s]) for s in SCALES}
    used = used or Usage(None, 0, 0, 0)
    return {
        "tester": first["tester"],
        "kind": first["kind"],
        "representation": first["representation"],
        "family": first["family"],
        "intent_sim": sims["intent"],
        "approp_sim": sims["approp"],
        "prompt_tokens": used.prompt_tokens,
        "status": status,
        "trials": first["n_trials"],
        "n_clips": len(common),
        "n_missing": len(clips) - len(common),
        "n_scores": sum(int(row["n_scores"]) for row in rows),
        "n_scored": sum(int(row["n_scored"]) for row in rows),
        "n_replies": used.n_replies,
        "n_usage": used.n_usage,
        "n_video": used.n_video,
    }
