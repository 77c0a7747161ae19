"""The manifest: every product with its digest; and the check of manifest and journals."""

from collections.abc import Collection, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from vlmtom.errors import BadData, BrokenJournal
from vlmtom.store.digests import sha256_file
from vlmtom.store.files import read_rows
from vlmtom.store.journal import all_streams, read_stream
from vlmtom.store.schemas import MANIFEST


def manifest_rows(results: str | Path, files: Iterable[str | Path]) -> list[dict[str, object]]:
    """One row a file (MANIFEST), sorted by its path below the results folder."""
    root = Path(results)
    rows = [_manifest_row(root, Path(file)) for file in files]
    return sorted(rows, key=lambda row: str(row["path"]))


def manifest_problems(results: str | Path, left_out: Collection[str] = ()) -> list[str]:
    """Files that are gone or differ from the manifest, one sentence each.

    left_out: paths below the results that need not be there.
    """
    root = Path(results)
    path = root / "manifest.parquet"
    if not path.exists():
        return [f"{path}: no manifest. Run `snakemake all` to the end first."]
    try:
        rows = read_rows(path, MANIFEST)
    except BadData as error:
        return [str(error)]
    problems = []
    for row in rows:
        file = root / str(row["path"])
        if not file.exists() and row["path"] in left_out:
            continue
        if not file.exists():
            problems.append(f"{file}: in the manifest, but gone. `snakemake all` makes it again.")
        elif sha256_file(file) != row["sha256"]:
            problems.append(
                f"{file}: not the file of the manifest. If it was changed by hand, delete it and "
                "run `snakemake all`."
            )
    return problems


def journal_problems(results: str | Path) -> list[str]:
    """Journals whose chain does not hold, one sentence each."""
    problems = []
    for folder in sorted(Path(results).glob("*/*/journal")):
        for stream in all_streams(folder):
            try:
                for _ in read_stream(folder, stream):
                    pass
            except BrokenJournal as error:
                problems.append(str(error))
    return problems


def _manifest_row(root: Path, file: Path) -> dict[str, object]:
    below = file.relative_to(root).as_posix()
    row: dict[str, object] = {
        "path": below,
        "stage": below.split("/")[0] if "/" in below else "",
        "sha256": sha256_file(file),
        "size": file.stat().st_size,
        "rows": None,
        "schema": None,
        "schema_version": None,
        "written_by": None,
    }
    if file.suffix == ".parquet":
        with file.open("rb") as opened:
            try:
                parquet = pq.ParquetFile(opened)
            except pa.ArrowInvalid as error:
                raise BadData(
                    f"{file}: not a whole Parquet file. Delete it and run again."
                ) from error
            metadata = parquet.schema_arrow.metadata or {}
            row["rows"] = parquet.metadata.num_rows
            row["schema"] = metadata.get(b"vlmtom_schema", b"").decode() or None
            row["schema_version"] = metadata.get(b"vlmtom_version", b"").decode() or None
            row["written_by"] = parquet.metadata.created_by
    return row
