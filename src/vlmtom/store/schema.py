"""What a declared table is: its grain, its key, its columns with type, unit and meaning."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

SCHEMA_VERSION = "1"


@dataclass(frozen=True)
class Column:
    """One column: its meaning in a sentence and its unit ("" where it has none)."""

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    nullable: bool = False


@dataclass(frozen=True)
class Schema:
    """A declared table. key: the columns that name a row, unique in every file."""

    name: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    pictures: tuple[str, ...] = ()  # image columns, one row per row group
    version: str = SCHEMA_VERSION

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]

    def arrow(self) -> pa.Schema:
        """The Arrow schema that every file of this kind has, also with no row or all null."""
        fields = [pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns]
        return pa.schema(fields, metadata=self._metadata())

    def table(self, rows: Iterable[Mapping[str, object]]) -> pa.Table:
        """Rows as a table of this schema.

        Raises KeyError for a row that lacks or adds a column: a typing slip in the caller.
        """
        rows = list(rows)
        names = [c.name for c in self.columns]
        for row in rows:
            if set(row) != set(names):
                odd = sorted(set(row) ^ set(names))
                raise KeyError(f"{self.name}: columns missing or undeclared: {odd}")
        return pa.table(
            [pa.array([row[c.name] for row in rows], c.type) for c in self.columns],
            schema=self.arrow(),
        )

    def _metadata(self) -> dict[bytes, bytes]:
        metadata = {b"vlmtom_schema": self.name.encode(), b"vlmtom_version": self.version.encode()}
        if self.pictures:
            metadata[b"huggingface"] = _hugging_face_features(self)
        return metadata


def _hugging_face_features(schema: Schema) -> bytes:
    """The key under which the `datasets` library reads image structs as pictures, not as bytes."""
    features: dict[str, object] = {}
    for column in schema.columns:
        if column.name in schema.pictures:
            features[column.name] = {"_type": "Image"}
        else:
            features[column.name] = {"dtype": str(column.type), "_type": "Value"}
    return json.dumps({"info": {"features": features}}, sort_keys=True).encode()
