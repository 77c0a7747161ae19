"""Which traces people are given, and which returned files are believed."""

import csv
import io
from collections import Counter

import pytest

from tests.report_action.trace_helpers import CODES, outcome, reply_to
from vlmtom.errors import BadData
from vlmtom.report_action.traces import (
    blind_traces,
    read_returned,
    returned_sheets,
    sheet_csv,
    sheet_rows,
    trace_key,
)
from vlmtom.report_action.traces.sheets import COLUMNS
from vlmtom.store import schemas


def study(said="He sees 2 and 5. Then\nthe largest is 8."):
    """120 traces: of 40 in each condition 30 choose the director's block, 8 hidden, 2 others."""
    outcomes = []
    for arm in ("move-visibility", "move-none", "mean-visibility"):
        for n in range(40):
            hidden, director = n < 8, 8 <= n < 38
            outcomes.append(
                outcome(n, arm=arm, hidden_chosen=hidden, director_view_chosen=director)
            )
    replies = [reply_to(row, said) for row in outcomes]
    key = trace_key(outcomes, replies, "salt", 0, {row["arm"] for row in outcomes})
    return key, blind_traces(key, replies)


def filled(**changes):
    """The sheet as sent, its ids, and the rows of a coder who filled it in."""
    rows, places = sheet_rows(*study(), 6, "salt")
    sent = sheet_csv(rows)
    given = list(csv.DictReader(io.StringIO(sent.decode(), newline="")))
    for row in given:
        row.update({"coder": "ann", **CODES, **changes})
    return sent, [row["item_id"] for row in places], given


def saved(rows, mark=",", columns=COLUMNS):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=mark, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def test_the_sample_is_even_over_conditions_and_choices():
    key, blind = study()
    rows, places = sheet_rows(key, blind, 36, "salt")
    of = {row["blind_id"]: row for row in key}
    drawn = Counter(
        (of[p["blind_id"]]["arm"], of[p["blind_id"]]["hidden_chosen"],
         of[p["blind_id"]]["director_view_chosen"])
        for p in places
    )  # fmt: skip
    for arm in ("move-visibility", "move-none", "mean-visibility"):
        # Twelve a condition: two others are all there are, the rest by halves.
        assert [drawn[arm, True, False], drawn[arm, False, True], drawn[arm, False, False]] == [
            *(5, 5, 2)
        ]
    assert sheet_rows(key, blind, 36, "salt") == (rows, places)
    assert len(sheet_rows(key, blind, 500, "salt")[0]) == 120
    schemas.TRACE_SHEET.table(places)


@pytest.mark.parametrize(("models", "drawn"), [(0, 8), (3, 3)])
def test_what_is_drawn_is_of_models_where_there_are_models(models, drawn):
    """Traces coded again and those on the sheet: agreement is over the same testers."""
    outcomes = [
        outcome(n, **({"tester": "m"} if n < models else {"tester": "o", "kind": "observer"}))
        for n in range(8)
    ]
    replies = [reply_to(row, "He sees 2 and 5.") for row in outcomes]
    key = trace_key(outcomes, replies, "salt", 8, {"move-visibility"})
    of = {row["blind_id"]: row["tester"] for row in key}
    again = {row["blind_id"] for row in key if row["recoded"]}
    _, places = sheet_rows(key, blind_traces(key, replies), 8, "salt")
    for found in (again, {place["blind_id"] for place in places}):
        assert len(found) == drawn
        assert {of[name] for name in found} == {"m" if models else "o"}


def test_the_sheet_shows_what_a_coder_is_shown_and_ids_of_its_own():
    key, blind = study()
    rows, places = sheet_rows(key, blind, 6, "salt")
    assert [row["item"] for row in rows] == [row["item_id"] for row in places]
    texts = {row["blind_id"]: row for row in blind}
    for row, place in zip(rows, places, strict=True):
        assert row["reply"] == texts[place["blind_id"]]["reply"]
        assert row["reasoning"] == texts[place["blind_id"]]["reasoning"]
    sent = sheet_csv(rows).decode()
    for hidden in ("move-", "t1", "main/", places[0]["blind_id"]):
        assert hidden not in sent


def test_another_secret_makes_another_draw_other_ids_and_another_order():
    """Seed, code and sheet together must not tell whose traces they are."""
    key, blind = study()
    sheets = [sheet_rows(key, blind, 36, secret) for secret in ("one", "two")]
    drawn = [{place["blind_id"] for place in places} for _, places in sheets]
    assert drawn[0] != drawn[1] and all(len(found) == 36 for found in drawn)
    ids = [{row["item"] for row in rows} for rows, _ in sheets]
    assert ids[0].isdisjoint(ids[1])
    whole = [sheet_rows(key, blind, 500, secret)[1] for secret in ("one", "two")]
    orders = [[place["blind_id"] for place in places] for places in whole]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])


def test_a_trace_cannot_become_a_formula_and_still_comes_back_as_it_was():
    rows, places = sheet_rows(*study('=HYPERLINK("x") he sees 2'), 2, "salt")
    sent = sheet_csv(rows)
    assert b"\"'=HYPERLINK" in sent
    given = list(csv.DictReader(io.StringIO(sent.decode(), newline="")))
    given = [row | {"coder": "ann", **CODES} for row in given]
    assert len(read_returned({"a": saved(given)}, sent, [p["item_id"] for p in places])) == 2


@pytest.mark.parametrize("mark", [",", ";"])
def test_a_filled_sheet_is_read_in_any_order_as_spreadsheets_save_it(mark):
    sent, items, given = filled()
    given[0]["reading"] = " Own_View"
    rows = read_returned({"ann.csv": saved(given[::-1], mark)}, sent, items)
    assert [row["item_id"] for row in rows] == items
    assert all(row == {"coder": "ann", "item_id": row["item_id"], **CODES} for row in rows)
    schemas.HUMAN_CODES.table(rows)


def changed(number, **cells):
    def change(rows):
        rows[number].update(cells)
        return rows

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (changed(1, sheet="sheet-0"), "f.csv, row 3: codes of the sheet 'sheet-0'; this run's"),
        (changed(1, item="trace-0"), "row 3: 'trace-0' is no item of the sheet"),
        (changed(1, reading="own"), "row 3: reading is 'own'; expected one of director_view"),
        (changed(1, director_sees_choice="maybe"), "row 3: director_sees_choice is 'maybe'"),
        (changed(1, coder=""), "row 3: coder '', expected 'ann' as in the rows before"),
        (changed(1, coder="ben"), "row 3: coder 'ben', expected 'ann'"),
        (changed(0, coder="a b"), "row 2: coder 'a b', expected the coder's name"),
        (changed(1, reasoning="Another one."), "row 3: the reasoning is not the one that trace-"),
        (changed(1, reply='{"choice": 1}'), "row 3: the reply is not the one that trace-"),
        (changed(1, reading=""), r"1 of 6 traces are not coded in every column: row 3 \(trace-"),
        (lambda rows: rows[1:], r"1 of 6 traces are not coded .* \(no row\)"),
        (lambda rows: [*rows, rows[0]], "row 8: trace-.* stands in row 2 already"),
        (lambda rows: [], "no row of codes"),
    ],
)
def test_what_is_not_as_it_was_sent_is_refused_with_file_and_row(change, problem):
    sent, items, given = filled()
    with pytest.raises(BadData, match=problem):
        read_returned({"f.csv": saved(change(given))}, sent, items)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a,b\r\n1,2\r\n", "row 1: expected the columns sheet, coder, item"),
        (",".join(COLUMNS).encode() + b"\r\n1,2\r\n", "row 2: 2 cells; expected 8"),
        ("é".encode("latin-1"), "not UTF-8"),
        ("sheet".encode("utf-16-le"), "a zero byte"),
        (b"", "row 1: expected the columns|no row of codes"),
    ],
)
def test_a_file_that_is_no_such_sheet_is_refused(content, problem):
    sent, items, _ = filled()
    with pytest.raises(BadData, match=problem):
        read_returned({"f.csv": content}, sent, items)


def test_two_files_of_one_person_are_refused():
    sent, items, given = filled()
    other = [row | {"coder": "Ann"} for row in given]
    with pytest.raises(BadData, match=r"b.csv: the codes of Ann are in a.csv too"):
        read_returned({"a.csv": saved(given), "b.csv": saved(other)}, sent, items)


def test_a_sheet_and_a_key_of_two_runs_are_refused():
    sent, items, given = filled()
    with pytest.raises(BadData, match="not of one run"):
        read_returned({"a.csv": saved(given)}, sent, items[::-1])


def test_a_folder_of_returned_files_holds_them_and_nothing_else(tmp_path):
    with pytest.raises(BadData, match="is no folder"):
        returned_sheets(tmp_path / "none")
    with pytest.raises(BadData, match="no CSV file"):
        returned_sheets(tmp_path)
    (tmp_path / "b.csv").write_text("")
    (tmp_path / "a.CSV").write_text("")
    (tmp_path / ".lock").write_text("")
    assert [path.rsplit("/", 1)[1] for path in returned_sheets(tmp_path)] == ["a.CSV", "b.csv"]
    (tmp_path / "c.xlsx").write_text("")
    with pytest.raises(BadData, match=r"c.xlsx: expected the CSV files"):
        returned_sheets(tmp_path)
