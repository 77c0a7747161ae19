"""What the tables and the figure of several arms share: arms with their K, who is compared."""

from collections.abc import Iterable, Mapping, Sequence

from vlmtom.publish.provenance import Source
from vlmtom.stats.arm_tables import NO_CELLS, NO_TESTERS, NOT_IN_PANEL, NOT_RUN, OK, Comparison
from vlmtom.stats.exact import Number, show

Row = Mapping[str, object]

_REASONS = {
    NOT_RUN: "Not run",
    NOT_IN_PANEL: "Asked of observers alone",
    NO_CELLS: "Without a scored cell",
}


def shown_note(trials: Mapping[str, int], overlays: Sequence[str]) -> str:
    """Arms, trials and overlays for a caption's source. trials: K by arm, in order."""
    by_k: dict[int, list[str]] = {}
    for arm, k in trials.items():
        by_k.setdefault(k, []).append(arm)
    (first, arms), *others = by_k.items()
    told = [f"K = {first} trials a clip in {listed(arms)}"]
    told += [f"{k} in {listed(arms)}" for k, arms in others]
    return f"{', '.join(told)}; overlay{'s' * (len(overlays) > 1)} {listed(overlays)}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def testers_note(found: Comparison) -> str:
    """Over whom a comparison is, and who is left out of it, by name."""
    if not found.testers:
        return "No tester has a score in all that is compared."
    # A panel that is whole needs no list of its names.
    if not found.left_out:
        return f"Over all {len(found.testers)} testers of the panel."
    return (
        f"Over the testers that have all that is compared: {', '.join(found.testers)}; without "
        f"{', '.join(found.left_out)}."
    )


def absent_note(rows: Sequence[Row]) -> str:
    """Which arms and overlays have no number, and why."""
    told: dict[str, list[str]] = {}
    for row in rows:
        if row["status"] not in (OK, NO_TESTERS):
            told.setdefault(_REASONS[str(row["status"])], []).append(
                f"{row['arm']} {row['overlay']}"
            )
    return " ".join(
        f"{reason}: {', '.join(dict.fromkeys(names))}." for reason, names in told.items()
    )


def pair(first: Number | None, second: Number | None, digits: int = 2) -> str:
    """A profile as it is printed; a dash where there is none."""
    return "–" if first is None else f"({show(first, digits)}, {show(second, digits)})"


def signed(value: Number | None, digits: int) -> str:
    """A difference with its sign; none before a zero as printed."""
    text = show(value, digits).replace("-", "−")
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


def caption_notes(
    source: Source,
    trials: Mapping[str, int],
    overlays: Sequence[str],
    found: Comparison,
) -> list[str]:
    """Source, testers and overlays of a comparison, for its caption."""
    mixed = set(found.kinds) == {"model", "observer"}
    return [
        *source.notes(found.kinds, shown_note(trials, overlays)),
        testers_note(found),
        "Observers are not in the panel's numbers." if mixed else "",
    ]


def gaps_note(pairs: Iterable[tuple[object, object]]) -> str:
    """How missing cells are treated, where there are any. pairs: cells scored and planned."""
    if all(n == planned for n, planned in pairs):
        return ""
    return "Missing cells are not in the means; cells: with a score, of those planned."
