"""From replies to what a judge may see: descriptions under ids that say nothing of the tester."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vlmtom.errors import BadData
from vlmtom.judging.text_traits import language, n_words, self_identifies
from vlmtom.parsing import read_reply
from vlmtom.store import sha256_json
from vlmtom.store.schemas import BLIND

ID_DIGITS = 16  # 64 bits

Row = Mapping[str, Any]

_SAID = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]")
_REFUSES = re.compile(
    r"\b(?:i|we)(?:'m|’m| am| are)?\b[^.!?\n]{0,40}?\b(?:can't|can’t|cannot|can not|unable|not able"
    r"|won't|won’t|will not|must decline|have to decline|decline|refuse|not comfortable)\b"
    r"(?:[^.!?\n]{0,40}?\b(?:describ\w*|see|view|help|assist|analy[sz]\w*|watch|access|process|open"
    r"|interpret|comply|provide|answer|do (?:that|this|so)|images?|pictures?|videos?)\b|[.!\n]|$)",
    re.IGNORECASE,
)
_TALK = re.compile(r"\b(?:i|i'm|i’m|i'd|i’d|me|my|you|your|we|please|sorry)\b", re.IGNORECASE)
_FIGURES = re.compile(
    r"\b(?:triangles?|shapes?|figures?|objects?|red|blue|big|small|large\w*|little|they|it|one)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Described:
    """A reply of an arm, with its key; `text` null where there is nothing to judge."""

    reply: Row
    key: Row
    text: str | None
    reason: str | None
    blind_id: str | None


def blind_salt(seed: int) -> str:
    """The secret of a run's blind ids: from its seed, so that a rebuild gives the same ids."""
    return sha256_json(["blind ids", seed])


def descriptions(replies: Iterable[Row], keys: Iterable[Row], salt: str) -> list[dict[str, Any]]:
    """Every reply as a row of DESCRIPTIONS, in the order of the replies.

    A reply that is not `ok` is missing; one that is, but holds no description, is unparsed with
    its reason: empty, truncated (a reasoning block that never ends), refusal (in plain words).
    Raises BadData for a reply without a key.
    """
    return [_description_row(one) for one in _described(replies, keys, salt)]


def blind_rows(
    replies: Iterable[Row], keys: Iterable[Row], salt: str, arm: str
) -> list[dict[str, Any]]:
    """An arm's descriptions as rows of BLIND, sorted by blind id.

    An id depends on the salt, the request and the reply's text alone: not on who else is in the
    panel. The order of the ids says nothing of testers, clips or trials. One request with one
    text, which two entries of the registry for one model can share, is one row.
    """
    rows: dict[str, dict[str, Any]] = {}
    for one in _described((reply for reply in replies if reply["arm"] == arm), keys, salt):
        if one.blind_id is None:
            continue
        row = _blind_row(one)
        if rows.setdefault(one.blind_id, row) != row:
            raise BadData(
                f"two descriptions of {arm} have the blind id {one.blind_id}. "
                "Choose another `seed`, from which the ids' salt is derived."
            )
    return [rows[blind_id] for blind_id in sorted(rows)]


def blind_together(
    replies: Iterable[Row], keys: Iterable[Row], salt: str, topic: str
) -> list[dict[str, Any]]:
    """As blind_rows, of all arms in one file, which does not tell one arm from another.

    topic: stands in the place of the arm: a judge that knew how a clip was shown could score that.
    """
    told = [{**reply, "arm": topic} for reply in replies]
    return blind_rows(told, keys, salt, topic)


def blind_id(salt: str, request_digest: str, text: str) -> str:
    """HMAC-SHA256 of request and text, shortened."""
    content = f"{request_digest}\0{text}".encode("utf-8", "surrogatepass")
    return hmac.new(salt.encode(), content, hashlib.sha256).hexdigest()[:ID_DIGITS]


def refuses(text: str) -> bool:
    """Whether a text declines to describe, and says nothing of the triangles besides.

    "I do not know what they are doing" is no refusal: it is a description, of level 0. What the
    triangles say in quotation marks does not count. English only.
    """
    spoken = _SAID.sub(" ", text)
    sentences = [part for part in re.split(r"(?<=[.!?])\s+|\n+", spoken) if part.strip()]
    declined = [part for part in sentences if _REFUSES.search(part)]
    return bool(declined) and not any(
        _FIGURES.search(part) and not _TALK.search(part) for part in sentences
    )


def _described(replies: Iterable[Row], keys: Iterable[Row], salt: str) -> Iterator[_Described]:
    by_item = {key["item_id"]: key for key in keys}
    for reply in replies:
        key = by_item.get(reply["item_id"])
        if key is None:
            raise BadData(
                f"no key for the item {reply['item_id']} of {reply['tester']}. Replies and keys "
                "must come from one rendering; delete the replies' table and run again."
            )
        if reply["status"] != "ok":
            yield _Described(reply, key, None, None, None)
            continue
        gated = read_reply(reply["text"])
        reason = gated.reason or ("refusal" if refuses(gated.text or "") else None)
        if reason is not None:
            yield _Described(reply, key, None, reason, None)
        else:
            name = blind_id(salt, reply["request_digest"], reply["text"])
            yield _Described(reply, key, gated.text, None, name)


def _description_row(one: _Described) -> dict[str, Any]:
    scored = one.reply["status"] == "ok"
    return {
        "tester": one.reply["tester"],
        "kind": one.reply["kind"],
        "arm": one.reply["arm"],
        "clip": one.key["stimulus"],
        "condition": one.key["condition"],
        "item_id": one.reply["item_id"],
        "trial": one.reply["trial"],
        "status": one.reply["status"],
        "parse": None if not scored else "unparsed" if one.text is None else "parsed",
        "reason": one.reason,
        "blind_id": one.blind_id,
        **_traits(one.text),
    }


def _blind_row(one: _Described) -> dict[str, Any]:
    row = {
        "blind_id": one.blind_id,
        "arm": one.reply["arm"],
        "clip": one.key["stimulus"],
        "condition": one.key["condition"],
        "script": one.key["script"],
        "description": one.text,
        **_traits(one.text),
    }
    return {name: row[name] for name in BLIND.names}


def _traits(text: str | None) -> dict[str, Any]:
    if text is None:
        return {"self_identifies": None, "n_words": None, "language": None}
    return {
        "self_identifies": self_identifies(text),
        "n_words": n_words(text),
        "language": language(text),
    }
