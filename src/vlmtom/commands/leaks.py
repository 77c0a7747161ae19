"""Keys that must not leave the house: where a file holds one, by value or by well-known shape."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from vlmtom.errors import BadData

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
# Shorter values stand in ordinary words ("EMPTY" is what some local servers take for a key).
SHORTEST, SHORTEST_NAMED = 8, 6
_SHORTEST_LINE = 16  # of a value with several lines, such as a private key
_WORD = rb"[^/:@\"'{}<>\x00-\x20\x7f-\xff]+"


def _alone(start: bytes) -> bytes:
    """The start of a key that is no part of a longer word: base64 pictures are full of letters.

    Before it may stand `key=` of an address, or a line break as JSON writes it. One looks back from
    its end, because a pattern that begins with letters is searched for many times as fast.
    """
    return rb"%b(?:(?<![A-Za-z0-9+/_-]%b)|(?<=\\[nrt]%b))" % (start, start, start)


SHAPES = {
    "sk-…": _alone(rb"sk-") + rb"(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}",
    "AKIA…": _alone(rb"A[KS]IA") + rb"[A-Z0-9]{16}(?![A-Za-z0-9])",
    "ghp_…": _alone(rb"gh[pousr]_") + rb"[A-Za-z0-9]{30,}",
    "github_pat_…": _alone(rb"github_pat_") + rb"[A-Za-z0-9_]{30,}",
    "hf_…": _alone(rb"hf_") + rb"[A-Za-z0-9]{30,}",
    "AIza…": _alone(rb"AIza") + rb"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
    "Bearer …": rb"[Bb]earer\s+(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{16,}",
    "a private key": rb"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "an address with a password": rb"[a-z]://" + _WORD + rb":" + _WORD + rb"@[A-Za-z0-9\[]",
}


@dataclass(frozen=True)
class Hit:
    """Where something is that looks like a key; the key itself is not kept.

    place: a line, or a column and row. kind: whose value it is, or which shape it has.
    """

    file: str
    place: str
    kind: str
    is_shape: bool

    def __str__(self) -> str:
        return f"{self.file}, {self.place}: {self.kind}"


class Scanner:
    """Looks for the values of variables, and for shapes.

    environment: names with values. key_variables: those that endpoints name, whatever their names
    are; of others, those whose name says that they hold a key.
    """

    def __init__(self, environment: Mapping[str, str], key_variables: Iterable[str]) -> None:
        named = set(key_variables)
        values: dict[bytes, str] = {}
        for name, given in sorted(environment.items()):
            value = given.strip()  # as the key is sent
            long_enough = len(value) >= (SHORTEST_NAMED if name in named else SHORTEST)
            if long_enough and (name in named or _SECRET_NAME.search(name)):
                for spelling in _spellings(value):
                    values.setdefault(spelling, name)
        # The longest first, so that a key is not told as another one that it begins with.
        self._values = sorted(values.items(), key=lambda value: len(value[0]), reverse=True)
        self._shapes = {kind: re.compile(shape) for kind, shape in SHAPES.items()}

    def hits(self, name: str, file: IO[bytes]) -> Iterator[Hit]:
        """What a file holds: line by line, and in a Parquet file string by string as well."""
        for number, line in enumerate(file, 1):
            yield from self._found(name, f"line {number}", line)
        if name.endswith(".parquet"):
            file.seek(0)
            try:
                for column, row, text in _strings(file):
                    content = text.encode("utf-8", "surrogatepass")
                    yield from self._found(name, f"column {column}, row {row}", content)
            except pa.ArrowException as error:
                raise BadData(
                    f"{name}: not a whole Parquet file, so that it cannot be looked through for "
                    "keys. Delete it and run `snakemake` again."
                ) from error

    def _found(self, file: str, place: str, content: bytes) -> Iterator[Hit]:
        for spelling, name in self._values:
            if spelling in content:
                yield Hit(file, place, f"the value of {name}", False)
                break
        for kind, shape in self._shapes.items():
            if shape.search(content):
                yield Hit(file, place, f"the shape of a key ({kind})", True)


def _spellings(value: str) -> set[bytes]:
    """A value as it may stand in a text, in JSON (twice), in HTML, in an address, in base64."""
    in_json = json.dumps(value)[1:-1]
    spelled = {value, in_json, json.dumps(in_json)[1:-1], html.escape(value), quote(value, safe="")}
    spelled.add(re.sub("%..", lambda code: code[0].lower(), quote(value, safe="")))
    if "\n" in value:
        spelled |= {line for line in value.splitlines() if len(line) >= _SHORTEST_LINE}
    plain = {text.encode("utf-8", "surrogateescape") for text in spelled}
    return plain | _in_base64(value.encode("utf-8", "surrogateescape"))


def _in_base64(value: bytes) -> set[bytes]:
    """A value within a longer text in base64: what it looks like, wherever in a group it begins."""
    found = set()
    for before in range(3):
        whole = base64.b64encode(bytes(before) + value).rstrip(b"=")
        # The first and the last character may hold bits of what stands beside the value.
        last = len(whole) - bool((before + len(value)) % 3)
        part = whole[(0, 2, 3)[before] : last]
        found |= {part, part.translate(bytes.maketrans(b"+/", b"-_"))}
    return found


def _strings(file: IO[bytes]) -> Iterator[tuple[str, int, str]]:
    """Every string of a Parquet file with its column and row; pictures are not read."""
    parquet = pq.ParquetFile(file)
    leaves = [parquet.schema.column(n) for n in range(len(parquet.schema.names))]
    texts = [leaf.path for leaf in leaves if leaf.logical_type.type in ("STRING", "JSON", "ENUM")]
    if not texts:
        return
    first = 1
    for batch in parquet.iter_batches(batch_size=1024, columns=texts, use_threads=False):
        yield from _batch_strings(batch, first)
        first += batch.num_rows


def _batch_strings(batch: pa.RecordBatch, first: int) -> Iterator[tuple[str, int, str]]:
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        for row, value in enumerate(column.to_pylist(), first):
            for text in _texts_in(value):
                yield name, row, text


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts_in(part)
