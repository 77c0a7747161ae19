"""What a grid of frames, pictures in a row, a film or a still show of two triangles: pixels alone.

Known beforehand: that one triangle is red and one blue, and from the prompt what is shown and how
many rows and columns a grid has. Not known: the clip, its script or its condition. However many
frames are shown, the motion is that of sixteen moments spread evenly over them, so that the same
motion is seen the same in every representation.
"""

import hashlib
import io
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

MOMENTS = 16
MIN_SATURATION, MIN_VALUE = 0.45, 0.25
# Of a pixel that passes both: the least difference of its largest and smallest channel.
MIN_SPREAD = math.floor(255 * MIN_SATURATION * MIN_VALUE)
RED, BLUE = (-20, 15), (205, 250)  # hue windows, degrees
MIN_TRIANGLE_PX = 25
REST = 0.02  # a step below this, in cell widths, is a rest


@dataclass(frozen=True)
class Layout:
    """How many cells a picture has, down and across."""

    rows: int
    columns: int


SHEET, STILL = Layout(4, 4), Layout(1, 1)


@dataclass(frozen=True)
class Motion:
    """Where both triangles are at each moment, in frame widths: arrays (16, 2), x right, y down.

    Of a still: arrays (1, 2). Where a triangle is not seen, it is where it was seen last.
    """

    big: np.ndarray
    small: np.ndarray

    @property
    def steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Displacements from frame to frame: two arrays (15, 2); (0, 2) of a still."""
        return np.diff(self.big, axis=0), np.diff(self.small, axis=0)


class NoTriangles(ValueError):
    """What is shown has no red and blue triangle where frames should be."""


@dataclass(frozen=True)
class Spot:
    """One triangle in one frame: its centre in frame widths from the upper left, its area in px."""

    x: float
    y: float
    area: int


Spots = tuple[Spot | None, Spot | None]  # red, blue; None for one that is not seen

# Each picture is looked at once per process, by one thread at a time: a grid of whole frames
# takes 177 MB while it is looked at.
_REMEMBERED: dict[tuple[str, Layout | None], Mapping[int, Spots]] = {}
_LOOKING = threading.Lock()


def watch(png: bytes, layout: Layout = SHEET) -> Motion:
    """The motion that a picture of so many cells shows. Raises NoTriangles."""

    def look() -> Mapping[int, Spots]:
        bgr = _decoded(png)
        return {frame: _spots(_cell(bgr, layout, frame)) for frame in _needed(_cells(layout))}

    return _motion(_once(png, layout, look), _cells(layout))


def watch_in_a_row(pngs: Sequence[bytes]) -> Motion:
    """The motion of pictures that are frames, in order. Raises NoTriangles."""
    seen: dict[int, Spots] = {}
    for frame in _needed(len(pngs)):
        png = pngs[frame]
        seen[frame] = _once(png, STILL, lambda png=png: {0: _spots(_decoded(png))})[0]
    return _motion(seen, len(pngs))


def watch_film(film: bytes) -> Motion:
    """The motion of a film, from its decoded frames. Raises NoTriangles."""

    def look() -> Mapping[int, Spots]:
        claimed, found, seen = _frames(film)
        if found != claimed:  # what a header claims may be wrong
            _, _, seen = _frames(film, found)
        return dict(enumerate(seen))

    seen = _once(film, None, look)
    if len(seen) < MOMENTS:
        raise NoTriangles(f"a film of {len(seen)} frames")
    return _motion(seen, MOMENTS)


def track(rgb: np.ndarray, layout: Layout = SHEET) -> Motion:
    """As watch, of a picture's pixels (height, width, 3; uint8). Raises NoTriangles."""
    bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
    number = _cells(layout)
    return _motion({f: _spots(_cell(bgr, layout, f)) for f in _needed(number)}, number)


def _cells(layout: Layout) -> int:
    return layout.rows * layout.columns


def _once(
    content: bytes, layout: Layout | None, look: Callable[[], Mapping[int, Spots]]
) -> Mapping[int, Spots]:
    key = hashlib.sha256(content).hexdigest(), layout
    with _LOOKING:
        if key not in _REMEMBERED:
            _REMEMBERED[key] = look()
        return _REMEMBERED[key]


def _decoded(png: bytes) -> np.ndarray:
    bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
    if bgr is None:
        raise NoTriangles(f"not a picture that OpenCV can read ({len(png)} bytes)")
    return bgr


def _cell(bgr: np.ndarray, layout: Layout, place: int) -> np.ndarray:
    height, width = bgr.shape[0] // layout.rows, bgr.shape[1] // layout.columns
    top, left = place // layout.columns * height, place % layout.columns * width
    return np.ascontiguousarray(bgr[top : top + height, left : left + width])


def _moments(number: int) -> list[tuple[int, float]]:
    """Sixteen moments spread evenly over so many frames: the frame before, and how far beyond."""
    if number == 1:
        return [(0, 0.0)]
    steps = MOMENTS - 1
    places = [divmod(moment * (number - 1), steps) for moment in range(MOMENTS)]
    return [(frame, beyond / steps) for frame, beyond in places]


def _needed(number: int) -> list[int]:
    """The frames that the moments lie on or between."""
    both = ({frame, frame + 1} if beyond else {frame} for frame, beyond in _moments(number))
    return sorted(set().union(*both))


def _motion(seen: Mapping[int, Spots], number: int) -> Motion:
    """Both paths at the moments. seen: of number frames those that are needed."""
    frames = sorted(seen)
    paths = np.full((2, len(frames), 2), math.nan)
    areas = np.zeros(2)
    for place, frame in enumerate(frames):
        for which, spot in enumerate(seen[frame]):
            if spot is not None:
                paths[which, place] = spot.x, spot.y
                areas[which] += spot.area
    if np.isnan(paths).all(axis=(1, 2)).any():
        raise NoTriangles("no red and blue triangle in the frames")
    places = {frame: place for place, frame in enumerate(frames)}
    bigger = int(np.argmax(areas))
    big, small = (_at_moments(_filled(paths[i]), places, number) for i in (bigger, 1 - bigger))
    return Motion(big, small)


def _at_moments(path: np.ndarray, places: Mapping[int, int], number: int) -> np.ndarray:
    """A path between the frames, along straight lines."""
    at = []
    for frame, beyond in _moments(number):
        here = path[places[frame]]
        at.append(here + beyond * (path[places[frame + 1]] - here) if beyond else here)
    return np.array(at)


def _frames(film: bytes, number: int | None = None) -> tuple[int, int, list[Spots]]:
    """What is seen in the frames of a film nearest to the moments, and how many frames it has.

    number: of frames, by which the moments are found; None: as many as the header claims, which
    comes first in the answer.
    """
    stream = io.BytesIO(film)  # held by name: OpenCV reads from it and does not keep it
    opened = cv2.VideoCapture(stream, cv2.CAP_FFMPEG, [])
    try:
        if not opened.isOpened():
            raise NoTriangles(f"not a film that OpenCV can read ({len(film)} bytes)")
        claimed = int(opened.get(cv2.CAP_PROP_FRAME_COUNT)) if number is None else number
        steps = MOMENTS - 1
        wanted = {(2 * i * (claimed - 1) + steps) // (2 * steps) for i in range(MOMENTS)}
        found, seen = 0, []
        while opened.grab():
            if found in wanted:
                _, bgr = opened.retrieve()
                seen.append(_spots(bgr))
            found += 1
    finally:
        opened.release()
        stream.close()
    return claimed, found, seen


def _spots(bgr: np.ndarray) -> Spots:
    """Both triangles in one frame. Hues are looked at only about what has any colour."""
    blue, green, red = cv2.split(bgr)
    spread = cv2.subtract(cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red))
    left, top, width, height = cv2.boundingRect((spread >= MIN_SPREAD).astype(np.uint8))
    if not width:
        return None, None
    part = bgr[top : top + height, left : left + width]
    hsv = cv2.cvtColor(part.astype(np.float32) / 255, cv2.COLOR_BGR2HSV)
    vivid = (hsv[..., 1] > MIN_SATURATION) & (hsv[..., 2] > MIN_VALUE)
    found = []
    for window in (RED, BLUE):
        centre = _centre(vivid & _in_window(hsv[..., 0], window))
        if centre is None:
            found.append(None)
            continue
        column, row, area = centre
        full = bgr.shape[1]
        found.append(Spot((left + column) / full, (top + row) / full, area))
    return found[0], found[1]


def _in_window(hue: np.ndarray, window: tuple[int, int]) -> np.ndarray:
    low, high = window
    turned = np.where(hue > 180, hue - 360, hue) if low < 0 else hue
    return (turned >= low) & (turned <= high)


def _centre(mask: np.ndarray) -> tuple[float, float, int] | None:
    """Centre (column, row) and area of the largest patch; None without one."""
    count, _, stats, centers = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    if count < 2:
        return None
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    area = int(stats[largest, cv2.CC_STAT_AREA])
    if area < MIN_TRIANGLE_PX:
        return None
    return float(centers[largest][0]), float(centers[largest][1]), area


def _filled(path: np.ndarray) -> np.ndarray:
    """A path whose unseen frames take the place of the frame before (or the first seen)."""
    seen = ~np.isnan(path[:, 0])
    last = np.maximum.accumulate(np.where(seen, np.arange(len(path)), -1))
    last[last < 0] = int(np.argmax(seen))
    return path[last]
