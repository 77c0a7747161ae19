"""Whether a coder reads traces as the codebook means it: texts written to a known code.

Source: report-before-action paper, Appendix E (30 known-code traces, 32 for the pass without the
report). The texts are our own; a coder that passes applies the codebook, which does not show that
it is right about real traces.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from vlmtom.errors import BadData
from vlmtom.parsing.trace_codes import FIELDS
from vlmtom.report_action.traces.blinding import VERSIONS, blind_row, shown_reply, trace_id
from vlmtom.store.digests import REPOSITORY

Row = Mapping[str, Any]

TESTS = REPOSITORY / "resources" / "trace_tests.csv"
COLUMNS = ("id", "reply", "reasoning", *FIELDS)
GATES = {"reading_share": "1"}  # of the tests whose reading must be the intended one
THRESHOLD = Fraction(GATES["reading_share"])


@dataclass(frozen=True)
class TraceTest:
    """A trace written to known codes. visible: the report of its answer; null where it has none."""

    name: str
    visible: tuple[int, ...] | None
    choice: int
    reasoning: str
    codes: Mapping[str, str]

    def blind_id(self, salt: str, version: str) -> str:
        """The id of one version, which says nothing of the codes."""
        shown = shown_reply(version, self.visible, self.choice)
        return trace_id(salt, version, f"test {self.name}", shown, self.reasoning)


def read_tests(path: str | Path = TESTS) -> list[TraceTest]:
    """The known-code traces of a CSV file, in its order, with the columns COLUMNS.

    Raises BadData that names line and column.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadData(f"{path}: no such file; expected the known-code traces.") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if lacking:
        raise BadData(f"{path}: no column {', '.join(lacking)}; expected {', '.join(COLUMNS)}.")
    tests: dict[str, TraceTest] = {}
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        one = _test(row, where)
        if tests.setdefault(one.name, one) is not one:
            raise BadData(f"{where}, column id: {one.name!r} stands there twice.")
    if not tests:
        raise BadData(f"{path}: no trace in it; expected one row for each.")
    return list(tests.values())


def blind_tests(tests: Iterable[TraceTest], salt: str) -> list[dict[str, Any]]:
    """The tests as rows of BLIND_TRACES in both versions, sorted by their ids."""
    rows = [
        blind_row(
            one.blind_id(salt, version), version, one.visible, one.choice, one.reasoning, False
        )
        for one in tests
        for version in VERSIONS
    ]
    return sorted(rows, key=lambda row: row["blind_id"])


def gate_rows(
    codes: Iterable[Row],
    tests: Sequence[TraceTest],
    salt: str,
    coders: Mapping[str, str],
    threshold: Fraction = THRESHOLD,
) -> list[dict[str, Any]]:
    """One row a coder and version (REPORT_ACTION_CODER_GATE), exact.

    codes: rows of TRACE_CODES on the tests; coders: those planned, with their kind. A coder passes
    if every test has a code and at least `threshold` of them the intended reading; the two other
    fields are shown, and decide nothing. Raises BadData for a code on none of these tests.
    """
    given = {(row["coder"], row["blind_id"]): row for row in codes if row["coding"] == 1}
    known = {one.blind_id(salt, version) for one in tests for version in VERSIONS}
    for coder, name in given:
        if name not in known:
            raise BadData(
                f"{coder}: the code of {name} belongs to no test of the file. Delete the coder's "
                "tests.parquet and run again: what was answered on these tests is in the journal."
            )
    return [
        _gate_row(coder, kind, version, given, tests, salt, threshold)
        for coder, kind in coders.items()
        for version in VERSIONS
    ]


def passed(gate: Iterable[Row], version: str) -> set[str]:
    """The coders that pass the tests of a version. gate: rows of the gate's table."""
    return {
        str(row["coder"]) for row in gate if row["version"] == version and row["verdict"] == "PASS"
    }


def _gate_row(
    coder: str,
    kind: str,
    version: str,
    given: Mapping[tuple[str, str], Row],
    tests: Sequence[TraceTest],
    salt: str,
    threshold: Fraction,
) -> dict[str, Any]:
    found = [(one, given.get((coder, one.blind_id(salt, version)))) for one in tests]
    coded = [(one, row) for one, row in found if row is not None and row["parse"] == "parsed"]
    equal = {field: sum(row[field] == one.codes[field] for one, row in coded) for field in FIELDS}
    n = len(coded)
    complete = n == len(tests)
    share = Fraction(equal["reading"], n) if n else None
    return {
        "coder": coder,
        "kind": kind,
        "version": version,
        "n_tests": len(tests),
        "n_coded": n,
        "n_unparsed": sum(row is not None and row["parse"] == "unparsed" for _, row in found),
        **{f"n_{field}": count for field, count in equal.items()},
        **{f"{field}_share": Fraction(count, n) if n else None for field, count in equal.items()},
        "threshold": threshold,
        "verdict": "PASS" if complete and share is not None and share >= threshold else "FAIL",
        "other_reading": [one.name for one, row in coded if row["reading"] != one.codes["reading"]],
        "status": "no_codes" if not n else "ok" if complete else "missing_codes",
    }


def _test(row: Mapping[str, Any], where: str) -> TraceTest:
    if None in row or any(not (row[name] or "").strip() for name in COLUMNS):
        raise BadData(f"{where}: expected a value in each of {', '.join(COLUMNS)}, and no more.")
    for field, codes in FIELDS.items():
        if row[field] not in codes:
            raise BadData(
                f"{where}, column {field}: {row[field]!r}; expected one of {', '.join(codes)}."
            )
    try:
        reply = json.loads(row["reply"])
        visible, choice = reply.get("visible"), reply["choice"]
        digits = [choice, *(visible or ())]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadData(f"{where}, column reply: expected a JSON object with a choice.") from error
    if any(not isinstance(one, int) or isinstance(one, bool) for one in digits):
        raise BadData(f"{where}, column reply: expected whole numbers.")
    return TraceTest(
        name=row["id"],
        visible=None if visible is None else tuple(visible),
        choice=choice,
        reasoning=row["reasoning"],
        codes={field: row[field] for field in FIELDS},
    )
