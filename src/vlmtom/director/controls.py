"""The control arms of the Director Task: counts by arm, the floor, and what differs between arms.

Source: cross-task paper, Appendices C (floor control, Table 3) and D (four blocks, Table 4). The
contrasts with `unasked`, `rule` and `reasoning` are beyond the paper.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vlmtom.director.cells import EGO, counts

Row = Mapping[str, object]

FLOOR_ARMS = ("no_occluder", "same_side")
TABLE3_ARMS = ("canonical", *FLOOR_ARMS)
TABLE4_ARMS = ("canonical", "four_block")
FLOOR = Fraction(11, 12)  # of the scenes with a usable trial; inclusive


@dataclass(frozen=True)
class Contrast:
    """One measure in one arm against another; scenes are paired by name."""

    name: str
    arm: str
    measure: str
    other_arm: str
    other_measure: str


# In none of them does the picture of a scene differ but for the director's person.
CONTRASTS = (
    # Does asking first help? Recovery of Table 2 is the sum of these two.
    Contrast("asking first", "canonical", "cQ2", "unasked", "cQ2"),
    Contrast("form of c alone", "unasked", "cQ2", "canonical", "b"),
    # Perspective apart from inhibition: the same block, excluded by a rule.
    Contrast("rule for view", "rule", "b", "canonical", "b"),
    Contrast("rule for view, form of c", "rule", "cQ2", "unasked", "cQ2"),
    Contrast("reasoning, a", "reasoning", "a", "canonical", "a"),
    Contrast("reasoning, b", "reasoning", "b", "canonical", "b"),
    Contrast("reasoning, c.Q2", "reasoning", "cQ2", "canonical", "cQ2"),
)


def arm_counts(cell_rows: Iterable[Row], arms: Sequence[str]) -> list[dict[str, object]]:
    """Rows of ARM_COUNTS: testers in order of appearance, each in the arms that it was asked.

    cell_rows: rows of DIRECTOR_CELLS. floor_pass: b at letter level in at least 11/12 of the
    scenes with a usable trial; null in other arms, and without such a scene.
    """
    grouped: dict[object, dict[object, list[Row]]] = {}
    for row in cell_rows:
        grouped.setdefault(row["tester"], {}).setdefault(row["arm"], []).append(row)
    return [
        _counts(arm, of_tester[arm])
        for of_tester in grouped.values()
        for arm in arms
        if arm in of_tester
    ]


def contrasts(cell_rows: Iterable[Row], arms: Sequence[str]) -> list[dict[str, object]]:
    """Rows of DIRECTOR_CONTRASTS at letter level, for contrasts whose arms were both run.

    cell_rows: rows of DIRECTOR_CELLS. A scene without a usable trial on either side is left out
    of both; where none is left, the difference is null.
    """
    values: dict[object, dict[tuple[object, object], dict[object, bool | None]]] = {}
    kinds: dict[object, object] = {}
    for row in cell_rows:
        if row["level"] == "letter":
            kinds.setdefault(row["tester"], row["kind"])
            of_tester = values.setdefault(row["tester"], {})
            of_tester.setdefault((row["arm"], row["measure"]), {})[row["stimulus"]] = row["value"]
    return [
        {"tester": tester, "kind": kinds[tester]} | _contrast(contrast, of_tester)
        for tester, of_tester in values.items()
        for contrast in CONTRASTS
        if contrast.arm in arms and contrast.other_arm in arms
        if (contrast.arm, contrast.measure) in of_tester
        and (contrast.other_arm, contrast.other_measure) in of_tester
    ]


def _counts(arm: str, cells: Sequence[Row]) -> dict[str, object]:
    row = counts(cells) | {"arm": arm, "floor_pass": None}
    for measure in EGO.values():
        row[f"{measure}_strict"] = sum(
            cell["value"] is True
            for cell in cells
            if cell["measure"] == measure and cell["level"] == "strict"
        )
    if arm in FLOOR_ARMS and row["n_b"]:
        row["floor_pass"] = Fraction(row["b"], row["n_b"]) >= FLOOR
    return row


def _contrast(
    contrast: Contrast, values: Mapping[tuple[object, object], Mapping[object, bool | None]]
) -> dict[str, object]:
    here = values[contrast.arm, contrast.measure]
    there = values[contrast.other_arm, contrast.other_measure]
    shared = [scene for scene in here if scene in there]
    both = [
        (here[scene], there[scene])
        for scene in shared
        if here[scene] is not None and there[scene] is not None
    ]
    gained = sum(one and not other for one, other in both)
    lost = sum(other and not one for one, other in both)
    return {
        "contrast": contrast.name,
        "arm": contrast.arm,
        "measure": contrast.measure,
        "other_arm": contrast.other_arm,
        "other_measure": contrast.other_measure,
        "difference": float(Fraction(gained - lost, len(both))) if both else None,
        "gained": gained,
        "lost": lost,
        "n": len(both),
        "n_planned": len(shared),
        "status": "ok" if both else "no_cells",
    }
