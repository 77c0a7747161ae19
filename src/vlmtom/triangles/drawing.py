"""A frame of a clip as pixels: two triangles, the enclosure and the frame on white.

Polygons have corners on a grid of sixteenths of a pixel, from whole quanta and scalar sines that
are rounded (rendering.vectors), so a frame has the same pixels on every machine.
"""

import math

import cv2
import numpy as np

from vlmtom.rendering.vectors import cos_sin
from vlmtom.triangles.stage import (
    BIG_RADIUS,
    DOOR,
    FRAMES,
    QUANTA,
    SMALL_RADIUS,
    TURN,
    WIDTH,
    Side,
    Track,
    Tracks,
    enclosure,
)

FRAME_WIDTH, FRAME_HEIGHT = 1280, 720
RED, BLUE = (200, 30, 40), (40, 70, 200)
INK, WHITE = (0, 0, 0), (255, 255, 255)
BORDER_PX, WALL_PX = 6, 8
SHIFT = 4  # fractional bits of OpenCV's coordinates
CORNERS = (0.0, 2.45, -2.45)  # radians from the heading: one sharp tip, a narrow base


class SyntheticClip:
    """A clip drawn from its tracks, frame by frame when asked for."""

    source = "synthetic"
    n_header: int | None = None
    fps = 25.0
    orientation_deg = 0

    def __init__(self, tracks: Tracks) -> None:
        self.name = tracks.clip
        self.tracks = tracks
        self.count = FRAMES
        self.size = (FRAME_WIDTH, FRAME_HEIGHT)
        self._stage = _stage(tracks.door)

    def frame(self, index: int) -> np.ndarray:
        """(720, 1280, 3) uint8 RGB."""
        rgb = self._stage.copy()
        for track, radius, color in (
            (self.tracks.big, BIG_RADIUS, RED),
            (self.tracks.small, SMALL_RADIUS, BLUE),
        ):
            cv2.fillPoly(rgb, [_corners(track, index, radius)], color, cv2.LINE_AA, SHIFT)
        return rgb

    def time_s(self, index: int) -> float:
        """Time of a frame from the first."""
        return index / self.fps


def _corners(track: Track, index: int, radius: float) -> np.ndarray:
    x, y = int(track.x[index]), int(track.y[index])
    points = []
    for corner in CORNERS:
        angle = int(track.heading[index]) * (2 * math.pi / TURN) + corner
        c, s = cos_sin(angle)
        reach = radius * QUANTA
        points.append((x + math.floor(reach * c + 0.5), y + math.floor(reach * s + 0.5)))
    return np.array(points, np.int32)


def _stage(door: Side) -> np.ndarray:
    rgb = np.full((FRAME_HEIGHT, FRAME_WIDTH, 3), WHITE, np.uint8)
    rgb[:BORDER_PX] = rgb[-BORDER_PX:] = rgb[:, :BORDER_PX] = rgb[:, -BORDER_PX:] = INK
    x0, y0, x1, y1 = (_px(v) for v in enclosure(door))
    low, high = _px(DOOR[0]), _px(DOOR[1])
    near, far = (x0, x1) if door == "left" else (x1, x0)
    half = WALL_PX // 2
    walls = [
        (x0, y0, x1, y0),
        (x0, y1, x1, y1),
        (far, y0, far, y1),
        (near, y0, near, low),
        (near, high, near, y1),
    ]
    for a, b, c, d in walls:
        rgb[min(b, d) - half : max(b, d) + half, min(a, c) - half : max(a, c) + half] = INK
    return rgb


def _px(units: float) -> int:
    return round(units * FRAME_WIDTH / WIDTH)
