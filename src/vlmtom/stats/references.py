"""Human reference groups: what is published of them, and which one a tester is nearest to.

Groups are references and distances are geometry; nothing here says what a tester is.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.stats.exact import Root
from vlmtom.store.digests import REPOSITORY

REFERENCES = REPOSITORY / "resources" / "references.csv"

COLUMNS = (
    *("group", "task", "condition", "measure", "value", "scale_max", "p_a", "p_b"),
    *("derivation", "set", "source", "certainty"),
)
MEASURES = {"director": ("gap", "reach_rate", "error_rate"), "triangles": ("intent", "approp")}
SETS = ("adult", "wider", "bracket", "excluded")
GAP_DERIVATIONS = ("published_gap", "a_minus_b", "error_rate_assuming_a_1")
_TOP = {"intent": 5, "approp": 3}  # of the rubric's scales, onto which human means are brought


@dataclass(frozen=True)
class Point:
    """A place in the plane of Intentionality (0 to 5) and Appropriateness (0 to 3)."""

    intent: Fraction
    approp: Fraction

    def distance(self, other: "Point") -> Root:
        """The Euclidean distance, exact."""
        return Root((self.intent - other.intent) ** 2 + (self.approp - other.approp) ** 2)


@dataclass(frozen=True)
class Reference:
    """A group's published means. gap: P(a correct) - P(b correct); points: by condition."""

    group: str
    set: str
    gap: Fraction | None = None
    derivation: str | None = None  # of the gap
    points: Mapping[str, Point] = field(default_factory=dict)


@dataclass(frozen=True)
class References:
    """The groups in the order of the file, which decides ties.

    brackets, excluded: groups that are no anchors, by name; a bracket has a number of another
    kind, an excluded one neither a gap nor the accuracies to make one of.
    """

    groups: tuple[Reference, ...]
    brackets: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    @property
    def adults(self) -> "References":
        """The two-task set: adults alone."""
        adult = tuple(one for one in self.groups if one.set == "adult")
        return References(adult, self.brackets, self.excluded)

    def near_gap(self, gap: Fraction | None) -> "Nearest":
        """The group whose gap is nearest."""
        if gap is None:
            return Nearest()
        return nearest(
            {r.group: Root((gap - r.gap) ** 2) for r in self.groups if r.gap is not None}
        )

    def near_point(self, point: Point | None, condition: str) -> "Nearest":
        """The group whose profile in a condition is nearest."""
        if point is None:
            return Nearest()
        return nearest(
            {
                r.group: point.distance(r.points[condition])
                for r in self.groups
                if condition in r.points
            }
        )


@dataclass(frozen=True)
class Nearest:
    """A nearest-reference label. group: None without a place or a reference.

    margin: second distance minus first; None with fewer than two references.
    tie: the two are equal; the group is then the first in the order of the references.
    """

    group: str | None = None
    distances: Mapping[str, Root] = field(default_factory=dict)
    margin: Fraction | None = None
    tie: bool = False


def nearest(distances: Mapping[str, Root]) -> Nearest:
    """The nearest of some groups, by exact distances."""
    if not distances:
        return Nearest()
    ranked = sorted(distances.items(), key=lambda item: item[1])  # stable: ties keep the order
    margin, tie = None, False
    if len(ranked) > 1:
        tie = ranked[0][1] == ranked[1][1]
        margin = Fraction() if tie else ranked[1][1].fraction() - ranked[0][1].fraction()
    return Nearest(ranked[0][0], dict(distances), margin, tie)


def load_references(path: str | Path = REFERENCES) -> References:
    """The reference groups of a CSV file.

    A mean scored on a shorter scale (scale_max) is stretched onto the rubric's. A gap without a
    value is p_a - p_b, where derivation says a_minus_b.
    Raises BadData naming file, line and column for anything that is not as expected.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            lacking = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
            if lacking:
                raise BadData(
                    f"{path}: no column {', '.join(lacking)}. Expected {', '.join(COLUMNS)}."
                )
            rows = [_Line(path, number, row) for number, row in enumerate(reader, 2)]
    except (OSError, UnicodeDecodeError) as error:
        raise BadData(f"{path}: cannot be read as a UTF-8 CSV file: {error}") from error
    for row in rows:
        row.check()
    anchors = [row for row in rows if row["set"] in ("adult", "wider")]
    return References(
        tuple(
            _reference([row for row in anchors if row["group"] == group])
            for group in _names(anchors)
        ),
        brackets=_names(row for row in rows if row["set"] == "bracket"),
        excluded=_names(row for row in rows if row["set"] == "excluded"),
    )


class _Line:
    """A line of the file, which can say where it stands."""

    def __init__(self, path: str | Path, number: int, row: Mapping[str, str]) -> None:
        self._where = f"{path}, line {number}"
        if None in row or None in row.values():
            raise BadData(f"{self._where}: not as many fields as the header has.")
        self._row = {name: text.strip() for name, text in row.items()}

    def __getitem__(self, column: str) -> str:
        return self._row[column]

    def check(self) -> None:
        """Raise BadData for a word that is not one of those known."""
        self._one_of("task", tuple(MEASURES))
        self._one_of("measure", MEASURES[self["task"]])
        self._one_of("set", SETS)
        if not self["group"]:
            raise self.bad("group", "a name")
        if self["set"] in ("adult", "wider") and self["task"] == "director":
            self._one_of("measure", ("gap",))
            self._one_of("derivation", GAP_DERIVATIONS)
        if self["task"] == "triangles" and not self["condition"]:
            raise self.bad("condition", "a condition")

    def number(self, column: str) -> Fraction:
        """An exact decimal."""
        try:
            return Fraction(self[column])
        except (ValueError, ZeroDivisionError) as error:
            raise self.bad(column, "a number") from error

    def value(self) -> Fraction:
        """The mean or gap, on the rubric's scale."""
        if self["derivation"] == "a_minus_b" and not self["value"]:
            return self.number("p_a") - self.number("p_b")
        value = self.number("value")
        if self["task"] != "triangles" or not self["scale_max"]:
            return value
        top = self.number("scale_max")
        if top <= 0:
            raise self.bad("scale_max", "a number above 0")
        return value * _TOP[self["measure"]] / top

    def bad(self, column: str, expected: str) -> BadData:
        """The error for one field."""
        return BadData(
            f"{self._where}, column {column!r}: expected {expected}, found {self[column]!r}."
        )

    def twice(self) -> BadData:
        """The error for a value given twice."""
        return BadData(f"{self._where}: this value of {self['group']!r} stands there twice.")

    def _one_of(self, column: str, words: Sequence[str]) -> None:
        if self[column] not in words:
            raise self.bad(column, " or ".join(words))


def _names(rows: Iterable[_Line]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["group"] for row in rows))


def _reference(rows: Sequence[_Line]) -> Reference:
    gap, derivation = None, None
    scores: dict[str, dict[str, Fraction]] = {}
    for row in rows:
        if row["task"] == "director":
            if gap is not None:
                raise row.twice()
            gap, derivation = row.value(), row["derivation"]
            continue
        of_condition = scores.setdefault(row["condition"], {})
        if row["measure"] in of_condition:
            raise row.twice()
        of_condition[row["measure"]] = row.value()
    for condition, values in scores.items():
        if len(values) < 2:
            lone = next(row for row in rows if row["condition"] == condition)
            raise lone.bad("measure", f"both intent and approp of {condition}")
    points = {condition: Point(**values) for condition, values in scores.items()}
    return Reference(rows[0]["group"], rows[0]["set"], gap, derivation, points)
