"""The codebook as a page for people: every table that is written, and what its columns mean."""

from collections.abc import Iterable

from vlmtom.store.schema import Column, Schema
from vlmtom.store.schemas import SCHEMAS

HEAD = """\
# Codebook

Every Parquet file that a run writes, by its schema: what a row is, which columns name it, and each
column's type, unit and meaning. `results/codebook.csv` is the same as a table. A null means that
something is not known, or does not apply; it is never a zero. Files carry their schema's name and
version (`vlmtom_schema`, `vlmtom_version`) in their metadata.

This page is made from `src/vlmtom/store/schemas/` by

    python -m vlmtom.publish.codebook > docs/codebook.md
"""


def codebook_page(schemas: Iterable[Schema] = SCHEMAS) -> str:
    """The page, in Markdown."""
    return "\n".join([HEAD, *map(_section, schemas)])


def _section(schema: Schema) -> str:
    lines = [
        f"## {schema.name}",
        "",
        f"A row is {schema.grain}. Named by {', '.join(f'`{name}`' for name in schema.key)}.",
        "",
        "| column | type | unit | meaning |",
        "|---|---|---|---|",
        *map(_row, schema.columns),
        "",
    ]
    return "\n".join(lines)


def _row(column: Column) -> str:
    kind = f"`{column.type}`{', or null' if column.nullable else ''}"
    cells = (f"`{column.name}`", kind, column.unit, column.meaning)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


if __name__ == "__main__":
    print(codebook_page(), end="")
