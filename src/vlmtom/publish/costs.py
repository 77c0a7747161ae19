"""What a run took: replies, attempts, tokens and dollars by model. Missing is null, never zero."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from vlmtom.publish.latex import Column, LatexTable
from vlmtom.publish.provenance import tester_label, testers_note
from vlmtom.settings import REPEATED, TRACES
from vlmtom.stats.rounding import printed

Row = Mapping[str, object]

LONG = 36  # rows beyond which a table needs small type to stay on its page


def cost_rows(
    replies: Iterable[Row],
    verdicts: Iterable[Row],
    codes: Iterable[tuple[str, Row]] = (),
) -> list[dict[str, object]]:
    """Rows of COSTS: testers by experiment, judges by overlay and arm, coders; in order given.

    replies: rows of REPLIES; verdicts: rows of VERDICTS, or of several verdicts a text; codes: rows
    of TRACE_CODES, each after its topic (of TRACE_TOPICS). Sums are over what was reported, with
    its count beside, so that half-reported usage is not taken for the whole.
    """
    grouped: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in replies:
        grouped["tester", str(row["tester"]), str(row["experiment"])].append(row)
    for row in verdicts:
        arm = str(row["arm"])
        topic = arm if arm in REPEATED else f"{row['overlay']}.{arm}"
        grouped["judge", str(row["judge"]), topic].append(row)
    for traced, row in codes:
        grouped["coder", str(row["coder"]), f"{TRACES}.{traced}"].append(row)
    return [_cost_row(*key, rows) for key, rows in grouped.items()]


def costs_tex(rows: Sequence[Row], panel: str) -> str:
    """The LaTeX source: one line a model and topic, the total below."""
    kinds = [str(row["kind"]) for row in rows]
    notes = [
        f"Panel {panel}. Tokens and cost as reported, or cost at the registry's list price; a dash "
        "where nothing is known. n: replies, and those with known tokens and cost.",
        testers_note(kinds),
    ]
    return LatexTable(
        label="tab:costs",
        caption="What the run took, by model: replies, tokens of prompts and completions, cost.",
        columns=[
            Column("Model", "l"),
            Column("role", "l"),
            Column("topic", "l"),
            Column("n"),
            Column("prompt"),
            Column("completion"),
            Column("USD"),
        ],
        rows=[_line(row, kinds) for row in rows],
        footer=[["total", "", "", str(sum(int(row["n"]) for row in rows)), *_totals(rows)]],
        size="scriptsize" if len(rows) > LONG else "small",
        notes=[note for note in notes if note],
    ).text()


def _cost_row(role: str, model: str, topic: str, rows: Sequence[Row]) -> dict[str, object]:
    usage = [row for row in rows if None not in (row["prompt_tokens"], row["completion_tokens"])]
    priced = [row for row in rows if row["cost_usd"] is not None]
    return {
        "role": role,
        "model": model,
        "kind": rows[0]["kind"],
        "topic": topic,
        "n": len(rows),
        "n_ok": sum(row["status"] == "ok" for row in rows),
        "attempts": sum(int(row["attempts"]) for row in rows) if role == "tester" else None,
        "prompt_tokens": _sum(usage, "prompt_tokens"),
        "completion_tokens": _sum(usage, "completion_tokens"),
        "n_usage": len(usage),
        "cost_usd": _sum(priced, "cost_usd"),
        "n_cost": len(priced),
    }


def _sum(rows: Sequence[Row], column: str) -> object:
    return sum(row[column] for row in rows) if rows else None


def _line(row: Row, kinds: Sequence[str]) -> list[str]:
    return [
        tester_label(str(row["model"]), str(row["kind"]), kinds),
        str(row["role"]),
        str(row["topic"]),
        str(row["n"]),
        *_known(row["prompt_tokens"], row["completion_tokens"], row["n_usage"], row["n"]),
        _dollars(row["cost_usd"], row["n_cost"], row["n"]),
    ]


def _totals(rows: Sequence[Row]) -> list[str]:
    n = sum(int(row["n"]) for row in rows)
    usage = [row for row in rows if row["n_usage"]]
    priced = [row for row in rows if row["n_cost"]]
    tokens = [_sum(usage, name) for name in ("prompt_tokens", "completion_tokens")]
    n_usage = sum(int(row["n_usage"]) for row in rows)
    n_cost = sum(int(row["n_cost"]) for row in rows)
    return [*_known(*tokens, n_usage, n), _dollars(_sum(priced, "cost_usd"), n_cost, n)]


def _known(prompt: object, completion: object, n_known: object, n: object) -> list[str]:
    of = "" if n_known == n else f" ({n_known}/{n})"
    return ["–" if value is None else f"{value:,}{of}" for value in (prompt, completion)]


def _dollars(cost: object, n_known: object, n: object) -> str:
    if cost is None:
        return "–"
    of = "" if n_known == n else f" ({n_known}/{n})"
    return f"{printed(Fraction(cost), 4)}{of}"
