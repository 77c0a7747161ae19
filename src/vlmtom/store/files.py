"""How a file comes to be: whole or not at all, and never over another one."""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from vlmtom.errors import BadData, FileExists
from vlmtom.store.digests import sha256_bytes, sha256_file
from vlmtom.store.schema import Schema
from vlmtom.store.schemas import FILMS


def write_bytes(
    path: str | Path, content: bytes, replace: bool = False, private: bool = False
) -> None:
    """Create a file, whole or not at all.

    The bytes go to a temporary name, are synced, and are linked to the final name, which fails
    if that exists. replace: take the place of an older file instead (never for results).
    private: its owner alone may read and write it.
    Raises FileExists; OSError (full disk, read-only folder) with no file left.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.touch(0o600 if private else 0o666)  # as it is created, less the umask
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            temporary.replace(path)
            return
        try:
            os.link(temporary, path)
        except FileExistsError as error:
            raise FileExists(
                f"{path} exists, and results are never overwritten. "
                "Delete it first if it is to be made again."
            ) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_output(path: str | Path, content: bytes) -> None:
    """Write a file that a user asked for by name, in the place of one that vlmtom made.

    What was made is remembered beside it (.vlmtom.json: names and SHA-256). Raises FileExists
    for a file that vlmtom did not make, or that was changed since.
    """
    path = Path(path)
    memory = path.parent / ".vlmtom.json"
    try:
        made = json.loads(memory.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        made = {}
    if path.exists() and made.get(path.name) != sha256_file(path):
        raise FileExists(
            f"{path} was not made by vlmtom, or was changed since. "
            "Move it away, or give another place."
        )
    write_bytes(path, content, replace=True)
    made[path.name] = sha256_bytes(content)
    write_bytes(memory, json.dumps(made, indent=1, sort_keys=True).encode(), replace=True)


def write_table(path: str | Path, table: pa.Table, schema: Schema) -> None:
    """Create a Parquet file of a declared schema; the bytes depend on the rows alone.

    Raises BadData if columns, types, nulls or the key's uniqueness are not as declared.
    """
    check_table(path, table, schema)
    buffer = io.BytesIO()
    # A picture per row group: one can be read at random without holding its neighbours.
    size = 1 if schema.pictures or schema.films else None
    pq.write_table(table, buffer, compression="zstd", row_group_size=size)
    write_bytes(path, buffer.getvalue())


def write_rows(path: str | Path, rows: Iterable[Mapping[str, object]], schema: Schema) -> None:
    """Create a Parquet file from rows; as write_table."""
    write_table(path, schema.table(rows), schema)


def read_table(path: str | Path, schema: Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A whole file of a declared schema, or some of its columns.

    Opened as a Python file, so that the audit-hook wall sees it. Raises BadData naming the file
    for one that is missing, cut, of another schema, or with a repeated key.
    """
    with _opened(path, schema) as file:
        parquet = _parquet(path, file, schema)
        # One thread is quicker for tables of this size than starting more.
        table = parquet.read(list(columns) if columns is not None else None, use_threads=False)
    if columns is None:
        check_table(path, table, schema)
    return table


def read_rows(path: str | Path, schema: Schema) -> list[dict[str, object]]:
    """The rows of a file as dicts; as read_table."""
    return read_table(path, schema).to_pylist()


class PictureStore:
    """Pictures by pixel SHA-256 (and films by file SHA-256), read when asked for and never held.

    films: a second file, of the schema FILMS; None where no item shows any.
    """

    def __init__(self, path: str | Path, schema: Schema, films: str | Path | None = None) -> None:
        self._pictures = _Shelf(path, schema, "pixel_sha256", "image")
        self._films = None if films is None else _Shelf(films, FILMS, "file_sha256", "film")

    def __iter__(self) -> Iterator[str]:
        return iter(self._pictures.places)

    def __contains__(self, pixel_sha256: str) -> bool:
        return pixel_sha256 in self._pictures.places

    def png(self, pixel_sha256: str) -> bytes:
        """The bytes of a PNG, untouched. Raises BadData for a picture that is not there."""
        return self._pictures.content(pixel_sha256)

    def film(self, file_sha256: str) -> bytes:
        """The bytes of a film, untouched. Raises BadData for a film that is not there."""
        if self._films is None:
            raise BadData(f"film {file_sha256[:16]}…: this job was given no films (--films).")
        return self._films.content(file_sha256)

    def close(self) -> None:
        """Close the files."""
        self._pictures.close()
        if self._films is not None:
            self._films.close()


class _Shelf:
    """One file of pictures or films, a row group each."""

    def __init__(self, path: str | Path, schema: Schema, key: str, column: str) -> None:
        self._path, self._column, self._what = path, column, schema.name.removesuffix("s")
        self._file = _opened(path, schema)
        self._parquet = _parquet(path, self._file, schema)
        digests = self._parquet.read([key], use_threads=False)[key].to_pylist()
        self.places = {digest: number for number, digest in enumerate(digests)}
        if digests and self._parquet.num_row_groups != len(digests):
            raise BadData(
                f"{path}: {len(digests)} {schema.name} in {self._parquet.num_row_groups} row "
                f"groups; expected one {self._what} per row group. Delete the file and render it "
                "again."
            )

    def content(self, digest: str) -> bytes:
        if digest not in self.places:
            raise BadData(
                f"{self._path}: no {self._what} {digest[:16]}…, which an item shows. "
                f"Items and {self._what}s must come from one rendering; delete both and render "
                "again."
            )
        place, columns = self.places[digest], [self._column]
        group = self._parquet.read_row_group(place, columns, use_threads=False)
        return group[self._column][0].as_py()["bytes"]

    def close(self) -> None:
        self._parquet.close()
        self._file.close()


def write_csv(
    path: str | Path, rows: Iterable[Mapping[str, object]], columns: Sequence[str]
) -> None:
    """Create a CSV file; as csv_bytes."""
    write_bytes(path, csv_bytes(rows, columns))


def csv_bytes(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> bytes:
    """UTF-8 CSV. null is an empty field; text cannot become a spreadsheet formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_csv_field(row[column]) for column in columns])
    return text.getvalue().encode()


def check_table(path: str | Path, table: pa.Table, schema: Schema) -> None:
    """Raise BadData if a table is not what its schema declares."""
    expected = schema.arrow()
    if not table.schema.equals(expected):
        differing = [
            f"{name}: expected {_type_of(expected, name)}, found {_type_of(table.schema, name)}"
            for name in dict.fromkeys([*expected.names, *table.schema.names])
            if _type_of(expected, name) != _type_of(table.schema, name)
        ]
        raise BadData(
            f"{path}: not the schema {schema.name!r} version {schema.version}: "
            f"{'; '.join(differing) or 'columns in another order'}. Delete it and make it again."
        )
    for column in schema.columns:
        if not column.nullable and table[column.name].null_count:
            raise BadData(
                f"{path}: column {column.name!r} has {table[column.name].null_count} nulls; "
                f"the schema {schema.name!r} allows none."
            )
    _check_key(path, table, schema)


def _check_key(path: str | Path, table: pa.Table, schema: Schema) -> None:
    keys = zip(*(table[name].to_pylist() for name in schema.key), strict=True)
    seen: set[tuple[object, ...]] = set()
    repeated: list[tuple[object, ...]] = []
    for key in keys:
        if key in seen:
            repeated.append(key)
        seen.add(key)
    if repeated:
        named = "; ".join(", ".join(map(str, key)) for key in repeated[:5])
        raise BadData(
            f"{path}: {len(repeated)} repeated keys ({', '.join(schema.key)}): {named}. "
            "A row must be there once; conflicting rows are never averaged."
        )


def _type_of(schema: pa.Schema, name: str) -> str:
    if name not in schema.names:
        return "no such column"
    field = schema.field(name)
    return f"{field.type}{'' if field.nullable else ' not null'}"


def _opened(path: str | Path, schema: Schema) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except FileNotFoundError as error:
        raise BadData(f"{path}: no such file; expected a table of {schema.name!r}.") from error


def _parquet(path: str | Path, file: BinaryIO, schema: Schema) -> pq.ParquetFile:
    try:
        parquet = pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise BadData(
            f"{path}: not a whole Parquet file ({str(error).splitlines()[0]}). "
            "Delete it and run the same command again."
        ) from error
    found = (parquet.schema_arrow.metadata or {}).get(b"vlmtom_schema", b"none").decode()
    version = (parquet.schema_arrow.metadata or {}).get(b"vlmtom_version", b"none").decode()
    if (found, version) != (schema.name, schema.version):
        raise BadData(
            f"{path}: expected the schema {schema.name!r} version {schema.version}, "
            f"found {found!r} version {version}. Delete it and make it again."
        )
    return parquet


def _csv_field(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(str(part) for part in value)
    if isinstance(value, str):
        guarded = "'" + value if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
        # A lone carriage return is not quoted by the csv module, and not read back as it was.
        return guarded.replace("\r\n", "\n").replace("\r", "\n")
    return value
