"""Table 2 from trials that were scored elsewhere: a CSV with one row per model, scene and trial."""

import csv
from collections.abc import Iterable
from pathlib import Path

from vlmtom.director import cells
from vlmtom.errors import BadData
from vlmtom.stats.rounding import half_up

COLUMNS = ("model", "scene", "trial", "a", "b", "cQ1", "cQ2", "ego_b")
_VALUES = {"1": True, "0": False, "": None, "true": True, "false": False}


def read_trials(path: str | Path) -> list[dict[str, object]]:
    """Outcomes of a CSV with the columns model, scene, trial, a, b, cQ1, cQ2, ego_b.

    Values are 1, 0, or empty for a trial without a usable reply. Returns rows of
    DIRECTOR_OUTCOMES' columns as far as `cells` reads them.
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
            rows = [_outcomes(path, number, row) for number, row in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    if not rows:
        raise BadData(f"{path}: no trial in it. Expected one row per model, scene and trial.")
    return [outcome for outcomes in rows for outcome in outcomes]


def aggregate(path: str | Path) -> tuple[list[dict[str, object]], dict[str, float | None]]:
    """Table 2's rows and the panel's headline percentages from a CSV of trials.

    Returns the rows (model, a, b, cQ1, cQ2, ego_b, recovery) and the headline: percentages of
    the panel with one decimal, half up (section 4.2); null where no model has a cell.
    """
    table = cells.table2(cells.cells(read_trials(path)))
    headline = {
        f"panel_{measure}_pct": _percent(cells.panel_share(table, measure))
        for measure in ("a", "b", "cQ1", "cQ2", "ego_b")
    }
    headline["panel_gap_pp"] = _percent(cells.panel_difference(table, "a", "b"))
    rows = [
        {"model": row["tester"]}
        | {name: row[name] for name in ("a", "b", "cQ1", "cQ2", "ego_b", "recovery")}
        for row in table
    ]
    return rows, headline


def _percent(share: object) -> float | None:
    return None if share is None else float(half_up(100 * share, 1))


def _outcomes(path: str | Path, number: int, row: dict[str, str]) -> Iterable[dict[str, object]]:
    if None in row or None in row.values():
        raise BadData(f"{path}, line {number}: not as many fields as the header has.")
    values: dict[str, bool | None] = {}
    for column in COLUMNS[3:]:
        text = row[column].strip().lower()
        if text not in _VALUES:
            raise BadData(
                f"{path}, line {number}, column {column!r}: expected 1, 0 or nothing, "
                f"found {row[column]!r}."
            )
        values[column] = _VALUES[text]
    if (values["b"] is None) != (values["ego_b"] is None):
        raise BadData(
            f"{path}, line {number}: one of 'b' and 'ego_b' is empty; both come from one reply."
        )
    if values["b"] and values["ego_b"]:
        raise BadData(
            f"{path}, line {number}: 'b' and 'ego_b' are both 1; the hidden block is not the right "
            "one."
        )
    for column in ("model", "scene", "trial"):
        if not row[column].strip():
            raise BadData(f"{path}, line {number}: the column {column!r} is empty.")
    for measure in cells.MEASURES:
        correct = values[measure]
        yield {
            "tester": row["model"].strip(),
            "kind": "model",
            "arm": "canonical",
            "stimulus": row["scene"].strip(),
            "trial": row["trial"].strip(),
            "measure": measure,
            "parse": None if correct is None else "parsed",
            "letter_correct": correct,
            "strict_correct": correct,
            "egocentric": values["ego_b"] if measure == "b" else None,
            "egocentric_strict": values["ego_b"] if measure == "b" else None,
        }
