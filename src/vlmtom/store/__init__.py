"""What is kept: declared tables, create-only files, the journal, digests, locks, the manifest."""

from vlmtom.store.digests import (
    canonical_json,
    code_digest,
    seed_for,
    sha256_file,
    sha256_json,
    sha256_text,
)
from vlmtom.store.files import (
    PictureStore,
    read_rows,
    read_table,
    write_bytes,
    write_csv,
    write_rows,
    write_table,
)
from vlmtom.store.journal import JournalWriter, read_stream, streams

__all__ = [
    "JournalWriter",
    "PictureStore",
    "canonical_json",
    "code_digest",
    "read_rows",
    "read_stream",
    "read_table",
    "seed_for",
    "sha256_file",
    "sha256_json",
    "sha256_text",
    "streams",
    "write_bytes",
    "write_csv",
    "write_rows",
    "write_table",
]
