"""A returned file is read as it was typed, or refused with file, row, and what to do."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rating.helpers import csv_text, sheet
from vlmtom.errors import BadData
from vlmtom.rating.returned import COLUMNS, read_ratings, returned_files
from vlmtom.store import schemas

_, KEY = sheet(6)
CELLS = [
    ("5", "3", ""),
    ("0", "0", ""),
    ("", "", "yes"),
    ("4", "1", ""),
    ("3", "2", ""),
    ("2", "3", ""),
]
LEVELS = [
    (5, 3, False),
    (0, 0, False),
    (None, None, True),
    (4, 1, False),
    (3, 2, False),
    (2, 3, False),
]
TEXT = csv_text(KEY, CELLS)
RATING = st.one_of(
    st.tuples(st.sampled_from("012345"), st.sampled_from("0123"), st.just("")),
    st.just(("", "", "yes")),
)


def read(content, **others):
    files = {"kim.csv": content if isinstance(content, bytes) else content.encode()}
    return read_ratings(files | others, KEY)


def levels(rows):
    return [(row["intent"], row["approp"], row["cannot"]) for row in rows]


def refusal(content, **others):
    with pytest.raises(BadData) as error:
        read(content, **others)
    return str(error.value)


def changed(row, **cells):
    """The file with cells of one row changed. row: as a spreadsheet program counts, from 2."""
    lines = TEXT.splitlines()
    found = dict(zip(COLUMNS, lines[row - 1].split(","), strict=True)) | cells
    lines[row - 1] = ",".join(found.values())
    return "\n".join(lines) + "\n"


def test_a_file_as_the_sheet_writes_it():
    rows = read(TEXT)
    assert levels(rows) == LEVELS
    assert [row["item_id"] for row in rows] == [row["item_id"] for row in KEY]
    assert {row["rater"] for row in rows} == {"kim"}
    assert schemas.RATINGS.table(rows).num_rows == 6


SPREADSHEET = TEXT.replace(",", ";").replace("\n", "\r\n")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SPREADSHEET.encode("utf-8-sig"), id="byte order mark, semicolons, CRLF"),
        pytest.param(TEXT.encode("utf-8-sig"), id="byte order mark"),
        pytest.param(TEXT.rstrip("\n"), id="no newline at the end"),
        pytest.param(TEXT + "\n\n", id="empty lines at the end"),
        pytest.param(re.sub(r"[^,\n]+", r'"\g<0>"', TEXT), id="quotation marks"),
        pytest.param(
            "\n".join([TEXT.split("\n")[0], *TEXT.split("\n")[:0:-1]]), id="rows sorted anew"
        ),
    ],
)
def test_what_spreadsheet_programs_make_of_it_is_read_alike(content):
    assert read(content) == read(TEXT)


@given(st.lists(RATING, min_size=6, max_size=6))
def test_what_was_written_is_what_is_read(cells):
    want = [(*(int(c) if c else None for c in given[:2]), given[2] == "yes") for given in cells]
    assert levels(read(csv_text(KEY, cells))) == want


ITEM = [row["item_id"] for row in KEY]
SHEET = KEY[0]["sheet"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            changed(3, sheet="sheet-0123"),
            f"kim.csv, row 3: ratings of the sheet 'sheet-0123'; this run's is '{SHEET}'",
        ),
        (
            changed(4, item="item-none"),
            f"kim.csv, row 4: 'item-none' is no item of the sheet {SHEET}",
        ),
        (
            changed(5, item=ITEM[0]),
            f"row 5: {ITEM[0]} stands in row 2 already; expected each item once",
        ),
        (
            changed(2, intentionality="6"),
            "row 2: intentionality is '6'; expected a whole number from 0 to 5",
        ),
        (
            changed(2, appropriateness="4"),
            "row 2: appropriateness is '4'; expected a whole number from 0 to 3",
        ),
        (changed(2, intentionality="-1"), "row 2: intentionality is '-1'"),
        (changed(2, intentionality="3.0"), "row 2: intentionality is '3.0'"),
        (changed(2, intentionality=" 3"), "row 2: intentionality is ' 3'"),
        (changed(2, intentionality="three"), "row 2: intentionality is 'three'"),
        (changed(2, intentionality="٣"), "row 2: intentionality is '٣'"),  # a digit, not of ours
        (changed(2, cannot_be_rated="yes"), f"row 2: {ITEM[0]} has a score and is marked"),
        (
            changed(4, cannot_be_rated="TRUE"),
            "row 4: cannot_be_rated is 'TRUE'; expected 'yes' or nothing",
        ),
        (changed(6, rater="lee"), "row 6: rater 'lee', expected 'kim' as in the rows before"),
        (TEXT.replace("kim", "1-May"), "row 2: rater '1-May', expected the rater's code"),
        (changed(3, appropriateness="3,"), "row 3: 7 cells; expected 6, separated by ','"),
        ("", "row 1: no rating; expected the columns sheet, rater, item"),
        (TEXT.splitlines()[0], "row 2: no rating"),
        (TEXT.split("\n", 1)[1], "row 1: expected the columns sheet, rater, item"),
        (TEXT.replace(",", "\t"), "row 1: expected the columns"),
        (TEXT.encode("utf-16"), "kim.csv, row 1: not UTF-8"),
        (TEXT.encode("utf-16-le"), "kim.csv, row 1: a zero byte, as in UTF-16"),
        (changed(3, rater="jürgen").encode("latin-1"), "kim.csv, row 3: not UTF-8. Save it as"),
        (b"PK\x03\x04\xff\xfe", "kim.csv, row 1: not UTF-8"),
        (changed(3, item='"item'), "kim.csv, row 3: unexpected end of data"),
    ],
)
def test_what_cannot_be_believed_is_refused_with_file_and_row(content, words):
    assert words in refusal(content)


def test_a_partial_file_is_refused_with_the_first_open_rows():
    one_scale = changed(3, appropriateness="")
    assert refusal(one_scale).startswith(
        f"kim.csv: 1 of 6 items are not rated: row 3 ({ITEM[1]}). Load the file in the sheet"
    )
    nothing = csv_text(KEY, [("", "", "")] * 6)
    said = refusal(nothing)
    assert f"6 of 6 items are not rated: row 2 ({ITEM[0]}), row 3 ({ITEM[1]})" in said
    assert "and 1 more" in said


def test_a_missing_row_is_named_by_its_item():
    lines = TEXT.splitlines()
    said = refusal("\n".join(lines[:3] + lines[4:]))
    assert f"1 of 6 items are not rated: {ITEM[2]} (no row)" in said


def test_two_files_of_one_rater_are_refused_by_name_and_of_two_are_read():
    other = csv_text(KEY, CELLS[::-1], rater="Kim").encode()
    assert "later.csv: the ratings of Kim are in kim.csv too" in refusal(
        TEXT, **{"later.csv": other}
    )
    rows = read(TEXT, **{"ann.csv": csv_text(KEY, CELLS[::-1], rater="ann").encode()})
    assert [row["rater"] for row in rows] == ["ann"] * 6 + ["kim"] * 6
    assert levels(rows) == LEVELS[::-1] + LEVELS


def test_a_folder_is_listed_by_name_without_what_programs_leave_in_it(tmp_path):
    for name in ("b.csv", "A.CSV", ".DS_Store", "~$b.csv"):
        (tmp_path / name).write_text("")
    assert [Path(path).name for path in returned_files(tmp_path)] == ["A.CSV", "b.csv"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (None, "is no folder. Put the raters' CSV files into one"),
        ([], "no CSV file in"),
        (["a.csv", "b.xlsx"], "b.xlsx: expected the CSV files that raters saved, and nothing else"),
    ],
)
def test_a_folder_that_would_leave_a_rater_out_is_refused(tmp_path, names, words):
    place = tmp_path / "back"
    if names is not None:
        place.mkdir()
        for name in names:
            (place / name).write_text("")
    with pytest.raises(BadData) as error:
        returned_files(place)
    assert words in str(error.value)
