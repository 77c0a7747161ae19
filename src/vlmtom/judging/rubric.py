"""The rubric: what each level of Intentionality and Appropriateness means, read from a file."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.parsing.verdicts import SCALES
from vlmtom.store.digests import REPOSITORY

RUBRIC = REPOSITORY / "resources" / "rubric.csv"


@dataclass(frozen=True)
class Rubric:
    """The wordings by dimension ("intent", "approp"), from level 0 up."""

    wordings: Mapping[str, tuple[str, ...]]


def read_rubric(path: str | Path = RUBRIC) -> Rubric:
    """The rubric of a CSV file with the columns dimension, level, wording.

    Raises BadData unless every level from 0 to the top of both scales is there once, in order.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadData(f"{path}: no such file; expected the judges' rubric.") from error
    wordings: dict[str, list[str]] = {dimension: [] for dimension in SCALES}
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), 2):
        dimension, level = row.get("dimension"), row.get("level")
        wording = " ".join((row.get("wording") or "").split())
        if dimension not in wordings or level != str(len(wordings[dimension])) or not wording:
            raise BadData(
                f"{path}, line {number}: expected the next level of intent or approp with its "
                f"wording, found dimension {dimension!r}, level {level!r}."
            )
        wordings[dimension].append(wording)
    for dimension, top in SCALES.items():
        if len(wordings[dimension]) != top + 1:
            raise BadData(
                f"{path}: {dimension} has {len(wordings[dimension])} levels; expected 0 to {top}."
            )
    return Rubric({dimension: tuple(levels) for dimension, levels in wordings.items()})
