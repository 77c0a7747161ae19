"""What the codes come to: readings by condition, and how far coders agree.

Everything is exact. Source: report-before-action paper, section 5 (readings; of the choices of the
hidden block, those whose trace takes the director not to see it) and Appendix E (agreement).
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from vlmtom.parsing.trace_codes import FIELDS
from vlmtom.report_action.traces.blinding import WITH_REPORT, WITHOUT_REPORT
from vlmtom.report_action.traces.gate import passed
from vlmtom.stats.agreement import cohen_kappa
from vlmtom.stats.profile_tables import averaged

Row = Mapping[str, Any]

ALL, HIDDEN = "all", "hidden"
READINGS = FIELDS["reading"]
SEES = FIELDS["director_sees_choice"]


def trace_table(
    key: Sequence[Row], codes: Iterable[Row], gate: Iterable[Row], coders: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One row a coder, tester, scene set, batch and condition (REPORT_ACTION_TRACES).

    key: rows of TRACE_KEY; codes: rows of TRACE_CODES; gate: rows of REPORT_ACTION_CODER_GATE.
    Codes are the first of the version with the report. Of a coder that fails the gate none is used:
    its rows say so and have no numbers beyond what was planned.
    """
    first = {
        (row["coder"], row["blind_id"]): row
        for row in codes
        if row["version"] == WITH_REPORT and row["coding"] == 1 and row["parse"] == "parsed"
    }
    trusted = passed(gate, WITH_REPORT)
    cells: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in key:
        cells[row["tester"], row["kind"], row["scene_set"], row["batch"], row["arm"]].append(row)
    return [
        _cell(coder, kind, cell, rows, first, trusted)
        for coder, kind in coders.items()
        for cell, rows in cells.items()
    ]


def coding_table(
    key: Sequence[Row],
    codes: Iterable[Row],
    gate: Sequence[Row],
    coders: Mapping[str, str],
    sheet: Sequence[Row] = (),
    human: Sequence[Row] = (),
) -> list[dict[str, Any]]:
    """One row a comparison and field (REPORT_ACTION_CODING): equal codes and Cohen's kappa.

    A coder with itself (coded again; without the report, by condition, for all choices and those of
    the hidden block), coders with each other, coders with people, people with each other. The
    traces are those of models where there is one. sheet: rows of TRACE_SHEET; human: rows of
    HUMAN_CODES.
    """
    coded: dict[tuple[str, str, int], dict[str, Row]] = defaultdict(dict)
    for row in codes:
        if row["parse"] == "parsed":
            coded[row["coder"], row["version"], row["coding"]][row["blind_id"]] = row
    people: dict[str, dict[str, Row]] = defaultdict(dict)
    by_item = {row["item_id"]: row["blind_id"] for row in sheet}
    for row in human:
        people[row["coder"]][by_item[row["item_id"]]] = row
    traces = {row["blind_id"]: row for row in averaged(key) if row["blind_id"] is not None}
    on_sheet = [row["blind_id"] for row in sheet if row["blind_id"] in traces]
    firsts = {coder: coded[coder, WITH_REPORT, 1] for coder in coders}
    failed = {
        version: set(coders) - passed(gate, version) for version in (WITH_REPORT, WITHOUT_REPORT)
    }

    def rows(
        comparison: str,
        a: tuple[str, Mapping[str, Row]],
        b: tuple[str, Mapping[str, Row]],
        pairs: Sequence[tuple[str, str]],
        arm: str = ALL,
        choices: str = ALL,
    ) -> list[dict[str, Any]]:
        doubted = {a[0], b[0]} & failed[WITH_REPORT]
        if comparison == "without_report":
            doubted |= {a[0]} & failed[WITHOUT_REPORT]
        named = {"comparison": comparison, "a": a[0], "b": b[0], "arm": arm, "choices": choices}
        return [
            named | {"field": field} | _agreement(a[1], b[1], pairs, field, bool(doubted))
            for field in FIELDS
        ]

    table = []
    for coder, codes_of in firsts.items():
        again = [(name, name) for name, row in traces.items() if row["recoded"]]
        table += rows("again", (coder, codes_of), (coder, coded[coder, WITH_REPORT, 2]), again)
        other = coded[coder, WITHOUT_REPORT, 1]
        arms = list(dict.fromkeys(row["arm"] for row in traces.values()))
        for arm, choices in itertools.product([ALL, *arms], (ALL, HIDDEN)):
            pairs = [
                (name, row["blind_id_without_report"])
                for name, row in traces.items()
                if arm in (ALL, row["arm"]) and (choices == ALL or row["hidden_chosen"])
            ]
            table += rows("without_report", (coder, codes_of), (coder, other), pairs, arm, choices)
    same = [(name, name) for name in traces]
    for a, b in itertools.combinations(firsts.items(), 2):
        table += rows("coders", a, b, same)
    on_both = [(name, name) for name in on_sheet]
    for a, b in itertools.product(firsts.items(), people.items()):
        table += rows("coder_human", a, b, on_both)
    for a, b in itertools.combinations(people.items(), 2):
        table += rows("humans", a, b, on_both)
    return table


def _agreement(
    a: Mapping[str, Row],
    b: Mapping[str, Row],
    pairs: Sequence[tuple[str, str]],
    field: str,
    doubted: bool,
) -> dict[str, Any]:
    found = cohen_kappa([(a[x][field], b[y][field]) for x, y in pairs if x in a and y in b])
    return {
        "n_planned": len(pairs),
        "n_pairs": found.n_pairs,
        "n_equal": found.n_equal,
        "equal": found.share,
        "kappa": found.value,
        "status": found.status,
        "gate": "FAIL" if doubted else "PASS",
    }


def _cell(
    coder: str,
    kind: str,
    cell: tuple[Any, ...],
    rows: Sequence[Row],
    first: Mapping[tuple[str, str], Row],
    trusted: set[str],
) -> dict[str, Any]:
    traces = [row for row in rows if row["blind_id"] is not None]
    coded = [
        (row, code)
        for row in traces
        if coder in trusted and (code := first.get((coder, row["blind_id"]))) is not None
    ]
    readings = Counter(code["reading"] for _, code in coded)
    hidden = [code for row, code in coded if row["hidden_chosen"]]
    sees = Counter(code["director_sees_choice"] for code in hidden)
    worked_out = sum(code["visibility_worked_out"] == "yes" for _, code in coded)
    choices = [row for row in rows if row["trace"] != "no_choice"]
    tester, kind_of_tester, scene_set, batch, arm = cell
    return {
        **{"coder": coder, "coder_kind": kind, "tester": tester, "kind": kind_of_tester},
        **{"scene_set": scene_set, "batch": batch, "arm": arm},
        "n_planned": len(rows),
        "n_choices": len(choices),
        "n_hidden": sum(row["hidden_chosen"] is True for row in choices),
        "n_no_trace": sum(row["trace"] == "no_trace" for row in rows),
        "n_traces": len(traces),
        "n_coded": len(coded),
        **{f"n_{reading}": readings[reading] for reading in READINGS},
        **{f"{reading}_share": _share(readings[reading], len(coded)) for reading in READINGS},
        "n_hidden_coded": len(hidden),
        **{f"n_hidden_{code}": sees[code] for code in SEES},
        "hidden_no_share": _share(sees["no"], len(hidden)),
        "n_worked_out": worked_out,
        "worked_out_share": _share(worked_out, len(coded)),
        "status": _status(traces, coded, coder in trusted),
    }


def _status(traces: Sequence[Row], coded: Sequence[Any], is_trusted: bool) -> str:
    if not traces:
        return "no_traces"
    if not is_trusted:
        return "gate_failed"
    if not coded:
        return "no_codes"
    return "ok" if len(coded) == len(traces) else "missing_codes"


def _share(n: int, of: int) -> Fraction | None:
    return Fraction(n, of) if of else None
