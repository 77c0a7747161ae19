"""Items, pictures of about 60 kB, and journals of finished requests for the benchmarks."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clients import MODEL, SYSTEM
from tests.calls.helpers import STREAM, item, picture_row, png, spec
from vlmtom.calls import Engine, RawCompletion, planned
from vlmtom.rendering.images import encode_png
from vlmtom.settings import AskSpec
from vlmtom.store import JournalWriter, schemas, write_rows

SIDE = 141  # pixels; noise does not compress: 141 x 141 x 3 bytes are 60 kB


def ask_spec(base_url: str, concurrency: int, tester: str = "t1") -> AskSpec:
    """The specification of our job, with the ordinary waits."""
    waits = {"calls_backoff_s": 1.0, "calls_max_backoff_s": 60.0, "calls_attempts": 6}
    return spec(
        base_url, tester=tester, model_concurrency=concurrency, model_timeout_s=120, **waits
    )


class Inputs:
    """A folder with so many items, each with a picture of its own, for us and for the others."""

    def __init__(self, folder: Path, requests: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        pictures = [encode_png(_noise(number)) for number in range(requests)]
        rows = [picture_row(content) for content in pictures]
        items = [item(n, row["pixel_sha256"]) for n, row in enumerate(rows)]
        self.items, self.pictures = folder / "items.parquet", folder / "pictures.parquet"
        write_rows(self.items, items, schemas.ITEMS)
        write_rows(self.pictures, rows, schemas.PICTURES)
        questions = []
        for number, content in enumerate(pictures):
            path = folder / f"{number:05d}.png"
            path.write_bytes(content)
            questions.append({"text": items[number]["turns"][1]["text"], "picture": str(path)})
            assert items[number]["turns"][0]["text"] == SYSTEM
        self.questions = folder / "questions.json"
        self.questions.write_text(json.dumps(questions), encoding="utf-8")


class ManyInputs:
    """Items with one small picture between them, which come to so many requests."""

    def __init__(self, folder: Path, requests: int, trials: int = 10) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        picture = picture_row(png(128))
        self.items_rows = [
            item(number, picture["pixel_sha256"], trials) for number in range(requests // trials)
        ]
        self.items, self.pictures = folder / "items.parquet", folder / "pictures.parquet"
        write_rows(self.items, self.items_rows, schemas.ITEMS)
        write_rows(self.pictures, [picture], schemas.PICTURES)

    def finish(self, one: AskSpec, journal: Path) -> int:
        """Have the engine itself journal a reply to every request; how many there are."""
        requests = planned(self.items_rows, one)
        with JournalWriter(journal, STREAM) as writer:
            asyncio.run(Engine(one, _AtOnce(), _OnePicture(), writer).ask(requests))
        return len(requests)


class _AtOnce:
    """An endpoint that answers without a network."""

    async def complete(self, body: dict[str, Any]) -> RawCompletion:
        message = {"role": "assistant", "content": "Answer: B (red). " * 20}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        usage = {"prompt_tokens": 900, "completion_tokens": 80}
        return RawCompletion({"model": MODEL, "choices": choices, "usage": usage}, "request")

    async def close(self) -> None:
        return


class _OnePicture:
    def png(self, pixel_sha256: str, /) -> bytes:
        return png(128)


def job_command(python: str, inputs: Inputs | ManyInputs, place: Path, one: AskSpec) -> Sequence:
    """The command of our job; its journal and its table are below `place`."""
    place.mkdir(parents=True, exist_ok=True)
    file = place / "spec.json"
    file.write_text(one.model_dump_json(), encoding="utf-8")
    paths = {
        "items": inputs.items,
        "pictures": inputs.pictures,
        "journal": place / "journal",
        "out": place / "director.w1.parquet",
        "spec": file,
    }
    options = [part for name, path in paths.items() for part in (f"--{name}", str(path))]
    return [python, "-m", "vlmtom.jobs.ask", *options]


def _noise(number: int) -> np.ndarray:
    rng = np.random.default_rng(number)
    return rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
