"""Blind rows, specifications of verdict jobs, and descriptions with labels."""

import csv
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vlmtom.judging.validation import Exemplar, read_exemplars
from vlmtom.settings import JudgeSpec

DESCRIPTIONS = Path(__file__).parent / "descriptions.csv"
SCRIPTS = Path(__file__).parents[2] / "resources" / "clips" / "scripts.csv"


def interval(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    return float(low), float(high or low)


def labelled() -> list[Exemplar]:
    """The descriptions with the intervals that were written down before any judge saw them."""
    with SCRIPTS.open(encoding="utf-8", newline="") as file:
        clips = {row["clip"]: row for row in csv.DictReader(file)}
    with DESCRIPTIONS.open(encoding="utf-8", newline="") as file:
        return [
            Exemplar(
                exemplar=f"d{number:02d}",
                condition=clips[row["clip"]]["condition"],
                clip=row["clip"],
                script=clips[row["clip"]]["script"],
                description=row["description"],
                expected={name: interval(row[name]) for name in ("intent", "approp")},
            )
            for number, row in enumerate(csv.DictReader(file))
        ]


def everything() -> list[Exemplar]:
    return [*read_exemplars(), *labelled()]


def blind(number: int, description: str | None = None, **changes: Any) -> dict[str, Any]:
    """A row of the blind file."""
    name = hashlib.sha256(str(number).encode()).hexdigest()[:16]
    return {
        "blind_id": name,
        "arm": "numbered",
        "clip": "chasing",
        "condition": "GD",
        "script": "One triangle runs after the other, which keeps fleeing.",
        "description": description or f"The big one chases the small one {number} times.",
        "self_identifies": False,
        "n_words": 9,
        "language": "en",
    } | changes


def judge_spec(base_url: str, **changes: Any) -> JudgeSpec:
    """A specification with quick waits; changes as in tests.calls.helpers.spec."""
    content: dict[str, Any] = {
        "judge": "j1",
        "model": {
            "endpoint": "loop",
            "gateway_model": "vendor/judge-x",
            "family": "f",
            "lab": "l",
            "timeout_s": 5,
            "sampling": {"temperature": 0, "send_seed": False, "max_tokens": 64},
        },
        "endpoint": {"kind": "openai", "base_url": base_url},
        "overlay": "blinded",
        "arm": "numbered",
        "reasks": 2,
        "window": 1,
        "seed": 1,
        "allow_missing": False,
        "calls": {"backoff_s": 0.05, "max_backoff_s": 0.2, "attempts": 2},
    }
    for name, value in changes.items():
        place, _, key = name.partition("_")
        if place in {"model", "endpoint", "calls"}:
            content[place][key] = value
        else:
            content[name] = value
    return JudgeSpec.model_validate(content)


def reply(
    request: int, text: str, tester: str = "t1", item: str = "numbered.03", **changes: Any
) -> Mapping[str, Any]:
    """What blinding reads of a row of replies."""
    return {
        "request_digest": hashlib.sha256(f"request {request}".encode()).hexdigest(),
        "tester": tester,
        "kind": "model",
        "arm": "numbered",
        "item_id": item,
        "trial": 1,
        "status": "ok",
        "text": text,
    } | changes


def key(item: str = "numbered.03", **changes: Any) -> Mapping[str, Any]:
    return {
        "item_id": item,
        "arm": "numbered",
        "stimulus": "chasing",
        "condition": "GD",
        "script": "One triangle runs after the other, which keeps fleeing.",
        "stimulus_source": "synthetic",
    } | changes
