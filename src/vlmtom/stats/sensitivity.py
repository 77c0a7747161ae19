"""How far the labels hang on what was decided: each other reading against the canonical one.

Canonical: arm numbered, blinded judges, the mean of judges, the two adult groups on the scales that
their papers are read to use, letter level. Each row departs from it in one way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vlmtom.stats import joint
from vlmtom.stats.profile_tables import Reading, averaged, panel_profiles, table5
from vlmtom.stats.references import References
from vlmtom.triangles.cells import AGGREGATIONS, CONDITIONS

Row = Mapping[str, object]

SHORT_SCALE = 2  # top of the scale on which human Appropriateness may have been rated
_KEPT = ("dist_td", "dist_hfasd", "nearest")


@dataclass(frozen=True)
class Variant:
    """One reading of the same trials.

    axis: canonical, references, aggregation, overlay, judge, arm or level; variant: which, within
    it. director_references: of the gap; the triangles' are the adults of `references`.
    """

    axis: str
    variant: str
    director_cells: Sequence[Row]
    triangle_cells: Sequence[Row]
    director_references: References
    references: References
    reading: Reading
    run: bool = True


def sensitivity(
    director_cells: Iterable[Row],
    triangle_cells: Iterable[Row],
    references: References,
    reading: Reading,
) -> list[dict[str, object]]:
    """One row per reading (SENSITIVITY), exact, the canonical one first.

    director_cells: rows of DIRECTOR_CELLS; triangle_cells: rows of TRIANGLES_CELLS of all arms and
    overlays. Counts are over the panel's testers (models, or observers where there is no model):
    of those with a label in both readings, how many labels differ. Other arms and judges stand
    there as far as there are cells of them; a reading that was not run has null and says so.
    panel_n: testers behind the panel's places on ToM clips, which may be fewer in another arm.
    """
    # Who is the panel is decided once: an arm that was asked of observers alone has no model.
    director, triangles = list(director_cells), list(triangle_cells)
    models = {row["tester"] for row in (*director, *triangles) if row["kind"] == "model"}
    if models:
        director = [row for row in director if row["tester"] in models]
        triangles = [row for row in triangles if row["tester"] in models]
    variants = list(_variants(director, triangles, references, reading))
    canonical = _found(variants[0])
    return [_row(variant, canonical) for variant in variants]


def _variants(
    director_cells: Sequence[Row],
    triangle_cells: Sequence[Row],
    references: References,
    reading: Reading,
) -> Iterator[Variant]:
    adults = references.adults
    canonical = Variant(
        *("canonical", "canonical", director_cells, triangle_cells),
        *(adults, references, reading),
    )
    yield canonical
    yield replace(
        canonical,
        axis="references",
        variant=f"approp_0_to_{SHORT_SCALE}",
        references=references.assuming_approp_to(SHORT_SCALE),
    )
    yield replace(
        canonical, axis="references", variant="wider_anchors", director_references=references
    )
    other = next(name for name in AGGREGATIONS if name != reading.aggregation)
    yield replace(
        canonical,
        axis="aggregation",
        variant=other,
        reading=replace(reading, aggregation=other),
    )
    overlays = dict.fromkeys(["informed", *(str(row["overlay"]) for row in triangle_cells)])
    for overlay in (name for name in overlays if name != reading.overlay):
        yield _read(canonical, "overlay", overlay, replace(reading, overlay=overlay))
    own = reading.cells(triangle_cells)
    for judge in dict.fromkeys(str(row["judge"]) for row in own):
        left = [row for row in own if row["judge"] != judge]
        yield replace(canonical, axis="judge", variant=judge, triangle_cells=left, run=bool(left))
    blinded = (row for row in triangle_cells if row["overlay"] == reading.overlay)
    for arm in dict.fromkeys(str(row["arm"]) for row in blinded):
        if arm != reading.arm:
            yield _read(canonical, "arm", arm, replace(reading, arm=arm))
    strict = [row | {"level": "letter"} for row in director_cells if row["level"] == "strict"]
    yield replace(
        canonical, axis="level", variant="strict", director_cells=strict, run=bool(strict)
    )


def _read(canonical: Variant, axis: str, name: str, reading: Reading) -> Variant:
    run = bool(reading.cells(canonical.triangle_cells))
    return replace(canonical, axis=axis, variant=name, reading=reading, run=run)


@dataclass(frozen=True)
class _Found:
    """Labels by tester, of director, tom, gd, random; whether tasks differ; the panel's places."""

    labels: Mapping[str, Mapping[str, str | None]]
    disagree: Mapping[str, bool | None]
    panel: Mapping[str, Row]


def _found(variant: Variant) -> _Found:
    joined = averaged(
        joint.labels(
            variant.director_cells,
            variant.triangle_cells,
            variant.director_references,
            variant.references.adults,
            variant.reading,
            seed=0,
            resamples=0,
        )
    )
    table = table5(variant.triangle_cells, variant.references, variant.reading)
    by_condition = {
        condition.lower(): {
            str(row["tester"]): row["nearest"]
            for row in averaged(table)
            if row["condition"] == condition
        }
        for condition in CONDITIONS
    }
    return _Found(
        {"director": {str(row["tester"]): row["nearest_director"] for row in joined}}
        | by_condition,
        {str(row["tester"]): row["disagree"] for row in joined},
        {str(row["condition"]).lower(): row for row in panel_profiles(table, variant.references)},
    )


def _row(variant: Variant, canonical: _Found) -> dict[str, object]:
    row: dict[str, object] = {"axis": variant.axis, "variant": variant.variant}
    names = ["director", *(condition.lower() for condition in CONDITIONS)]
    if not variant.run:
        row |= {f"{name}_{what}": None for name in names for what in ("changed", "n")}
        row |= dict.fromkeys(("disagree_changed", "disagree_n"))
        row |= dict.fromkeys(("disagreement_count", "disagreement_n"))
        row |= {f"{name}_{column}": None for name in names[1:] for column in _KEPT}
        return row | {"panel_n": None, "changes": None, "status": "not_run"}
    found = _found(variant)
    changes: list[str] = []
    for name in names:
        before, now = canonical.labels[name], found.labels[name]
        row |= _changed(name, before, now)
        changes += [
            f"{tester} {name}: {old} > {now[tester]}"
            for tester, old in before.items()
            if None not in (old, now.get(tester)) and old != now[tester]
        ]
    row |= _changed("disagree", canonical.disagree, found.disagree)
    known = [flag for flag in found.disagree.values() if flag is not None]
    row["disagreement_count"] = sum(known) if known else None
    row["disagreement_n"] = len(known)
    row |= {f"{c}_{column}": found.panel[c][column] for c in names[1:] for column in _KEPT}
    row["panel_n"] = sum(label is not None for label in found.labels["tom"].values())
    labelled = any(label is not None for of in found.labels.values() for label in of.values())
    return row | {"changes": "; ".join(changes), "status": "ok" if labelled else "no_cells"}


def _changed(
    name: str, before: Mapping[str, object], now: Mapping[str, object]
) -> dict[str, object]:
    """How many of the testers that have both differ; null where none has."""
    pairs = [(old, now.get(tester)) for tester, old in before.items()]
    both = [pair for pair in pairs if None not in pair]
    changed = sum(old != new for old, new in both) if both else None
    return {f"{name}_changed": changed, f"{name}_n": len(both)}
