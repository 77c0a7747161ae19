"""Which models are of one family, for the audit of judges that rate their own kind."""

import csv
from collections.abc import Iterable
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.store.digests import REPOSITORY

FAMILIES = REPOSITORY / "resources" / "families.csv"


def families_of(names: Iterable[str], path: str | Path = FAMILIES) -> dict[str, str]:
    """The family of each model that the file knows, by the longest prefix of its name.

    A name without a family is left out. Raises BadData for a file that cannot be used.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    prefixes: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        if not row.get("prefix") or not row.get("family"):
            raise BadData(f"{path}, line {number}: expected a prefix and a family, found {row}.")
        prefixes[row["prefix"].casefold()] = row["family"]
    found = {}
    for name in names:
        fitting = [prefix for prefix in prefixes if name.casefold().startswith(prefix)]
        if fitting:
            found[name] = prefixes[max(fitting, key=len)]
    return found
