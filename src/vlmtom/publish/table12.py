"""Table 12: representations of the clips against the film (cross-task paper, Appendix L)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import judges_note, tester_label, testers_note
from vlmtom.stats.exact import show
from vlmtom.stats.representations import saving

Row = Mapping[str, object]

CHOSEN = "grid_4x4"  # what the arms of the triangles show
_FAMILIES = {"grid_320x240": "grid 320×240", "grid_native": "grid, whole frames"}
_COLUMNS = (
    Column("representation", "l"),
    Column("family", "l"),
    Column("Intent"),
    Column("Approp"),
    Column("total"),
    Column("rank"),
    Column("tokens"),
    Column("per 1,000"),
    Column("best", "c"),
    Column("clips"),
    Column("K"),
)


@dataclass(frozen=True)
class Study:
    """Where the numbers come from, for the caption.

    repetitions: verdicts of each judge on each description. judge_kinds: model or observer, of
    each judge. stimulus_source: synthetic, or the name given to original clips.
    """

    panel: str
    reference: str
    clips: Sequence[str]
    repetitions: int
    rubric_sha256: str
    stimulus_source: str
    judge_kinds: Sequence[str]


def table12_tex(table: Sequence[Row], study: Study) -> str:
    """The LaTeX source of Table 12: a block of rows a tester. table: exact rows of TABLE12."""
    kinds = [str(row["kind"]) for row in table]
    testers = list(dict.fromkeys(str(row["tester"]) for row in table))
    rows: list[list[str]] = []
    breaks = []
    for tester in testers:
        of_tester = [row for row in table if row["tester"] == tester]
        if len(testers) > 1:
            breaks.append(len(rows))
            name = tester_label(tester, str(of_tester[0]["kind"]), kinds)
            rows.append([name, *[""] * (len(_COLUMNS) - 1)])
        rows += [_row(row) for row in of_tester]
    return LatexTable(
        label="tab:representations",
        caption=(
            f"Representations of the clips: similarity to {study.reference}, in percent. It is "
            "100 (1 - MAE / scale) on Intentionality (0 to 5) and Appropriateness (0 to 3), and in "
            "total the mean of the two; MAE is over clips, between means over judges of all trials "
            "and repetitions. Columns: tokens of a prompt, their mean; per 1,000 of them, the "
            "total; best (*): none but the reference has both more similarity and fewer tokens."
        ),
        columns=_COLUMNS,
        groups=[("", 2), ("similarity", 3), ("", 1), ("prompt tokens", 2), ("", 3)],
        rows=rows,
        breaks=breaks[1:],
        gap_pt=2,
        size="scriptsize",
        notes=[*_notes(table, testers, kinds, study)],
    ).text()


def _row(row: Row) -> list[str]:
    known = "" if row["n_usage"] == row["n_replies"] else f" ({row['n_usage']}/{row['n_replies']})"
    tokens = "–" if row["prompt_tokens"] is None else f"{_whole(row['prompt_tokens'])}{known}"
    planned = int(str(row["n_clips"])) + int(str(row["n_missing"]))
    return [
        str(row["representation"]),
        _FAMILIES.get(str(row["family"]), str(row["family"])),
        *(show(row[name], 1) for name in ("intent_sim", "approp_sim", "total_sim")),
        "–" if row["rank"] is None else str(row["rank"]),
        tokens,
        show(row["sim_per_1000_tokens"], 1),
        {None: "–", True: "*", False: ""}[row["pareto"]],
        f"{row['n_clips']}" if not row["n_missing"] else f"{row['n_clips']} of {planned}",
        str(row["trials"]),
    ]


def _whole(tokens: object) -> str:
    return f"{int(show(tokens, 0)):,}"


def _notes(
    table: Sequence[Row], testers: Sequence[str], kinds: Sequence[str], study: Study
) -> list[str]:
    who = f"Tester {testers[0]}. " if len(testers) == 1 else ""
    notes = [
        f"{who}Panel {study.panel}; clips {', '.join(study.clips)}; {study.repetitions} "
        f"repetitions a judge; overlay blinded; rubric SHA-256 {study.rubric_sha256[:12]}.",
        *_judged_by(table, testers),
        *(_saved(table, tester, len(testers) > 1) for tester in testers),
        *_refusals(table, study.reference),
        *_observers_see(table, study.reference),
        "LLM-rated; descriptive.",
        judges_note(study.judge_kinds),
        "Synthetic clips, not the original ones." if "synthetic" in study.stimulus_source else "",
        testers_note(kinds),
    ]
    return [note for note in notes if note]


def _judged_by(table: Sequence[Row], testers: Sequence[str]) -> Iterable[str]:
    """The judges by name, and which of them rate themselves or their own kind."""
    first = {tester: next(row for row in table if row["tester"] == tester) for tester in testers}
    names = dict.fromkeys(n for row in first.values() for n in str(row["judges"]).split("; "))
    yield f"Judges: {', '.join(names)}."
    for tester, row in first.items():
        own = [name for name in str(row["own_judges"]).split("; ") if name]
        kin = [name for name in own if name != tester]
        if tester in own:
            yield f"{tester} is among its own judges."
        if kin:
            yield f"Of the model family of {tester}: {', '.join(kin)}."


def _saved(table: Sequence[Row], tester: str, named: bool) -> str:
    """The chosen representation against the one that is most similar, as the paper puts it."""
    rows = {str(row["representation"]): row for row in table if row["tester"] == tester}
    first = next((row for row in rows.values() if row["rank"] == 1), None)
    chosen = rows.get(CHOSEN)
    if first is None or chosen is None or first["representation"] == CHOSEN:
        return ""
    found = saving(chosen, first)
    if found is None:
        return ""
    times, points = found
    if show(times, 1) == show(1 / times, 1):
        tokens = "as many tokens"
    elif times > 1:
        tokens = f"{show(times, 1)} times fewer tokens"
    else:
        tokens = f"{show(1 / times, 1)} times as many tokens"
    who = f"{tester}: " if named else ""
    return (
        f"{who}{CHOSEN} against {first['representation']}: {tokens}, {show(points, 1)} points less."
    )


def _refusals(table: Sequence[Row], reference: str) -> Iterable[str]:
    """Why a tester's rows have no similarity."""
    for row in table:
        if row["status"] == "video_not_shown":
            yield (
                f"{row['tester']}: {row['representation']} is not compared, because "
                f"{row['n_video']} of {row['n_replies']} replies to it reported video tokens; "
                "nothing shows that the film was seen."
            )
        if row["representation"] != reference:
            continue
        if row["status"] == "reference_refused":
            yield (
                f"{row['tester']}: refused as a reference, because {row['n_video']} of "
                f"{row['n_replies']} replies to {reference} reported video tokens; nothing shows "
                "that the film was seen."
            )
        if row["status"] == "reference_missing":
            yield f"{row['tester']}: no clip of {reference} is scored by every judge."


def _observers_see(table: Sequence[Row], reference: str) -> Iterable[str]:
    observed = any(
        row["kind"] == "observer"
        and row["representation"] == reference
        and row["family"] == "video"
        for row in table
    )
    if observed:
        yield "Observers report no tokens; that they decode the film is in their code."
