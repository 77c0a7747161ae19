"""How a plan reads: a table, its totals, and what the numbers rest on."""

import io
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vlmtom.commands import estimate as assumed
from vlmtom.commands.estimate import Estimate
from vlmtom.commands.plan import Budget, Line, Plan, Total
from vlmtom.commands.progress import Sum
from vlmtom.settings import MOSAIC
from vlmtom.store.files import csv_bytes

WIDTH_WITHOUT_TERMINAL = 200
COLUMNS = (
    "model",
    "asked about",
    "to ask",
    "tokens in",
    "tokens out",
    "USD",
    "USD at most",
    "time",
    "from",
)
COLUMNS_OF_CSV = (
    "role", "model", "kind", "topic", "planned", "calls", "prompt_tokens", "completion_tokens",
    "completion_tokens_bound", "cost_usd", "cost_usd_bound", "seconds", "tokens_from", "time_from",
    "spent_usd", "n_cost_unknown", "problem",
)  # fmt: skip


def show(plan: Plan, every: bool = False) -> None:
    """Print a plan. every: with a line for what is answered on this machine."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH_WITHOUT_TERMINAL)
    _print(console, plan, every)


def plan_lines_text(plan: Plan, every: bool = False) -> str:
    """A plan as plain text, for a log."""
    text = io.StringIO()
    _print(Console(file=text, highlight=False, width=WIDTH_WITHOUT_TERMINAL), plan, every)
    return text.getvalue()


def plan_csv(plan: Plan, every: bool = False) -> bytes:
    """The lines as CSV; what is not known is empty. every: as for `show`."""
    return csv_bytes((_row(line) for line in _shown(plan, every)), COLUMNS_OF_CSV)


def duration(seconds: float) -> str:
    """In the largest unit of which there are two."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def dollars(usd: float | None) -> str:
    """To the cent; below a dollar to a hundredth of one. A null is a dash."""
    if usd is None:
        return "–"
    return f"{usd:,.2f}" if usd >= 1 or usd == 0 else f"{usd:.4f}"


def _print(console: Console, plan: Plan, every: bool) -> None:
    shown = _shown(plan, every)
    if shown:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in COLUMNS:
            left = column in {"model", "asked about", "from"}
            table.add_column(column, overflow="fold", justify="left" if left else "right")
        for line in shown:
            table.add_row(*(Text(cell) for cell in _cells(line)))
        if plan.paid:
            table.add_row(*(Text(cell, style="bold") for cell in _total_cells(plan.total)))
        console.print(table)
    for sentence in _sentences(plan):
        console.print(Text(sentence))
    for number, note in enumerate(_notes(plan), 1):
        console.print(Text(f"{number}. {note}"))


def _shown(plan: Plan, every: bool) -> Sequence[Line]:
    return plan.lines if every else plan.paid


def _cells(line: Line) -> tuple[str, ...]:
    planned = "?" if line.planned is None else f"{line.planned:,}"
    one = line.estimate
    if one is None:
        return (line.who, line.topic, f"? of {planned}", *("–",) * 5, "see below")
    asked = f"{one.calls:,} of {planned}"
    if not line.paid:
        return (line.who, line.topic, asked, *("–",) * 5, "this machine")
    return (
        line.who,
        line.topic,
        asked,
        f"{one.prompt_tokens:,}",
        f"{one.completion_tokens:,}",
        dollars(one.cost_usd),
        dollars(one.cost_bound_usd),
        duration(one.seconds),
        _basis(one),
    )


def _basis(one: Estimate) -> str:
    if not one.calls:
        return "–"
    if one.tokens_from == one.time_from:
        return one.tokens_from
    return f"{one.tokens_from}; time: {one.time_from}"


def _total_cells(total: Total) -> tuple[str, ...]:
    least = "≥ " if total.hidden else ""
    cost = "≥ " if total.hidden or total.unpriced else ""
    known = total.cost_usd > 0 or not total.unpriced
    most = "–" if total.cost_bound_usd is None else f"{cost}{dollars(total.cost_bound_usd)}"
    return (
        "total",
        "",
        f"{least}{total.calls:,}",
        f"{least}{total.prompt_tokens:,}",
        f"{least}{total.completion_tokens:,}",
        f"{cost}{dollars(total.cost_usd)}" if known else "–",
        most if known else "–",
        f"{least}{duration(total.seconds)}",
        "",
    )


def _sentences(plan: Plan) -> Iterator[str]:
    here = [line for line in plan.lines if not line.paid]
    testers = len({line.who for line in here if line.role == "tester"})
    judges = len({line.who for line in here if line.role == "judge"})
    parts = [_counted(testers, "observer"), _counted(judges, "embedded judge")]
    if named := " and ".join(part for part in parts if part):
        one = testers + judges == 1
        yield f"{named} {'answers' if one else 'answer'} on this machine; no cost."
    yield f"Spent so far: {_spent(plan.spent, hidden=bool(plan.unreadable))}."
    if plan.budget is not None:
        yield _budget(plan.budget, plan.total)
    problems = [line.problem for line in plan.lines if line.problem]
    yield from dict.fromkeys([*problems, *plan.unreadable])


def _spent(spent: Sum, hidden: bool) -> str:
    """hidden: whether a journal could not be read."""
    silent = f"{spent.unknown:,} {'reply' if spent.unknown == 1 else 'replies'} told no cost"
    if spent.value is None:
        if spent.unknown:
            return f"not known, {silent}"
        return "not known" if hidden else "nothing"
    least = "≥ " if spent.unknown or hidden else ""
    return f"{least}{dollars(spent.value)} USD{f' ({silent})' if spent.unknown else ''}"


def _budget(budget: Budget, total: Total) -> str:
    head = f"Budget: {dollars(budget.usd)} USD, of which {dollars(max(0.0, budget.left_usd))} left"
    if not budget.suffices:
        return (
            f"{head}; it does not suffice. It lets about {budget.affordable:,} of {total.calls:,} "
            "calls through; then the run stops, and goes on when the budget is raised."
        )
    if total.unpriced:
        return f"{head}; it suffices for the calls whose cost is known."
    if budget.suffices_at_most:
        return f"{head}; it suffices, even if every completion runs to its limit."
    return f"{head}; it suffices as expected, but not for the upper bound."


def _notes(plan: Plan) -> Iterator[str]:
    total = plan.total
    left = [line.estimate for line in plan.paid if line.estimate is not None and line.calls]
    if not left:
        return
    kinds = {one.tokens_from for one in left}
    if "journal" in kinds:
        yield (
            "journal: the mean of earlier replies of the same model on the same topic (of the "
            "arm, if it has any), asked with the same max_tokens and reasoning_effort."
        )
    if "estimate" in kinds:
        completions = ", ".join(f"{n} ({name})" for name, n in assumed.COMPLETION_TOKENS.items())
        yield (
            f"estimate: text at {assumed.CHARACTERS_A_TOKEN} characters a token; a picture at "
            f"width x height / {assumed.PIXELS_A_TOKEN} tokens, at most "
            f"{assumed.PICTURE_TOKENS_MAX:,}; completions of {completions} and "
            f"{assumed.VERDICT_TOKENS} (verdict) tokens ({assumed.REASONING_TOKENS:,} where "
            f"reasoning is allowed), or max_tokens where that is smaller. "
            "`vlmtom try TESTER` measures a tester on a few items."
        )
    yield (
        "USD: list price times tokens; without a price, what the gateway reported for a call. "
        "USD at most: every completion runs to max_tokens. Neither counts attempts that fail and "
        "are charged, nor re-asks of verdicts that cannot be read."
    )
    yield (
        f"Time: mean duration of earlier calls, else {assumed.SECONDS_A_CALL:g} s, with "
        f"`concurrency` calls in flight, within rpm and tpm; {plan.parallel_jobs} jobs at once; "
        "judging starts after the last description."
    )
    if any(line.topic == MOSAIC and line.calls for line in plan.paid):
        yield (
            "mosaic: 16 calls of each role in a trial (10 actions, 3 utterances, 3 of the other "
            "taken in), or 6 where a model only lends its voice. They come one after the other, so "
            "that no more are in flight than a job has open trials. An agent that says nothing "
            "saves a call."
        )
    if plan.windows > 1:
        yield (
            f"The trials are divided over {plan.windows} windows, {plan.window_gap_hours:g} h "
            "apart, which the time leaves out."
        )
    probed = [line.who for line in plan.paid if line.role == "tester" and line.calls]
    if any(line.spec.model.probe for line in plan.paid if line.who in probed):
        yield "Not counted: one call for each tester before all others (`probe`: a red square)."
    if unwritten := max((line.assumed for line in plan.paid), default=0):
        yield (
            f"{unwritten:,} descriptions are not written yet: judges are taken to read one for "
            f"each tester, clip and trial, of {assumed.COMPLETION_TOKENS['triangles']} tokens."
        )
    if not plan.rendered:
        yield "Stimuli are not rendered yet; items are counted from the configuration."
    if total.reasoning:
        yield (
            f"{', '.join(total.reasoning)}: asked to reason. The assumed completion leaves "
            "reasoning out; go by the upper bound."
        )
    if total.unbounded:
        yield f"{', '.join(total.unbounded)}: max_tokens is null, so that there is no upper bound."
    if total.unpriced:
        yield (
            f"{', '.join(total.unpriced)}: no price in {plan.models}, so that the total in USD is "
            "a lower bound. Add `price` to the entry."
        )


def _row(line: Line) -> dict[str, object]:
    one = line.estimate
    priced = one is not None and line.paid
    return {
        "role": line.role,
        "model": line.who,
        "kind": line.spec.model.kind,
        "topic": line.topic,
        "planned": line.planned,
        "calls": None if one is None else one.calls,
        "prompt_tokens": one.prompt_tokens if priced else None,
        "completion_tokens": one.completion_tokens if priced else None,
        "completion_tokens_bound": one.completion_bound if priced else None,
        "cost_usd": one.cost_usd if priced else None,
        "cost_usd_bound": one.cost_bound_usd if priced else None,
        "seconds": one.seconds if priced else None,
        "tokens_from": one.tokens_from if priced and one.calls else None,
        "time_from": one.time_from if priced and one.calls else None,
        "spent_usd": line.spent.value,
        "n_cost_unknown": line.spent.unknown if line.paid else None,
        "problem": line.problem,
    }


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' if n > 1 else ''}" if n else ""
