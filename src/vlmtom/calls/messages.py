"""The body of a call: pictures first, then the text that asks about them."""

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from vlmtom.calls.types import Request, Turn
from vlmtom.errors import BadData

_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


class Pictures(Protocol):
    """Where the bytes of a picture are found by its pixel SHA-256."""

    def png(self, pixel_sha256: str, /) -> bytes:
        """The picture file's bytes, untouched."""


class NoPictures:
    """The pictures of a job whose requests show none."""

    def png(self, pixel_sha256: str, /) -> bytes:
        """Raise BadData: nothing that is asked here has a picture."""
        raise BadData(f"picture {pixel_sha256[:16]}…: this job was given no pictures.")

    def close(self) -> None:
        """Nothing to let go."""


def intended_body(
    model: str, turns: Sequence[Turn], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The body with each picture's pixel SHA-256 in its place: what a digest is taken of."""
    return _body(model, turns, parameters, lambda pixel_sha256: {"pixel_sha256": pixel_sha256})


def sent_body(request: Request, pictures: Pictures) -> dict[str, Any]:
    """The body as it is sent. Built for one attempt and not kept: pictures are large."""
    return _body(
        request.model,
        request.turns,
        request.parameters,
        lambda pixel_sha256: {
            "type": "image_url",
            "image_url": {"url": data_uri(pictures.png(pixel_sha256), pixel_sha256)},
        },
    )


def data_uri(content: bytes, name: str) -> str:
    """A picture as a data URI; the media type is read from its first bytes.

    Raises BadData for a file that is neither PNG nor JPEG.
    """
    encoded = base64.b64encode(content).decode("ascii")
    return f"data:{media_type(content, name)};base64,{encoded}"


def media_type(content: bytes, name: str) -> str:
    """image/png or image/jpeg, by the first bytes. Raises BadData naming the picture."""
    for magic, media in _MAGIC:
        if content.startswith(magic):
            return media
    raise BadData(
        f"picture {name[:16]}…: neither PNG nor JPEG (it starts with {content[:8].hex(' ')}). "
        "Nothing was asked. Render the pictures again."
    )


def check_pictures(requests: Sequence[Request], pictures: Pictures) -> None:
    """Raise BadData for a picture that is absent or of another format, before any call."""
    shown = {name for request in requests for turn in request.turns for name in turn.pictures}
    for name in sorted(shown):
        media_type(pictures.png(name), name)


def _body(
    model: str,
    turns: Sequence[Turn],
    parameters: Mapping[str, Any],
    picture_part: Callable[[str], dict[str, Any]],
) -> dict[str, Any]:
    messages = [{"role": turn.role, "content": _content(turn, picture_part)} for turn in turns]
    return {"model": model, "messages": messages, **parameters}


def _content(
    turn: Turn, picture_part: Callable[[str], dict[str, Any]]
) -> str | list[dict[str, Any]]:
    if not turn.pictures:
        return turn.text  # a plain string: what every server understands
    parts = [picture_part(pixel_sha256) for pixel_sha256 in turn.pictures]
    return [*parts, {"type": "text", "text": turn.text}] if turn.text else parts
