"""`vlmtom verify`: whether results are what their run made, and stimuli what the code draws."""

from collections.abc import Collection, Mapping
from pathlib import Path

from vlmtom.errors import BadData, VlmtomError
from vlmtom.mosaic.instruments import VIEW
from vlmtom.rendering.images import decode_image, pixel_sha256
from vlmtom.store.digests import sha256_bytes, sha256_json
from vlmtom.store.files import read_rows
from vlmtom.store.locks import lock_problems
from vlmtom.store.manifest import journal_problems, manifest_problems
from vlmtom.store.schemas import ITEMS, PICTURES


def verify(
    results: str | Path,
    locks: str | Path,
    instruments: Mapping[str, str],
    left_out: Collection[str] = (),
) -> list[str]:
    """Everything that differs from manifest, locks, chains and pictures; empty if all is as it was.

    left_out: as in manifest_problems.
    """
    try:
        locked = [f"{locks}: {problem}" for problem in lock_problems(locks, instruments)]
    except VlmtomError as error:
        locked = [str(error)]
    return [
        *manifest_problems(results, left_out),
        *locked,
        *journal_problems(results),
        *picture_problems(results, instruments),
    ]


def picture_problems(results: str | Path, instruments: Mapping[str, str]) -> list[str]:
    """Stored pictures that are not what their digests say, or not what is rendered anew.

    instruments: as in the locks; those named `… pixels` are pictures, those named `… frames` the
    pictures of an item, those named `… scenes` the pictures of a scene set, in order. One sentence
    each.
    """
    problems: list[str] = []
    stored: set[str] = set()
    for path in sorted(Path(results).glob("stimuli/*/pictures.parquet")):
        try:
            for row in read_rows(path, PICTURES):
                stored.add(str(row["pixel_sha256"]))
                png = row["image"]["bytes"]
                if sha256_bytes(png) != row["file_sha256"]:
                    problems.append(f"{path}: {row['pixel_sha256']}: another file.")
                elif pixel_sha256(decode_image(png)) != row["pixel_sha256"]:
                    problems.append(f"{path}: {row['pixel_sha256']}: other pixels.")
        except BadData as error:
            problems.append(str(error))
    for path in sorted(Path(results).glob("stimuli/*/items.parquet")):
        try:
            items = read_rows(path, ITEMS)
        except BadData as error:
            problems.append(str(error))
            continue
        of_set: dict[str, dict[str, None]] = {}
        for row in items:
            for turn in row["turns"]:
                if turn["pictures"]:
                    stored.add(sha256_json(turn["pictures"]))
                named = of_set.setdefault(str(row["stimulus"]).partition("/")[0], {})
                named.update(dict.fromkeys(turn["pictures"]))
        stored |= {sha256_json(list(pictures)) for pictures in of_set.values()}
    kinds = (" pixels", " frames", " scenes")
    drawn = {
        name: digest
        for name, digest in instruments.items()
        if name.endswith(kinds) and not name.startswith(VIEW)  # the game stores no picture
    }
    return problems + [
        f"{results}/stimuli: {name} are drawn otherwise now ({digest[:12]}…)."
        for name, digest in drawn.items()
        if digest not in stored
    ]
