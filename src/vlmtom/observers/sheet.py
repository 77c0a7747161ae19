"""What a sheet of sixteen frames shows of two triangles, from its pixels alone.

Known beforehand: the 4x4 layout and that one triangle is red and one blue. Not known: the clip,
its script or its condition.
"""

import hashlib
import math
from dataclasses import dataclass

import cv2
import numpy as np

ROWS = COLUMNS = 4
MIN_SATURATION, MIN_VALUE = 0.45, 0.25
RED, BLUE = (-20, 15), (205, 250)  # hue windows, degrees
MIN_TRIANGLE_PX = 25
REST = 0.02  # a step below this, in cell widths, is a rest


@dataclass(frozen=True)
class Motion:
    """Where both triangles are in each frame, in cell widths: arrays (16, 2), x right, y down.

    Not a number where a triangle is not seen.
    """

    big: np.ndarray
    small: np.ndarray

    @property
    def steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Displacements from frame to frame: two arrays (15, 2)."""
        return np.diff(self.big, axis=0), np.diff(self.small, axis=0)


class NoTriangles(ValueError):
    """The picture is no sheet of frames with a red and a blue triangle."""


_REMEMBERED: dict[str, Motion] = {}


def watch(png: bytes) -> Motion:
    """The motion that a sheet shows; each sheet is looked at once per process.

    Raises NoTriangles.
    """
    digest = hashlib.sha256(png).hexdigest()
    if digest not in _REMEMBERED:
        bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
        if bgr is None:
            raise NoTriangles(f"not a picture that OpenCV can read ({len(png)} bytes)")
        _REMEMBERED[digest] = track(np.ascontiguousarray(bgr[..., ::-1]))
    return _REMEMBERED[digest]


def track(rgb: np.ndarray) -> Motion:
    """Both triangles in the cells of a sheet (height, width, 3; uint8). Raises NoTriangles."""
    height, width = rgb.shape[0] // ROWS, rgb.shape[1] // COLUMNS
    hsv = cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2HSV)
    vivid = (hsv[..., 1] > MIN_SATURATION) & (hsv[..., 2] > MIN_VALUE)
    masks = [vivid & _in_window(hsv[..., 0], window) for window in (RED, BLUE)]
    paths = np.full((2, ROWS * COLUMNS, 2), math.nan)
    areas = np.zeros(2)
    for which, mask in enumerate(masks):
        for frame in range(ROWS * COLUMNS):
            top, left = frame // COLUMNS * height, frame % COLUMNS * width
            found = _centre(mask[top : top + height, left : left + width])
            if found is not None:
                column, row, area = found
                paths[which, frame] = column / width, row / width
                areas[which] += area
    if np.isnan(paths).all(axis=(1, 2)).any():
        raise NoTriangles("no red and blue triangle in the cells")
    bigger = int(np.argmax(areas))
    return Motion(_filled(paths[bigger]), _filled(paths[1 - bigger]))


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
