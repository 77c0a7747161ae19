"""Which requests the items and the specification of a job come to, and in which order."""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vlmtom.calls.messages import DETAIL, intended_body, writable
from vlmtom.calls.types import Request, Turn
from vlmtom.errors import BadConfig, BadData
from vlmtom.settings import OBSERVER_CODE, AskSpec, CallSpec, Sampling, window_trials
from vlmtom.store import code_digest, seed_for, sha256_json

# What the engine itself decides about a body, or could not read the answer of.
_RESERVED = frozenset(
    {"model", "messages", "seed", "temperature", "top_p", "max_tokens", "reasoning_effort"}
    | {"stream", "n", DETAIL}
)


def planned(items: Iterable[Mapping[str, Any]], spec: AskSpec) -> list[Request]:
    """The first request of every trial of a job's window: items in their order, trials from 1.

    Items of arms that the tester is not asked are left out. An item with several questions goes
    on from there, by `next_question`. Raises BadData for items of another experiment, for turns
    that ask nothing and for two items that would send the same request, BadConfig for an `extra`
    that overrides what is asked.
    """
    parameters = {
        allowed: sampling_parameters(spec, reasoning=allowed) for allowed in (False, True)
    }
    model = model_asked(spec)
    requests = [
        request
        for item in items
        if spec.asks(item)
        for request in _of_item(item, spec, model, parameters[item["reasoning"]])
    ]
    _refuse_twins(requests)
    return requests


def next_question(request: Request, answer: str, spec: CallSpec) -> Request | None:
    """What follows an answered request of the same item and trial; None after the last question.

    The answer is carried on as it came, as the assistant's turn; half a surrogate pair, which no
    request can hold, as U+FFFD.
    """
    if not request.later:
        return None
    said, later = _up_to_question(
        (*request.turns, Turn("assistant", writable(answer)), *request.later)
    )
    return replace(
        request,
        digest=request_digest(
            model_asked(spec),
            said,
            request.parameters,
            trial=request.trial,
            batch=request.batch,
            ask=request.ask,
        ),
        turns=said,
        turn=request.turn + 1,
        later=later,
    )


def questions_after(request: Request) -> int:
    """How many more questions of the item follow this one."""
    return sum(1 for _ in _questions(request.later))


def request_digest(
    model: str,
    turns: Sequence[Turn],
    parameters: Mapping[str, Any],
    *,
    trial: int,
    batch: str,
    ask: int,
) -> str:
    """What a request is known by in every journal. model: as `model_asked` gives it."""
    return _digest(intended_body(model, turns, parameters), trial, batch, ask)


def model_asked(spec: CallSpec) -> str:
    """The model as it enters a digest; for an observer with its code, which is its weights."""
    if spec.endpoint.kind == "embedded":
        return f"{spec.model.gateway_model}@{code_digest(*OBSERVER_CODE)}"
    return spec.model.gateway_model


def sampling_parameters(
    spec: CallSpec, decided: Collection[str] = (), reasoning: bool = False
) -> dict[str, Any]:
    """The sampling fields of a body; what is null is left to the provider, not sent.

    decided: further fields that the job itself sets. reasoning: the item allows it. Raises
    BadConfig for an `extra` that overrides what is asked.
    """
    sampling = spec.model.sampling_for(reasoning)
    overridden = sorted((_RESERVED | set(decided)) & sampling.extra.keys())
    if overridden:
        raise BadConfig(
            f"{spec.slug}: sampling.extra cannot set {', '.join(overridden)}; "
            "use the setting of that name, or leave it out."
        )
    return _parameters(sampling)


def asking_order(requests: Sequence[Request], spec: CallSpec) -> list[Request]:
    """The requests in a seeded order over all items and trials.

    A comparison's arms then meet the same server load. Batches that are compared each for itself
    are asked one after the other. The order does not depend on what was answered before, so that
    resuming goes on in it.
    """
    order = list(requests)
    seed = seed_for(spec.seed, spec.topic, spec.window, "order of asking")
    random.Random(seed).shuffle(order)
    batches = getattr(spec, "batches", None)
    return order if batches is None else sorted(order, key=lambda one: batches.index(one.batch))


def _seeded(spec: AskSpec, item: Mapping[str, Any]) -> str:
    """What of an item its seeds are drawn for: where batches share arms, another in each batch.

    The same seed would be answered alike, and hide how answers drift from batch to batch.
    """
    return item["arm"] if spec.batches is None else f"{item['batch']}/{item['arm']}"


def trial_seed(spec: AskSpec, arm: str, stimulus: str, trial: int) -> int:
    """The seed sent with one trial: 31 bits, which every provider takes."""
    return seed_for(spec.seed, spec.experiment, arm, stimulus, trial) % 2**31


def _of_item(
    item: Mapping[str, Any], spec: AskSpec, model: str, sampling: Mapping[str, Any]
) -> Iterator[Request]:
    first, later = _up_to_question(_turns(item, spec))
    intended = intended_body(model, first, sampling)  # but for the seed, the same for every trial
    for trial in window_trials(item["trials"], spec.window, spec.windows):
        seed = {}
        if spec.model.sampling.send_seed:
            seed["seed"] = trial_seed(spec, _seeded(spec, item), item["stimulus"], trial)
        yield Request(
            digest=_digest(intended | seed, trial, item["batch"], ask=0),
            item_id=item["item_id"],
            arm=item["arm"],
            stimulus=item["stimulus"],
            trial=trial,
            batch=item["batch"],
            ask=0,
            model=spec.model.gateway_model,
            turns=first,
            parameters={**sampling, **seed},
            later=later,
        )


def _digest(intended: Mapping[str, Any], trial: int, batch: str, ask: int) -> str:
    return sha256_json({"intended": intended, "trial": trial, "batch": batch, "ask": ask})


def _parameters(sampling: Sampling) -> dict[str, Any]:
    chosen = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "reasoning_effort": sampling.reasoning_effort,
        DETAIL: sampling.image_detail,
    }
    return {name: value for name, value in chosen.items() if value is not None} | sampling.extra


def _turns(item: Mapping[str, Any], spec: AskSpec) -> tuple[Turn, ...]:
    if item["experiment"] != spec.experiment:
        raise BadData(
            f"item {item['item_id']} is of the experiment {item['experiment']!r}; this job asks "
            f"{spec.experiment!r}. Give the job the items of its own experiment."
        )
    turns = tuple(
        Turn(turn["role"], turn["text"], tuple(turn["pictures"]), turn.get("video") or None)
        for turn in item["turns"]
    )
    if not turns or turns[-1].role != "user":
        ends = f"with the role {turns[-1].role!r}" if turns else "before its first turn"
        raise BadData(
            f"item {item['item_id']} ends {ends}, so that there is nothing to answer. "
            "Let its last turn be the user's."
        )
    return turns


def _questions(turns: Sequence[Turn]) -> Iterator[int]:
    """Places of the turns that an answer is asked for: the user's, unless its answer is given."""
    for place, turn in enumerate(turns):
        answered = place + 1 < len(turns) and turns[place + 1].role == "assistant"
        if turn.role == "user" and not answered:
            yield place


def _up_to_question(turns: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """The turns up to the first question, and those after it."""
    place = next(_questions(turns)) + 1
    return turns[:place], turns[place:]


def _refuse_twins(requests: Sequence[Request]) -> None:
    """Raise BadData where one reply would stand for two items: two rows, one draw."""
    first: dict[str, Request] = {}
    for request in requests:
        twin = first.setdefault(request.digest, request)
        if twin is not request:
            raise BadData(
                f"items {twin.item_id} and {request.item_id} ask exactly the same in trial "
                f"{request.trial}, so that one reply would be counted twice. Give them "
                "different stimuli and send each trial's seed (send_seed: true), or put them into "
                "different batches."
            )
