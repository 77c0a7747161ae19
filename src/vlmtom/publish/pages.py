"""Long tables: cut into several that fit a page, between groups of rows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from vlmtom.publish.latex import LatexTable

_ROWS = 46  # of a table that fits the page in scriptsize, with its caption


def in_pages(
    table: LatexTable, groups: Sequence[Sequence[Sequence[str]]], most: int = _ROWS
) -> Iterator[LatexTable]:
    """A table cut into several that fit a page, between groups of rows (a group is not cut).

    most: rows of a page; fewer where the caption is long or the groups are many and small.
    """
    page: list[Sequence[str]] = []
    breaks: list[int] = []
    number = 1
    for group in groups:
        if page and len(page) + len(group) > most:
            yield _page(table, page, breaks, number)
            page, breaks, number = [], [], number + 1
        if page:
            breaks.append(len(page))
        page = [*page, *group]
    yield _page(table, page, breaks, number)


def text_of(tables: Iterable[LatexTable], nothing: str) -> str:
    """The LaTeX source of tables one after the other; a comment where there is none."""
    return "\n".join(table.text() for table in tables) or f"% {nothing}\n"


def _page(
    table: LatexTable, rows: Sequence[Sequence[str]], breaks: Sequence[int], number: int
) -> LatexTable:
    if number == 1:
        return replace(table, rows=rows, breaks=breaks)
    return replace(
        table,
        label=f"{table.label}-{number}",
        caption=f"{table.caption.split('.')[0]}, continued.",
        notes=(),
        rows=rows,
        breaks=breaks,
    )
