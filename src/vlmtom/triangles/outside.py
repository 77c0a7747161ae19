"""Clips that a user brings: which files of a folder are clips, and how they are decoded.

A film is decoded from its first frame to its last and its frames are counted; what its header
claims is kept beside, and never used. Sampling by frame number is sampling by time only where
frames are evenly spaced, so a film of variable rate is refused.
"""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import imageio_ffmpeg
import numpy as np

from vlmtom.errors import BadData
from vlmtom.triangles.listing import MANIFEST
from vlmtom.triangles.sampling import SAMPLES, sample_indices
from vlmtom.triangles.scripts import CONDITIONS, Script, read_csv, scripts

COLUMNS = ("file", "clip", "source")
SLUG = re.compile(r"[a-z0-9][a-z0-9_-]*")
LFS = b"version https://git-lfs"
# Players differ in whether they turn a film by its display matrix; here it is turned.
ORIENTATION_AUTO = 1


@dataclass(frozen=True)
class Entry:
    """A line of a manifest: the film's file, where it comes from, and what it shows."""

    file: Path
    source: str
    script: Script


@dataclass(frozen=True)
class _Header:
    """What a film says of itself; None where that cannot be true."""

    frames: int | None
    rate: float | None
    orientation_deg: int


def read_manifest(folder: str | Path) -> list[Entry]:
    """The clips of a folder, in the order of its manifest.csv.

    Columns: file, clip, source; optional condition and script, which a clip that is not one of
    the twelve must have. Raises BadData naming file and line.
    """
    path = Path(folder) / MANIFEST
    if not path.is_file():
        raise BadData(
            f"{path}: no such file. A folder of clips needs a {MANIFEST} with the columns "
            f"{', '.join(COLUMNS)} (docs/triangles.md)."
        )
    entries = [_entry(path, line, row) for line, row in enumerate(read_csv(path, COLUMNS), 2)]
    if not entries:
        raise BadData(f"{path}: no clip in it.")
    names = [entry.script.clip for entry in entries]
    for line, name in enumerate(names, 2):
        if names.index(name) != line - 2:
            raise BadData(f"{path}, line {line}: the clip {name!r} is there twice.")
    return entries


class OutsideClip:
    """A film, decoded once to count and time its frames, and once to keep those that are shown.

    Raises BadData with one line that names file and cause for a file that is no usable film.
    """

    def __init__(self, entry: Entry) -> None:
        self.name, self.source = entry.script.clip, entry.source
        self.file = entry.file
        _check_file(entry.file)
        self._times, self.size, header = _counted(entry.file)
        self.count = len(self._times)
        self.n_header = header.frames
        self.orientation_deg = header.orientation_deg
        if self.count < SAMPLES:
            raise BadData(f"{entry.file}: {self.count} frames; a sheet shows {SAMPLES}.")
        if self._times[0] == self._times[-1]:  # a raw stream has no time stamps, only a rate
            rate = header.rate
            if rate is None:
                raise BadData(f"{entry.file}: neither time stamps nor a frame rate.")
            self._times = [1000 * index / rate for index in range(self.count)]
        _check_spacing(entry.file, self._times)
        self.fps = 1000 * (self.count - 1) / (self._times[-1] - self._times[0])
        self._kept = _kept(entry.file, {*sample_indices(self.count), self.count // 2})

    def keep(self, indices: Iterable[int]) -> None:
        """Decode once more, and keep these frames in place of the others."""
        self._kept = {}  # gone before the new ones come
        self._kept = _kept(self.file, set(indices))

    def frame(self, index: int) -> np.ndarray:
        """(height, width, 3) uint8 RGB of a frame that is kept: sampled, or the middle one."""
        return self._kept[index]

    def time_s(self, index: int) -> float:
        """Time of a frame from the first, by its time stamp."""
        return (self._times[index] - self._times[0]) / 1000


def _entry(path: Path, line: int, row: dict[str, str]) -> Entry:
    where = f"{path}, line {line}"
    known = scripts().get(row["clip"])
    condition = row.get("condition") or (known.condition if known else "")
    script = row.get("script") or (known.script if known else "")
    if not SLUG.fullmatch(row["clip"]):
        raise BadData(
            f"{where}: the clip {row['clip']!r} needs a name of small letters, digits, - and _."
        )
    if not SLUG.fullmatch(row["source"]) or row["source"] == "synthetic":
        raise BadData(
            f"{where}: expected a source such as elife (small letters, not synthetic), "
            f"found {row['source']!r}."
        )
    if condition not in CONDITIONS or not script:
        raise BadData(
            f"{where}: the clip {row['clip']!r} needs a condition of {', '.join(CONDITIONS)} and "
            "a script; only the twelve of resources/clips/scripts.csv have them already."
        )
    file = (path.parent / row["file"]).resolve()
    if not row["file"] or not file.is_relative_to(path.parent.resolve()):
        raise BadData(f"{where}: the file {row['file']!r} is not in this folder.")
    return Entry(file, row["source"], Script(row["clip"], condition, script, row["source"]))


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(LFS))
    except OSError as error:
        raise BadData(f"{path}: cannot be read ({error.strerror}).") from error
    if not start:
        raise BadData(f"{path}: an empty file (0 bytes). Fetch it again.")
    if start == LFS:
        raise BadData(f"{path}: a Git LFS pointer, not the film. Fetch it with `git lfs pull`.")
    if start[4:8] == b"ftyp":
        _check_boxes(path)


def _check_boxes(path: Path) -> None:
    """Refuse an mp4 file whose boxes are longer than the file: a download that was cut short."""
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        while at + 8 <= size:
            file.seek(at)
            head = file.read(16)
            length = int.from_bytes(head[:4], "big")
            if length == 1:  # a long box: its length follows
                length = int.from_bytes(head[8:16], "big")
            elif length == 0:  # to the end of the file
                return
            if length < 8:
                return  # not a box; ffmpeg will say what it is
            at += length
    if at > size:
        raise BadData(f"{path}: cut short, {size} of {at} bytes. Fetch it again.")


def _opened(path: Path) -> cv2.VideoCapture:
    film = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not film.isOpened():
        film.release()
        raise BadData(f"{path}: {_cause(path)}.")
    film.set(cv2.CAP_PROP_ORIENTATION_AUTO, ORIENTATION_AUTO)
    if film.get(cv2.CAP_PROP_ORIENTATION_AUTO) != ORIENTATION_AUTO:
        film.release()
        raise BadData(f"{path}: OpenCV does not say how it turns films; install the pinned one.")
    return film


def _counted(path: Path) -> tuple[list[float], tuple[int, int], _Header]:
    """Time stamps (ms) of all frames, their size, and what the header claims."""
    film = _opened(path)
    claimed, rate = film.get(cv2.CAP_PROP_FRAME_COUNT), film.get(cv2.CAP_PROP_FPS)
    header = _Header(
        frames=int(claimed) if 0 < claimed < 2**31 else None,
        rate=rate if 1 <= rate <= 240 else None,
        orientation_deg=int(film.get(cv2.CAP_PROP_ORIENTATION_META)) % 360,
    )
    times: list[float] = []
    size: tuple[int, int] | None = None
    try:
        while True:
            ok, bgr = film.read()
            if not ok:
                break
            times.append(film.get(cv2.CAP_PROP_POS_MSEC))
            found = (bgr.shape[1], bgr.shape[0])
            if bgr.dtype != np.uint8 or bgr.ndim != 3 or bgr.shape[2] != 3:
                raise BadData(f"{path}: frames of {bgr.shape} {bgr.dtype}, not 8-bit colour.")
            if size is not None and found != size:
                raise BadData(
                    f"{path}: frame {len(times) - 1} is {found[0]}x{found[1]} pixels, "
                    f"the others {size[0]}x{size[1]}."
                )
            size = found
    finally:
        film.release()
    if size is None:
        raise BadData(f"{path}: no frame could be decoded ({_cause(path)}).")
    return times, size, header


def _check_spacing(path: Path, times: list[float]) -> None:
    """Refuse time stamps that do not increase, or are not evenly spaced."""
    steps = np.diff(times)
    if not np.isfinite(steps).all() or (steps <= 0).any():
        at = int(np.argmin(np.where(np.isfinite(steps), steps, -np.inf)))
        raise BadData(f"{path}: time stamps do not increase after frame {at}.")
    usual = float(np.median(steps))
    # Containers round stamps to a millisecond or finer.
    if float(np.abs(steps - usual).max()) > max(0.1 * usual, 2.0):
        raise BadData(
            f"{path}: a variable frame rate (frames last {steps.min():.0f} to {steps.max():.0f} "
            "ms). Convert it to a constant one first."
        )


def _kept(path: Path, wanted: set[int]) -> dict[int, np.ndarray]:
    film, kept = _opened(path), {}
    try:
        for index in range(max(wanted) + 1):
            ok, bgr = film.read()
            if not ok:
                raise BadData(f"{path}: frame {index} was decoded once and is missing now.")
            if index in wanted:
                kept[index] = np.ascontiguousarray(bgr[..., ::-1])
    finally:
        film.release()
    return kept


def _cause(path: Path) -> str:
    """Why OpenCV could not open a file, which it does not say, in ffmpeg's words."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-hide_banner", "-nostdin", "-i", str(path)]
    said = subprocess.run(command, capture_output=True, check=False).stderr.decode(errors="replace")
    if "Video:" in said:
        return "its video track cannot be decoded"
    if "Audio:" in said:
        return "it has sound but no video track"
    lines = [line.split("] ")[-1].strip() for line in said.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("At least one", "Error opening input"))]
    return f"not a film that ffmpeg can read ({lines[-1] if lines else 'it says nothing'})"
