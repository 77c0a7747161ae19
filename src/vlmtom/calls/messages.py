"""The body of a call: pictures and films first, then the text that asks about them."""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from vlmtom.calls.types import Request, Turn
from vlmtom.errors import BadData

_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))
_FILM = "video/mp4"
_SURROGATE = re.compile("[\ud800-\udfff]")
DETAIL = "image_detail"  # the one sampling setting that stands in the picture's part of a body


class Pictures(Protocol):
    """Where the bytes of a picture, or of a film, are found."""

    def png(self, pixel_sha256: str, /) -> bytes:
        """The picture file's bytes, untouched."""

    def film(self, file_sha256: str, /) -> bytes:
        """The film file's bytes, untouched."""


class NoPictures:
    """The pictures of a job whose requests show none."""

    def png(self, pixel_sha256: str, /) -> bytes:
        """Raise BadData: nothing that is asked here has a picture."""
        raise BadData(f"picture {pixel_sha256[:16]}…: this job was given no pictures.")

    def film(self, file_sha256: str, /) -> bytes:
        """Raise BadData: nothing that is asked here has a film."""
        raise BadData(f"film {file_sha256[:16]}…: this job was given no films.")

    def close(self) -> None:
        """Nothing to let go."""


def writable(value: Any) -> Any:
    """Half a surrogate pair, which neither Arrow nor a request can hold, as U+FFFD."""
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value


def intended_body(
    model: str, turns: Sequence[Turn], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The body with each picture's pixel SHA-256 in its place: what a digest is taken of."""
    detail = _detail(parameters)
    return _body(
        model,
        turns,
        parameters,
        picture=lambda pixel_sha256: {"pixel_sha256": pixel_sha256, **detail},
        film=lambda file_sha256: {"film_sha256": file_sha256},
    )


def sent_body(request: Request, pictures: Pictures) -> dict[str, Any]:
    """The body as it is sent. Built for one attempt and not kept: pictures are large."""
    detail = _detail(request.parameters)
    return _body(
        request.model,
        request.turns,
        request.parameters,
        picture=lambda pixel_sha256: {
            "type": "image_url",
            "image_url": {"url": data_uri(pictures.png(pixel_sha256), pixel_sha256), **detail},
        },
        film=lambda file_sha256: {
            "type": "video_url",
            "video_url": {"url": _film_uri(pictures.film(file_sha256), file_sha256)},
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


def check_pictures(
    requests: Sequence[Request],
    pictures: Pictures,
    most_bytes: int | None = None,
    most_message_bytes: int | None = None,
) -> None:
    """Raise BadData, before any call, for pictures and films that cannot be sent.

    That is one that is absent or of another format; with most_bytes, any whose base64 text is
    longer than that; with most_message_bytes, an item whose pictures and films together are. All
    that are too large are listed.
    """
    turns = [turn for request in requests for turn in (*request.turns, *request.later)]
    lengths = {}
    for name in sorted({name for turn in turns for name in turn.pictures}):
        content = pictures.png(name)
        media_type(content, name)
        lengths[name] = _base64_length(len(content))
    films = {turn.video for turn in turns if turn.video is not None}
    for name in sorted(films):
        content = pictures.film(name)
        _check_film(content, name)
        lengths[name] = _base64_length(len(content))
    large = {
        f"{'film' if name in films else 'picture'} {name[:16]}…": length
        for name, length in lengths.items()
        if most_bytes is not None and length > most_bytes
    }
    if large:
        raise BadData(
            f"{len(large)} of {len(lengths)} pictures and films are larger, as base64 text, than "
            f"max_media_bytes of the model allows ({most_bytes:,} bytes): {_sizes(large)}. Nothing "
            "was asked. Show smaller ones, or raise max_media_bytes if the provider takes them."
        )
    if most_message_bytes is not None:
        _check_messages(requests, lengths, most_message_bytes)


def _check_messages(
    requests: Sequence[Request], lengths: Mapping[str, int], most_bytes: int
) -> None:
    """Raise BadData for items that show more, together, than a request may hold."""
    together = {
        request.item_id: sum(
            lengths[name]
            for turn in (*request.turns, *request.later)
            for name in (*turn.pictures, *([turn.video] if turn.video is not None else []))
        )
        for request in requests
    }
    large = {item: length for item, length in together.items() if length > most_bytes}
    if large:
        raise BadData(
            f"{len(large)} of {len(together)} items show more, as base64 text, than "
            f"max_message_bytes of the model allows ({most_bytes:,} bytes): {_sizes(large)}. "
            "Nothing was asked. Leave them out, or raise max_message_bytes if the provider takes "
            "them."
        )


def _sizes(lengths: Mapping[str, int]) -> str:
    return "; ".join(f"{name}: {length:,} bytes" for name, length in lengths.items())


def _base64_length(size: int) -> int:
    return 4 * ((size + 2) // 3)


def _film_uri(content: bytes, name: str) -> str:
    _check_film(content, name)
    return f"data:{_FILM};base64,{base64.b64encode(content).decode('ascii')}"


def _check_film(content: bytes, name: str) -> None:
    if content[4:8] != b"ftyp":
        raise BadData(
            f"film {name[:16]}…: not an MP4 (it starts with {content[:8].hex(' ')}). "
            "Nothing was asked. Encode the film again."
        )


def _detail(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"detail": parameters[DETAIL]} if DETAIL in parameters else {}


def _body(
    model: str,
    turns: Sequence[Turn],
    parameters: Mapping[str, Any],
    picture: Callable[[str], dict[str, Any]],
    film: Callable[[str], dict[str, Any]],
) -> dict[str, Any]:
    messages = [{"role": turn.role, "content": _content(turn, picture, film)} for turn in turns]
    fields = {name: value for name, value in parameters.items() if name != DETAIL}
    return {"model": model, "messages": messages, **fields}


def _content(
    turn: Turn,
    picture: Callable[[str], dict[str, Any]],
    film: Callable[[str], dict[str, Any]],
) -> str | list[dict[str, Any]]:
    if not turn.pictures and turn.video is None:
        return turn.text  # a plain string: what every server understands
    parts = [picture(pixel_sha256) for pixel_sha256 in turn.pictures]
    if turn.video is not None:
        parts.append(film(turn.video))
    return [*parts, {"type": "text", "text": turn.text}] if turn.text else parts
