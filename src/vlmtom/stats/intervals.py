"""How far a number moves when scenes, or clips and judges, are drawn again: percentile intervals.

Testers are not drawn: the panel is who it is. Numbers are those of Tables 2, 5 and 8, untouched;
the ends of intervals are floats. What has no value is null, and so is an interval over one unit.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from vlmtom.director import cells as director
from vlmtom.stats import joint
from vlmtom.stats.association import correlations
from vlmtom.stats.bootstrap import (
    RESAMPLES,
    matrix,
    means,
    percentile_interval,
    profile_points,
    scene_shares,
)
from vlmtom.stats.exact import Number
from vlmtom.stats.profile_tables import (
    DISTANCES,
    PANEL,
    Reading,
    averaged,
    panel_profiles,
    table5,
)
from vlmtom.stats.references import Reference, References
from vlmtom.store.digests import seed_for

Row = Mapping[str, object]

DIFFERENCES = {"gap": ("a", "b"), "recovery": ("cQ2", "b")}
SCENES, CELLS, TESTERS, ITEMS = "scenes", "clips x judges", "testers", "scenes, clips x judges"
_SCORES = ("intent", "approp")
_SAME = 9  # decimals at which numbers of two testers are equal in a resample


def intervals(
    director_cells: Iterable[Row],
    triangle_cells: Iterable[Row],
    references: References,
    reading: Reading,
    seed: int,
    resamples: int = RESAMPLES,
) -> list[dict[str, object]]:
    """One row per number of a tester and of the panel (INTERVALS); values are exact.

    director_cells: rows of DIRECTOR_CELLS (canonical arm, letter level); triangle_cells: rows of
    TRIANGLES_CELLS. A tester's draws depend on run seed, task and tester alone, and are those
    behind the stability of its labels; for the panel all testers meet the same draws.
    status: ok; no_cells, the number is not defined; too_few, it is over a single scene or cell, so
    that there is nothing to draw; for Spearman's also constant_input.
    """
    scenes = [r for r in director_cells if r["arm"] == "canonical" and r["level"] == "letter"]
    cells = reading.cells(triangle_cells)
    return [
        *_director_rows(scenes, seed, resamples),
        *_triangles_rows(cells, references, reading, seed, resamples),
        *_spearman_rows(scenes, cells, references, reading, seed, resamples),
    ]


def _director_rows(cells: Sequence[Row], seed: int, resamples: int) -> list[dict[str, object]]:
    table = director.table2(cells)
    rows = []
    for counts in table:
        tester = str(counts["tester"])
        own = [row for row in cells if row["tester"] == tester]
        drawn = _measures(
            scene_shares(
                _scene_matrix(own, [tester]),
                seed_for(seed, "bootstrap", "director", tester),
                resamples,
            )
        )
        for measure, values in drawn.items():
            value = _director_number([counts], measure)
            n = _n([counts], measure)
            rows.append(_row(counts, measure, value, values[0], SCENES, n[0], *n))
    panel = averaged(table)
    if not panel:
        return rows
    drawn = _measures(_panel_shares(cells, panel, seed, resamples))
    units = len({row["stimulus"] for row in cells if row["value"] is not None})
    for measure, values in drawn.items():
        value = _director_number(panel, measure)
        n = _n(panel, measure)
        row = _row(_PANEL, measure, value, means(values, axis=0), SCENES, units, *n)
        rows.append(row)
    return rows


def _panel_shares(
    cells: Sequence[Row], panel: Sequence[Row], seed: int, resamples: int
) -> np.ndarray:
    testers = [str(row["tester"]) for row in panel]
    return scene_shares(
        _scene_matrix(cells, testers), seed_for(seed, "bootstrap", "director", PANEL), resamples
    )


def _scene_matrix(cells: Sequence[Row], testers: Sequence[str]) -> np.ndarray:
    """(testers, scenes, measures); the scenes are those that any of the testers was shown."""
    values = {(row["tester"], row["stimulus"], row["measure"]): row["value"] for row in cells}
    scenes = dict.fromkeys(row["stimulus"] for row in cells if row["tester"] in testers)
    return matrix(
        [
            [[values.get((tester, scene, m)) for m in director.MEASURES] for scene in scenes]
            for tester in testers
        ]
    )


def _measures(shares: np.ndarray) -> dict[str, np.ndarray]:
    """(testers, resamples) of each measure and of the two differences."""
    by_name = {m: shares[..., place] for place, m in enumerate(director.MEASURES)}
    differences = {name: by_name[a] - by_name[b] for name, (a, b) in DIFFERENCES.items()}
    return by_name | differences


def _director_number(table: Sequence[Row], measure: str) -> Fraction | None:
    if measure in DIFFERENCES:
        return director.panel_difference(table, *DIFFERENCES[measure])
    return director.panel_share(table, measure)


def _n(table: Sequence[Row], measure: str) -> tuple[int, int]:
    """Scenes with a usable trial of all that the measure is made of, and those planned."""
    parts = DIFFERENCES.get(measure, (measure,))
    return (
        sum(min(int(row[f"n_{part}"]) for part in parts) for row in table),
        sum(int(row["n_scenes"]) for row in table),
    )


def _triangles_rows(
    cells: Sequence[Row], references: References, reading: Reading, seed: int, resamples: int
) -> list[dict[str, object]]:
    table = table5(cells, references, reading)
    rows = []
    for name in dict.fromkeys(str(row["tester"]) for row in table):
        for profile in (row for row in table if row["tester"] == name):
            points = _points(cells, [name], profile, reading, seed, resamples)[0]
            units = _units(cells, [name], profile)
            rows += _profile_rows(profile, points, units, references)
    testers = list(dict.fromkeys(str(row["tester"]) for row in averaged(table)))
    for profile in panel_profiles(table, references) if testers else []:
        points = _points(cells, testers, profile, reading, seed, resamples)
        units = _units(cells, testers, profile)
        rows += _profile_rows(profile, means(points, axis=0), units, references)
    return rows


def _units(cells: Sequence[Row], testers: Sequence[str], profile: Row) -> int:
    """How many clip x judge places have a score of any of the testers."""
    scored = (row for row in cells if row["tester"] in testers and row["intent"] is not None)
    own = (row for row in scored if row["condition"] == profile["condition"])
    return len({(row["clip"], row["judge"]) for row in own})


def _points(
    cells: Sequence[Row],
    testers: Sequence[str],
    profile: Row,
    reading: Reading,
    seed: int,
    resamples: int,
) -> np.ndarray:
    """(testers, scores, resamples) in the condition of a profile."""
    own = [
        row
        for row in cells
        if row["condition"] == profile["condition"] and row["tester"] in testers
    ]
    values = {(row["tester"], row["clip"], row["judge"]): row for row in own}
    clips, judges = (dict.fromkeys(row[name] for row in own) for name in ("clip", "judge"))
    if not own:
        return np.full((len(testers), len(_SCORES), resamples), np.nan)
    scores = [
        matrix(
            [
                [[values.get((t, clip, judge), {}).get(s) for judge in judges] for clip in clips]
                for t in testers
            ]
        )
        for s in _SCORES
    ]
    return profile_points(
        np.stack(scores, axis=1),
        seed_for(seed, "bootstrap", "triangles", profile["tester"]),
        resamples,
        median_of_judges=reading.aggregation == "median_of_judges",
    )


def _profile_rows(
    profile: Row, points: np.ndarray, units: int, references: References
) -> list[dict[str, object]]:
    name = str(profile["condition"]).lower()
    n = int(profile["n_cells"]), int(profile["n_planned"])
    drawn = dict(zip(_SCORES, points, strict=True))
    if profile["condition"] == "ToM":
        known = {one.group: one for one in references.adults.groups}
        for column, group in DISTANCES.items():
            drawn[column] = _distances(points, known.get(group), "ToM")
    return [
        _row(profile, f"{name}_{measure}", profile[measure], values, CELLS, units, *n)
        for measure, values in drawn.items()
    ]


def _distances(points: np.ndarray, group: Reference | None, condition: str) -> np.ndarray:
    """Distances of (scores, resamples) to a group's means; NaN for a group without them."""
    if group is None or condition not in group.points:
        return np.full(points.shape[-1], np.nan)
    place = group.points[condition]
    return np.hypot(points[0] - float(place.intent), points[1] - float(place.approp))


def _spearman_rows(
    scenes: Sequence[Row],
    cells: Sequence[Row],
    references: References,
    reading: Reading,
    seed: int,
    resamples: int,
) -> list[dict[str, object]]:
    """Spearman's of gap and ToM distance: with testers drawn (as in Table 8), and with items."""
    table = averaged(joint.table8(scenes, cells, references, reading, seed, resamples=0))
    both = [row for row in table if row["gap"] is not None and row["dist_td"] is not None]
    found = joint.association(table, seed, resamples)
    rows = [
        _PANEL
        | {
            "measure": "spearman",
            "value": found.rho,
            "low": found.low,
            "high": found.high,
            "drawn": TESTERS,
            "n": found.n,
            "n_planned": len(table),
            "n_resamples": found.n_defined,
            "status": found.status,
        }
    ]
    values = np.full(resamples, np.nan)
    if found.rho is not None:
        names = [str(row["tester"]) for row in both]
        shares = _panel_shares(scenes, both, seed, resamples)
        gaps = _measures(shares)["gap"]
        tom = {"tester": PANEL, "condition": "ToM"}
        td = next(r for r in references.adults.groups if r.group == DISTANCES["dist_td"])
        points = _points(cells, names, tom, reading, seed, resamples)
        far = np.stack([_distances(of_tester, td, "ToM") for of_tester in points])
        whole = ~np.isnan(gaps + far).any(axis=0)
        values = correlations(*(v[:, whole].T.round(_SAME) for v in (gaps, far)))
    n = found.n
    row = _row(_PANEL, "spearman_items", found.rho, values, ITEMS, n, n, len(table))
    return [*rows, row | {"status": found.status if found.rho is None else row["status"]}]


_PANEL: Row = {"tester": PANEL, "kind": PANEL}


def _row(
    whose: Row,
    measure: str,
    value: Number | None,
    drawn: np.ndarray,
    what: str,
    units: int,
    n: int,
    n_planned: int,
) -> dict[str, object]:
    """units: how many scenes, or clip x judge places, there are to draw from."""
    found = None
    if value is not None and units > 1:
        found = percentile_interval(drawn, float(value))
    status = "ok" if found else "no_cells" if value is None else "too_few"
    return {
        "tester": whose["tester"],
        "kind": whose["kind"],
        "measure": measure,
        "value": value,
        "low": found.low if found else None,
        "high": found.high if found else None,
        "drawn": what,
        "n": n,
        "n_planned": n_planned,
        "n_resamples": found.n_defined if found else 0,
        "status": status,
    }
