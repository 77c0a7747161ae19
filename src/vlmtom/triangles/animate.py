"""From a clip's script to its tracks; and the committed tracks of the shipped clips.

`python -m vlmtom.triangles.animate --out resources/clips` makes the shipped ones (seed 0) again.
The pipeline reads the committed files, so that no sine decides a pixel.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from vlmtom.errors import BadData
from vlmtom.store import write_bytes
from vlmtom.store.digests import seed_for
from vlmtom.store.files import csv_bytes
from vlmtom.triangles import goal_directed, random_motion, tom
from vlmtom.triangles.gates import problems
from vlmtom.triangles.scripts import RESOURCES, read_csv, scripts
from vlmtom.triangles.stage import FRAMES, HEIGHT, QUANTA, TURN, WIDTH, Beat, Motion, Track, Tracks
from vlmtom.triangles.stage import quantised as _quantised

SHIPPED_SEED = 0
DRAWS = 400_000
COLUMNS = ("frame", "big_x", "big_y", "big_heading", "small_x", "small_y", "small_heading")

_PERFORM: dict[str, Callable[[str, np.random.Generator], Motion]] = {
    "ToM": tom.perform,
    "GD": goal_directed.perform,
    "Random": random_motion.perform,
}


class UndrawableClip(RuntimeError):
    """No draw of a clip met its gates."""


def animate(clip: str, seed: int) -> Tracks:
    """A clip of that seed: the same story, with courses, places and timing of its own.

    Draws until the gates of its condition hold; raises UndrawableClip if none does.
    """
    condition = scripts()[clip].condition
    rng = np.random.default_rng(seed_for("triangles", clip, seed))
    flip_x, flip_y = _door_right(clip, seed), bool(rng.integers(2))
    last: list[str] = []
    for _ in range(DRAWS):
        tracks = _quantised(clip, _PERFORM[condition](clip, rng), flip_x, flip_y)
        last = problems(tracks, condition)
        if not last:
            return tracks
    raise UndrawableClip(f"{clip}, seed {seed}: {DRAWS} draws, the last one: {'; '.join(last)}")


def _door_right(clip: str, seed: int) -> bool:
    """Two of a condition's four clips have the door on the right, so its side says nothing."""
    condition = scripts()[clip].condition
    four = [s.clip for s in scripts().values() if s.condition == condition]
    order = np.random.default_rng(seed_for("triangles", "door", condition, seed)).permutation(4)
    return bool(order[four.index(clip)] < 2)


def shipped_tracks(clip: str, folder: Path = RESOURCES) -> Tracks:
    """The committed tracks of a clip. Raises BadData naming file and line."""
    path = folder / "tracks" / f"{clip}.csv"
    rows = read_csv(path, COLUMNS)
    values = np.empty((len(rows), len(COLUMNS)), np.int64)
    for line, row in enumerate(rows, 2):
        try:
            values[line - 2] = [int(row[name]) for name in COLUMNS]
        except ValueError as error:
            raise BadData(f"{path}, line {line}: expected whole numbers, found {row}.") from error
    _check_values(path, values)
    stage = next(
        (r for r in read_csv(folder / "stages.csv", ("clip", "door")) if r["clip"] == clip), None
    )
    if stage is None or stage["door"] not in ("left", "right"):
        raise BadData(f"{folder / 'stages.csv'}: no door (left or right) for the clip {clip!r}.")
    beats = tuple(
        Beat(row["beat"], float(row["start_s"]), float(row["end_s"]))
        for row in read_csv(folder / "beats.csv", ("clip", "beat", "start_s", "end_s"))
        if row["clip"] == clip
    )
    big, small = values[:, 1:4].T, values[:, 4:7].T
    return Tracks(clip, stage["door"], Track(*big), Track(*small), beats)


def write_tracks(folder: Path, seed: int = SHIPPED_SEED) -> None:
    """Write tracks, stages and beats of all clips of a seed into a folder."""
    made = [animate(clip, seed) for clip in scripts()]
    for tracks in made:
        rows = np.stack(
            [
                np.arange(FRAMES),
                *(
                    getattr(track, name)
                    for track in (tracks.big, tracks.small)
                    for name in ("x", "y", "heading")
                ),
            ],
            axis=1,
        )
        text = "\n".join(
            [",".join(COLUMNS), *(",".join(map(str, row)) for row in rows.tolist()), ""]
        )
        write_bytes(folder / "tracks" / f"{tracks.clip}.csv", text.encode(), replace=True)
    stages = [{"clip": t.clip, "seed": seed, "door": t.door} for t in made]
    write_bytes(folder / "stages.csv", csv_bytes(stages, ("clip", "seed", "door")), replace=True)
    beats = [
        {"clip": t.clip, "beat": b.name, "start_s": f"{b.start_s:.2f}", "end_s": f"{b.end_s:.2f}"}
        for t in made
        for b in t.beats
    ]
    columns = ("clip", "beat", "start_s", "end_s")
    write_bytes(folder / "beats.csv", csv_bytes(beats, columns), replace=True)


def _check_values(path: Path, values: np.ndarray) -> None:
    if len(values) != FRAMES or (values[:, 0] != np.arange(FRAMES)).any():
        raise BadData(
            f"{path}: expected frames 0 to {FRAMES - 1} in order, found {len(values)} rows."
        )
    limits = ((1, WIDTH * QUANTA), (2, HEIGHT * QUANTA), (3, TURN))
    for column, limit in ((c + k, limit) for c, limit in limits for k in (0, 3)):
        if (values[:, column] < 0).any() or (values[:, column] > limit).any():
            raise BadData(f"{path}: {COLUMNS[column]} lies outside 0 to {limit:.0f}.")


def main() -> None:
    """Write the shipped tracks."""
    parser = argparse.ArgumentParser(description="Make the shipped tracks of the clips again.")
    parser.add_argument("--out", type=Path, required=True, help="folder, e.g. resources/clips")
    parser.add_argument("--seed", type=int, default=SHIPPED_SEED)
    arguments = parser.parse_args()
    write_tracks(arguments.out, arguments.seed)


if __name__ == "__main__":
    main()
