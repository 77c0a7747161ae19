"""`vlmtom paired`: the paired baseline from answers that were scored elsewhere, one CSV each."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vlmtom.commands.outside_csv import OutsideCsv, Unreadable, refuse, short
from vlmtom.errors import BadConfig
from vlmtom.stats.multiplicity import benjamini_hochberg, changed
from vlmtom.stats.paired import Answer, Paired, counted, paired

COLUMNS = ("scene", "condition", "reply", "y")
SEED = 20261
_BITS = {"0": 0, "1": 1}


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
    found = [_Answers(path) for path in files]
    answers = [one.read() for one in found]
    refuse(problem for one in found for problem in one.problems)
    return answers


class _Answers(OutsideCsv):
    """The CSV of a comparison while it is read."""

    def read(self) -> list[Answer]:
        """Every answer; what is wrong is in `problems`."""
        answers: list[Answer] = []
        with suppress(Unreadable):
            rows: dict[tuple[str, str, str], int] = {}
            for number, cell in self.rows(COLUMNS):
                answers += self._answer(number, cell, rows)
            if not rows and not self.problems:
                self.stop("no answer in it. Give a row for every reply, also a missing one.")
        return answers

    def _answer(
        self,
        number: int,
        cell: Mapping[str, str],
        rows: dict[tuple[str, str, str], int],
    ) -> list[Answer]:
        """The answer of a row; none if something is wrong with it. rows: what was read before."""
        before = len(self.problems)
        for name in ("scene", "reply"):
            if not cell[name]:
                self.problem(f"row {number}, column {name}: empty.")
        if cell["condition"] not in _BITS:
            self.problem(
                f"row {number}, column condition: expected 0 (without) or 1 (with), found "
                f"{short(cell['condition'])}."
            )
        if cell["y"] and cell["y"] not in _BITS:
            self.problem(
                f"row {number}, column y: expected 0, 1 or nothing for a reply that cannot count, "
                f"found {short(cell['y'])}."
            )
        key = (cell["scene"], cell["condition"], cell["reply"])
        first = rows.setdefault(key, number)
        if first != number:
            self.problem(
                f"row {number}, column reply: scene {short(key[0])}, condition {short(key[1])}, "
                f"reply {short(key[2])} is in row {first} already."
            )
        if len(self.problems) > before:
            return []
        return [Answer(cell["scene"], _BITS[cell["condition"]], _BITS.get(cell["y"]))]


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
