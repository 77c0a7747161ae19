"""What the tables of the Director Task's arms share: counts with their n, who was asked, notes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vlmtom.publish.provenance import tester_label, testers_note

Row = Mapping[str, object]

ARM_NAMES = {
    "canonical": "canonical",
    "no_occluder": "no occluder",
    "same_side": "same side",
    "four_block": "four blocks",
    "unasked": "unasked",
    "rule": "rule",
    "reasoning": "reasoning",
}


def by_tester(table: Iterable[Row]) -> dict[str, dict[str, Row]]:
    """Rows of ARM_COUNTS by tester and arm."""
    found: dict[str, dict[str, Row]] = {}
    for row in table:
        found.setdefault(str(row["tester"]), {})[str(row["arm"])] = row
    return found


def label(of_tester: Mapping[str, Row], kinds: Iterable[str]) -> str:
    """A tester's name, from its rows of any arm."""
    row = next(iter(of_tester.values()))
    return tester_label(str(row["tester"]), str(row["kind"]), kinds)


def count(row: Row | None, column: str) -> str:
    """A count; with its n where scenes are missing; a dash where nothing was asked or usable."""
    if row is None:
        return "–"
    n = row[f"n_{column.removeprefix('ego_').removesuffix('_strict')}"]
    if not n:
        return "–"
    return str(row[column]) if n == row["n_scenes"] else f"{row[column]}/{n}"


@dataclass(frozen=True)
class Design:
    """What captions say of the run: the configuration's name, and K by arm."""

    panel: str
    trials: Mapping[str, int]


def notes(
    table: Sequence[Row], arms: Sequence[str], design: Design, level: str, kinds: Iterable[str]
) -> list[str]:
    """Sentences for a caption.

    table: rows of ARM_COUNTS; arms: those that the table shows; kinds: of the testers.
    """
    asked = by_tester(table)
    told = [
        f"Panel {design.panel}; {_trials(design.trials, arms)}, majority of the usable trials, "
        f"{level}."
    ]
    absent = [arm for arm in arms if arm not in design.trials]
    if absent:
        told.append(f"Not run: {_names(absent)}.")
    partial = {
        tester: [arm for arm in arms if arm not in rows and arm not in absent]
        for tester, rows in asked.items()
    }
    partial = {tester: lacking for tester, lacking in partial.items() if lacking}
    if partial:
        named = "; ".join(f"{tester} in {_names(lacking)}" for tester, lacking in partial.items())
        told.append(f"Not asked: {named}.")
    unusable = [
        f"{row['tester']} {ARM_NAMES[str(row['arm'])]} "
        f"{row['missing']} missing and {row['unparsed']} unparsed of {row['trials']}"
        for row in table
        if row["missing"] or row["unparsed"]
    ]
    if unusable:
        told.append(f"Outcomes: {'; '.join(unusable)}.")
    told += ["Descriptive.", testers_note(kinds)]
    return [note for note in told if note]


def _trials(trials: Mapping[str, int], arms: Sequence[str]) -> str:
    """K of each arm that was run."""
    by_k: dict[int, list[str]] = {}
    for arm in arms:
        if arm in trials:
            by_k.setdefault(trials[arm], []).append(arm)
    if len(by_k) == 1:
        return f"K = {next(iter(by_k))} trials a scene"
    return "trials a scene: " + ", ".join(f"K = {k} ({_names(of)})" for k, of in by_k.items())


def _names(arms: Iterable[str]) -> str:
    return ", ".join(ARM_NAMES[arm] for arm in arms)
