"""The joint result: is a tester nearest to the same human reference on both tasks?

Descriptive geometry: a label names the nearer of two published group means, its margin and
stability say how firmly; neither says what a tester is.
Source: cross-task paper, sections 3.3 and 5, Appendix H.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from vlmtom.director import cells as director
from vlmtom.stats.association import Association, spearman
from vlmtom.stats.bootstrap import RESAMPLES, gap_label_stability, profile_label_stability
from vlmtom.stats.profile_tables import (
    Reading,
    averaged,
    distance_columns,
    medians_of,
    panel_profiles,
    point_of,
    table5,
    table11,
)
from vlmtom.stats.references import Nearest, Reference, References
from vlmtom.store.digests import seed_for
from vlmtom.triangles.cells import Profile

Row = Mapping[str, object]


def table8(
    director_cells: Iterable[Row],
    triangle_cells: Iterable[Row],
    references: References,
    reading: Reading,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[dict[str, object]]:
    """One row per tester of either task (TABLE8), exact.

    director_cells: rows of DIRECTOR_CELLS (the canonical arm is read); triangle_cells: rows of
    TRIANGLES_CELLS. Where a task has no place for a tester, its label and the comparison are null.
    resamples: 0 leaves the stability of labels null.
    """
    adults = references.adults
    return labels(director_cells, triangle_cells, adults, adults, reading, seed, resamples)


def labels(
    director_cells: Iterable[Row],
    triangle_cells: Iterable[Row],
    director_references: References,
    triangles_references: References,
    reading: Reading,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[dict[str, object]]:
    """Rows as of table8, with each task's own set of references."""
    gaps = _gap_rows(director_cells, director_references, seed, resamples)
    cells = reading.cells(triangle_cells)
    profiles = _profile_rows(cells, triangles_references, reading, seed, resamples)
    rows = []
    for tester in dict.fromkeys([*gaps, *profiles]):
        row = {
            "tester": tester,
            **_NO_GAP,
            **_NO_PROFILE,
            **gaps.get(tester, {}),
            **profiles.get(tester, {}),
        }
        found = row["nearest_director"], row["nearest_triangles"]
        row["disagree"] = None if None in found else found[0] != found[1]
        row["status"] = _STATUS[row["gap"] is not None, row["dist_td"] is not None]
        rows.append(row)
    return rows


def anchors_wide(
    director_cells: Iterable[Row],
    triangle_cells: Iterable[Row],
    references: References,
    reading: Reading,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[dict[str, object]]:
    """The nearest of all Director references, by tester with a Director cell (ANCHORS_WIDE), exact.

    The triangles keep the two-task set, adults: no other group's means are published there.
    moved: another group than Table 8's. Stability is over the draws that are behind Table 8's.
    Source: cross-task paper, Appendix H.
    """
    director_cells, triangle_cells = list(director_cells), list(triangle_cells)
    adults, given = references.adults, (director_cells, triangle_cells)
    usual = {r["tester"]: r for r in labels(*given, adults, adults, reading, seed, resamples=0)}
    derivations = {one.group: one.derivation for one in references.groups}
    rows = []
    for row in labels(*given, references, adults, reading, seed, resamples):
        if not row["n_scenes"]:
            continue
        group, before = row["nearest_director"], usual[row["tester"]]["nearest_director"]
        rows.append(
            {
                "tester": row["tester"],
                "kind": row["kind"],
                "gap": row["gap"],
                "nearest_adult": before,
                "nearest_director": group,
                "moved": None if group is None else group != before,
                "margin": row["director_margin"],
                "tie": row["director_tie"],
                "stability": row["director_stability"],
                "derivation": derivations.get(group),
                "nearest_triangles": row["nearest_triangles"],
                "disagree": row["disagree"],
                "n_a": row["n_a"],
                "n_b": row["n_b"],
                "n_scenes": row["n_scenes"],
                "status": row["status"],
            }
        )
    return rows


def association(table: Iterable[Row], seed: int, resamples: int = RESAMPLES) -> Association:
    """Spearman's rho of gap against ToM distance to TD-adult, over testers that have both.

    table: exact rows of Table 8; models alone, where there is one.
    """
    both = _with_both(table)
    return spearman(
        [row["gap"] for row in both],
        [row["dist_td"] for row in both],
        seed_for(seed, "bootstrap", "spearman"),
        resamples,
    )


def triangles_panel(
    triangle_cells: Iterable[Row], references: References, reading: Reading
) -> list[dict[str, object]]:
    """The panel's numbers on the triangles (PANEL rows, exact): profiles, medians, strict ranks."""
    cells = reading.cells(triangle_cells)
    rows = []
    for row in panel_profiles(table5(cells, references, reading), references):
        name = row["condition"].lower()
        for score in ("intent", "approp", "dist_td", "dist_hfasd"):
            rows.append(_number(f"{name}_{score}", row[score], row["n_cells"], row["n_planned"]))
    for condition, value in medians_of(averaged(cells)).items():
        of_condition = [row for row in averaged(cells) if row["condition"] == condition]
        scored = sum(row["intent"] is not None for row in of_condition)
        name = f"median_intent_{condition.lower()}"
        rows.append(_number(name, value, scored, len(of_condition)))
    ranks = [row["strict_rank"] for row in averaged(table11(cells, [reading.arm], reading.overlay))]
    rows.append(_count("strict_rank_count", ranks))
    return rows


def joint_panel(
    table: Sequence[Row], seed: int, resamples: int = RESAMPLES
) -> list[dict[str, object]]:
    """The panel's numbers over both tasks (PANEL rows, exact): gap, disagreement, association."""
    table = averaged(table)
    gaps = [row["gap"] for row in table if row["gap"] is not None]
    mean = sum(gaps, Fraction()) / len(gaps) if gaps else None
    found = association(table, seed, resamples)
    return [
        _number("gap", mean, len(gaps), len(table)),
        _count("disagreement_count", [row["disagree"] for row in table]),
        {
            "measure": "spearman",
            "value": found.rho,
            "low": found.low,
            "high": found.high,
            "n": found.n,
            "n_planned": len(table),
            "status": found.status,
        },
    ]


def same_family_cells(
    triangle_cells: Iterable[Row], families: Mapping[str, str]
) -> tuple[int | None, list[str]]:
    """How many scored cells have a judge and a tester of one family, and whose family is unknown.

    families: by tester and judge. The count is None where one of them is unknown.
    """
    cells = [row for row in triangle_cells if row["intent"] is not None]
    names = dict.fromkeys(str(row[role]) for role in ("tester", "judge") for row in cells)
    unknown = [name for name in names if name not in families]
    if unknown:
        return None, unknown
    return sum(families[row["tester"]] == families[row["judge"]] for row in cells), []


_STATUS = {
    (True, True): "ok",
    (False, True): "no_gap",
    (True, False): "no_profile",
    (False, False): "no_gap_no_profile",
}
_NO_GAP = {
    "gap": None,
    "nearest_director": None,
    "director_margin": None,
    "director_tie": False,
    "director_stability": None,
    "n_a": 0,
    "n_b": 0,
    "n_scenes": 0,
}
_NO_PROFILE = {
    "nearest_triangles": None,
    "triangles_margin": None,
    "triangles_tie": False,
    "triangles_stability": None,
    "dist_td": None,
    "dist_hfasd": None,
    "n_cells": 0,
    "n_planned": 0,
    "n_scores": 0,
    "n_missing": 0,
    "n_unparsed": 0,
}


def _gap_rows(
    cell_rows: Iterable[Row], references: References, seed: int, resamples: int
) -> dict[str, dict[str, object]]:
    cell_rows = [r for r in cell_rows if r["arm"] == "canonical" and r["level"] == "letter"]
    rows = {}
    for counts in director.table2(cell_rows):
        tester = str(counts["tester"])
        gap = director.difference(counts, "a", "b")
        near = references.near_gap(gap)
        anchors = references.with_gap
        stability = None
        if near.group is not None and resamples:
            stability = gap_label_stability(
                _scenes([row for row in cell_rows if row["tester"] == tester]),
                [one.gap for one in anchors],
                _place(anchors, near),
                seed_for(seed, "bootstrap", "director", tester),
                resamples,
            )
        rows[tester] = {
            "kind": counts["kind"],
            "gap": gap,
            "nearest_director": near.group,
            "director_margin": near.margin,
            "director_tie": near.tie,
            "director_stability": stability,
            "n_a": counts["n_a"],
            "n_b": counts["n_b"],
            "n_scenes": counts["n_scenes"],
        }
    return rows


def _scenes(cell_rows: Iterable[Row]) -> list[tuple[bool | None, bool | None]]:
    values: dict[object, dict[object, bool | None]] = {}
    for row in cell_rows:
        values.setdefault(row["stimulus"], {})[row["measure"]] = row["value"]
    return [(scene.get("a"), scene.get("b")) for scene in values.values()]


def _profile_rows(
    cells: Sequence[Row], adults: References, reading: Reading, seed: int, resamples: int
) -> dict[str, dict[str, object]]:
    rows = {}
    for profile in reading.profiles(cells):
        if profile.condition != "ToM":
            continue
        near = adults.near_point(point_of(profile), "ToM")
        own = [r for r in cells if r["tester"] == profile.tester and r["condition"] == "ToM"]
        rows[profile.tester] = {
            "kind": profile.kind,
            "nearest_triangles": near.group,
            "triangles_margin": near.margin,
            "triangles_tie": near.tie,
            "triangles_stability": _profile_stability(
                own, profile, near, adults, reading, seed, resamples
            ),
            **distance_columns(near),
            "n_cells": profile.n_cells,
            "n_planned": profile.n_planned,
            "n_scores": profile.n_scores,
            "n_missing": profile.n_missing,
            "n_unparsed": profile.n_unparsed,
        }
    return rows


def _profile_stability(
    cells: Sequence[Row],
    profile: Profile,
    near: Nearest,
    adults: References,
    reading: Reading,
    seed: int,
    resamples: int,
) -> Fraction | None:
    if near.group is None or not resamples:
        return None
    anchors = [one for one in adults.groups if "ToM" in one.points]
    return profile_label_stability(
        *(_matrix(cells, score) for score in ("intent", "approp")),
        [(one.points["ToM"].intent, one.points["ToM"].approp) for one in anchors],
        _place(anchors, near),
        seed_for(seed, "bootstrap", "triangles", profile.tester),
        resamples,
        median_of_judges=reading.aggregation == "median_of_judges",
    )


def _matrix(cells: Sequence[Row], score: str) -> list[list[int | None]]:
    """Levels by clip (rows) and judge (columns)."""
    values = {(row["clip"], row["judge"]): row[score] for row in cells}
    clips, judges = (dict.fromkeys(row[name] for row in cells) for name in ("clip", "judge"))
    return [[values.get((clip, judge)) for judge in judges] for clip in clips]


def _place(anchors: Sequence[Reference], near: Nearest) -> int:
    return [one.group for one in anchors].index(str(near.group))


def _with_both(table: Iterable[Row]) -> list[Row]:
    return [row for row in averaged(table) if row["gap"] is not None and row["dist_td"] is not None]


def _number(measure: str, value: object, n: int, n_planned: int) -> dict[str, object]:
    return {
        "measure": measure,
        "value": value,
        "low": None,
        "high": None,
        "n": n,
        "n_planned": n_planned,
        "status": "ok" if value is not None else "no_cells",
    }


def _count(measure: str, flags: Sequence[bool | None]) -> dict[str, object]:
    """How many flags hold, of those that are known; null where none is."""
    known = [flag for flag in flags if flag is not None]
    return _number(measure, Fraction(sum(known)) if known else None, len(known), len(flags))
