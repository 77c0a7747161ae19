"""What calls will take: tokens, dollars and time, by earlier replies or else by stated assumptions.

Nothing here reads a file. Every assumption is one constant below, and is told beside the numbers
that rest on it (docs/commands.md).
"""

import heapq
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vlmtom.calls.probe import NAME as PROBE
from vlmtom.settings import EndpointEntry, ModelEntry, Sampling

CHARACTERS_A_TOKEN = 4
# Anthropic's rule for pictures. For a scene of 1024x768 it gives 1,049; 32-pixel patches give 768,
# 512-pixel tiles 765, 28-pixel patches 1,036: it is on the high side of what is documented.
PIXELS_A_TOKEN = 750
PICTURE_TOKENS_MAX = 1600
FILM_TOKENS = 20_000  # as the budget takes it
REASONING_TOKENS = 2000  # of a completion, where reasoning is allowed
COMPLETION_TOKENS: Mapping[str, int] = {
    "director": 150,
    "triangles": 120,
    "representations": 120,
    "report_action": 40,
    "mosaic": 250,  # a hundred words of reasoning or inner speech, and the form that is asked for
}
VERDICT_TOKENS = 60
SECONDS_A_CALL = 5.0

Row = Mapping[str, Any]
Basis = Literal["journal", "estimate"]


@dataclass(frozen=True)
class Ask:
    """An item's trial, or a verdict, that is still to be asked.

    calls: one a question. prompt_tokens: over its calls, by assumption. reasoning: it is allowed.
    """

    arm: str
    calls: int
    prompt_tokens: int
    reasoning: bool = False


@dataclass(frozen=True)
class Means:
    """What earlier replies reported, a call. cost_usd: null where none reported any."""

    prompt_tokens: float
    completion_tokens: float
    longest: int  # completion tokens
    cost_usd: float | None


@dataclass(frozen=True)
class Earlier:
    """Earlier replies of one model on one topic. all, duration_s: null without any.

    all: of the arms that allow no reasoning.
    """

    by_arm: Mapping[str, Means]
    all: Means | None
    duration_s: float | None

    def of(self, arm: str) -> Means | None:
        """The arm's own, else those of the whole topic."""
        return self.by_arm.get(arm, self.all)


NOTHING_EARLIER = Earlier({}, None, None)


@dataclass(frozen=True)
class Estimate:
    """What some calls will take. Null is unknown; for completion_bound: unbounded."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    completion_bound: int | None
    cost_usd: float | None
    cost_bound_usd: float | None
    seconds: float
    tokens_from: Basis
    time_from: Basis


@dataclass(frozen=True)
class Job:
    """A call job for the schedule. needed: judging starts when all of these have ended."""

    seconds: float
    judges: bool = False
    needed: bool = False


def text_tokens(text: str) -> int:
    """By its length."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


def picture_tokens(size: tuple[int, int] | None) -> int:
    """By its width and height in pixels; None, an unknown size, counts as the largest."""
    if size is None:
        return PICTURE_TOKENS_MAX
    return min(PICTURE_TOKENS_MAX, math.ceil(size[0] * size[1] / PIXELS_A_TOKEN))


def ask_of(
    arm: str,
    turns: Sequence[Row],
    sizes: Mapping[str, tuple[int, int]],
    completion: int,
    reasoning: bool = False,
) -> Ask:
    """What a trial of an item takes: a call for each user turn, but those whose answer is given.

    Each further question sends all before it again. turns: of the item, or of a conversation as
    far as it came. sizes: of the pictures, by pixel SHA-256. completion: tokens expected of an
    answer.
    """
    calls = said = sent = 0
    for place, turn in enumerate(turns):
        said += text_tokens(turn["text"])
        said += sum(picture_tokens(sizes.get(picture)) for picture in turn["pictures"])
        said += FILM_TOKENS if turn.get("video") else 0
        if _is_question(turns, place):
            calls += 1
            sent += said
            said += completion
    return Ask(arm, calls, sent, reasoning)


def expected_completion(assumed: int, sampling: Sampling) -> int:
    """Tokens assumed of a completion: of its kind, or max_tokens if that is smaller."""
    return assumed if sampling.max_tokens is None else min(assumed, sampling.max_tokens)


def reasons(sampling: Sampling) -> bool:
    """Whether the model is asked to reason, so that a short answer may cost a long completion."""
    return sampling.reasoning_effort not in (None, "none")


def earlier_replies(
    records: Iterable[Row], model: ModelEntry, reasoning_arms: Collection[str] = ()
) -> Earlier:
    """What earlier replies say of those to come.

    records: of a journal. reasoning_arms: arms that allow reasoning. Only replies of the same model
    id, asked with the max_tokens and reasoning_effort that their arm has now, are comparable; those
    that reported no tokens say nothing of tokens.
    """
    replies = [
        record
        for record in records
        if _is_comparable(record, model, record.get("arm") in reasoning_arms)
    ]
    counted = [r for r in replies if None not in (r["prompt_tokens"], r["completion_tokens"])]
    by_arm: dict[str, list[Row]] = {}
    for record in counted:
        by_arm.setdefault(record["arm"], []).append(record)
    plain = [record for record in counted if record["arm"] not in reasoning_arms]
    durations = [r["duration_s"] for r in replies if r["duration_s"] is not None]
    return Earlier(
        {arm: _means(of_arm) for arm, of_arm in by_arm.items()},
        _means(plain) if plain else None,
        _mean(durations) if durations else None,
    )


def estimate(
    asks: Sequence[Ask],
    model: ModelEntry,
    endpoint: EndpointEntry,
    completion: int,
    earlier: Earlier,
) -> Estimate:
    """What these calls will take. completion: tokens assumed where nothing earlier says more."""
    limits = {allowed: model.sampling_for(allowed).max_tokens for allowed in (False, True)}
    reasoned = expected_completion(REASONING_TOKENS, model.sampling_for(True))
    calls, prompt, answer, bound = 0, 0.0, 0.0, 0.0
    reported: float | None = 0.0
    for ask in asks:
        # What replies without reasoning took says nothing of those with it.
        means = earlier.by_arm.get(ask.arm) if ask.reasoning else earlier.of(ask.arm)
        calls += ask.calls
        prompt += ask.prompt_tokens if means is None else ask.calls * means.prompt_tokens
        expected = reasoned if ask.reasoning else completion
        answer += ask.calls * (expected if means is None else means.completion_tokens)
        # Some providers do not count reasoning against max_tokens.
        bound += ask.calls * max(limits[ask.reasoning] or 0, 0 if means is None else means.longest)
        known = None if means is None else means.cost_usd
        reported = None if None in (reported, known) else reported + ask.calls * known
    no_bound = any(limits[ask.reasoning] is None for ask in asks if ask.calls)
    cost, cost_bound = reported, None
    if model.price is not None or not calls:
        cost = _priced(model, prompt, answer)
        cost_bound = None if no_bound else _priced(model, prompt, bound)
    duration = SECONDS_A_CALL if earlier.duration_s is None else earlier.duration_s
    at_once = max(1, min(model.concurrency, calls))
    seconds = [calls * duration / at_once, rate_seconds(endpoint, calls, prompt + answer)]
    return Estimate(
        calls=calls,
        prompt_tokens=round(prompt),
        completion_tokens=round(answer),
        completion_bound=None if no_bound else round(bound),
        cost_usd=cost,
        cost_bound_usd=cost_bound,
        seconds=max(seconds),
        tokens_from="estimate" if earlier.all is None else "journal",
        time_from="estimate" if earlier.duration_s is None else "journal",
    )


def rate_seconds(endpoint: EndpointEntry, calls: int, tokens: float) -> float:
    """The least time that an endpoint's rates leave for so many calls and tokens."""
    by_calls = 60 * calls / endpoint.rpm if endpoint.rpm else 0.0
    by_tokens = 60 * tokens / endpoint.tpm if endpoint.tpm else 0.0
    return max(by_calls, by_tokens)


def scheduled_seconds(jobs: Sequence[Job], slots: int) -> float:
    """When the last job ends, if each starts in its order as soon as a slot is free.

    Judging starts when every job that it needs has ended.
    """
    free = [0.0] * slots
    ends, descriptions = 0.0, 0.0
    for job in sorted(jobs, key=lambda job: job.judges):
        start = heapq.heappop(free)
        if job.judges:
            start = max(start, descriptions)
        end = start + job.seconds
        heapq.heappush(free, end)
        ends = max(ends, end) if job.seconds else ends
        if job.needed:
            descriptions = max(descriptions, end)
    return ends


def affordable_calls(lines: Iterable[tuple[int, float | None]], usd: float) -> int:
    """How many calls a sum pays for, line after line. lines: calls, and what they cost together.

    A line of unknown cost takes nothing from the sum, and counts no call.
    """
    through = 0
    for calls, cost in lines:
        if not calls or cost is None:
            continue
        if cost > usd:
            return through + math.floor(max(0.0, usd) * calls / cost)
        usd -= cost
        through += calls
    return through


def _is_question(turns: Sequence[Row], place: int) -> bool:
    answered = place + 1 < len(turns) and turns[place + 1]["role"] == "assistant"
    return turns[place]["role"] == "user" and not answered


def _is_comparable(record: Row, model: ModelEntry, reasoning: bool) -> bool:
    if record.get("kind") != "reply" or record["status"] == "api_error":
        return False
    sent = json.loads(record["parameters"])
    with_limit = sent.get("max_tokens", sent.get("max_completion_tokens"))
    asked = model.sampling_for(reasoning)
    return (
        record["requested_model"] == model.gateway_model
        and record["arm"] != PROBE
        and (with_limit, sent.get("reasoning_effort")) == (asked.max_tokens, asked.reasoning_effort)
    )


def _means(replies: Sequence[Row]) -> Means:
    costs = [reply["cost_usd"] for reply in replies if reply["cost_usd"] is not None]
    return Means(
        _mean([reply["prompt_tokens"] for reply in replies]),
        _mean([reply["completion_tokens"] for reply in replies]),
        max(reply["completion_tokens"] for reply in replies),
        _mean(costs) if costs else None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _priced(model: ModelEntry, prompt: float, completion: float) -> float:
    if model.price is None:
        return 0.0
    price = model.price
    return (prompt * price.input_usd_per_mtok + completion * price.output_usd_per_mtok) / 1e6
