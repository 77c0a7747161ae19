"""Which descriptions people rate, in which order, and under which ids.

A sheet shows what a judge is shown: condition, script, description and rubric, in the same words.
Its ids say nothing of testers, and are not those that verdicts have. Draw, order and ids come from
the secret of a folder of results: code, configuration and page together tell none of them.
"""

import hashlib
import hmac
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vlmtom.errors import BadData
from vlmtom.judging.prompts import HEADS, RULES, TASK, told_of_clip
from vlmtom.judging.rubric import Rubric
from vlmtom.stats.profile_tables import averaged
from vlmtom.store.digests import seed_for, sha256_json
from vlmtom.store.schemas import RATING_KEY
from vlmtom.triangles.cells import CONDITIONS

Row = Mapping[str, Any]

ARM = "numbered"  # the canonical one
_ITEM_DIGITS = 12
_SHEET_DIGITS = 16


@dataclass(frozen=True)
class Item:
    """A description as a rater sees it."""

    item_id: str
    condition: str  # with its gloss
    script: str
    description: str


@dataclass(frozen=True)
class Sheet:
    """What raters are shown, in its order. sheet_id: from a digest of all of it."""

    sheet_id: str
    rubric: Rubric
    items: tuple[Item, ...]


def chosen(descriptions: Iterable[Row], n: int | None, secret: str) -> list[Row]:
    """The rows of DESCRIPTIONS that people rate; null: every usable one of the arm.

    Usable is what judges score. Of a panel with models only models are drawn. The conditions have
    equal numbers, within a condition clips too, and testers as nearly as what is usable allows; no
    pair of tester and clip comes a second time, by another trial, before every pair came once.
    Trials, and who comes first, are drawn by SECRET: with few descriptions of a clip a draw that
    could be repeated would tell whose they are. Raises BadData where nothing is usable.
    """
    once: dict[str, Row] = {}
    for row in averaged(row for row in descriptions if row["arm"] == ARM):
        if row["blind_id"] is not None:  # that of two entries for one model can be the same
            once.setdefault(str(row["blind_id"]), row)
    if not once:
        raise BadData(
            f"no reply of the arm {ARM} holds a description, so that there is nothing to rate. "
            "Leave the sheet out with `rating: null`, or ask the testers again."
        )
    queues: dict[str, list[Row]] = defaultdict(list)
    for row in once.values():
        queues[str(row["condition"])].append(row)
    names = sorted(queues, key=lambda name: (CONDITIONS.index(name), name))
    shares = _shares([len(queues[name]) for name in names], len(once) if n is None else n)
    found: list[Row] = []
    for name, share in zip(names, shares, strict=True):
        used = Counter(str(row["tester"]) for row in found)
        found += _spread(queues[name], share, used, seed_for(secret, "rating", name))
    return found


def sheet_of(
    rows: Sequence[Row], blind: Iterable[Row], rubric: Rubric, secret: str
) -> tuple[Sheet, list[dict[str, Any]]]:
    """The sheet of chosen rows, shuffled, and its key: rows of RATING_KEY in the same order.

    blind: rows of BLIND of the arm. Raises BadData for a description that is not among them.
    """
    texts = {row["blind_id"]: row for row in blind}
    order = np.random.default_rng(seed_for(secret, "rating", "order")).permutation(len(rows))
    items, key = [], []
    for place, number in enumerate(order, 1):
        row = rows[number]
        if row["blind_id"] not in texts:
            raise BadData(
                f"no text of {row['tester']}'s description of {row['clip']}, trial {row['trial']}, "
                f"in the blind file of {ARM}. Delete that file and run `snakemake` again."
            )
        text = texts[row["blind_id"]]
        told = told_of_clip(text["condition"], text["script"])
        item_id = rating_id(secret, str(row["blind_id"]))
        items.append(Item(item_id, told.condition, told.script, text["description"]))
        key.append({"place": place, "item_id": item_id} | {name: row[name] for name in _OF_ROW})
    if len({item.item_id for item in items}) < len(items):
        raise BadData(
            "two descriptions have one id on the rating sheet. Delete the secret of this folder of "
            "results (rating.secret) if nobody has the page yet."
        )
    shown = [vars(item) for item in items]
    wordings = {scale: list(levels) for scale, levels in rubric.wordings.items()}
    told_to_raters = [TASK, dict(HEADS), list(RULES), wordings]
    sheet_id = f"sheet-{sha256_json([told_to_raters, shown])[:_SHEET_DIGITS]}"
    key = [{"sheet": sheet_id} | row for row in key]
    return Sheet(sheet_id, rubric, tuple(items)), key


def rating_id(secret: str, blind_id: str) -> str:
    """An id of a description that only the secret leads to from its blind id, that of verdicts.

    It begins with a letter and a hyphen: a spreadsheet program reads bare digits as a number.
    """
    digest = hmac.new(secret.encode(), blind_id.encode(), hashlib.sha256).hexdigest()
    return f"item-{digest[:_ITEM_DIGITS]}"


_OF_ROW = [name for name in RATING_KEY.names if name not in ("sheet", "place", "item_id")]


def _shares(sizes: Sequence[int], n: int) -> list[int]:
    """How many of n each part gives: as equal as their sizes allow, the first ones one more."""
    given = [0] * len(sizes)
    for _ in range(min(n, sum(sizes))):
        open_parts = [part for part, size in enumerate(sizes) if given[part] < size]
        given[min(open_parts, key=lambda part: (given[part], part))] += 1
    return given


def _spread(rows: Sequence[Row], n: int, used: Counter[str], seed: int) -> list[Row]:
    """Of one condition n rows, evenly over clips and testers; who was used least comes first.

    A walk through the grid of clips and testers, a step in both at once, meets every pair in turn
    and keeps both counts even all along. What is not usable is a hole in the grid; counts go
    before the walk, so that the next pair makes up for it.
    """
    rng = np.random.default_rng(seed)
    clips = rng.permutation(sorted({str(row["clip"]) for row in rows})).tolist()
    testers = rng.permutation(sorted({str(row["tester"]) for row in rows})).tolist()
    testers.sort(key=lambda tester: used[tester])  # of equals the order drawn stays
    trials: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (str(row["clip"]), str(row["tester"]), row["trial"])):
        trials[str(row["clip"]), str(row["tester"])].append(row)
    left = {}
    for pair in _walk(clips, testers):
        if pair in trials:
            left[pair] = [trials[pair][place] for place in rng.permutation(len(trials[pair]))]
    given: Counter[object] = Counter()
    for _ in range(n):
        # The first of equals: `left` is in the order of the walk.
        _take(
            given,
            min(
                (pair for pair, queue in left.items() if given[pair] < len(queue)),
                key=lambda pair: (given[pair], given["clip", pair[0]], given["tester", pair[1]]),
            ),
        )
    _exchange(given, {pair: len(queue) for pair, queue in left.items()})
    return [row for pair, queue in left.items() for row in queue[: given[pair]]]


def _take(given: Counter[object], pair: tuple[str, str], times: int = 1) -> None:
    """Count a pair, its clip and its tester once more (or once less)."""
    for part in (pair, ("clip", pair[0]), ("tester", pair[1])):
        given[part] += times


def _exchange(given: Counter[object], sizes: Mapping[tuple[str, str], int]) -> None:
    """Within a clip hand one over from a tester with two more than another, while there is one.

    Holes leave testers uneven where the last pairs of the walk were the only ones left.
    """
    while True:
        for pair, other in itertools.permutations(sizes, 2):
            if (
                pair[0] == other[0]
                and given["tester", pair[1]] - given["tester", other[1]] > 1
                and given[other] < min(given[pair], sizes[other])
            ):
                _take(given, pair, -1)
                _take(given, other)
                break
        else:
            return


def _walk(clips: Sequence[str], testers: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Every pair of a clip and a tester once, so that each stretch is even in both."""
    period = int(np.lcm(len(clips), len(testers)))
    for step in range(len(clips) * len(testers)):
        # After a period the same pairs would come again, but for a shift of the one against
        # the other.
        yield clips[step % len(clips)], testers[(step + step // period) % len(testers)]
