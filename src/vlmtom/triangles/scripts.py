"""What each of the twelve clips shows, and of which condition it is; read from the resources."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.store.digests import REPOSITORY

CONDITIONS = ("ToM", "GD", "Random")
RESOURCES = REPOSITORY / "resources" / "clips"
SCRIPTS = RESOURCES / "scripts.csv"


@dataclass(frozen=True)
class Script:
    """A clip's name, its condition, and its story in a sentence (for judges, never testers)."""

    clip: str
    condition: str
    script: str
    source: str


@lru_cache(maxsize=4)
def scripts(path: Path = SCRIPTS) -> dict[str, Script]:
    """Scripts by clip, in the order of the file. Raises BadData naming file and line."""
    found: dict[str, Script] = {}
    for line, row in enumerate(read_csv(path, ("clip", "condition", "script", "source")), 2):
        if row["condition"] not in CONDITIONS:
            raise BadData(
                f"{path}, line {line}: expected a condition of {', '.join(CONDITIONS)}, "
                f"found {row['condition']!r}."
            )
        if not row["clip"] or not row["script"] or row["clip"] in found:
            raise BadData(f"{path}, line {line}: a clip needs a name of its own and a script.")
        found[row["clip"]] = Script(row["clip"], row["condition"], row["script"], row["source"])
    return found


def read_csv(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Rows of a UTF-8 CSV file that has at least these columns, stripped.

    Raises BadData naming the file, and the line of a row of another length.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            lacking = [name for name in columns if name not in (reader.fieldnames or [])]
            if lacking:
                raise BadData(f"{path}: no column {', '.join(lacking)}.")
            rows = []
            for line, row in enumerate(reader, 2):
                if None in row or None in row.values():
                    raise BadData(f"{path}, line {line}: not as many fields as the header has.")
                rows.append({name: value.strip() for name, value in row.items()})
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    return rows
