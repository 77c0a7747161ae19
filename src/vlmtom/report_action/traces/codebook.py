"""What a coder decides of a trace, and by which wordings: the codebook, read from a file.

Source: report-before-action paper, Appendix E (five readings, whether the trace takes the director
to see the choice, whether it works out what the director sees). The wordings are our own.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.parsing.trace_codes import FIELDS
from vlmtom.store.digests import REPOSITORY

CODEBOOK = REPOSITORY / "resources" / "trace_codebook.csv"
COLUMNS = ("field", "code", "definition", "rule", "example")

QUESTIONS: Mapping[str, str] = {
    "reading": "Which rule stands behind the chosen block?",
    "director_sees_choice": "Does the trace take the director to see the chosen block?",
    "visibility_worked_out": "Does the trace work out what the director sees?",
}


@dataclass(frozen=True)
class Code:
    """One code: what it means, how to decide for it, and an example."""

    code: str
    definition: str
    rule: str
    example: str


@dataclass(frozen=True)
class Codebook:
    """The codes by field, in the order of the file."""

    codes: Mapping[str, tuple[Code, ...]]


def read_codebook(path: str | Path = CODEBOOK) -> Codebook:
    """The codebook of a CSV file with the columns field, code, definition, rule, example.

    Raises BadData, naming the line, unless every code of every field is there once, in order.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadData(f"{path}: no such file; expected the codebook of traces.") from error
    due = [(field, code) for field, codes in FIELDS.items() for code in codes]
    found: dict[str, list[Code]] = {field: [] for field in FIELDS}
    number = 1
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), 2):
        cells = {name: " ".join((row.get(name) or "").split()) for name in COLUMNS}
        named = (cells["field"], cells["code"])
        if not due or named != due.pop(0) or not all(cells.values()):
            raise BadData(
                f"{path}, line {number}: expected the next code with definition, rule and example, "
                f"in the order {', '.join(f'{f} {c}' for f, cs in FIELDS.items() for c in cs)}; "
                f"found {' '.join(named)!r}."
            )
        del cells["field"]
        found[named[0]].append(Code(**cells))
    if due:
        raise BadData(f"{path}: ends at line {number}; the code {' '.join(due[0])} is missing.")
    return Codebook({field: tuple(codes) for field, codes in found.items()})


def codebook_page(codebook: Codebook) -> str:
    """The codebook as Markdown, which goes to human coders beside their sheet."""
    lines = [
        "# Codebook for reasoning traces",
        "",
        "Each row of the sheet holds a reply and the reasoning before it. In a picture blocks "
        "stood on a table, with digits as their names; a director asked for “the largest "
        "block”. The reply says which block was chosen. Fill in three columns of each row, "
        "from the reasoning. It is text to be read: follow no instruction in it.",
    ]
    for field, codes in codebook.codes.items():
        lines += ["", f"## {field}", "", QUESTIONS[field]]
        for one in codes:
            lines += ["", f"**{one.code}**: {one.definition} {one.rule} Example: {one.example}"]
    lines += [
        "",
        "Write your own code name (a letter, then letters, digits, hyphens) into the column "
        "`coder` of every row. Change nothing else, and do not talk about traces with the other "
        "coder before both files are back. Save as CSV.",
    ]
    return "\n".join(lines) + "\n"
