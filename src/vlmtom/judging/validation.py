"""Whether judges recover the exemplars: descriptions whose scores their author expects.

The exemplars of the package were written for it and not rated by people: recovery says that a
judge applies the rubric as it is meant, not that it agrees with people.
Source: cross-task paper, Appendices M (battery, double gate) and N (ablation).
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from vlmtom.errors import BadData
from vlmtom.judging.blinding import blind_id
from vlmtom.judging.prompts import EXEMPLARS, GATES
from vlmtom.judging.text_traits import language, n_words, self_identifies
from vlmtom.parsing.verdicts import SCALES
from vlmtom.settings import EXEMPLARS as ARM
from vlmtom.stats.exact import Root

Row = Mapping[str, Any]

COLUMNS = (
    *("exemplar", "condition", "clip", "script", "description"),
    *(f"{dimension}_{end}" for dimension in SCALES for end in ("low", "high")),
)
CONDITIONS = ("ToM", "GD", "Random")
TOLERANCE = Fraction(GATES["tolerance"])  # beyond either end of the expected interval
GATE_PERCENT = Fraction(GATES["recovery_percent"])  # inclusive, as the next two
SD_GATES = {
    dimension: Root(Fraction(GATES[f"{dimension}_sd"]) ** 2) for dimension in ("intent", "approp")
}


@dataclass(frozen=True)
class Exemplar:
    """A description with the interval expected on each dimension, both ends included."""

    exemplar: str
    condition: str
    clip: str
    script: str
    description: str
    expected: Mapping[str, tuple[float, float]]

    def as_blind(self, salt: str = "") -> dict[str, Any]:
        """A row of the blind file, under an id that does not tell what is expected."""
        return {
            "blind_id": blind_id(salt, self.exemplar, self.description),
            "arm": ARM,
            "clip": self.clip,
            "condition": self.condition,
            "script": self.script,
            "description": self.description,
            "self_identifies": self_identifies(self.description),
            "n_words": n_words(self.description),
            "language": language(self.description),
        }

    def recovered(self, dimension: str, value: float) -> bool:
        """Whether a score lies in the expected interval, or within the tolerance beside it."""
        low, high = self.expected[dimension]
        return low - TOLERANCE <= value <= high + TOLERANCE


@dataclass(frozen=True)
class Recovery:
    """A judge's recovery on one dimension, over exemplars x repetitions.

    max_sd: the largest population standard deviation of an exemplar over its repetitions; null
    where no exemplar has a verdict.
    """

    judge: str
    dimension: str
    recovered: int
    scored: int
    missing: int
    max_sd: Root | None

    @property
    def share(self) -> Fraction | None:
        """Recovered of those with a verdict; null where none has one."""
        return Fraction(self.recovered, self.scored) if self.scored else None

    @property
    def passes(self) -> bool:
        """The double gate is met, and no verdict is missing."""
        return self.missing == 0 and gate(self.dimension, self.share, self.max_sd)


def gate(dimension: str, share: Fraction | None, max_sd: Root | None) -> bool:
    """The double gate of one dimension, both limits included; without a value it is not met."""
    if share is None or max_sd is None:
        return False
    return 100 * share >= GATE_PERCENT and max_sd <= SD_GATES[dimension]


def read_exemplars(path: str | Path = EXEMPLARS) -> list[Exemplar]:
    """The exemplars of a CSV file, in its order: COLUMNS, and others that are not read.

    Raises BadData that names row and column: each exemplar once, a condition of the clips, texts
    that are not empty, and on both dimensions an interval within the scale.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if lacking:
        raise BadData(
            f"{path}: no column {', '.join(lacking)}. Expected are {', '.join(COLUMNS)}; "
            "others are not read."
        )
    if not rows:
        raise BadData(f"{path}: no exemplar in it; expected one row for each.")
    found: dict[str, Exemplar] = {}
    for number, row in rows:
        one = _exemplar(row, f"{path}, line {number}")
        if found.setdefault(one.exemplar, one) is not one:
            raise BadData(
                f"{path}, line {number}, column exemplar: {one.exemplar!r} stands there twice; "
                "give each exemplar a name of its own."
            )
    return list(found.values())


def exemplar_rows(exemplars: Iterable[Exemplar], salt: str) -> list[dict[str, Any]]:
    """The exemplars as rows of BLIND, sorted by blind id, so that the order tells nothing."""
    return sorted((one.as_blind(salt) for one in exemplars), key=lambda row: row["blind_id"])


def named(verdicts: Iterable[Row], exemplars: Sequence[Exemplar], salt: str) -> list[dict]:
    """Rows of EXEMPLAR_VERDICTS with the exemplar's name in place of its blind id.

    Raises BadData for a verdict on none of these exemplars.
    """
    names = {one.as_blind(salt)["blind_id"]: one.exemplar for one in exemplars}
    rows = []
    for row in verdicts:
        if row["blind_id"] not in names:
            raise BadData(
                f"{row['judge']}: the verdict on {row['blind_id']} belongs to no exemplar of the "
                "file. Delete the judge's exemplars.parquet and run again: what was answered on "
                "these exemplars is in the journal."
            )
        rows.append({**row, "exemplar": names[row["blind_id"]]})
    return rows


def score(
    verdicts: Iterable[Row], exemplars: Sequence[Exemplar] | None = None, repetitions: int = 1
) -> list[Recovery]:
    """Recovery per judge and dimension, judges in the order in which they first appear.

    verdicts: rows with judge, exemplar, intent, approp (null: no verdict), one a repetition. A
    repetition without a row is missing.
    """
    known = {one.exemplar: one for one in (exemplars or read_exemplars())}
    by_judge: dict[str, list[Row]] = defaultdict(list)
    for row in verdicts:
        by_judge[row["judge"]].append(row)
    return [
        _recovery(judge, dimension, rows, known, repetitions)
        for judge, rows in by_judge.items()
        for dimension in SCALES
    ]


def battery_rows(
    verdicts: Iterable[Row],
    exemplars: Sequence[Exemplar],
    repetitions: int,
    judges: Mapping[str, str],
) -> list[dict[str, Any]]:
    """One row a judge (JUDGE_BATTERY), exact: recovery, largest SD, verdict, what is missing.

    verdicts: as `named` gives them. judges: those planned, with their kind; one without a verdict
    has null numbers and fails.
    """
    verdicts = list(verdicts)
    scored = {(one.judge, one.dimension): one for one in score(verdicts, exemplars, repetitions)}
    rows = []
    for judge, kind in judges.items():
        of_judge = [row for row in verdicts if row["judge"] == judge]
        planned = len(exemplars) * repetitions
        nothing = (Recovery(judge, dimension, 0, 0, planned, None) for dimension in SCALES)
        intent, approp = (scored.get((judge, one.dimension), one) for one in nothing)
        n_unparsed = sum(row["parse"] == "unparsed" for row in of_judge)
        rows.append(
            {
                "judge": judge,
                "kind": kind,
                "intent_recovery": intent.share,
                "approp_recovery": approp.share,
                "max_intent_sd": intent.max_sd,
                "max_approp_sd": approp.max_sd,
                "verdict": "PASS" if intent.passes and approp.passes else "FAIL",
                "n_exemplars": len(exemplars),
                "repetitions": repetitions,
                "n_planned": planned,
                "n_scored": intent.scored,
                "n_missing": intent.missing - n_unparsed,
                "n_unparsed": n_unparsed,
                "status": _status(intent),
            }
        )
    return rows


def _status(intent: Recovery) -> str:
    if not intent.scored:
        return "no_verdicts"
    return "missing_verdicts" if intent.missing else "ok"


def _exemplar(row: Mapping[str | None, Any], where: str) -> Exemplar:
    if None in row:
        raise BadData(f"{where}: more cells than columns; put quotation marks about texts.")
    texts = {name: " ".join((row[name] or "").split()) for name in COLUMNS}
    for name, text in texts.items():
        if not text:
            raise BadData(f"{where}, column {name}: empty; every exemplar needs one.")
    if texts["condition"] not in CONDITIONS:
        raise BadData(
            f"{where}, column condition: expected one of {', '.join(CONDITIONS)}, "
            f"found {texts['condition']!r}."
        )
    return Exemplar(
        exemplar=texts["exemplar"],
        condition=texts["condition"],
        clip=texts["clip"],
        script=texts["script"],
        description=row["description"],
        expected={d: _interval(texts, d, top, where) for d, top in SCALES.items()},
    )


def _interval(
    texts: Mapping[str, str], dimension: str, top: int, where: str
) -> tuple[float, float]:
    ends = []
    for name in (f"{dimension}_low", f"{dimension}_high"):
        try:
            value = float(texts[name])
        except ValueError:
            value = float("nan")
        if not 0 <= value <= top:
            raise BadData(
                f"{where}, column {name}: expected a number from 0 to {top}, found {texts[name]!r}."
            )
        ends.append(value)
    low, high = ends
    if low > high:
        raise BadData(
            f"{where}, columns {dimension}_low and {dimension}_high: {low:g} is above {high:g}."
        )
    return low, high


def _recovery(
    judge: str,
    dimension: str,
    rows: Iterable[Row],
    known: Mapping[str, Exemplar],
    repetitions: int,
) -> Recovery:
    values: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        if row["exemplar"] in known and row[dimension] is not None:
            values[row["exemplar"]].append(row[dimension])
    scored = [(known[name], value) for name, given in values.items() for value in given]
    return Recovery(
        judge=judge,
        dimension=dimension,
        recovered=sum(one.recovered(dimension, value) for one, value in scored),
        scored=len(scored),
        missing=len(known) * repetitions - len(scored),
        max_sd=max((population_sd(given) for given in values.values()), default=None),
    )


def population_sd(values: Sequence[int | float]) -> Root:
    """The standard deviation with the n of the values in the denominator, exact."""
    mean = sum(map(Fraction, values), Fraction()) / len(values)
    return Root(sum(((Fraction(v) - mean) ** 2 for v in values), Fraction()) / len(values))
