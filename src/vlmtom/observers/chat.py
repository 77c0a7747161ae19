"""A chat completion from an observer: the body that a model gets in, the body of a model's out."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vlmtom.observers.asked import Asked, Shows, read_question
from vlmtom.observers.player import play_reply, read_game
from vlmtom.observers.policies import (
    OBSERVERS,
    DirectorPolicy,
    Observer,
    moves_for_self,
    own_view_probability,
)
from vlmtom.observers.rubric_judges import JUDGES, judge_reply
from vlmtom.observers.sheet import (
    Layout,
    Motion,
    NoTriangles,
    watch,
    watch_film,
    watch_in_a_row,
)
from vlmtom.observers.sight import Sight, Unreadable, look
from vlmtom.observers.thinking import thoughts
from vlmtom.observers.trace_coders import CODERS, coder_reply


@dataclass(frozen=True)
class Said:
    """A reply's text, and the reasoning before it of an observer that thinks aloud."""

    content: str
    reasoning: str | None = None


def answer(body: Mapping[str, Any]) -> dict[str, Any]:
    """The chat completion of the observer that the body's `model` names.

    body: an OpenAI chat.completions request. A suffix "@version" of the model is passed over.
    Usage is left out: an observer has no tokens. Raises KeyError for an unknown observer.
    """
    name = str(body["model"]).partition("@")[0]
    known = (*OBSERVERS, *JUDGES, *CODERS)
    if name not in known:
        raise KeyError(f"no observer {name!r}; there are {', '.join(known)}")
    turns, pictures, films = _read(body["messages"])
    text = "\n\n".join(turns)
    rng = np.random.default_rng(_seed(name, body))
    if name in JUDGES:
        said = Said(judge_reply(name, text))
    elif name in CODERS:
        said = Said(coder_reply(name, text))
    elif (game := read_game(text)) is not None:
        said = Said(play_reply(OBSERVERS[name].plays, game))
    else:
        asked = read_question(text, turns[-1] if turns else None)
        said = _reply(OBSERVERS[name], asked, pictures, films, rng)
    reasoning = {} if said.reasoning is None else {"reasoning": said.reasoning}
    return {
        "id": f"observer-{rng.integers(2**32):08x}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": said.content, **reasoning},
            }
        ],
    }


def _reply(
    observer: Observer,
    asked: Asked,
    pictures: Sequence[bytes],
    films: Sequence[bytes],
    rng: np.random.Generator,
) -> Said:
    if asked.keys and pictures and not asked.describes:
        try:
            return _json_answer(observer, pictures[-1], asked, rng)
        except Unreadable:
            return Said("The picture cannot be made out.")
    return Said(_text_answer(observer, asked, pictures, films, rng))


def _text_answer(
    observer: Observer,
    asked: Asked,
    pictures: Sequence[bytes],
    films: Sequence[bytes],
    rng: np.random.Generator,
) -> str:
    if not pictures and not films:
        return "There is no picture."
    try:
        if asked.describes:
            if asked.shows is None:
                return "The question is not understood."
            return observer.describes(_motion(asked.shows, pictures, films), rng)
        if not pictures:
            return "There is no picture."
        answers = list(_answers(observer.director, look(pictures[-1]), asked, rng))
    except (Unreadable, NoTriangles):
        return "The picture cannot be made out."
    if not answers:
        return "The question is not understood."
    if asked.numbered:
        lines = zip(asked.numbered, answers, strict=False)
        return "\n".join(f"Q{number}: {words}" for number, words in lines)
    return f"Answer: {answers[-1]}"


def _motion(shows: Shows, pictures: Sequence[bytes], films: Sequence[bytes]) -> Motion:
    """What is seen of an animation, shown as the words say. Raises NoTriangles if it is not."""
    if shows.kind == "film":
        if not films:
            raise NoTriangles("no film in the message")
        return watch_film(films[-1])
    if shows.kind == "sequence":
        if len(pictures) != shows.columns:
            raise NoTriangles(f"{len(pictures)} pictures, not {shows.columns}")
        return watch_in_a_row(pictures)
    if not pictures:
        raise NoTriangles("no picture in the message")
    return watch(pictures[-1], Layout(shows.rows, shows.columns))


def _answers(
    policy: DirectorPolicy, sight: Sight, asked: Asked, rng: np.random.Generator
) -> Iterator[str]:
    if asked.sees:
        yield _named(sight, policy.reports(sight, rng))
    if asked.moves:
        yield _named(sight, (policy.moves(sight, asked, rng),))


def _json_answer(observer: Observer, png: bytes, asked: Asked, rng: np.random.Generator) -> Said:
    """One JSON object with every key that is asked for, blocks by the numbers on them.

    An observer that may read a request from either view says which it took, as its reasoning.
    """
    sight, policy = look(png), observer.director
    numbers = [int(block.letter) for block in sight.blocks]
    found: dict[str, object] = {}
    reasoning = None
    for key in asked.keys:
        if key == "visible":
            found[key] = [numbers[i] for i in policy.reports(sight, rng)]
        elif key == "count":
            found[key] = len(numbers)
        elif key == "choice":
            chosen, own = _chosen(observer, png, sight, asked, rng)
            found[key] = numbers[chosen]
            if own is not None:
                reasoning = thoughts(sight, asked, chosen, own, rng)
    return Said(json.dumps(found), reasoning)


def _chosen(
    observer: Observer, png: bytes, sight: Sight, asked: Asked, rng: np.random.Generator
) -> tuple[int, bool | None]:
    """The block chosen, and whether from its own view; null of a policy that does not draw it."""
    policy = observer.director
    if policy.own_view is None:
        return policy.moves(sight, asked, rng), None
    # The scene's part in it is the scene's own, whatever else is asked about it.
    digest = hashlib.sha256(observer.name.encode() + hashlib.sha256(png).digest()).digest()
    scene = 2 * int.from_bytes(digest[:8], "big") / 2**64 - 1
    if rng.random() < own_view_probability(policy.own_view(asked), scene):
        return moves_for_self(sight, asked, rng), True
    return policy.moves(sight, asked, rng), False


def _named(sight: Sight, chosen: Sequence[int]) -> str:
    names = [f"{sight.blocks[i].letter} ({sight.blocks[i].color})" for i in chosen]
    return ", ".join(names) or "none"


def _read(messages: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[bytes], list[bytes]]:
    """The words of each of the user's turns, all pictures and all films, each in order."""
    words: list[str] = []
    media: dict[str, list[bytes]] = {"image_url": [], "video_url": []}
    for message in messages:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        said: list[str] = []
        for part in parts:
            kind = part.get("type")
            if kind == "text" and message.get("role") == "user":
                said.append(part["text"])
            elif kind in media:
                url = part[kind]["url"]
                media[kind].append(base64.b64decode(url.partition(",")[2]))
        if message.get("role") == "user":
            words.append("\n\n".join(said))
    return words, media["image_url"], media["video_url"]


def _seed(name: str, body: Mapping[str, Any]) -> list[int]:
    """From the observer, the trial's seed and the request, so that the order never matters."""
    request = json.dumps([name, body.get("seed"), body["messages"]], sort_keys=True)
    return list(hashlib.sha256(request.encode()).digest())
