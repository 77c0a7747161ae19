"""What a file of ratings must hold to be believed: every row of one sheet, once, on the scale.

Spreadsheet programs write a byte order mark, semicolons and CRLF; these are read. Whatever else is
not as the page wrote it is refused, with file and row: a rating is never guessed at.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vlmtom.errors import BadData
from vlmtom.parsing.verdicts import SCALES

Row = Mapping[str, Any]

COLUMNS = ("sheet", "rater", "item", "intentionality", "appropriateness", "cannot_be_rated")
SCALE_COLUMNS = {"intent": "intentionality", "approp": "appropriateness"}
CANNOT = "yes"
RATER = r"[A-Za-z][A-Za-z0-9_-]{0,31}"
SAVE_AGAIN = "Load the file in the sheet, and save it again."
_SHOWN = 5


def returned_files(folder: str | Path) -> list[str]:
    """The CSV files of a folder by name, for the workflow; hidden files are passed over.

    Raises BadData for a folder that is not there or holds no CSV, and for anything else in it:
    a file that was overlooked would be a rater who was left out in silence.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BadData(
            f"rating.returned: {place} is no folder. Put the raters' CSV files into one and name "
            "it, or set it to null until they are back."
        )
    # ~$ begins what an office program leaves beside an open file.
    found = sorted(path for path in place.iterdir() if not path.name.startswith((".", "~$")))
    for path in found:
        if path.suffix.lower() != ".csv" or not path.is_file():
            raise BadData(
                f"{path}: expected the CSV files that raters saved, and nothing else, in this "
                "folder. Move it away, or save the spreadsheet as CSV."
            )
    if not found:
        raise BadData(
            f"rating.returned: no CSV file in {place}. Put the raters' files there, or set it to "
            "null until they are back."
        )
    return [str(path) for path in found]


def read_ratings(files: Mapping[str, bytes], key: Sequence[Row]) -> list[dict[str, Any]]:
    """The ratings of all files as rows of RATINGS, by rater and then in the order of the sheet.

    files: content by name; key: rows of RATING_KEY. Raises BadData naming file and row for what
    cannot be believed, and for two files of one rater.
    """
    of_rater: dict[str, str] = {}
    rows: list[tuple[str, list[dict[str, Any]]]] = []
    for name, content in files.items():
        rater, ratings = _file(name, content, key)
        # Anna and anna are one person who typed her code twice.
        if (other := of_rater.setdefault(rater.casefold(), name)) != name:
            raise BadData(
                f"{name}: the ratings of {rater} are in {other} too. Keep the file that the rater "
                "saved last and move the other away; if they are two people, write another code "
                "into the column rater of one of the files, in every row."
            )
        rows.append((rater, ratings))
    return [row for _, ratings in sorted(rows, key=lambda part: part[0]) for row in ratings]


def _file(name: str, content: bytes, key: Sequence[Row]) -> tuple[str, list[dict[str, Any]]]:
    by_item = {row["item_id"]: row for row in key}
    sheet = key[0]["sheet"]
    raters: set[str] = set()
    found: dict[str, dict[str, Any]] = {}
    numbers: dict[str, int] = {}
    open_rows: list[str] = []
    for number, cells in _rows(name, content):
        where = f"{name}, row {number}"
        given = dict(zip(COLUMNS, cells, strict=True))
        item = given["item"]
        if given["sheet"] != sheet:
            raise BadData(
                f"{where}: ratings of the sheet {given['sheet']!r}; this run's is {sheet!r}. "
                "Ratings belong to the sheet that they were given on: use the folder of results "
                "that it came from, or the configuration."
            )
        if not re.fullmatch(RATER, given["rater"]) or raters - {given["rater"]}:
            wanted = raters - {given["rater"]}
            expected = f"{wanted.pop()!r} as in the rows before" if wanted else "the rater's code"
            raise BadData(f"{where}: rater {given['rater']!r}, expected {expected}. {SAVE_AGAIN}")
        raters.add(given["rater"])
        if item not in by_item:
            raise BadData(f"{where}: {item!r} is no item of the sheet {sheet}. {SAVE_AGAIN}")
        if item in numbers:
            raise BadData(
                f"{where}: {item} stands in row {numbers[item]} already; expected each item once. "
                "Delete the row that does not hold."
            )
        numbers[item] = number
        rating = _rating(where, item, given)
        if rating is None:
            open_rows.append(f"row {number} ({item})")
        else:
            found[item] = rating
    missing = [f"{row['item_id']} (no row)" for row in key if row["item_id"] not in numbers]
    if lacking := [*open_rows, *missing]:
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        raise BadData(
            f"{name}: {len(lacking)} of {len(key)} items are not rated: "
            f"{', '.join(lacking[:_SHOWN])}{more}. Load the file in the sheet, rate them or mark "
            "that they cannot be rated, and save it again."
        )
    rater = raters.pop()
    return rater, [{"rater": rater} | found[row["item_id"]] for row in key]


def _rating(where: str, item: str, given: Mapping[str, str]) -> dict[str, Any] | None:
    """One row's rating; None where it was not given yet, on one scale or on both."""
    cannot = given["cannot_be_rated"]
    if cannot not in ("", CANNOT):
        raise BadData(
            f"{where}: cannot_be_rated is {cannot!r}; expected {CANNOT!r} or nothing. {SAVE_AGAIN}"
        )
    scores = {scale: _level(where, scale, given[name]) for scale, name in SCALE_COLUMNS.items()}
    if cannot and any(score is not None for score in scores.values()):
        raise BadData(
            f"{where}: {item} has a score and is marked as one that cannot be rated; expected the "
            "one or the other. Load the file in the sheet, decide, and save it again."
        )
    if not cannot and None in scores.values():
        return None
    return {"item_id": item, "cannot": bool(cannot)} | scores


def _level(where: str, scale: str, text: str) -> int | None:
    if not text:
        return None
    top = SCALES[scale]
    if not re.fullmatch(f"[0-{top}]", text):
        raise BadData(
            f"{where}: {SCALE_COLUMNS[scale]} is {text!r}; expected a whole number from 0 to "
            f"{top}, or nothing in a row that cannot be rated. Ask the rater; nothing is rounded "
            "or cut."
        )
    return int(text)


def _rows(name: str, content: bytes) -> Iterable[tuple[int, list[str]]]:
    """The rows after the header, each with its number as a spreadsheet program counts it."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        raise BadData(
            f"{name}, row {row}: not UTF-8. Save it as “CSV UTF-8”, or send the file as the sheet "
            "saved it."
        ) from error
    if "\0" in text:
        row = text[: text.index("\0")].count("\n") + 1
        raise BadData(
            f"{name}, row {row}: a zero byte, as in UTF-16 or a spreadsheet's own format. Save it "
            "as “CSV UTF-8”."
        )
    head = text.splitlines()[0] if text.strip() else ""
    mark = ";" if ";" in head else ","
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    number = 0
    try:
        for cells in lines:
            number += 1
            if number == 1:
                if tuple(cells) != COLUMNS:
                    raise BadData(
                        f"{name}, row 1: expected the columns {', '.join(COLUMNS)}, separated by "
                        f"commas or semicolons; found {head[:80]!r}. {SAVE_AGAIN}"
                    )
                continue
            if not cells:  # an empty line, as some programs put at the end
                continue
            if len(cells) != len(COLUMNS):
                raise BadData(
                    f"{name}, row {number}: {len(cells)} cells; expected {len(COLUMNS)}, separated "
                    f"by {mark!r} as in the header. {SAVE_AGAIN}"
                )
            yield number, cells
    except csv.Error as error:
        raise BadData(f"{name}, row {number + 1}: {error}. {SAVE_AGAIN}") from error
    if number < 2:
        raise BadData(
            f"{name}, row {number + 1}: no rating; expected the columns {', '.join(COLUMNS)} and a "
            f"row for each item. {SAVE_AGAIN}"
        )
