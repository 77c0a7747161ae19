"""Whether judges recover the exemplars: descriptions whose scores their author expects.

The exemplars were written for this package and not rated by people: recovery says that a judge
applies the rubric as it is meant, not that it agrees with people.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vlmtom.judging.prompts import EXEMPLARS
from vlmtom.parsing.verdicts import SCALES

TOLERANCE = 0.5  # beyond either end of the expected interval
GATE_PERCENT = 80  # inclusive


@dataclass(frozen=True)
class Exemplar:
    """A description with the interval expected on each dimension, both ends included."""

    exemplar: str
    condition: str
    clip: str
    script: str
    description: str
    expected: Mapping[str, tuple[float, float]]

    def as_blind(self) -> dict[str, Any]:
        """What the judges' prompt needs of a row of the blind file."""
        return {
            "blind_id": self.exemplar,
            "condition": self.condition,
            "script": self.script,
            "description": self.description,
        }

    def recovered(self, dimension: str, value: float) -> bool:
        """Whether a score lies in the expected interval, or within the tolerance beside it."""
        low, high = self.expected[dimension]
        return low - TOLERANCE <= value <= high + TOLERANCE


@dataclass(frozen=True)
class Recovery:
    """A judge's recovery on one dimension.

    share: null where no exemplar has a verdict. passes: the gate is met and no verdict is missing.
    """

    judge: str
    dimension: str
    recovered: int
    scored: int
    missing: int

    @property
    def share(self) -> float | None:
        """Recovered of those with a verdict."""
        return self.recovered / self.scored if self.scored else None

    @property
    def passes(self) -> bool:
        """In integers, because the gate is inclusive."""
        enough = 100 * self.recovered >= GATE_PERCENT * self.scored
        return enough and self.scored > 0 and self.missing == 0


def read_exemplars(path: str | Path = EXEMPLARS) -> list[Exemplar]:
    """The exemplars of a CSV file, in its order."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [
            Exemplar(
                exemplar=row["exemplar"],
                condition=row["condition"],
                clip=row["clip"],
                script=row["script"],
                description=row["description"],
                expected={d: (float(row[f"{d}_low"]), float(row[f"{d}_high"])) for d in SCALES},
            )
            for row in csv.DictReader(file)
        ]


def score(
    verdicts: Iterable[Mapping[str, Any]], exemplars: Sequence[Exemplar] | None = None
) -> list[Recovery]:
    """Recovery per judge and dimension, judges in the order in which they first appear.

    verdicts: rows with judge, exemplar, intent, approp (null: no verdict); one a pair, or the mean
    over repetitions. An exemplar without a row is missing.
    """
    known = {one.exemplar: one for one in (exemplars or read_exemplars())}
    by_judge: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in verdicts:
        by_judge.setdefault(row["judge"], {})[row["exemplar"]] = row
    return [
        _recovery(judge, dimension, rows, known)
        for judge, rows in by_judge.items()
        for dimension in SCALES
    ]


def _recovery(
    judge: str,
    dimension: str,
    rows: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Exemplar],
) -> Recovery:
    values = {name: rows[name][dimension] for name in known if name in rows}
    scored = {name: value for name, value in values.items() if value is not None}
    recovered = sum(known[name].recovered(dimension, value) for name, value in scored.items())
    return Recovery(judge, dimension, recovered, len(scored), len(known) - len(scored))
