"""What becomes of the panel's numbers without in-family judges, or without one judge.

Rows hold exact numbers; `exact.plain` makes them storable.
Source: cross-task paper, Appendix J (same-family audit).
"""

from collections.abc import Iterable, Mapping, Sequence

from vlmtom.stats.joint import same_family_cells
from vlmtom.stats.profile_tables import (
    DISTANCES,
    Reading,
    averaged,
    medians_of,
    panel_profiles,
    table5,
    table11,
)
from vlmtom.stats.references import References
from vlmtom.triangles.cells import CONDITIONS, scored

Row = Mapping[str, object]

NONE = "none"  # left out: the panel of all judges, for comparison


def family_rows(
    cell_rows: Iterable[Row],
    arms: Sequence[str],
    families: Mapping[str, str],
    overlay: str = "blinded",
) -> list[dict[str, object]]:
    """One row per arm and condition (JUDGE_FAMILY): panel medians with and without in-family cells.

    families: of testers and judges; where one of them is unknown, nothing can be left out.
    """
    # Who is the panel is decided once: an arm that was asked of observers alone has no model.
    cell_rows = averaged(cell_rows)
    rows = []
    for arm in arms:
        cells = Reading(arm, overlay).cells(cell_rows)
        apart = [r for r in cells if families.get(r["tester"]) != families.get(r["judge"])]
        with_all, without = medians_of(cells), medians_of(apart)
        for condition in CONDITIONS:
            present = scored(cells, condition)
            count, unknown = same_family_cells(present, families)
            left = None if unknown else without[condition]
            both = None not in (with_all[condition], left)
            rows.append(
                {
                    "arm": arm,
                    "condition": condition,
                    "median_all": with_all[condition],
                    "median_without": left,
                    "delta": left - with_all[condition] if both else None,
                    "n_cells": len(present),
                    "n_planned": sum(row["condition"] == condition for row in cells),
                    "n_family": count,
                    "status": _family_status(len(present), count),
                }
            )
    return rows


def unknown_families(
    cell_rows: Iterable[Row], families: Mapping[str, str], overlay: str = "blinded"
) -> list[str]:
    """Testers and judges of scored cells whose family nobody told."""
    return same_family_cells((r for r in cell_rows if r["overlay"] == overlay), families)[1]


def left_out_rows(
    cell_rows: Iterable[Row], judges: Sequence[str], references: References, reading: Reading
) -> list[dict[str, object]]:
    """One row per judge left out, and first one for none (JUDGE_LEFT_OUT): the panel's numbers.

    labels_changed: testers whose nearest reference on ToM clips is not that of all judges, of
    n_labels that have one in both. Without any judge left the numbers are null.
    """
    cell_rows = reading.cells(cell_rows)
    everyone = _labels(cell_rows, references, reading)
    rows = []
    for left_out in (NONE, *judges):
        cells = [row for row in cell_rows if row["judge"] != left_out]
        labels = _labels(cells, references, reading)
        both = [tester for tester in everyone if labels.get(tester) and everyone[tester]]
        rows.append(
            {
                "left_out": left_out,
                **_panel(cells, references, reading),
                "labels_changed": sum(labels[name] != everyone[name] for name in both)
                if both
                else None,
                "n_labels": len(both),
            }
        )
    return rows


def _panel(cells: Sequence[Row], references: References, reading: Reading) -> dict[str, object]:
    counted = averaged(cells)
    profiles = {
        row["condition"]: row
        for row in panel_profiles(table5(cells, references, reading), references)
    }
    ranks = [row["strict_rank"] for row in averaged(table11(cells, [reading.arm], reading.overlay))]
    known = [rank for rank in ranks if rank is not None]
    tom = profiles["ToM"]
    return {
        **{f"median_{name.lower()}": median for name, median in medians_of(counted).items()},
        "tom_intent": tom["intent"],
        "tom_approp": tom["approp"],
        **{column: tom[column] for column in DISTANCES},
        **{f"nearest_{name.lower()}": profiles[name]["nearest"] for name in CONDITIONS},
        "strict_ranks": sum(known) if known else None,
        "n_ranks": len(known),
        "n_cells": sum(row["intent"] is not None for row in counted),
        "n_planned": len(counted),
        "status": "ok"
        if all(profiles[c]["intent"] is not None for c in CONDITIONS)
        else "no_cells",
    }


def _labels(cells: Sequence[Row], references: References, reading: Reading) -> dict[object, object]:
    rows = averaged(table5(cells, references, reading))
    return {row["tester"]: row["nearest"] for row in rows if row["condition"] == "ToM"}


def _family_status(n_cells: int, n_family: int | None) -> str:
    if not n_cells:
        return "no_cells"
    if n_family is None:
        return "family_unknown"
    return "all_in_family" if n_family == n_cells else "ok"
