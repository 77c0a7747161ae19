"""One call before all others: does this model, at this server, take a picture at all?

A server without vision may answer every picture with an error, or pass over it in silence; a wrong
model name may be answered by another model. A red square finds out for one call.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlmtom.calls.engine import Stop
from vlmtom.calls.messages import Pictures
from vlmtom.calls.replies import is_same_model
from vlmtom.calls.requests import model_asked, request_digest, sampling_parameters
from vlmtom.calls.types import ErrorKind, Request, Turn
from vlmtom.settings import CallSpec
from vlmtom.store import seed_for
from vlmtom.store.journal import read_stream, streams_with

NAME = "probe"  # item, arm, stimulus and batch of the call in the journal
PICTURE = Path(__file__).with_name("probe.png")
PIXELS = "6bf0f44ccb9892fb8c7d6c9d7c0d12543811dd4b8f004fbe543174cc37f3b397"
QUESTION = "Which colour is this picture? Answer with one word."
_SEEN = re.compile(r"\bred\b", re.IGNORECASE)


def probe_request(spec: CallSpec) -> Request:
    """The call, with the sampling of all others; the same in every experiment of a tester."""
    turns = (Turn("user", QUESTION, (PIXELS,)),)
    parameters = sampling_parameters(spec)
    if spec.model.sampling.send_seed:
        parameters["seed"] = seed_for(spec.seed, NAME) % 2**31
    model = model_asked(spec)
    return Request(
        digest=request_digest(model, turns, parameters, trial=1, batch=NAME, ask=0),
        item_id=NAME,
        arm=NAME,
        stimulus=NAME,
        trial=1,
        batch=NAME,
        ask=0,
        model=spec.model.gateway_model,
        turns=turns,
        parameters=parameters,
    )


def probed_before(journal: Path, digest: str) -> dict[str, Any] | None:
    """The reply to it in any stream of the tester; None if no reply ever came."""
    needle = f'"digest":"{digest}"'.encode()
    for stream in streams_with(journal, needle):
        for record in read_stream(journal, stream):
            came = record.get("kind") == "reply" and record["status"] != "api_error"
            if came and record["digest"] == digest:
                return record
    return None


def reason_to_stop(record: Mapping[str, Any], spec: CallSpec) -> Stop | None:
    """Why nothing else should be asked, by the reply to it; None where asking can go on."""
    first = f"{spec.slug}: the first call shows a red square, to see whether the model takes"
    if record["status"] == "api_error":
        kind: ErrorKind = record["error_kind"]
        hint = (
            f"Is the server up at {spec.endpoint.base_url}? Run the same command again."
            if kind in {"network", "rate_limited"}
            else "A server may need a vision model, or its projector; `probe: false` in the "
            "registry entry leaves this call out."
        )
        return Stop(
            kind,
            f"{first} pictures. It failed ({kind}: {record['error']}), and nothing else was "
            f"asked. {hint}",
            resumable=True,
        )
    if not is_same_model(record["requested_model"], record["served_model"], spec.model.served_as):
        return Stop(
            "bad_request",
            f"{first} pictures. Asked for {record['requested_model']!r}, the endpoint served "
            f"{record['served_model']!r}, and nothing else was asked. Correct gateway_model, or "
            "name the served id under served_as if it is the same model.",
            resumable=True,
        )
    return None


def doubt(record: Mapping[str, Any]) -> str | None:
    """A warning where the reply does not show that the picture was seen."""
    if record["status"] == "ok" and _SEEN.search(record["text"]):
        return None
    said = f": {record['text'][:80]!r}" if record["text"] else ""
    return (
        "asked for the colour of a red square, the model did not say red "
        f"({record['status']}{said}). The server may pass over pictures in silence."
    )


class ProbePictures:
    """The pictures of a job, and the probe's beside them."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def png(self, pixel_sha256: str) -> bytes:
        """The picture file's bytes, untouched."""
        if pixel_sha256 == PIXELS:
            return PICTURE.read_bytes()
        return self._pictures.png(pixel_sha256)

    def film(self, file_sha256: str) -> bytes:
        """The film file's bytes, untouched."""
        return self._pictures.film(file_sha256)
