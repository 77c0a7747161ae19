"""A user's own items, from a CSV or from a table of items, as the call job takes them."""

import csv
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vlmtom.errors import BadData
from vlmtom.store.digests import sha256_bytes
from vlmtom.store.files import read_rows, read_table
from vlmtom.store.schema import Schema
from vlmtom.store.schemas import FILMS, ITEMS, PICTURES

Row = dict[str, Any]

EXPERIMENT = "ask"
REQUIRED = ("item_id", "prompt", "picture")
MOST_TRIALS = 10_000  # of one item; more is a slip of the pen
OPTIONAL = ("system", "trials", "batch", "arm", "stimulus")
_COLUMNS = (*REQUIRED, *OPTIONAL)
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")
_LONGEST_CELL = 2**24
_NAMED = 10  # problems that a message names


@dataclass(frozen=True)
class Shown:
    """Items with the pictures and films that they show, as rows of their tables."""

    items: list[Row]
    pictures: list[Row]
    films: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class Decoded:
    """What is known of a picture file beside its bytes."""

    pixel_sha256: str
    width: int
    height: int


def read_items(path: Path, trials: int | None, decoded: Mapping[str, Decoded]) -> Shown:
    """The items of a CSV, or of a table of items with `pictures.parquet` beside it.

    trials: of items that do not say theirs; of every item of a table. decoded: pictures seen
    before, by the SHA-256 of their files. Raises BadData that names every row that is wrong.
    """
    if path.suffix.lower() not in {".csv", ".parquet"}:
        raise BadData(f"{path}: expected a .csv, or an items.parquet with a pictures.parquet.")
    if not path.is_file():
        raise BadData(f"{path}: no such file. Give a CSV with the columns {', '.join(REQUIRED)}.")
    if path.suffix.lower() == ".parquet":
        shown = _from_table(path, trials)
    else:
        shown = _Csv(path, trials or 1, decoded).read()
    if not shown.items:
        raise BadData(f"{path}: no items. Give at least one row below the header.")
    return shown


def decoded_before(pictures: Path) -> dict[str, Decoded]:
    """What an earlier call found in picture files, by their SHA-256; decoding takes longest."""
    columns = ["file_sha256", "pixel_sha256", "width", "height"]
    try:
        rows = read_table(pictures, PICTURES, columns).to_pylist()
    except BadData:
        return {}
    return {row.pop("file_sha256"): Decoded(**row) for row in rows}


def _from_table(path: Path, trials: int | None) -> Shown:
    items = [
        row | {"experiment": EXPERIMENT, "trials": trials or row["trials"]}
        for row in read_rows(path, ITEMS)
    ]
    pictures = [(row, name) for row, turn in _turns(items) for name in turn["pictures"]]
    films = [(row, turn["video"]) for row, turn in _turns(items) if turn["video"]]
    return Shown(
        items,
        _shown(path, pictures, PICTURES, "pixel_sha256"),
        _shown(path, films, FILMS, "file_sha256") if films else [],
    )


def _turns(items: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    return ((row, turn) for row in items for turn in row["turns"])


def _shown(path: Path, named: Sequence[tuple[Row, str]], schema: Schema, key: str) -> list[Row]:
    """What items name of the table beside them. Raises BadData for what is not there."""
    beside = path.with_name(f"{schema.name}.parquet")
    rows = read_rows(beside, schema)
    there = {row[key] for row in rows}
    for item, name in named:
        if name not in there:
            raise BadData(
                f"{path}: item {item['item_id']} shows {name[:16]}…, which is not in {beside}. "
                f"Items and {schema.name} must come from one rendering."
            )
    wanted = {name for _, name in named}
    return [row for row in rows if row[key] in wanted]


@dataclass
class _Csv:
    """One CSV while it is read. Rows are counted as a spreadsheet does: the header is row 1."""

    path: Path
    trials: int
    decoded: Mapping[str, Decoded]
    problems: list[str] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)  # the row of each item_id
    files: dict[Path, str] = field(default_factory=dict)  # the pixels of each file
    pictures: dict[str, Row] = field(default_factory=dict)  # by pixels
    sources: dict[str, Path] = field(default_factory=dict)  # the file that a picture came from

    def read(self) -> Shown:
        """Every row, or one error that tells all that is wrong."""
        lines = self._lines()
        _, header = next(lines, (1, []))
        header = [name.strip() for name in header]
        self._check_header(header)
        items = [self._item(number, header, cells) for number, cells in lines if any(cells)]
        if self.problems:
            more = len(self.problems) - _NAMED
            told = [*self.problems[:_NAMED], *([f"… and {more} more."] if more > 0 else [])]
            raise BadData(
                f"{self.path}: nothing was asked; {len(self.problems)} cells must be put right "
                "first:\n  " + "\n  ".join(told)
            )
        return Shown(items, list(self.pictures.values()))

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(_LONGEST_CELL)
        number = 0
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                for number, cells in enumerate(csv.reader(file, strict=True), 1):
                    yield number, cells
        except UnicodeDecodeError as error:
            raise BadData(
                f"{self.path}: not UTF-8 (byte {error.start}: {error.reason}). Save it as "
                "“CSV UTF-8” and run the same command again."
            ) from None
        except csv.Error as error:
            raise BadData(
                f"{self.path}, row {number + 1}: not CSV ({error}). A cell with commas, quotes or "
                'line breaks stands in "quotes", and a quote inside is doubled.'
            ) from None

    def _check_header(self, header: Sequence[str]) -> None:
        if not any(header):
            raise BadData(
                f"{self.path}: the file is empty. Give a header with {', '.join(REQUIRED)}, and "
                "a row for each item."
            )
        if len(header) == 1 and (other := next((c for c in ";\t" if c in header[0]), None)):
            raise BadData(
                f"{self.path}, row 1: the columns are separated by {other!r}; expected commas. "
                "Save it as comma-separated CSV."
            )
        problems = [
            f"no column {name!r}, which is needed" for name in REQUIRED if name not in header
        ]
        for name in dict.fromkeys(header):
            if name not in _COLUMNS:
                close = difflib.get_close_matches(name, _COLUMNS, n=1, cutoff=0.5)
                meant = f"; did you mean {close[0]!r}?" if close else ""
                problems.append(f"unknown column {name!r}{meant}")
            elif header.count(name) > 1:
                problems.append(f"column {name!r} is there {header.count(name)} times")
        if problems:
            raise BadData(
                f"{self.path}, row 1: {'; '.join(problems)}. Needed are {', '.join(REQUIRED)}; "
                f"allowed are {', '.join(OPTIONAL)}."
            )

    def _item(self, number: int, header: Sequence[str], cells: Sequence[str]) -> Row:
        if len(cells) != len(header):
            self._problem(
                number,
                None,
                f"{len(cells)} cells, but {len(header)} columns. Put a cell that holds "
                "commas into quotes.",
            )
            return {}
        cell = dict.fromkeys(_COLUMNS, "") | dict(zip(header, cells, strict=True))
        item_id = cell["item_id"]
        self._check_id(number, item_id)
        names = [name.strip() for name in cell["picture"].split(";") if name.strip()]
        if not (cell["prompt"].strip() or names):
            self._problem(number, "prompt", "empty, and no picture either. Write what is asked.")
        shown = [self._picture(number, name) for name in names]
        turns = [{"role": "user", "text": cell["prompt"], "pictures": shown, "video": None}]
        if cell["system"].strip():
            turns.insert(
                0, {"role": "system", "text": cell["system"], "pictures": [], "video": None}
            )
        return {
            "item_id": item_id,
            "experiment": EXPERIMENT,
            "arm": cell["arm"].strip() or EXPERIMENT,
            "stimulus": cell["stimulus"].strip() or item_id,
            "sub_prompt": None,
            "batch": cell["batch"].strip() or "main",
            "trials": self._trials(number, cell["trials"].strip()),
            "reasoning": False,
            "turns": turns,
        }

    def _check_id(self, number: int, item_id: str) -> None:
        if not item_id.strip():
            self._problem(number, "item_id", "empty. Give every item a name of its own.")
            return
        first = self.ids.setdefault(item_id, number)
        if first != number:
            self._problem(
                number,
                "item_id",
                f"{item_id!r} is the name of row {first} already. Give every item its own.",
            )

    def _trials(self, number: int, text: str) -> int:
        if not text:
            return self.trials
        number_of = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
        if not 0 < number_of <= MOST_TRIALS:
            shown = text if len(text) < 20 else f"{text[:20]}…"
            self._problem(
                number, "trials", f"{shown!r}; expected 1 to {MOST_TRIALS:,}, or an empty cell."
            )
            return self.trials
        return number_of

    def _picture(self, number: int, name: str) -> str | None:
        """A picture's pixel SHA-256; null for one that cannot be shown, which is told of."""
        file = self.path.parent / name
        if file in self.files:
            return self.files[file]
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return self._no_picture(
                number, f"{file}: no such file. Paths start at the CSV's folder"
            )
        except OSError as error:
            return self._no_picture(number, f"{file}: {error.strerror}. Give a PNG or JPEG file")
        except ValueError as error:  # a character that no path can hold
            return self._no_picture(number, f"{name!r}: {error}. Give a PNG or JPEG file")
        if not content:
            return self._no_picture(number, f"{file}: an empty file. Export the picture again")
        if not content.startswith(_MAGIC):
            return self._no_picture(
                number,
                f"{file}: neither PNG nor JPEG (it starts with {content[:8].hex(' ')}). "
                "Save it as one of them",
            )
        sha256 = sha256_bytes(content)
        found = self.decoded.get(sha256) or _decode(content)
        if found is None:
            return self._no_picture(
                number, f"{file}: a damaged picture, it cannot be decoded. Export it again"
            )
        before = self.pictures.get(found.pixel_sha256)
        if before is not None and before["file_sha256"] != sha256:
            # A picture is known by its colours: of two files, one would be sent for both.
            return self._no_picture(
                number,
                f"{file}: the same colours as {self.sources[found.pixel_sha256]}, but another file "
                "(transparency, colour depth or compression). Name one of the two in both rows",
            )
        self.files[file] = found.pixel_sha256
        self.sources.setdefault(found.pixel_sha256, file)
        kind = "png" if content.startswith(_MAGIC[0]) else "jpg"
        self.pictures[found.pixel_sha256] = {
            "pixel_sha256": found.pixel_sha256,
            "image": {"bytes": content, "path": f"{found.pixel_sha256[:16]}.{kind}"},
            "file_sha256": sha256,
            "width": found.width,
            "height": found.height,
        }
        return found.pixel_sha256

    def _no_picture(self, number: int, what: str) -> None:
        self._problem(number, "picture", f"{what}.")

    def _problem(self, number: int, column: str | None, what: str) -> None:
        where = f"row {number}, column {column}" if column else f"row {number}"
        self.problems.append(f"{where}: {what}")


def _decode(content: bytes) -> Decoded | None:
    """Pixels and size of a picture file; None if it cannot be decoded."""
    # Only where a picture is new: the libraries take longer to load than a call that asks nothing.
    import cv2

    from vlmtom.rendering.images import decode_image, pixel_sha256

    try:
        rgb = decode_image(content)
    except (ValueError, cv2.error):
        return None
    return Decoded(pixel_sha256(rgb), rgb.shape[1], rgb.shape[0])
