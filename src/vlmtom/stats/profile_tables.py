"""Tables 5, 7 and 11: profiles, their distances to human references, and the order of medians.

Rows hold exact numbers (fractions and roots); `exact.plain` makes them storable.
Source: cross-task paper, section 4.3, Appendices E, G and K.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.stats.exact import Root
from vlmtom.stats.references import Nearest, Point, References
from vlmtom.triangles import cells as triangles
from vlmtom.triangles.cells import CONDITIONS, Aggregation, Profile

Row = Mapping[str, object]

# The columns of the two adult groups; another group can be nearest, but has no column.
DISTANCES = {"dist_td": "TD-adult", "dist_hfasd": "HF-ASD-adult"}
PANEL = "panel"


@dataclass(frozen=True)
class Reading:
    """Which cells are read, and how they are taken together."""

    arm: str = "numbered"
    overlay: str = "blinded"
    aggregation: Aggregation = "mean_of_judges"

    def cells(self, cell_rows: Iterable[Row]) -> list[Row]:
        """The cells of this arm and overlay."""
        return [r for r in cell_rows if r["arm"] == self.arm and r["overlay"] == self.overlay]

    def profiles(self, cell_rows: Iterable[Row]) -> list[Profile]:
        """The profiles of this arm and overlay, testers in order of appearance."""
        return triangles.profiles(self.cells(cell_rows), self.aggregation)


def point_of(profile: Profile) -> Point | None:
    """A profile's place in the plane; None without a scored cell."""
    return None if profile.intent is None else Point(profile.intent, profile.approp)


def table5(
    cell_rows: Iterable[Row], references: References, reading: Reading
) -> list[dict[str, object]]:
    """One row per condition and tester (TABLE5): profile, distances, nearest adult reference."""
    profiles = reading.profiles(cell_rows)
    return [
        _profile_row(p, references.adults.near_point(point_of(p), condition))
        for condition in CONDITIONS
        for p in profiles
        if p.condition == condition
    ]


def table7(
    cell_rows: Iterable[Row], references: References, reading: Reading
) -> list[dict[str, object]]:
    """One row per tester (TABLE7): the ToM rows of Table 5."""
    rows = table5(cell_rows, references, reading)
    return [
        {name: value for name, value in row.items() if name != "condition"}
        for row in rows
        if row["condition"] == "ToM"
    ]


def table11(
    cell_rows: Iterable[Row], arms: Sequence[str], overlay: str = "blinded"
) -> list[dict[str, object]]:
    """One row per tester and arm (TABLE11): median Intentionality by condition, strict rank.

    strict_rank: ToM > GD > Random on the medians; null where a condition has no scored cell.
    """
    cell_rows = list(cell_rows)
    rows = []
    for arm in arms:
        for cells in _by_tester(Reading(arm, overlay).cells(cell_rows)).values():
            medians = medians_of(cells)
            rows.append(
                {"tester": cells[0]["tester"], "kind": cells[0]["kind"], "arm": arm}
                | {f"median_{name.lower()}": medians[name] for name in CONDITIONS}
                | {
                    "strict_rank": strict_rank(medians),
                    "over_attribution": triangles.over_attributed(cells),
                    "n_random": len(triangles.scored(cells, "Random")),
                    "n_cells": sum(cell["intent"] is not None for cell in cells),
                    "n_planned": len(cells),
                    "n_scores": sum(cell["n_trials"] for cell in cells),
                    "n_missing": sum(cell["n_missing"] for cell in cells),
                    "n_unparsed": sum(cell["n_unparsed"] for cell in cells),
                    "status": _status(None not in medians.values()),
                }
            )
    return rows


def medians_of(cell_rows: Iterable[Row]) -> dict[str, Fraction | None]:
    """Median Intentionality by condition, over all cells that are given."""
    cell_rows = list(cell_rows)
    return {
        condition: triangles.median(r["intent"] for r in triangles.scored(cell_rows, condition))
        for condition in CONDITIONS
    }


def strict_rank(medians: Mapping[str, Fraction | None]) -> bool | None:
    """Whether ToM > GD > Random; None where one has no value."""
    if None in medians.values():
        return None
    return medians["ToM"] > medians["GD"] > medians["Random"]


def averaged(rows: Iterable[Row]) -> list[Row]:
    """The rows that a panel's number is over: models; observers where there is no model."""
    rows = list(rows)
    return [row for row in rows if row["kind"] == "model"] or rows


def panel_profiles(table: Sequence[Row], references: References) -> list[dict[str, object]]:
    """The panel's mean profile by condition, with the distances of that mean, as in Table 5.

    table: exact rows of Table 5. The mean of the testers' profiles: with every cell there it is
    the mean of all cells. Its distance is not the mean of the testers' distances.
    """
    rows = []
    for condition in CONDITIONS:
        of_condition = averaged(row for row in table if row["condition"] == condition)
        present = [row for row in of_condition if row["intent"] is not None]
        means = [
            sum((row[score] for row in present), Fraction()) / len(present) if present else None
            for score in ("intent", "approp")
        ]
        profile = Profile(
            tester=PANEL,
            kind=PANEL,
            arm="",
            overlay="",
            condition=condition,
            intent=means[0],
            approp=means[1],
            median_intent=None,
            n_cells=sum(row["n_cells"] for row in of_condition),
            n_planned=sum(row["n_planned"] for row in of_condition),
            n_scores=sum(row["n_scores"] for row in of_condition),
            n_missing=sum(row["n_missing"] for row in of_condition),
            n_unparsed=sum(row["n_unparsed"] for row in of_condition),
        )
        near = references.adults.near_point(point_of(profile), condition)
        rows.append(_profile_row(profile, near))
    return rows


def distance_columns(near: Nearest) -> dict[str, Root | None]:
    """The distances to the two adult groups."""
    return {column: near.distances.get(group) for column, group in DISTANCES.items()}


def _profile_row(profile: Profile, near: Nearest) -> dict[str, object]:
    return {
        "tester": profile.tester,
        "kind": profile.kind,
        "condition": profile.condition,
        "intent": profile.intent,
        "approp": profile.approp,
        **distance_columns(near),
        "nearest": near.group,
        "margin": near.margin,
        "tie": near.tie,
        "n_cells": profile.n_cells,
        "n_planned": profile.n_planned,
        "n_scores": profile.n_scores,
        "n_missing": profile.n_missing,
        "n_unparsed": profile.n_unparsed,
        "status": _status(profile.intent is not None),
    }


def _status(present: bool) -> str:
    return "ok" if present else "no_cells"


def _by_tester(cell_rows: Iterable[Row]) -> dict[object, list[Row]]:
    grouped: dict[object, list[Row]] = defaultdict(list)
    for row in cell_rows:
        grouped[row["tester"]].append(row)
    return grouped
