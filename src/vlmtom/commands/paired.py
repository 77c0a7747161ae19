"""`vlmtom paired`: the paired baseline from answers that were scored elsewhere, one CSV each."""

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vlmtom.errors import BadConfig, BadData
from vlmtom.stats.multiplicity import benjamini_hochberg, changed
from vlmtom.stats.paired import Answer, Paired, counted, paired

COLUMNS = ("scene", "condition", "reply", "y")
SEED = 20261
_BITS = {"0": 0, "1": 1}
_NAMED = 10  # problems that a message names


def report(file: Path, others: Sequence[Path], seed: int) -> str:
    """The JSON that the command prints: one object, or with others a list of them, one a file.

    The files of a list are one family: each has also p_adj and changed.
    Raises BadConfig for a file given twice or a seed below 0, BadData with all that is wrong in
    the files.
    """
    files = [file, *others]
    if seed < 0:
        raise BadConfig(f"--seed: expected 0 or more, found {seed}.")
    if twice := sorted({str(path) for path in files if files.count(path) > 1}):
        raise BadConfig(f"{', '.join(twice)}: given twice; a family holds a comparison once.")
    results = [as_row(paired(counted(answers), seed)) for answers in read_files(files)]
    if not others:
        return _json(results[0])
    adjusted = benjamini_hochberg([row["p"] for row in results])
    return _json(
        [
            {"name": str(path)}
            | row
            | {"p_adj": p_adj, "changed": changed(row["lo"], row["hi"], p_adj)}
            for path, row, p_adj in zip(files, results, adjusted, strict=True)
        ]
    )


def as_row(found: Paired) -> dict[str, Any]:
    """A comparison as one flat row of plain numbers; null where something is not defined."""
    effect = found.effect
    names = ("G", "G_paired", "n0", "n1", "method")
    row = {name: getattr(effect, name) for name in names}
    for name in ("p0", "p1", "diff"):
        exact = getattr(effect, name)
        row[name] = None if exact is None else float(exact)
    row |= {name: getattr(effect, name) for name in ("se", "df", "lo", "hi", "p")}
    for condition, share in enumerate((found.share0, found.share1)):
        row |= {
            f"share{condition}_method": share.method,
            f"share{condition}_lo": share.lo,
            f"share{condition}_hi": share.hi,
        }
    return row


def read_files(files: Sequence[Path]) -> list[list[Answer]]:
    """The answers of each file. Raises BadData that tells all that is wrong, by row and column."""
    found = [_Csv(path) for path in files]
    answers = [one.read() for one in found]
    problems = [problem for one in found for problem in one.problems]
    if problems:
        more = len(problems) - _NAMED
        told = [*problems[:_NAMED], *([f"… and {more} more."] if more > 0 else [])]
        raise BadData("\n  ".join(["nothing was computed:", *told]))
    return answers


@dataclass
class _Csv:
    """One CSV while it is read. Rows are counted as a spreadsheet does: the header is row 1."""

    path: Path
    problems: list[str] = field(default_factory=list)

    def read(self) -> list[Answer]:
        """Every answer; what is wrong is in `problems`."""
        answers: list[Answer] = []
        with suppress(_Unreadable):
            lines = self._lines()
            _, header = next(lines, (1, []))
            places = self._places([name.strip() for name in header])
            rows: dict[tuple[str, str, str], int] = {}
            for number, cells in lines:
                if any(cells):
                    answers += self._answer(number, cells, len(header), places, rows)
            if not rows and not self.problems:
                self._stop("no answer in it. Give a row for every reply, also a missing one.")
        return answers

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        number = 0
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                for number, cells in enumerate(csv.reader(file, strict=True), 1):
                    yield number, [cell.strip() for cell in cells]
        except UnicodeDecodeError as error:
            self._stop(f"not UTF-8 (byte {error.start}: {error.reason}). Save it as “CSV UTF-8”.")
        except csv.Error as error:
            self._stop(f"row {number + 1}: not CSV ({error}).")
        except OSError as error:
            self._stop(f"cannot be read ({error.strerror}).")

    def _places(self, header: Sequence[str]) -> dict[str, int]:
        """Where each column is; others may be there too."""
        expected = f"Expected the columns {', '.join(COLUMNS)}."
        if not any(header):
            self._stop(f"the file is empty. {expected}")
        if len(header) == 1 and (other := next((c for c in ";\t" if c in header[0]), None)):
            self._stop(
                f"row 1: the columns are separated by {other!r}; expected commas. Save it as "
                "comma-separated CSV."
            )
        wrong = [f"no column {name!r}" for name in COLUMNS if name not in header]
        wrong += [
            f"column {name!r} is there {header.count(name)} times"
            for name in COLUMNS
            if header.count(name) > 1
        ]
        if wrong:
            self._stop(f"row 1: {'; '.join(wrong)}. {expected}")
        return {name: header.index(name) for name in COLUMNS}

    def _answer(
        self,
        number: int,
        cells: Sequence[str],
        width: int,
        places: dict[str, int],
        rows: dict[tuple[str, str, str], int],
    ) -> list[Answer]:
        """The answer of a row; none if something is wrong with it. rows: what was read before."""
        if len(cells) != width:
            self._problem(f"row {number}: {len(cells)} cells, but {width} columns.")
            return []
        cell = {name: cells[place] for name, place in places.items()}
        before = len(self.problems)
        for name in ("scene", "reply"):
            if not cell[name]:
                self._problem(f"row {number}, column {name}: empty.")
        if cell["condition"] not in _BITS:
            self._problem(
                f"row {number}, column condition: expected 0 (without) or 1 (with), found "
                f"{_short(cell['condition'])}."
            )
        if cell["y"] and cell["y"] not in _BITS:
            self._problem(
                f"row {number}, column y: expected 0, 1 or nothing for a reply that cannot count, "
                f"found {_short(cell['y'])}."
            )
        key = (cell["scene"], cell["condition"], cell["reply"])
        first = rows.setdefault(key, number)
        if first != number:
            self._problem(
                f"row {number}, column reply: scene {_short(key[0])}, condition {_short(key[1])}, "
                f"reply {_short(key[2])} is in row {first} already."
            )
        if len(self.problems) > before:
            return []
        return [Answer(cell["scene"], _BITS[cell["condition"]], _BITS.get(cell["y"]))]

    def _problem(self, what: str) -> None:
        self.problems.append(f"{self.path}, {what}")

    def _stop(self, what: str) -> None:
        """Nothing more of this file can be read."""
        self.problems.append(
            f"{self.path}, {what}" if what.startswith("row") else f"{self.path}: {what}"
        )
        raise _Unreadable


class _Unreadable(Exception):
    """The rest of a file cannot be read; why is among its problems."""


def _short(text: str) -> str:
    """A cell on a line, without what a terminal would obey."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
