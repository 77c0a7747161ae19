"""The paper's tables from trials that were scored elsewhere: CSV files in, CSV files out.

Numbers are printed as the cross-task paper prints them: half up, from the exact value.
"""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from vlmtom.director import cells as director
from vlmtom.director import outside as director_outside
from vlmtom.errors import BadData
from vlmtom.publish import outside_arms
from vlmtom.publish.outside_arms import printed_number
from vlmtom.stats import joint
from vlmtom.stats.arm_tables import TABLE6_ARMS
from vlmtom.stats.exact import Number, end_of, show
from vlmtom.stats.families import FAMILIES, families_of
from vlmtom.stats.intervals import intervals
from vlmtom.stats.profile_tables import DISTANCES, Reading, averaged, table5, table7, table11
from vlmtom.stats.references import REFERENCES, References, load_references
from vlmtom.stats.sensitivity import sensitivity
from vlmtom.store.files import csv_bytes
from vlmtom.triangles.cells import CONDITIONS, SCALES, mean_level

Row = Mapping[str, object]

COLUMNS = ("model", "condition", "clip", "judge", "trial", "intent", "approp")
READING = Reading()
# Columns that a file may have: trials of several arms, or judged under several overlays.
VARIANT = {"arm": (READING.arm, TABLE6_ARMS), "overlay": (READING.overlay, ("blinded", "informed"))}
SEED = 0  # of the bootstrap: the same files give the same intervals

_WHOLE = re.compile(r"(\d{1,9})(\.0*)?")


def read_trials(path: str | Path) -> list[dict[str, object]]:
    """Cells (rows of TRIANGLES_CELLS) from a CSV with one row per trial and judge.

    intent and approp are whole numbers within their scales, or empty for a verdict that is
    missing; with one of the two empty the verdict is missing. Without a column arm or overlay all
    trials are of the canonical ones. In each arm and overlay every model that is named there is
    expected on every clip, by every judge and in every trial: what is not there is missing too.
    Raises BadData naming file, line and column for anything else.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            lacking = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
            if lacking:
                raise BadData(
                    f"{path}: no column {', '.join(lacking)}. Expected {', '.join(COLUMNS)}."
                )
            rows = [(number, _trial(path, number, row)) for number, row in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    if not rows:
        raise BadData(f"{path}: no trial in it. Expected one row per model, clip, judge and trial.")
    _check(path, rows)
    cells = _cells([row for _, row in rows])
    if not READING.cells(cells):
        raise BadData(
            f"{path}: no trial of the arm {READING.arm} under the overlay {READING.overlay}, on "
            "which the tables rest."
        )
    return cells


def aggregate(
    director_csv: str | Path | None,
    triangles_csv: str | Path | None,
    references: str | Path = REFERENCES,
    families: str | Path = FAMILIES,
) -> dict[str, bytes]:
    """The files to write, by name: tables of what is given, and the headline.

    With both files also the joint tables. Raises BadData for a file that cannot be used.
    """
    files: dict[str, bytes] = {}
    headline: dict[str, object] = {}
    cells: list[dict[str, object]] = []
    if director_csv is not None:
        rows, percentages = director_outside.aggregate(director_csv)
        files["table2.csv"] = csv_bytes(rows, list(rows[0]))
        headline |= percentages
    if triangles_csv is not None:
        known = load_references(references)
        cells = read_trials(triangles_csv)
        tables, numbers = _triangles(cells, known, families)
        files |= tables
        headline |= numbers
    if director_csv is not None and triangles_csv is not None:
        trials = director.cells(director_outside.read_trials(director_csv))
        tables, numbers = _joint(trials, cells, known)
        files |= tables
        headline |= numbers
    files["headline.json"] = (json.dumps(headline, indent=2) + "\n").encode()
    return files


def _triangles(
    cells: Sequence[Row], references: References, families: str | Path
) -> tuple[dict[str, bytes], dict[str, object]]:
    by_condition = table5(cells, references, READING)
    arms = list(dict.fromkeys(str(r["arm"]) for r in cells if r["overlay"] == READING.overlay))
    ranks = table11(cells, arms, READING.overlay)
    panel = {str(row["measure"]): row for row in joint.triangles_panel(cells, references, READING)}
    tables = {
        "table5.csv": _csv(by_condition, {"dist_td": 3, "dist_hfasd": 3}, ("condition",)),
        "table7.csv": _csv(
            table7(cells, references, READING),
            {"intent": 3, "approp": 3, "dist_td": 3, "dist_hfasd": 3},
        ),
        "table10.csv": outside_arms.table10_csv(cells, references),
        "table11.csv": csv_bytes(
            [
                {"model": row["tester"], "grid": row["arm"]}
                | {
                    f"median_intent_{c}": printed_number(row[f"median_{c.lower()}"], 1)
                    for c in CONDITIONS
                }
                | {"strict_rank": _yes_no(row["strict_rank"])}
                for row in ranks
            ],
            ["model", "grid", *(f"median_intent_{c}" for c in CONDITIONS), "strict_rank"],
        ),
        **outside_arms.tables(cells, references),
    }
    return tables, _triangles_headline(cells, panel, families)


def _triangles_headline(
    cells: Sequence[Row], panel: Mapping[str, Row], families: str | Path
) -> dict[str, object]:
    headline: dict[str, object] = {}
    for condition in CONDITIONS:
        for score in ("intent", "approp", "dist_td", "dist_hfasd"):
            name = f"{condition.lower()}_{score}"
            headline[f"panel_{name}"] = _float(panel[name]["value"], 2)
    for condition in CONDITIONS:
        name = f"median_intent_{condition.lower()}"
        headline[f"panel_{name}"] = _float(panel[name]["value"], 1)
    headline["strict_rank_count"] = _whole(panel["strict_rank_count"])
    cells = READING.cells(cells)
    names = {str(row[role]) for row in cells for role in ("tester", "judge")}
    count, unknown = joint.same_family_cells(cells, families_of(names, families))
    headline["in_family_cells"] = count
    if unknown:
        headline["family_unknown"] = unknown
    headline["triangles_trials"] = sum(row["n_trials"] for row in cells)
    headline["triangles_trials_missing"] = sum(row["n_missing"] for row in cells)
    return headline


def _joint(
    director_cells: Sequence[Row], cells: Sequence[Row], references: References
) -> tuple[dict[str, bytes], dict[str, object]]:
    table = joint.table8(director_cells, cells, references, READING, SEED)
    rows = [
        {
            "model": row["tester"],
            "gap_x": printed_number(row["gap"], 3),
            "nearest_director": row["nearest_director"],
            "nearest_triangles": row["nearest_triangles"],
            "disagree": _yes_no(row["disagree"]),
        }
        for row in table
    ]
    wide = joint.anchors_wide(director_cells, cells, references, READING, SEED)
    moved = [row["disagree"] for row in averaged(wide) if row["disagree"] is not None]
    panel = {str(row["measure"]): row for row in joint.joint_panel(table, SEED)}
    rho = panel["spearman"]
    headline = {
        "disagreement_count": _whole(panel["disagreement_count"]),
        "disagreement_count_wide": sum(moved) if moved else None,
        "spearman": _float(rho["value"], 6),
        "spearman_status": rho["status"],
        "spearman_low": _rounded(rho["low"]),
        "spearman_high": _rounded(rho["high"]),
    }
    wider = _wide(wide)
    files = {
        "table8.csv": csv_bytes(rows, list(rows[0])),
        "anchors_wide.csv": csv_bytes(wider, list(wider[0])),
        "sensitivity.csv": _sensitivity(director_cells, cells, references),
        "intervals.csv": _intervals(director_cells, cells, references),
    }
    return files, headline


def _wide(table: Sequence[Row]) -> list[dict[str, object]]:
    return [
        {
            "model": row["tester"],
            "gap_x": printed_number(row["gap"], 3),
            "nearest_director": row["nearest_director"],
            "nearest_adult": row["nearest_adult"],
            "margin": printed_number(row["margin"], 3),
            "kept_pct": printed_number(
                None if row["stability"] is None else 100 * row["stability"], 0
            ),
            "derivation": row["derivation"],
            "nearest_triangles": row["nearest_triangles"],
            "disagree": _yes_no(row["disagree"]),
        }
        for row in table
    ]


def _sensitivity(
    director_cells: Sequence[Row], cells: Sequence[Row], references: References
) -> bytes:
    """A file says once whether an answer is right, not by letter and colour: no strict level."""
    letter = [row for row in director_cells if row["level"] == "letter"]
    rows = sensitivity(letter, cells, references, READING)
    distances = [f"{c.lower()}_{name}" for c in CONDITIONS for name in DISTANCES]
    printed = [row | {name: printed_number(row[name], 2) for name in distances} for row in rows]
    return csv_bytes(printed, list(rows[0]))


def _intervals(
    director_cells: Sequence[Row], cells: Sequence[Row], references: References
) -> bytes:
    rows = [
        {
            "model": row["tester"],
            "measure": row["measure"],
            "value": printed_number(row["value"], 3),
            "low": printed_number(None if row["low"] is None else end_of(row["low"]), 3),
            "high": printed_number(None if row["high"] is None else end_of(row["high"]), 3),
        }
        | {name: row[name] for name in ("drawn", "n", "n_planned", "status")}
        for row in intervals(director_cells, cells, references, READING, SEED)
    ]
    return csv_bytes(rows, list(rows[0]))


def _csv(
    rows: Sequence[Row],
    digits: Mapping[str, int],
    words: Sequence[str] = (),
) -> bytes:
    """Model, then words and numbers in the order of the rows' columns, numbers printed."""
    columns = [name for name in rows[0] if name in digits or name in words]
    return csv_bytes(
        [
            {"model": row["tester"]}
            | {
                name: printed_number(row[name], digits[name]) if name in digits else row[name]
                for name in columns
            }
            for row in rows
        ],
        ["model", *columns],
    )


def _float(value: Number | None, digits: int) -> float | None:
    return None if value is None else float(show(value, digits))


def _rounded(value: float | None) -> float | None:
    return None if value is None else _float(Fraction(value), 2)


def _whole(row: Row) -> int | None:
    return None if row["value"] is None else int(row["value"])


def _yes_no(value: bool | None) -> str | None:
    return None if value is None else "yes" if value else "no"


def _trial(path: str | Path, number: int, row: Mapping[str, str]) -> dict[str, object]:
    where = f"{path}, line {number}"
    if None in row or None in row.values():
        raise BadData(f"{where}: not as many fields as the header has.")
    values: dict[str, object] = {}
    for column in COLUMNS[:5]:
        values[column] = row[column].strip()
        if not values[column]:
            raise BadData(f"{where}: the column {column!r} is empty.")
    for column, (canonical, known) in VARIANT.items():
        values[column] = row.get(column, canonical).strip()
        if values[column] not in known:
            raise BadData(
                f"{where}, column {column!r}: expected {' or '.join(known)}, found {row[column]!r}."
            )
    if values["condition"] not in CONDITIONS:
        raise BadData(
            f"{where}, column 'condition': expected {' or '.join(CONDITIONS)}, "
            f"found {row['condition']!r}."
        )
    for column, top in SCALES.items():
        text = row[column].strip()
        whole = _WHOLE.fullmatch(text)
        if text and (whole is None or int(whole[1]) > top):
            raise BadData(
                f"{where}, column {column!r}: expected a whole number from 0 to {top}, or nothing "
                f"for a missing verdict, found {row[column]!r}."
            )
        values[column] = int(whole[1]) if text and whole else None
    return values


def _check(path: str | Path, rows: Sequence[tuple[int, Row]]) -> None:
    """Raise BadData for a trial that stands there twice, or a clip under two conditions."""
    lines: dict[tuple[object, ...], int] = {}
    conditions: dict[object, tuple[object, int]] = {}
    for number, row in rows:
        # Only what differs from the canonical is named.
        variant = [row[name] for name, (usual, _) in VARIANT.items() if row[name] != usual]
        key = (row["model"], row["clip"], row["judge"], row["trial"], *variant)
        if key in lines:
            raise BadData(
                f"{path}, line {number}: the trial {', '.join(map(str, key))} stands there twice, "
                f"first on line {lines[key]}; each counts once."
            )
        lines[key] = number
        condition, first = conditions.setdefault(row["clip"], (row["condition"], number))
        if condition != row["condition"]:
            raise BadData(
                f"{path}, line {number}, column 'condition': expected {condition} for the clip "
                f"{row['clip']!r}, as on line {first}, found {row['condition']!r}."
            )


def _cells(trials: Sequence[Row]) -> list[dict[str, object]]:
    variants: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in trials:
        variants[str(row["arm"]), str(row["overlay"])].append(row)
    return [
        cell
        for (arm, overlay), rows in variants.items()
        for cell in _cells_of(rows, {"arm": arm, "overlay": overlay})
    ]


def _cells_of(trials: Sequence[Row], variant: Row) -> list[dict[str, object]]:
    grouped: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in trials:
        grouped[row["model"], row["clip"], row["judge"]].append(row)
    conditions = {row["clip"]: row["condition"] for row in trials}
    models, judges, numbers = (
        list(dict.fromkeys(row[name] for row in trials)) for name in ("model", "judge", "trial")
    )
    return [
        _cell(model, clip, condition, judge, grouped.get((model, clip, judge), []), len(numbers))
        | variant
        for model in models
        for clip, condition in conditions.items()
        for judge in judges
    ]


def _cell(
    model: object,
    clip: object,
    condition: object,
    judge: object,
    trials: Sequence[Row],
    planned: int,
) -> dict[str, object]:
    given = [row for row in trials if None not in (row["intent"], row["approp"])]
    return {
        "tester": model,
        "kind": "model",
        "clip": clip,
        "condition": condition,
        "judge": judge,
        "intent": mean_level([int(str(row["intent"])) for row in given]),
        "approp": mean_level([int(str(row["approp"])) for row in given]),
        "n_trials": planned,
        "n_scored": len(given),
        "n_missing": planned - len(given),
        "n_unparsed": 0,
    }
