"""Human reference groups: what is published of them, and which one a tester is nearest to.

Groups are references and distances are geometry; nothing here says what a tester is.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from vlmtom.errors import BadData
from vlmtom.stats.exact import Root
from vlmtom.store.digests import REPOSITORY
from vlmtom.triangles.cells import CONDITIONS

REFERENCES = REPOSITORY / "resources" / "references.csv"

COLUMNS = (
    *("group", "task", "condition", "measure", "value", "scale_max", "p_a", "p_b"),
    *("derivation", "set", "source", "certainty"),
)
MEASURES = {"director": ("gap", "reach_rate", "error_rate"), "triangles": ("intent", "approp")}
SETS = ("adult", "wider", "bracket", "excluded")
GAP_DERIVATIONS = ("published_gap", "a_minus_b", "error_rate_assuming_a_1")
_TOP = {"intent": 5, "approp": 3}  # of the rubric's scales, onto which human means are brought
_RANGES = {"gap": (-1, 1), "reach_rate": (0, 1), "error_rate": (0, 1), "p_a": (0, 1), "p_b": (0, 1)}


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
    """A group's published means. gap: P(a correct) - P(b correct); points: by condition.

    approp_tops: the scale, by condition, on which Appropriateness was rated, as far as it is said.
    """

    group: str
    set: str
    gap: Fraction | None = None
    derivation: str | None = None  # of the gap
    points: Mapping[str, Point] = field(default_factory=dict)
    approp_tops: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class Bracket:
    """A published rate of another kind: shown beside the gaps, never an anchor."""

    group: str
    measure: str
    rate: Fraction


@dataclass(frozen=True)
class References:
    """The groups in the order of the file, which decides ties.

    brackets: rates of another kind. excluded: names of groups with neither a gap nor the
    accuracies to make one of; such a group is no reference on the Director Task.
    """

    groups: tuple[Reference, ...]
    brackets: tuple[Bracket, ...] = ()
    excluded: tuple[str, ...] = ()

    @property
    def adults(self) -> "References":
        """The two-task set: adults alone."""
        adult = tuple(one for one in self.groups if one.set == "adult")
        return References(adult, self.brackets, self.excluded)

    @property
    def with_gap(self) -> tuple[Reference, ...]:
        """The groups that are anchors on the Director Task."""
        return tuple(one for one in self.groups if one.gap is not None)

    def assuming_approp_to(self, top: int) -> "References":
        """The same groups, as if human Appropriateness had been rated on 0 to `top`.

        Each mean is stretched from that scale onto the rubric's. One above `top` cannot have been
        rated on it, and stays as it is.
        """
        groups = []
        for one in self.groups:
            points = {}
            for condition, point in one.points.items():
                rated = point.approp * one.approp_tops[condition] / _TOP["approp"]
                fits = rated <= top
                approp = rated * _TOP["approp"] / top if fits else point.approp
                points[condition] = Point(point.intent, approp)
            groups.append(replace(one, points=points))
        return References(tuple(groups), self.brackets, self.excluded)

    def near_gap(self, gap: Fraction | None) -> "Nearest":
        """The group whose gap is nearest."""
        if gap is None:
            return Nearest()
        return nearest({r.group: Root((gap - r.gap) ** 2) for r in self.with_gap})

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

    A mean scored on a shorter scale (scale_max) is stretched onto the rubric's. A gap is the
    published one; without it, p_a - p_b on the closest variant, or 1 - p_b where derivation says
    error_rate_assuming_a_1. A group with none of these is excluded, by name.
    Raises BadData naming file, line and column for anything that is not as expected.
    Source of the fallback: cross-task paper, section 3.3 and Appendix H.
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
    groups = [
        _reference([row for row in anchors if row["group"] == group]) for group in _names(anchors)
    ]
    return References(
        tuple(one for one in groups if one.gap is not None or one.points),
        brackets=tuple(
            Bracket(row["group"], row["measure"], row.within("value", row["measure"]))
            for row in rows
            if row["set"] == "bracket"
        ),
        excluded=_names(row for row in rows if row["set"] == "excluded" or row.lacks_gap()),
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
            if not self.lacks_gap() and (self["value"] or self["derivation"]):
                self._one_of("derivation", GAP_DERIVATIONS)
        if self["task"] == "triangles":
            self._one_of("condition", CONDITIONS)
            self.mean()

    def number(self, column: str) -> Fraction:
        """An exact decimal."""
        try:
            return Fraction(self[column])
        except (ValueError, ZeroDivisionError) as error:
            raise self.bad(column, "a number") from error

    def within(self, column: str, measure: str) -> Fraction:
        """An exact decimal within the range of what it measures."""
        low, high = _RANGES[measure]
        number = self.number(column)
        if not low <= number <= high:
            raise self.bad(column, f"a number from {low} to {high}")
        return number

    def lacks_gap(self) -> bool:
        """Whether an anchor's line on the Director Task has neither a gap nor what makes one."""
        anchor = self["task"] == "director" and self["set"] in ("adult", "wider")
        given = [name for name in ("value", "p_a", "p_b") if self[name]]
        return anchor and not given and not self["derivation"]

    def gap(self) -> tuple[Fraction, str]:
        """The gap, and how it came to be."""
        how = self["derivation"] or "a_minus_b"
        if self["value"]:
            gap = self.within("value", "gap")
            if how == "a_minus_b" and self["p_a"] and self["p_b"] and gap != self._a_minus_b():
                raise self.bad("value", f"p_a - p_b, {float(self._a_minus_b()):g}, or nothing")
            return gap, how
        if how == "error_rate_assuming_a_1" and self["p_b"]:
            return 1 - self.within("p_b", "p_b"), how
        if how == "a_minus_b":
            return self._a_minus_b(), how
        return self.within("value", "gap"), how

    def mean(self) -> Fraction:
        """A mean on the triangles, on the rubric's scale."""
        value, top = self.number("value"), self.top()
        if not 0 <= value <= top:
            raise self.bad("value", f"a number from 0 to {float(top):g}")
        return value * _TOP[self["measure"]] / top

    def top(self) -> Fraction:
        """The highest level of the scale on which the group was rated; the rubric's if not said."""
        if not self["scale_max"]:
            return Fraction(_TOP[self["measure"]])
        top = self.number("scale_max")
        if top <= 0:
            raise self.bad("scale_max", "a number above 0")
        return top

    def _a_minus_b(self) -> Fraction:
        return self.within("p_a", "p_a") - self.within("p_b", "p_b")

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
    _one_set(rows)
    gap, derivation, seen = None, None, False
    scores: dict[str, dict[str, _Line]] = {}
    for row in rows:
        if row["task"] == "director":
            if seen:
                raise row.twice()
            seen = True
            if not row.lacks_gap():
                gap, derivation = row.gap()
            continue
        of_condition = scores.setdefault(row["condition"], {})
        if row["measure"] in of_condition:
            raise row.twice()
        of_condition[row["measure"]] = row
    for condition, lines in scores.items():
        if len(lines) < 2:
            lone = next(iter(lines.values()))
            raise lone.bad("measure", f"both intent and approp of {condition}")
    return Reference(
        rows[0]["group"],
        rows[0]["set"],
        gap,
        derivation,
        {c: Point(lines["intent"].mean(), lines["approp"].mean()) for c, lines in scores.items()},
        {c: lines["approp"].top() for c, lines in scores.items()},
    )


def _one_set(rows: Sequence[_Line]) -> None:
    """Raise BadData for a group that is adult on one line and wider on another."""
    for row in rows:
        if row["set"] != rows[0]["set"]:
            raise row.bad("set", f"{rows[0]['set']}, as on the first line of {row['group']!r}")
