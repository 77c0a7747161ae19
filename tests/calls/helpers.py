"""Items, pictures, specifications and runs of the engine for the tests of calls and jobs."""

import asyncio
import hashlib
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.loopback.server import LoopbackServer
from vlmtom.calls import Asked, Engine, asking_order, endpoint_for, history_of, planned
from vlmtom.settings import AskSpec
from vlmtom.store import JournalWriter, PictureStore, schemas, write_rows

STREAM = "director.w1"


def png(shade: int, size: int = 8) -> bytes:
    """A square grey picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([shade]) * size) * size
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def picture_row(content: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    return {
        "pixel_sha256": digest,
        "image": {"bytes": content, "path": "picture.png"},
        "file_sha256": digest,
        "width": 8,
        "height": 8,
    }


def item(number: int, picture: str, trials: int = 1, **changes: Any) -> dict[str, Any]:
    turns = [
        {"role": "system", "text": "Answer briefly.", "pictures": [], "video": None},
        {"role": "user", "text": f"Question {number}?", "pictures": [picture], "video": None},
    ]
    return {
        "item_id": f"director.canonical.{number:02d}",
        "experiment": "director",
        "arm": "canonical",
        "stimulus": f"scene-{number:02d}",
        "sub_prompt": "a",
        "batch": "main",
        "trials": trials,
        "reasoning": False,
        "turns": turns,
    } | changes


def spec(base_url: str, **changes: Any) -> AskSpec:
    """A specification with quick waits. changes: fields of the specification, the model (model_…),
    the endpoint (endpoint_…) or the calls (calls_…).
    """
    content: dict[str, Any] = {
        "tester": "t1",
        "model": {
            "endpoint": "loop",
            "gateway_model": "vendor/model-x",
            "family": "f",
            "lab": "l",
            "timeout_s": 5,
            "probe": False,
        },
        "endpoint": {"kind": "openai", "base_url": base_url},
        "experiment": "director",
        "window": 1,
        "seed": 1,
        "allow_missing": False,
        "calls": {"backoff_s": 0.05, "max_backoff_s": 0.2, "attempts": 4},
    }
    for name, value in changes.items():
        place, _, key = name.partition("_")
        if place in {"model", "endpoint", "calls"}:
            content[place][key] = value
        else:
            content[name] = value
    return AskSpec.model_validate(content)


class Place:
    """A folder with items, pictures and a tester's journal."""

    def __init__(self, folder: Path, items: int = 1, trials: int = 1, content: Any = None) -> None:
        self.folder = folder
        contents = [content or png(number % 250) for number in range(items)]
        rows = {row["pixel_sha256"]: row for row in map(picture_row, contents)}
        self.items_rows = [
            item(number, picture_row(one)["pixel_sha256"], trials)
            for number, one in enumerate(contents)
        ]
        self.pictures = folder / "stimuli" / "pictures.parquet"
        self.items = folder / "stimuli" / "items.parquet"
        self.journal = folder / "replies" / "t1" / "journal"
        self.out = folder / "replies" / "t1" / "director.w1.parquet"
        write_rows(self.pictures, rows.values(), schemas.PICTURES)
        write_rows(self.items, self.items_rows, schemas.ITEMS)

    def ask(self, one: AskSpec) -> tuple[Asked, list[dict[str, Any]]]:
        """Ask everything once; its summary, and the records in item order."""
        requests = planned(self.items_rows, one)

        async def session() -> Asked:
            endpoint, pictures = endpoint_for(one), PictureStore(self.pictures, schemas.PICTURES)
            try:
                with JournalWriter(self.journal, STREAM) as journal:
                    engine = Engine(one, endpoint, pictures, journal)
                    return await engine.ask(asking_order(requests, one))
            finally:
                pictures.close()
                await endpoint.close()

        asked = asyncio.run(session())
        history = history_of(self.journal, "director")
        records = [history.get(r.digest) for r in requests]
        history.close()
        return asked, [record for record in records if record is not None]


def ask_one(
    folder: Path, script: Sequence[Any], answer: Any = None, **changes: Any
) -> tuple[dict[str, Any], LoopbackServer]:
    """Ask one request of a server with that script; its record, and the server with its counts."""
    options = {} if answer is None else {"answer": answer}
    with LoopbackServer(script=script, **options) as server:
        _, records = Place(folder).ask(spec(server.base_url, **changes))
    return records[0], server
