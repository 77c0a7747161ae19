"""Tables 6, 9 and 10: the same testers in several arms and under several overlays, side by side.

A comparison is over the testers that have all of what is compared, so that no difference comes
from who was asked. Rows hold exact numbers; `exact.plain` makes them storable.
Source: cross-task paper, Appendices F, J and K.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.stats.exact import Number, Root
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
from vlmtom.triangles.cells import CONDITIONS, Aggregation

Row = Mapping[str, object]

# The canonical arm, what the paper's Table 6 compares with it, and two that it has not.
TABLE6_ARMS = ("numbered", "reversed", "keyframe", "shuffled", "plain")
TABLE10_ARMS = ("plain", "numbered")
TABLE9_VARIANTS = tuple(
    (arm, overlay) for arm in ("plain", "numbered") for overlay in ("informed", "blinded")
)
OK, NOT_RUN, NO_CELLS, NO_TESTERS = "ok", "not_run", "no_cells", "no_common_testers"
NOT_IN_PANEL = "not_in_panel"  # asked of observers alone, where there are models


@dataclass(frozen=True)
class Comparison:
    """The cells of each variant (arm, overlay) that was run, of the testers that have all of them.

    A tester has a variant if each of its conditions has a scored cell. testers: those, in order of
    appearance. left_out: those that have one variant, but not all. absent: variants without cells
    to compare, each with the reason, not_run, not_in_panel or no_cells. kinds: model or observer,
    of every tester asked, also of observers that are not compared because there is a model.
    """

    cells: Mapping[tuple[str, str], Sequence[Row]]
    testers: Sequence[str]
    left_out: Sequence[str]
    absent: Mapping[tuple[str, str], str]
    kinds: Sequence[str]

    def status(self, variant: tuple[str, str]) -> str:
        """Why a variant has no number, or ok."""
        return self.absent.get(variant, OK if self.testers else NO_TESTERS)


def compared(cell_rows: Iterable[Row], variants: Sequence[tuple[str, str]]) -> Comparison:
    """The common testers of some variants, with their cells.

    cell_rows: rows of TRIANGLES_CELLS; models alone, where there is one. A variant that was not
    run, or of which nothing is scored, keeps no tester from being compared on the others.
    """
    everyone = list(cell_rows)
    asked = [row for row in everyone if (row["arm"], row["overlay"]) in variants]
    kinds = {str(row["tester"]): str(row["kind"]) for row in asked}
    run = {(row["arm"], row["overlay"]) for row in asked}
    cell_rows = [row for row in averaged(everyone) if (row["arm"], row["overlay"]) in variants]
    of = {(arm, overlay): Reading(arm, overlay).cells(cell_rows) for arm, overlay in variants}
    absent = {
        variant: NO_CELLS if rows else NOT_IN_PANEL if variant in run else NOT_RUN
        for variant, rows in of.items()
        if all(row["intent"] is None for row in rows)
    }
    having = [_complete(rows) for variant, rows in of.items() if variant not in absent]
    named = list(dict.fromkeys(str(row["tester"]) for row in cell_rows))
    testers = [name for name in named if having and all(name in one for one in having)]
    return Comparison(
        cells={v: [row for row in rows if row["tester"] in testers] for v, rows in of.items()},
        testers=testers,
        left_out=[name for name in named if name not in testers],
        absent=absent,
        kinds=list(kinds.values()),
    )


def table6_variants(arms: Iterable[str], overlay: str = "blinded") -> list[tuple[str, str]]:
    """What Table 6 compares, of the arms that were shown, in its order."""
    shown = set(arms)
    return [(arm, overlay) for arm in TABLE6_ARMS if arm in shown]


def table10_variants(overlay: str = "blinded") -> list[tuple[str, str]]:
    """What Table 10 compares."""
    return [(arm, overlay) for arm in TABLE10_ARMS]


def table6(
    found: Comparison,
    references: References,
    trials: Mapping[str, int],
    aggregation: Aggregation = "mean_of_judges",
) -> list[dict[str, object]]:
    """One row per condition and arm (TABLE6): the panel's mean profile, distances, nearest group.

    found: over table6_variants. trials: K, the trials of a clip, of each arm.
    """
    panels = {
        variant: panel_profiles(
            table5(cells, references, Reading(*variant, aggregation)), references
        )
        for variant, cells in found.cells.items()
    }
    return [
        {
            "condition": condition,
            "arm": arm,
            "overlay": overlay,
            "n_trials": trials[arm],
            **{name: value for name, value in row.items() if name in _PROFILE},
            "n_testers": 0 if (arm, overlay) in found.absent else len(found.testers),
            "status": _status([row["intent"]], [found.status((arm, overlay))]),
        }
        for condition in CONDITIONS
        for (arm, overlay), panel in panels.items()
        for row in panel
        if row["condition"] == condition
    ]


def table9(
    found: Comparison, references: References, aggregation: Aggregation = "mean_of_judges"
) -> list[dict[str, object]]:
    """One row per arm and overlay (TABLE9): the panel's headline under what judges were told.

    found: over TABLE9_VARIANTS. A variant that was not run has a row of nulls, status not_run.
    """
    return [
        {
            "arm": variant[0],
            "overlay": variant[1],
            **_headline(cells, references, Reading(*variant, aggregation)),
            "n_testers": 0 if variant in found.absent else len(found.testers),
            "status": found.status(variant),
        }
        for variant, cells in found.cells.items()
    ]


def table10(
    found: Comparison, references: References, aggregation: Aggregation = "mean_of_judges"
) -> list[dict[str, object]]:
    """One row per headline number (TABLE10): plain, numbered, and numbered minus plain.

    found: over table10_variants. The difference is that of the exact numbers, not of those printed.
    """
    plain, numbered = (
        _headline(cells, references, Reading(*variant, aggregation))
        for variant, cells in found.cells.items()
    )
    statuses = [found.status(variant) for variant in found.cells]
    return [
        {
            "metric": metric,
            "plain": plain[metric],
            "numbered": numbered[metric],
            "delta": _difference(plain[metric], numbered[metric]),
            "n_testers": len(found.testers),
            "n_cells_plain": plain["n_cells"],
            "n_cells_numbered": numbered["n_cells"],
            "n_planned_plain": plain["n_planned"],
            "n_planned_numbered": numbered["n_planned"],
            "status": _status([plain[metric], numbered[metric]], statuses),
        }
        for metric in TABLE10_METRICS
    ]


TABLE10_METRICS = (
    "strict_rank_count",
    "median_intent_tom",
    "median_intent_gd",
    "median_intent_random",
    "mean_intent_tom",
    "mean_approp_tom",
    "dist_td_tom",
    "dist_hfasd_tom",
)
_COUNTS = ("n_cells", "n_planned", "n_scores", "n_missing", "n_unparsed")
_PROFILE = ("intent", "approp", *DISTANCES, "nearest", "margin", "tie", *_COUNTS)


def _complete(rows: Sequence[Row]) -> set[str]:
    """The testers with a scored cell in every condition that these cells have."""
    conditions = {row["condition"] for row in rows}
    scored: dict[str, set[object]] = {}
    for row in rows:
        if row["intent"] is not None:
            scored.setdefault(str(row["tester"]), set()).add(row["condition"])
    return {tester for tester, found in scored.items() if found == conditions}


def _headline(cells: Sequence[Row], references: References, reading: Reading) -> dict[str, object]:
    """A variant's numbers over the panel: medians over the pooled cells, means of profiles."""
    panel = panel_profiles(table5(cells, references, reading), references)
    tom = next(row for row in panel if row["condition"] == "ToM")
    ranks = [row["strict_rank"] for row in table11(cells, [reading.arm], reading.overlay)]
    known = [rank for rank in ranks if rank is not None]
    return {
        "strict_rank_count": sum(known) if known else None,
        "n_ranked": len(known),
        **{f"median_intent_{c.lower()}": value for c, value in medians_of(cells).items()},
        "mean_intent_tom": tom["intent"],
        "mean_approp_tom": tom["approp"],
        **{f"{column}_tom": tom[column] for column in DISTANCES},
        **{f"nearest_{str(row['condition']).lower()}": row["nearest"] for row in panel},
        **{f"tie_{str(row['condition']).lower()}": row["tie"] for row in panel},
        **{name: sum(row[name] for row in panel) for name in _COUNTS},
    }


def _difference(first: Number | None, second: Number | None) -> Fraction | None:
    """Second minus first, exact; of two roots to 50 digits."""
    if first is None or second is None:
        return None
    if first == second:
        return Fraction()
    values = [n.fraction() if isinstance(n, Root) else Fraction(n) for n in (first, second)]
    return values[1] - values[0]


def _status(values: Sequence[Number | None], statuses: Sequence[str]) -> str:
    wrong = [status for status in statuses if status != OK]
    return wrong[0] if wrong else NO_CELLS if None in values else OK
