"""What a chat completion says, and the status that it gives a reply."""

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from vlmtom.calls.failures import error_in_body, undecodable
from vlmtom.calls.types import RawCompletion, Reply, Request, Status
from vlmtom.settings import ModelEntry, Price
from vlmtom.store import canonical_json

_DATED = re.compile(r"[-@](20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])$")
_Tokens = tuple[int | None, int | None, int | None, int | None]
_TEXT_PARTS = frozenset({"text", "output_text"})


def read_completion(raw: RawCompletion, request: Request, model: ModelEntry) -> Reply:
    """The reply in a body, with its status; nothing of the text is edited.

    The first that holds: model_mismatch, filtered, refused, truncated, empty, ok. Raises
    CallFailure where the body holds an error or no choice, so that it is asked again or not
    by the error's own code.
    """
    choice = _first_choice(raw.body, raw.headers)
    message = _message_of(choice)
    text, thought = _content(message.get("content"))
    finish_reason = _string(choice.get("finish_reason"))
    refusal = _string(message.get("refusal"))
    served = _string(raw.body.get("model"))
    observed = model.kind == "observer"
    tokens = (None,) * 4 if observed else _tokens(raw.body.get("usage"))
    return Reply(
        status=_status(
            text,
            finish_reason,
            refusal,
            same_model=is_same_model(request.model, served, model.served_as),
        ),
        parameters=canonical_json(dict(request.parameters)),
        text=text,
        reasoning=_reasoning(message) or thought,
        refusal=refusal,
        finish_reason=finish_reason,
        served_model=served,
        provider=_string(raw.body.get("provider")),
        fingerprint=_string(raw.body.get("system_fingerprint")),
        request_id=raw.request_id or _string(raw.body.get("id")),
        prompt_tokens=tokens[0],
        completion_tokens=tokens[1],
        reasoning_tokens=tokens[2],
        video_tokens=tokens[3],
        cost_usd=None if observed else _cost(raw.body.get("usage"), tokens, model.price),
    )


def is_same_model(requested: str, served: str | None, served_as: Collection[str] = ()) -> bool:
    """Whether a served id names the model that was asked for.

    It does if it is the same id, or one of `served_as`, up to case, a vendor prefix that only
    one of the two has (`vendor/model`, `model`), and a full date that only the served id has
    (`model-2026-01-01`, `model-20260101`: the snapshot behind an alias). A dated id must be served
    as that date; any other suffix is another model until `served_as` says otherwise. A reply
    without a model id is taken at its word.
    """
    if not served:
        return True
    answered = served.casefold()
    for name in (requested, *served_as):
        asked = name.casefold()
        undated = answered if _DATED.search(asked) else _DATED.sub("", answered)
        if any(_same_up_to_vendor(asked, form) for form in (answered, undated)):
            return True
    return False


def _same_up_to_vendor(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _status(
    text: str | None, finish_reason: str | None, refusal: str | None, same_model: bool
) -> Status:
    if not same_model:
        return "model_mismatch"
    if finish_reason == "content_filter":
        return "filtered"
    if refusal and refusal.strip():
        return "refused"
    if finish_reason == "length":
        return "truncated"
    return "ok" if text and text.strip() else "empty"


def _first_choice(body: object, headers: Mapping[str, str]) -> Mapping[str, Any]:
    """The first choice of a body. Raises CallFailure for an error in it, or for no choice."""
    if not isinstance(body, Mapping):
        raise undecodable(f"expected a JSON object, found {type(body).__name__}")
    if body.get("error"):
        raise error_in_body(body["error"], headers)
    if body.get("object") == "error":
        raise error_in_body(body, headers)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        found = "none" if not choices else type(choices).__name__
        raise undecodable(f"the reply has no choices (found {found})")
    choice = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        cause = choice.get("error") or "finish_reason 'error' without a cause"
        raise error_in_body(cause, headers)
    return choice


def _message_of(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    message = choice.get("message")
    if isinstance(message, Mapping):
        return message
    if message is None and choice.get("finish_reason") in {"content_filter", "length"}:
        return {}
    raise undecodable(f"the choice has no message (found {type(message).__name__})")


def _content(content: object) -> tuple[str | None, str | None]:
    """Text and reasoning of a message's content, a string or a list of parts."""
    if content is None or isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        raise undecodable(f"message content is neither text nor parts: {type(content).__name__}")
    texts = [part for part in map(_part_text, content) if part is not None]
    thoughts = [
        _joined(part.get("thinking"))
        for part in content
        if isinstance(part, Mapping) and part.get("type") == "thinking"
    ]
    return "".join(texts) if texts else None, "".join(filter(None, thoughts)) or None


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS:
        return _string(part.get("text"))
    return None


def _reasoning(message: Mapping[str, Any]) -> str | None:
    for name in ("reasoning", "reasoning_content", "reasoning_details"):
        if text := _joined(message.get(name)):
            return text
    return None


def _joined(value: object) -> str | None:
    """The text of a string, or of a list of parts with text or summaries."""
    if isinstance(value, str):
        return value or None
    if not isinstance(value, list):
        return None
    texts = [
        part.get("text") or part.get("summary") if isinstance(part, Mapping) else part
        for part in value
    ]
    return "".join(text for text in texts if isinstance(text, str)) or None


def _tokens(usage: object) -> _Tokens:
    """Prompt, completion and reasoning tokens, and of the prompt's those of a video.

    None where none was reported.
    """
    if not isinstance(usage, Mapping):
        return None, None, None, None
    return (
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(_detail(usage, "completion_tokens_details", "reasoning_tokens")),
        _count(_detail(usage, "prompt_tokens_details", "video_tokens")),
    )


def _detail(usage: Mapping[str, Any], details: str, name: str) -> object:
    found = usage.get(details)
    return found.get(name) if isinstance(found, Mapping) else None


def _cost(usage: object, tokens: _Tokens, price: Price | None) -> float | None:
    """US dollars: as the gateway reports them, else by list price, else None."""
    reported = usage.get("cost") if isinstance(usage, Mapping) else None
    if _is_number(reported) and math.isfinite(reported) and reported >= 0:
        return float(reported)
    prompt, completion, *_ = tokens
    if price is None or prompt is None or completion is None:
        return None
    return (prompt * price.input_usd_per_mtok + completion * price.output_usd_per_mtok) / 1e6


def _count(value: object) -> int | None:
    whole = _is_number(value) and math.isfinite(value) and value == int(value)
    return int(value) if whole and 0 <= value < 2**63 else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None
