"""Table 1: benchmarks of theory of mind beside this one (cross-task paper, section 2)."""

import csv
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.store.digests import REPOSITORY
from vlmtom.store.schemas import BENCHMARKS

FILE = REPOSITORY / "resources" / "benchmarks.csv"

# Column, its head, and the characters a line of it: together they fill the width of a page.
_COLUMNS = (
    ("benchmark", "Benchmark", 17),
    ("sub_capacity", "Sub-capacity", 20),
    ("stimulus", "Stimulus type", 21),
    ("confounds_reduced", "Social cues reduced", 20),
    ("paired", "Paired tasks", 12),
)


def read_benchmarks(path: str | Path = FILE) -> list[dict[str, str]]:
    """Rows of BENCHMARKS, in the order of the file.

    Raises BadData for a file that cannot be read, another column, or an empty field.
    """
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    if (reader.fieldnames or []) != list(BENCHMARKS.names):
        raise BadData(f"{path}: expected the columns {', '.join(BENCHMARKS.names)}.")
    for number, row in enumerate(rows, 2):
        if empty := [name for name in BENCHMARKS.names if not row.get(name)]:
            raise BadData(f"{path}, line {number}: nothing under {', '.join(empty)}.")
    return rows


def table1_tex(rows: Sequence[Mapping[str, str]]) -> str:
    """The LaTeX source of Table 1. rows: of BENCHMARKS. A cell may take several lines."""
    lines: list[list[str]] = []
    breaks = []
    for row in rows:
        breaks.append(len(lines))
        lines += _lines(row)
    cited = "; ".join(f"{row['benchmark']}: {row['citation']}" for row in rows if _named(row))
    return LatexTable(
        label="tab:benchmarks",
        caption=(
            "Benchmarks of theory of mind in vision-language models, by what is measured, what is "
            "shown, whether social cues are reduced, and whether tasks are paired over one panel. "
            "Source: Zhang et al. (arXiv 2608.00261), Table 1, whose row Ours stands as Zhang et "
            f"al. (2026); the last row is this project, after it. {cited}."
        ),
        columns=[Column(head, "l") for _, head, _ in _COLUMNS],
        rows=lines,
        breaks=breaks[1:],
        gap_pt=3,
        size="scriptsize",
    ).text()


def _lines(row: Mapping[str, str]) -> list[list[str]]:
    """A row as lines of the tabular: cells of unequal height end in empty ones."""
    cells = [textwrap.wrap(row[name], width) for name, _, width in _COLUMNS]
    height = max(map(len, cells))
    return [[cell[i] if i < len(cell) else "" for cell in cells] for i in range(height)]


def _named(row: Mapping[str, str]) -> bool:
    """Whether its name does not say already who published it."""
    return row["citation"].split()[0] != row["benchmark"].split()[0]
