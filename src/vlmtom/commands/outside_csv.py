"""A CSV file that somebody else made: what is wrong with it is told by row and column, at once."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vlmtom.errors import BadData

_NAMED = 10  # problems that a message names


class Unreadable(Exception):
    """The rest of a file cannot be read; why is among its problems."""


@dataclass
class OutsideCsv:
    """One CSV while it is read. Rows are counted as a spreadsheet does: the header is row 1."""

    path: Path
    problems: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Every row with its number, cells without spaces around them. Raises Unreadable."""
        number = 0
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                for number, cells in enumerate(csv.reader(file, strict=True), 1):
                    yield number, [cell.strip() for cell in cells]
        except UnicodeDecodeError as error:
            self.stop(f"not UTF-8 (byte {error.start}: {error.reason}). Save it as “CSV UTF-8”.")
        except csv.Error as error:
            self.stop(f"row {number + 1}: not CSV ({error}).")
        except OSError as error:
            self.stop(f"cannot be read ({error.strerror}).")

    def places(self, header: Sequence[str], columns: Sequence[str]) -> dict[str, int]:
        """Where each column is; others may be there too. Raises Unreadable."""
        expected = f"Expected the columns {', '.join(columns)}."
        if not any(header):
            self.stop(f"the file is empty. {expected}")
        if len(header) == 1 and (other := next((c for c in ";\t" if c in header[0]), None)):
            self.stop(
                f"row 1: the columns are separated by {other!r}; expected commas. Save it as "
                "comma-separated CSV."
            )
        wrong = [f"no column {name!r}" for name in columns if name not in header]
        wrong += [
            f"column {name!r} is there {header.count(name)} times"
            for name in columns
            if header.count(name) > 1
        ]
        if wrong:
            self.stop(f"row 1: {'; '.join(wrong)}. {expected}")
        return {name: header.index(name) for name in columns}

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
        """Every row that is not blank, by column, with its number. Raises Unreadable."""
        lines = self.lines()
        _, header = next(lines, (1, []))
        places = self.places(header, columns)
        for number, cells in lines:
            if not any(cells):
                continue
            if len(cells) != len(header):
                self.problem(f"row {number}: {len(cells)} cells, but {len(header)} columns.")
            else:
                yield number, {name: cells[place] for name, place in places.items()}

    def problem(self, what: str) -> None:
        """Something is wrong; the rest is read all the same."""
        self.problems.append(f"{self.path}, {what}")

    def expected(self, number: int, column: str, words: str, found: str) -> None:
        """A cell is not what it should be."""
        self.problem(f"row {number}, column {column}: expected {words}, found {short(found)}.")

    def stop(self, what: str) -> None:
        """Nothing more of this file can be read. Raises Unreadable."""
        self.problems.append(
            f"{self.path}, {what}" if what.startswith("row") else f"{self.path}: {what}"
        )
        raise Unreadable


def refuse(problems: Iterable[str]) -> None:
    """Raises BadData that names the first problems, if there is any."""
    problems = list(problems)
    if problems:
        more = len(problems) - _NAMED
        told = [*problems[:_NAMED], *([f"… and {more} more."] if more > 0 else [])]
        raise BadData("\n  ".join(["nothing was computed:", *told]))


def short(text: str) -> str:
    """A cell on a line, without what a terminal would obey."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
