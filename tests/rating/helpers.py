"""Descriptions of a made-up panel, the sheet on which people rate them, and files of ratings."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from vlmtom.judging.rubric import read_rubric
from vlmtom.rating.returned import COLUMNS
from vlmtom.rating.sheet import Sheet, chosen, sheet_of

CLIPS = {"ToM": ("coax", "mock", "tease", "fool"), "GD": ("run", "lead"), "Random": ("drift",)}
TESTERS = ("t1", "t2", "t3")
Cells = tuple[str, str, str]  # intentionality, appropriateness, cannot_be_rated


def blind_id(*parts: object) -> str:
    return hmac.new(b"test", repr(parts).encode(), hashlib.sha256).hexdigest()[:16]


def description(tester: str, condition: str, clip: str, trial: int, **changes: Any) -> dict:
    """What sampling reads of a row of DESCRIPTIONS."""
    return {
        "tester": tester,
        "kind": "model",
        "arm": "numbered",
        "clip": clip,
        "condition": condition,
        "trial": trial,
        "blind_id": blind_id(tester, clip, trial),
    } | changes


def descriptions(
    testers: Sequence[str] = TESTERS,
    clips: Mapping[str, Sequence[str]] = CLIPS,
    trials: int = 3,
    **changes: Any,
) -> list[dict]:
    return [
        description(tester, condition, clip, trial, **changes)
        for tester in testers
        for condition, names in clips.items()
        for clip in names
        for trial in range(1, trials + 1)
    ]


def blind_rows(rows: Sequence[Mapping], texts: Mapping[str, str] | None = None) -> list[dict]:
    """The blind file of descriptions. texts: by blind id, in place of a plain sentence."""
    return [
        {
            "blind_id": row["blind_id"],
            "condition": row["condition"],
            "script": f"What {row['clip']} shows.",
            "description": (texts or {}).get(row["blind_id"], f"Words {row['blind_id']}."),
        }
        for row in rows
    ]


def sheet(
    n: int | None = None, secret: str = "7", texts: Sequence[str] = (), **of: Any
) -> tuple[Sheet, list[dict]]:
    """A sheet with its key. texts: of the first descriptions drawn."""
    rows = chosen(descriptions(**of), n, secret)
    said = dict(zip((row["blind_id"] for row in rows), texts, strict=False))
    return sheet_of(rows, blind_rows(rows, said), read_rubric(), secret)


def csv_text(key: Sequence[Mapping], cells: Sequence[Cells], rater: str = "kim") -> str:
    """A file of ratings as the sheet writes it, its rows in the order of the key."""
    lines = [",".join(COLUMNS)]
    for row, given in zip(key, cells, strict=True):
        lines.append(",".join([row["sheet"], rater, row["item_id"], *given]))
    return "\n".join(lines) + "\n"
