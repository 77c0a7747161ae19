"""Reasoning traces as tables: whether coders can be trusted, how far they agree, what they read.

Source: report-before-action paper, section 5 and Appendix E.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from vlmtom.parsing.trace_codes import FIELDS
from vlmtom.publish.judge_battery import judged_note
from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import tester_label, testers_note
from vlmtom.stats.exact import Number, show

Row = Mapping[str, Any]

READINGS = FIELDS["reading"]
READING_NAMES = {
    "director_view": "director's view",
    "own_view": "own view",
    "prior_knowledge": "prior knowledge",
    "largest_digit": "largest digit",
    "no_rule": "no rule",
}
_SHORT = {
    "director_view": "dir.",
    "own_view": "own",
    "prior_knowledge": "prior",
    "largest_digit": "digit",
    "no_rule": "none",
}
_VERSIONS = {"with_report": "with report", "without_report": "without"}
_COMPARISONS = {
    "again": "coded again",
    "without_report": "without report",
    "coders": "two coders",
    "coder_human": "coder, person",
    "humans": "two people",
}
_HEADS = {
    "reading": "reading",
    "director_sees_choice": "director sees it",
    "visibility_worked_out": "worked out",
}


@dataclass(frozen=True)
class TraceSource:
    """Where the codes come from, for captions.

    trials: K, replies of a scene in a condition. codebook_sha256: of the file that coders are
    given. coders: their kind (model or observer) by name.
    """

    panel: str
    trials: int
    codebook_sha256: str
    coders: Mapping[str, str]

    def notes(self, kinds: Iterable[str] = ()) -> list[str]:
        """Sentences for a caption. kinds: of the testers shown."""
        notes = [
            f"Panel {self.panel}; K = {self.trials} replies a scene and condition; codebook "
            f"SHA-256 {self.codebook_sha256[:12]}.",
            "A trace that came along need not be the process behind the reply; descriptive.",
            judged_note([*self.coders.values()])
            .replace("judges", "coders")
            .replace("Judges", "Coders"),
            testers_note(kinds),
        ]
        return [note for note in notes if note]


def coder_gate_tex(table: Sequence[Row], source: TraceSource) -> str:
    """The LaTeX source. table: exact rows of REPORT_ACTION_CODER_GATE."""
    kinds = [row["kind"] for row in table]
    least = show(100 * table[0]["threshold"], 1) if table else "–"
    return LatexTable(
        label="tab:report-action-coder-gate",
        caption=(
            "Coders of reasoning traces on traces written to a known code: per cent of coded "
            "traces with the intended code. PASS: every trace is coded, and at least "
            f"{least} % have the intended reading. Codes of a coder that fails are not used."
        ),
        columns=[
            Column("Coder", "l"),
            Column("answer shown", "l"),
            *(Column(head) for head in _HEADS.values()),
            Column("coded"),
            Column("verdict", "l"),
        ],
        rows=[
            [
                tester_label(row["coder"], row["kind"], kinds),
                _VERSIONS[row["version"]],
                *(_percent(row[f"{field}_share"]) for field in _HEADS),
                f"{row['n_coded']} of {row['n_tests']}",
                row["verdict"],
            ]
            for row in table
        ],
        size="footnotesize",
        gap_pt=2,
        notes=[
            _other_readings(table),
            "The traces are the package's own: a coder that passes applies the codebook as it is "
            "meant, which does not show that it is right about real traces.",
            *source.notes(),
        ],
    ).text()


def coding_tex(table: Sequence[Row], source: TraceSource, kinds: Sequence[str]) -> str:
    """The LaTeX source. table: exact rows of REPORT_ACTION_CODING; kinds: of the testers."""
    rows = [row for row in table if row["field"] == "reading"]
    by_field = {(_name(row), row["field"]): row for row in table}
    lines: list[list[str]] = []
    breaks = []
    for n, row in enumerate(rows):
        if not n or _pair(row) != _pair(rows[n - 1]):
            breaks += [len(lines)] if n else []
            lines.append([_pair(row)])
        cells = [cell for field in FIELDS for cell in _cells(by_field[_name(row), field])]
        lines.append([row["arm"], row["choices"], *cells])
    return LatexTable(
        label="tab:report-action-coding",
        caption=(
            "How far codings of the same traces agree: traces with equal codes of those that both "
            "coded, and Cohen's kappa (unweighted). Coded again: the same coder a second time. "
            "Without report: the same coder, shown the choice alone. Hidden: replies that chose "
            "the hidden block."
        ),
        columns=[
            *(Column(head, "l") for head in ("condition", "choices")),
            *(Column(head) for _ in FIELDS for head in ("equal", "kappa")),
        ],
        groups=[("", 2), *((_HEADS[field], 2) for field in FIELDS)],
        rows=lines,
        breaks=breaks,
        size="scriptsize",
        gap_pt=2,
        notes=[
            *source.notes(kinds),
            _missing(rows),
            "Kappa –: every code is the same (0/0), or nothing was coded by both."
            if any(row["status"] != "ok" for row in table)
            else "",
            "* The coder failed the tests." if any(row["gate"] == "FAIL" for row in rows) else "",
        ],
    ).text()


def traces_tex(table: Sequence[Row], source: TraceSource) -> str:
    """The LaTeX source. table: exact rows of REPORT_ACTION_TRACES."""
    kinds = [row["kind"] for row in table]
    coders = [row["coder_kind"] for row in table]
    several = {
        name: len({row[name] for row in table}) > 1 for name in ("coder", "scene_set", "batch")
    }
    lines: list[list[str]] = []
    breaks = []
    before = None
    for row in table:
        group = [tester_label(row["tester"], row["kind"], kinds)]
        group += [f"{row['scene_set']} scenes"] if several["scene_set"] else []
        if several["coder"]:
            group.append(f"coder {tester_label(row['coder'], row['coder_kind'], coders)}")
        if group != before:
            breaks += [len(lines)] if lines else []
            lines.append([", ".join(group)])
        before = group
        lines.append(
            [
                row["arm"],
                *([row["batch"]] if several["batch"] else []),
                f"{row['n_coded']}/{row['n_choices']}",
                *(_counted(row[f"n_{reading}"], row[f"{reading}_share"]) for reading in READINGS),
                _counted(row["n_hidden"], _ratio(row["n_hidden"], row["n_choices"])),
                _counted(row["n_hidden_no"], row["hidden_no_share"]),
            ]
        )
    heads = ["condition", *(["batch"] if several["batch"] else [])]
    return LatexTable(
        label="tab:report-action-traces",
        caption=(
            "Which rule the reasoning gives for the chosen block: the director's view, the "
            "tester's own, prior knowledge of the director's, the largest digit, or none; traces, "
            "in brackets per cent of those coded. Hidden: choices of the hidden block, per cent "
            "of all choices. Not seen: hidden choices whose trace takes the director not to see "
            "the block, per cent of those coded."
        ),
        columns=[
            *(Column(head, "l") for head in heads),
            Column("coded"),
            *(Column(_SHORT[reading]) for reading in READINGS),
            Column("hidden"),
            Column("not seen"),
        ],
        groups=[("", len(heads) + 1), ("reading", len(READINGS)), ("", 2)],
        rows=lines,
        breaks=breaks,
        size="scriptsize",
        gap_pt=1 if several["batch"] else 2,
        notes=[
            f"Coder {table[0]['coder']}." if table and not several["coder"] else "",
            *source.notes(kinds),
            *left_out(table),
        ],
    ).text()


def left_out(table: Sequence[Row]) -> list[str]:
    """Sentences on what has no code, for captions of table and figure."""
    without: dict[str, int] = {}
    uncoded: dict[str, int] = {}
    unread: dict[str, int] = {}
    for row in table:
        if row["coder"] != table[0]["coder"]:
            continue
        for name, n in (
            (without, row["n_no_trace"]),
            (unread, row["n_planned"] - row["n_choices"]),
        ):
            name[row["tester"]] = name.get(row["tester"], 0) + n
    for row in table:
        if row["status"] in ("missing_codes", "no_codes"):
            lacking = row["n_traces"] - row["n_coded"]
            uncoded[row["coder"]] = uncoded.get(row["coder"], 0) + lacking
    failed = sorted({row["coder"] for row in table if row["status"] == "gate_failed"})
    found = [
        _counts("Choices without a trace", without),
        _counts("Replies without a readable choice", unread),
        _counts("Traces without a readable code", uncoded),
        f"Failed the known-code tests, so that no code is used: {', '.join(failed)}."
        if failed
        else "",
    ]
    return [note for note in found if note]


def _counts(what: str, numbers: Mapping[str, int]) -> str:
    said = [f"{name} {n}" for name, n in numbers.items() if n]
    return f"{what}: {', '.join(said)}." if said else ""


def _name(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("comparison", "a", "b", "arm", "choices"))


def _cells(row: Row) -> list[str]:
    equal = f"{row['n_equal']}/{row['n_pairs']}" if row["n_pairs"] else "–"
    return [equal, show(row["kappa"], 2).replace("-", "−")]


def _missing(rows: Sequence[Row]) -> str:
    # Every other row is of some of these pairs.
    whole = [row for row in rows if row["arm"] == row["choices"] == "all"]
    n = sum(row["n_planned"] - row["n_pairs"] for row in whole)
    return f"Pairs of which one has no readable code, left out: {n}." if n else ""


def _pair(row: Row) -> str:
    names = row["a"] if row["a"] == row["b"] else f"{row['a']}, {row['b']}"
    return f"{_COMPARISONS[row['comparison']]}: {names}{'*' if row['gate'] == 'FAIL' else ''}"


def _other_readings(table: Sequence[Row]) -> str:
    """Which tests a coder read otherwise, by its name and what it was shown."""
    said = [
        f"{row['coder']} ({_VERSIONS[row['version']]}) {', '.join(row['other_reading'])}"
        for row in table
        if row["other_reading"]
    ]
    return f"Another reading than the intended one: {'; '.join(said)}." if said else ""


def _counted(n: int, share: Number | None) -> str:
    if share is None:
        return "–"
    return f"{n} ({_percent(share)})" if n else "0"


def _ratio(n: int, of: int) -> Fraction | None:
    return Fraction(n, of) if of else None


def _percent(share: Number | None) -> str:
    return show(None if share is None else 100 * share, 1)
