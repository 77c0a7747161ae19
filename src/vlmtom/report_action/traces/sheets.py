"""Which traces people code, on which sheet, and what a returned file must hold to be believed.

Spreadsheet programs write a byte order mark, semicolons and CRLF; these are read. Whatever else is
not as it was sent is refused, with file and row: a code is never guessed at.
"""

import csv
import hashlib
import hmac
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vlmtom.errors import BadData
from vlmtom.parsing.trace_codes import FIELDS
from vlmtom.report_action.traces.blinding import drawn_order
from vlmtom.stats.profile_tables import averaged
from vlmtom.store.digests import sha256_json
from vlmtom.store.files import csv_bytes

Row = Mapping[str, Any]

COLUMNS = ("sheet", "coder", "item", "reply", "reasoning", *FIELDS)
CODER = r"[A-Za-z][A-Za-z0-9-]{0,31}"
_ITEM_DIGITS = 12
_SHEET_DIGITS = 16
_SHOWN = 5


def sheet_rows(
    key: Iterable[Row], blind: Iterable[Row], n: int, secret: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The sheet's rows (COLUMNS, codes empty) and its key (TRACE_SHEET), in the same order.

    n traces, of models where there is one, as evenly as they go over conditions and within them
    over what was chosen (the hidden block, the director's, another). Which ones, their ids on the
    sheet and so its order come from SECRET, that of the folder of results: the run's seed, which
    may be public, tells none of them.
    """
    strata: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in averaged(key):
        if row["blind_id"] is not None:
            strata[row["arm"], _chosen(row)].append(row["blind_id"])
    drawn = _evenly({name: sorted({*ids}) for name, ids in sorted(strata.items())}, n, secret)
    texts = {row["blind_id"]: row for row in blind}
    shown = []
    for name in drawn:
        digest = hmac.new(secret.encode(), f"sheet\0{name}".encode(), hashlib.sha256).hexdigest()
        # A letter and a hyphen first: a spreadsheet program reads bare digits as a number.
        shown.append((f"trace-{digest[:_ITEM_DIGITS]}", name))
    shown.sort()
    texts_shown = [[item, texts[name]["reply"], texts[name]["reasoning"]] for item, name in shown]
    sheet = f"sheet-{sha256_json(texts_shown)[:_SHEET_DIGITS]}"
    rows = [
        {"sheet": sheet, "coder": None, "item": item, "reply": reply, "reasoning": reasoning}
        | dict.fromkeys(FIELDS)
        for item, reply, reasoning in texts_shown
    ]
    places = [
        {"sheet": sheet, "place": place, "item_id": item, "blind_id": name}
        for place, (item, name) in enumerate(shown, 1)
    ]
    return rows, places


def sheet_csv(rows: Iterable[Row]) -> bytes:
    """The sheet as it is sent; text in it cannot become a spreadsheet formula."""
    return csv_bytes(rows, COLUMNS)


def returned_sheets(folder: str | Path) -> list[str]:
    """The CSV files of a folder by name, for the workflow; hidden files are passed over.

    Raises BadData for a folder that is not there or holds no CSV, and for anything else in it: a
    file that was overlooked would be a coder who was left out in silence.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BadData(
            f"report_action.traces.returned: {place} is no folder. Put the coders' CSV files into "
            "one and name it, or set it to null until they are back."
        )
    found = sorted(path for path in place.iterdir() if not path.name.startswith((".", "~$")))
    for path in found:
        if path.suffix.lower() != ".csv" or not path.is_file():
            raise BadData(
                f"{path}: expected the CSV files that coders saved, and nothing else, in this "
                "folder. Move it away, or save the spreadsheet as CSV."
            )
    if not found:
        raise BadData(
            f"report_action.traces.returned: no CSV file in {place}. Put the coders' files there, "
            "or set it to null until they are back."
        )
    return [str(path) for path in found]


def read_returned(
    files: Mapping[str, bytes], sent: bytes, items: Sequence[str]
) -> list[dict[str, Any]]:
    """The codes of all files as rows of HUMAN_CODES, by coder and then in the sheet's order.

    files: content by name; sent: the sheet as it was sent; items: its ids by its key. Raises
    BadData naming file and row for what cannot be believed, and for two files of one coder.
    """
    wanted = {row["item"]: row for _, row in _rows("the sheet", sent)}
    if [*wanted] != [*items]:
        raise BadData(
            "the sheet of traces and its key are not of one run. Delete both and run again; then "
            "the files that came back must be of that sheet."
        )
    of_coder: dict[str, str] = {}
    found: list[tuple[str, list[dict[str, Any]]]] = []
    for name, content in files.items():
        coder, codes = _file(name, content, wanted)
        # Anna and anna are one person who typed her name twice.
        if (other := of_coder.setdefault(coder.casefold(), name)) != name:
            raise BadData(
                f"{name}: the codes of {coder} are in {other} too. Keep the file that holds and "
                "move the other away; if they are two people, give one of them another name in "
                "the column coder, in every row."
            )
        found.append((coder, codes))
    return [row for _, codes in sorted(found, key=lambda part: part[0]) for row in codes]


def _file(
    name: str, content: bytes, wanted: Mapping[str, Mapping[str, str]]
) -> tuple[str, list[dict[str, Any]]]:
    sheet = next(iter(wanted.values()))["sheet"]
    coders: set[str] = set()
    found: dict[str, dict[str, Any]] = {}
    numbers: dict[str, int] = {}
    open_rows: list[str] = []
    for number, given in _rows(name, content):
        where, item = f"{name}, row {number}", given["item"]
        if given["sheet"] != sheet:
            raise BadData(
                f"{where}: codes of the sheet {given['sheet']!r}; this run's is {sheet!r}. Codes "
                "belong to the sheet that they were given on: use the folder of results that it "
                "came from, or the configuration."
            )
        if item not in wanted:
            raise BadData(f"{where}: {item!r} is no item of the sheet {sheet}.")
        if item in numbers:
            raise BadData(
                f"{where}: {item} stands in row {numbers[item]} already; expected each item once. "
                "Delete the row that does not hold."
            )
        numbers[item] = number
        for column in ("reply", "reasoning"):
            if given[column].split() != wanted[item][column].split():
                raise BadData(
                    f"{where}: the {column} is not the one that {item} was sent with. Were rows "
                    "sorted by some columns alone? Copy the codes into the sheet as it was sent."
                )
        if not re.fullmatch(CODER, given["coder"]) or coders - {given["coder"]}:
            before = coders - {given["coder"]}
            expected = f"{before.pop()!r} as in the rows before" if before else "the coder's name"
            raise BadData(
                f"{where}: coder {given['coder']!r}, expected {expected} (a letter, then letters, "
                "digits, hyphens)."
            )
        coders.add(given["coder"])
        codes = {field: _code(where, field, given[field]) for field in FIELDS}
        if None in codes.values():
            open_rows.append(f"row {number} ({item})")
        found[item] = codes
    missing = [f"{item} (no row)" for item in wanted if item not in numbers]
    if lacking := [*open_rows, *missing]:
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        raise BadData(
            f"{name}: {len(lacking)} of {len(wanted)} traces are not coded in every column: "
            f"{', '.join(lacking[:_SHOWN])}{more}. Ask the coder to fill them in."
        )
    coder = coders.pop()
    return coder, [{"coder": coder, "item_id": item} | found[item] for item in wanted]


def _code(where: str, field: str, text: str) -> str | None:
    code = text.strip().casefold()
    if not code:
        return None
    if code not in FIELDS[field]:
        raise BadData(
            f"{where}: {field} is {text!r}; expected one of {', '.join(FIELDS[field])}. Ask the "
            "coder; nothing is taken for the nearest code."
        )
    return code


def _rows(name: str, content: bytes) -> list[tuple[int, dict[str, str]]]:
    """The rows after the header, each with its number as a spreadsheet program counts it."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        raise BadData(f"{name}, line {row}: not UTF-8. Save it as “CSV UTF-8”.") from error
    if "\0" in text:
        raise BadData(
            f"{name}: a zero byte, as in UTF-16 or a spreadsheet's own format. Save it as “CSV "
            "UTF-8”."
        )
    head = text.splitlines()[0] if text.strip() else ""
    mark = ";" if ";" in head else ","
    rows = []
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
        for number, cells in enumerate(lines, 1):
            if number == 1:
                if tuple(cells) != COLUMNS:
                    raise BadData(
                        f"{name}, row 1: expected the columns {', '.join(COLUMNS)}, separated by "
                        f"commas or semicolons; found {head[:80]!r}."
                    )
            elif any(cells):  # else an empty line, as some programs put at the end
                if len(cells) != len(COLUMNS):
                    raise BadData(
                        f"{name}, row {number}: {len(cells)} cells; expected {len(COLUMNS)}, "
                        f"separated by {mark!r} as in the header."
                    )
                rows.append((number, dict(zip(COLUMNS, cells, strict=True))))
    except csv.Error as error:
        raise BadData(f"{name}, row {len(rows) + 2}: {error}. Save it as CSV again.") from error
    if not rows:
        raise BadData(f"{name}: no row of codes; expected one for each trace of the sheet.")
    return rows


def _chosen(row: Row) -> str:
    if row["hidden_chosen"]:
        return "hidden"
    return "director_view" if row["director_view_chosen"] else "other"


def _evenly(strata: Mapping[tuple[str, str], list[str]], n: int, secret: str) -> list[str]:
    """As many ids, in turn from every condition, and there from every choice with some left."""
    queues: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for (arm, chosen), ids in strata.items():
        queues[arm][chosen] = drawn_order(ids, secret, "coded by people")
    drawn: list[str] = []
    taken = dict.fromkeys(strata, 0)
    of_arm = dict.fromkeys(queues, 0)
    while len(drawn) < n:
        left = [
            (of_arm[arm], taken[arm, chosen], arm, chosen)
            for arm, chosen in strata
            if taken[arm, chosen] < len(queues[arm][chosen])
        ]
        if not left:
            break
        _, place, arm, chosen = min(left)
        name = queues[arm][chosen][place]
        taken[arm, chosen] += 1
        of_arm[arm] += 1
        if name not in drawn:
            drawn.append(name)
    return drawn
