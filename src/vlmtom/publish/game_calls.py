"""Calls of the treasure game as rows of replies, for tables of what a run took and when."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from vlmtom.settings import MOSAIC
from vlmtom.store.files import read_table
from vlmtom.store.schemas.mosaic import MOSAIC_CALLS

# Without prompts and texts, of which a hundred thousand would not fit.
_COLUMNS = (
    *("tester", "arm", "status", "prompt_tokens", "completion_tokens", "cost_usd", "attempts"),
    *("started_utc", "duration_s"),
)


def game_replies(paths: Iterable[str | Path], kinds: Mapping[str, str]) -> Iterator[dict]:
    """Every call of some tables of MOSAIC_CALLS, re-asks included, as a row of REPLIES in part.

    kinds: model or observer, by tester: a table tells the pair's, and an observer may play with a
    model. The game is asked in one window.
    """
    for path in paths:
        for row in read_table(path, MOSAIC_CALLS, _COLUMNS).to_pylist():
            yield row | {"experiment": MOSAIC, "window": 1, "kind": kinds[row["tester"]]}
