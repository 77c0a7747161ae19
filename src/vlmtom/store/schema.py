"""What a declared table is: its grain, its key, its columns with type, unit and meaning."""

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

SCHEMA_VERSION = "1"
_CHUNK = 4096  # rows held as Python objects while a table is built


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
    films: tuple[str, ...] = ()  # video columns, likewise
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
        """Rows as a table of this schema; of an iterator, few are held at a time.

        Raises KeyError for a row that lacks or adds a column: a typing slip in the caller.
        """
        coming, schema = iter(rows), self.arrow()
        chunks = iter(lambda: list(itertools.islice(coming, _CHUNK)), [])
        return pa.Table.from_batches((self._batch(chunk, schema) for chunk in chunks), schema)

    def _batch(self, rows: list[Mapping[str, object]], schema: pa.Schema) -> pa.RecordBatch:
        names = {c.name for c in self.columns}
        for row in rows:
            if set(row) != names:
                odd = sorted(set(row) ^ names)
                raise KeyError(f"{self.name}: columns missing or undeclared: {odd}")
        columns = [pa.array([row[c.name] for row in rows], c.type) for c in self.columns]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _metadata(self) -> dict[bytes, bytes]:
        metadata = {b"vlmtom_schema": self.name.encode(), b"vlmtom_version": self.version.encode()}
        if self.pictures or self.films:
            metadata[b"huggingface"] = _hugging_face_features(self)
        return metadata


def _hugging_face_features(schema: Schema) -> bytes:
    """The key under which the `datasets` library reads structs as pictures or films."""
    features: dict[str, object] = {}
    for column in schema.columns:
        if column.name in schema.pictures:
            features[column.name] = {"_type": "Image"}
        elif column.name in schema.films:
            features[column.name] = {"_type": "Video"}
        else:
            features[column.name] = {"dtype": str(column.type), "_type": "Value"}
    return json.dumps({"info": {"features": features}}, sort_keys=True).encode()
