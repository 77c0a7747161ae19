"""A chat completion from an observer: the body that a model gets in, the body of a model's out."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from vlmtom.observers.asked import Asked, read_question
from vlmtom.observers.policies import OBSERVERS, DirectorPolicy, Observer
from vlmtom.observers.rubric_judges import JUDGES, judge_reply
from vlmtom.observers.sheet import GRID, STILL, NoTriangles, watch
from vlmtom.observers.sight import Sight, Unreadable, look


def answer(body: Mapping[str, Any]) -> dict[str, Any]:
    """The chat completion of the observer that the body's `model` names.

    body: an OpenAI chat.completions request. A suffix "@version" of the model is passed over.
    Usage is left out: an observer has no tokens. Raises KeyError for an unknown observer.
    """
    name = str(body["model"]).partition("@")[0]
    if name not in OBSERVERS and name not in JUDGES:
        raise KeyError(f"no observer {name!r}; there are {', '.join((*OBSERVERS, *JUDGES))}")
    text, pictures = _read(body["messages"])
    rng = np.random.default_rng(_seed(name, body))
    if name in JUDGES:
        content = judge_reply(name, text)
    else:
        content = _reply(OBSERVERS[name], text, pictures, rng)
    return {
        "id": f"observer-{rng.integers(2**32):08x}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content},
            }
        ],
    }


def _reply(
    observer: Observer, text: str, pictures: Sequence[bytes], rng: np.random.Generator
) -> str:
    if not pictures:
        return "There is no picture."
    asked = read_question(text)
    try:
        if asked.describes:
            cells = STILL if asked.still else GRID
            return observer.describes(watch(pictures[-1], cells), rng)
        answers = list(_answers(observer.director, look(pictures[-1]), asked, rng))
    except (Unreadable, NoTriangles):
        return "The picture cannot be made out."
    if not answers:
        return "The question is not understood."
    if asked.numbered:
        lines = zip(asked.numbered, answers, strict=False)
        return "\n".join(f"Q{number}: {words}" for number, words in lines)
    return f"Answer: {answers[-1]}"


def _answers(
    policy: DirectorPolicy, sight: Sight, asked: Asked, rng: np.random.Generator
) -> Iterator[str]:
    if asked.sees:
        yield _named(sight, policy.reports(sight, rng))
    if asked.moves:
        yield _named(sight, (policy.moves(sight, asked, rng),))


def _named(sight: Sight, chosen: Sequence[int]) -> str:
    names = [f"{sight.blocks[i].letter} ({sight.blocks[i].color})" for i in chosen]
    return ", ".join(names) or "none"


def _read(messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[bytes]]:
    """All words of the user's turns, and all pictures, in order."""
    words: list[str] = []
    pictures: list[bytes] = []
    for message in messages:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for part in parts:
            if part.get("type") == "text" and message.get("role") == "user":
                words.append(part["text"])
            elif part.get("type") == "image_url":
                url = part["image_url"]["url"]
                pictures.append(base64.b64decode(url.partition(",")[2]))
    return "\n\n".join(words), pictures


def _seed(name: str, body: Mapping[str, Any]) -> list[int]:
    """From the observer, the trial's seed and the request, so that the order never matters."""
    request = json.dumps([name, body.get("seed"), body["messages"]], sort_keys=True)
    return list(hashlib.sha256(request.encode()).digest())
