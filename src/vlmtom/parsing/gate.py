"""Decides whether a reply holds text to parse at all, and cuts the reasoning off that text."""

import re
from dataclasses import dataclass
from typing import Any

from vlmtom.parsing.model import Parsed, Reason, Status

Content = str | list[Any] | dict[str, Any] | None

# Gateways pass some providers' own words through beside `length` and `content_filter`.
CUT_FINISHES = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
FILTER_FINISHES = frozenset(
    {"content_filter", "content_filtered", "safety", "recitation", "prohibited_content"}
)

_NAMES = (
    r"think|thinking|thoughts?|reasoning|reason|reflection|analysis|scratchpad"
    r"|(?:seed|antml|mm)\s?:\s?think(?:ing)?|(?:begin|end)_of_thought|chain_of_thought|cot"
)
_CLOSE = re.compile(
    rf"<\s*/\s*(?:{_NAMES})\s*>|\[\s*/\s*think(?:ing)?\s*\]|◁\s*/\s*think(?:ing)?\s*▷"
    r"|<\|\s*(?:end_of_thought|/think|end_think(?:ing)?)\s*\|>"
    r"|<\|channel\|>\s*final\s*(?:<\|message\|>)?",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"<\s*(?:{_NAMES})(?:\s[^<>]*)?>|\[\s*think(?:ing)?\s*\]|◁\s*think(?:ing)?\s*▷"
    r"|<\|\s*(?:begin_of_thought|think|begin_think(?:ing)?)\s*\|>"
    r"|<\|channel\|>\s*analysis\s*(?:<\|message\|>)?",
    re.IGNORECASE,
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(frozen=True)
class Gated:
    """The text that may be parsed, or (`text` null) why there is none."""

    text: str | None
    status: Status = "parsed"
    reason: Reason | None = None

    def closed(self) -> Parsed:
        """The parse of a reply without text."""
        return Parsed(None, self.status, self.reason)


def read_reply(content: Content, finish_reason: str | None = None, refusal: object = None) -> Gated:
    """The part of a message's content that counts, before any rule about words.

    content: null, a string, or a list of parts whose text parts are joined without a separator
    (providers split text anywhere, also inside a word). Parts of thinking are left out.
    """
    parts = _parts(content)
    finish = (finish_reason or "").strip().casefold()
    if finish in FILTER_FINISHES:
        return Gated(None, "filtered", "filtered")
    if finish == "refusal" or _says(refusal) or any(_is_refusal(part) for part in parts):
        return Gated(None, "refused", "refusal")
    if finish in CUT_FINISHES:
        return Gated(None, "truncated", "truncated")
    return cut_reasoning("".join(_text(part) for part in parts))


def cut_reasoning(text: str) -> Gated:
    """The text after the last closing reasoning tag; `truncated` while a tag is still open."""
    # A format character inside a tag must not hide the tag.
    tags = _INVISIBLE.sub("", text)
    ends = [match.end() for match in _CLOSE.finditer(tags)]
    rest = tags[ends[-1] :] if ends else tags
    if _OPEN.search(rest):
        return Gated(None, "truncated", "truncated")
    rest = re.sub(r"<\|[a-z_]{1,24}\|>\s*$", "", rest) if ends else rest
    if is_blank(rest):
        return Gated(None, "empty", "empty")
    return Gated(rest if ends else text)


def reasoning_in(text: str) -> str | None:
    """The reasoning that stands in tags before a reply's text, without the tags; null if none."""
    tags = _INVISIBLE.sub("", text)
    ends = [match.end() for match in _CLOSE.finditer(tags)]
    if not ends:
        return None
    block = _OPEN.sub(" ", _CLOSE.sub(" ", tags[: ends[-1]])).strip()
    return block or None


def is_blank(text: str) -> bool:
    return not _INVISIBLE.sub("", text).strip()


def _parts(content: Content) -> list[Any]:
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def _text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"):
        text = part.get("text")
        if isinstance(text, dict):  # the Assistants form {"text": {"value": "..."}}
            text = text.get("value")
        return text if isinstance(text, str) else ""
    return ""


def _is_refusal(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "refusal" and _says(part.get("refusal"))


def _says(refusal: object) -> bool:
    return not is_blank(refusal) if isinstance(refusal, str) else bool(refusal)
