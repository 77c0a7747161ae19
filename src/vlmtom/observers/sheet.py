"""What a sheet of sixteen frames, or a single still, shows of two triangles: its pixels alone.

Known beforehand: the 4x4 layout of a sheet, that one triangle is red and one blue, and from the
prompt whether it is a sheet or a still. Not known: the clip, its script or its condition.
"""

import hashlib
import math
from dataclasses import dataclass

import cv2
import numpy as np

GRID, STILL = 4, 1  # cells across and down
MIN_SATURATION, MIN_VALUE = 0.45, 0.25
RED, BLUE = (-20, 15), (205, 250)  # hue windows, degrees
MIN_TRIANGLE_PX = 25
REST = 0.02  # a step below this, in cell widths, is a rest


@dataclass(frozen=True)
class Motion:
    """Where both triangles are in each frame, in cell widths: arrays (16, 2), x right, y down.

    Of a still: arrays (1, 2). Where a triangle is not seen, it is where it was seen last.
    """

    big: np.ndarray
    small: np.ndarray

    @property
    def steps(self) -> tuple[np.ndarray, np.ndarray]:
        """Displacements from frame to frame: two arrays (15, 2); (0, 2) of a still."""
        return np.diff(self.big, axis=0), np.diff(self.small, axis=0)


class NoTriangles(ValueError):
    """The picture shows no red and blue triangle where frames should be."""


_REMEMBERED: dict[tuple[str, int], Motion] = {}


def watch(png: bytes, cells: int = GRID) -> Motion:
    """The motion that a picture shows; each picture is looked at once per process.

    cells: GRID for a sheet, STILL for one frame. Raises NoTriangles.
    """
    key = hashlib.sha256(png).hexdigest(), cells
    if key not in _REMEMBERED:
        bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
        if bgr is None:
            raise NoTriangles(f"not a picture that OpenCV can read ({len(png)} bytes)")
        _REMEMBERED[key] = track(np.ascontiguousarray(bgr[..., ::-1]), cells)
    return _REMEMBERED[key]


def track(rgb: np.ndarray, cells: int = GRID) -> Motion:
    """Both triangles in the cells of a picture (height, width, 3; uint8). Raises NoTriangles."""
    height, width = rgb.shape[0] // cells, rgb.shape[1] // cells
    hsv = cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2HSV)
    vivid = (hsv[..., 1] > MIN_SATURATION) & (hsv[..., 2] > MIN_VALUE)
    masks = [vivid & _in_window(hsv[..., 0], window) for window in (RED, BLUE)]
    paths = np.full((2, cells * cells, 2), math.nan)
    areas = np.zeros(2)
    for which, mask in enumerate(masks):
        for frame in range(cells * cells):
            top, left = frame // cells * height, frame % cells * width
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
