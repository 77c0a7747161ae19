"""What a picture of the table shows, from its pixels alone.

Known beforehand: the camera, the palette's hues, the partition's grey, the typeface. Not known:
anything of how the scene was made.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vlmtom.rendering.labels import STROKES, glyph_mask

# The camera: eye and point looked at in metres (x right, y away, z up, table top 0), field of
# view in degrees over the height.
EYE, LOOKS_AT, VERTICAL_FOV = (0.0, -2.65, 1.55), (0.0, 0.20, 0.13), 30.5

# Hue windows of the palette in degrees; red lies around 0.
HUES = {
    "red": (-12, 10),
    "orange": (18, 38),
    "yellow": (43, 62),
    "green": (108, 152),
    "cyan": (176, 194),
    "blue": (220, 244),
    "purple": (270, 294),
}
MIN_SATURATION, MIN_VALUE = 0.68, 0.30
MIN_BLOCK_PX = 900

# The panel's near face and its foot, lit or shaded: grey, darker than floor and wall, lighter
# than the director's clothes.
PARTITION_VALUE = (92, 124)
PARTITION_SPREAD = 14  # largest difference of the channels
MIN_PARTITION_PX = 600
CLOTHES_VALUE = (30, 84)
BESIDE = 1 / 3  # of a block's width: how far beside a block the panel behind it reaches

PATCH = 48  # pixels of a rectified face


@dataclass(frozen=True)
class SeenBlock:
    """A block as seen: letter, colour word, edge length in metres, column in pixels."""

    letter: str
    color: str
    size_m: float
    column: float


@dataclass(frozen=True)
class Sight:
    """A picture as seen. Blocks from left to right.

    screened: the block in front of the partition (index), None without one.
    director_far: the director faces the tester from the far side of the table.
    """

    blocks: tuple[SeenBlock, ...]
    screened: int | None
    director_far: bool

    @property
    def director_sees(self) -> tuple[int, ...]:
        """Blocks that the director sees: all but the one whose back the partition covers."""
        hidden = self.screened if self.director_far else None
        return tuple(i for i in range(len(self.blocks)) if i != hidden)


class Unreadable(ValueError):
    """The bytes are not a picture, or no block is to be seen in it."""


_REMEMBERED: dict[str, Sight] = {}


def look(png: bytes) -> Sight:
    """What a picture shows; each picture is looked at once per process.

    Raises Unreadable.
    """
    digest = hashlib.sha256(png).hexdigest()
    if digest not in _REMEMBERED:
        bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
        if bgr is None:
            raise Unreadable(f"not a picture that OpenCV can read ({len(png)} bytes)")
        _REMEMBERED[digest] = see(np.ascontiguousarray(bgr[..., ::-1]))
    return _REMEMBERED[digest]


def see(rgb: np.ndarray) -> Sight:
    """What an RGB picture (height, width, 3; uint8) shows. Raises Unreadable without blocks."""
    patches = _block_patches(rgb)
    if not patches:
        raise Unreadable("no block is to be seen")
    patches.sort(key=lambda patch: patch.left)
    camera = _Camera(rgb.shape[1], rgb.shape[0])
    value, spread = _value_and_spread(rgb)
    return Sight(
        blocks=tuple(_block(rgb, patch, camera) for patch in patches),
        screened=_screened(_partition_columns(value, spread), patches),
        director_far=_director_far(value, spread),
    )


@dataclass(frozen=True)
class _Patch:
    """The pixels of one hue: a mask and where its upper left corner is in the picture."""

    color: str
    mask: np.ndarray
    left: int
    top: int


class _Camera:
    """The pinhole camera for a picture of a given size."""

    def __init__(self, width: int, height: int) -> None:
        forward = np.subtract(LOOKS_AT, EYE)
        self.forward = forward / math.sqrt(float((forward * forward).sum()))
        self.right = np.array([1.0, 0.0, 0.0])  # the camera looks along y, without a roll
        self.up = np.array([0.0, -self.forward[2], self.forward[1]])
        self.focal = height / 2 / math.tan(math.radians(VERTICAL_FOV) / 2)
        self.center = (width / 2, height / 2)

    def project(self, point: Sequence[float]) -> tuple[float, float]:
        """Picture coordinates (column, row) of a point in metres."""
        ray = np.subtract(point, EYE)
        depth = float((ray * self.forward).sum())
        column = self.center[0] + self.focal * float((ray * self.right).sum()) / depth
        row = self.center[1] - self.focal * float((ray * self.up).sum()) / depth
        return column, row

    def on_table(self, column: float, row: float) -> tuple[float, float]:
        """The point (x, y) of the table top that is seen at a place of the picture."""
        ray = (
            self.forward * self.focal
            + self.right * (column - self.center[0])
            + self.up * (self.center[1] - row)
        )
        along = -EYE[2] / float(ray[2])
        return EYE[0] + along * float(ray[0]), EYE[1] + along * float(ray[1])


def _value_and_spread(rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest channel, and largest minus smallest, per pixel."""
    red, green, blue = cv2.split(rgb)
    value = cv2.max(cv2.max(red, green), blue)
    return value, value - cv2.min(cv2.min(red, green), blue)


def _block_patches(rgb: np.ndarray) -> list[_Patch]:
    """The largest patch of each hue of the palette, where there is one."""
    value, spread = _value_and_spread(rgb)
    vivid = (spread > MIN_SATURATION * value) & (value > MIN_VALUE * 255)
    rows, columns = np.nonzero(vivid.any(axis=1))[0], np.nonzero(vivid.any(axis=0))[0]
    if not len(rows):
        return []
    top, left = int(rows[0]), int(columns[0])
    where = (slice(top, int(rows[-1]) + 1), slice(left, int(columns[-1]) + 1))
    hue = cv2.cvtColor(rgb[where].astype(np.float32) / 255, cv2.COLOR_RGB2HSV)[..., 0]
    vivid = vivid[where]
    patches = []
    for color, (low, high) in HUES.items():
        turned = np.where(hue > 180, hue - 360, hue) if low < 0 else hue
        found = _largest_patch(vivid & (turned >= low) & (turned <= high), MIN_BLOCK_PX)
        if found is not None:
            mask, x, y, _ = found
            patches.append(_Patch(color, mask, left + x, top + y))
    return patches


def _largest_patch(
    of: np.ndarray, least: int
) -> tuple[np.ndarray, int, int, tuple[float, float]] | None:
    """The largest connected patch: its mask, its left and top, its centre (column, row)."""
    count, labels, stats, centers = cv2.connectedComponentsWithStats(of.astype(np.uint8))
    if count < 2:
        return None
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    x, y, width, height, area = (int(n) for n in stats[largest])
    if area < least:
        return None
    return labels[y : y + height, x : x + width] == largest, x, y, tuple(centers[largest])


def _block(rgb: np.ndarray, patch: _Patch, camera: _Camera) -> SeenBlock:
    bottom = patch.top + len(patch.mask) - 1
    # A few rows up the edge is whole; there only the front face is wide.
    columns = np.nonzero(patch.mask[-4])[0]
    left, right = float(patch.left + columns[0]), float(patch.left + columns[-1] + 1)
    x0, y0 = camera.on_table(left, bottom + 1)
    x1, _ = camera.on_table(right, bottom + 1)
    size = x1 - x0
    corners = ((x0, size), (x1, size), (x1, 0.0), (x0, 0.0))  # from the upper left, clockwise
    face = [camera.project((x, y0, z)) for x, z in corners]
    return SeenBlock(_letter(rgb, face), patch.color, size, (left + right) / 2)


def _letter(rgb: np.ndarray, face: Sequence[tuple[float, float]]) -> str:
    """The glyph on a face whose corners are seen at these places."""
    square = np.array([(0, 0), (PATCH, 0), (PATCH, PATCH), (0, PATCH)], np.float32)
    straight = cv2.getPerspectiveTransform(np.array(face, np.float32), square)
    patch = cv2.warpPerspective(rgb, straight, (PATCH, PATCH), flags=cv2.INTER_LINEAR)
    middle = slice(PATCH // 5, PATCH - PATCH // 5)  # within the white disc
    light = patch.astype(np.float64).max(axis=2)[middle, middle]
    ink = light.max() - light
    scores = {
        glyph: _correlation(ink, glyph_mask(glyph, PATCH)[middle, middle]) for glyph in STROKES
    }
    return max(scores, key=lambda glyph: scores[glyph])


def _correlation(seen: np.ndarray, template: np.ndarray) -> float:
    a, b = seen - seen.mean(), template - template.mean()
    return float((a * b).sum() / math.sqrt(float((a * a).sum() * (b * b).sum()) + 1e-12))


def _partition_columns(value: np.ndarray, spread: np.ndarray) -> np.ndarray | None:
    """Pixels of the partition in each column of the picture; None without a partition."""
    low, high = PARTITION_VALUE
    grey = (value >= low) & (value <= high) & (spread <= PARTITION_SPREAD)
    grey[len(grey) * 5 // 6 :] = False  # the shaded floor under the table
    found = _largest_patch(grey, MIN_PARTITION_PX)
    if found is None:
        return None
    mask, left, _, _ = found
    columns = np.zeros(value.shape[1], np.int64)
    columns[left : left + mask.shape[1]] = mask.sum(axis=0)
    return columns


def _screened(partition: np.ndarray | None, patches: Sequence[_Patch]) -> int | None:
    """The block in whose columns most of the partition is seen."""
    if partition is None:
        return None
    shares = []
    for patch in patches:
        width = patch.mask.shape[1]
        beside = int(width * BESIDE)
        columns = partition[max(0, patch.left - beside) : patch.left + width + beside]
        shares.append(int(columns.sum()) / int(partition.sum()))
    best = max(range(len(shares)), key=lambda i: shares[i])
    return best if shares[best] > 0.5 else None


def _director_far(value: np.ndarray, spread: np.ndarray) -> bool:
    """Whether the dark clothes are seen over the far edge of the table."""
    dark = (value >= CLOTHES_VALUE[0]) & (value <= CLOTHES_VALUE[1]) & (spread <= 16)
    found = _largest_patch(dark, 1)
    if found is None:
        return True
    column, row = found[3]
    height, width = value.shape
    return row < height / 2 and abs(column - width / 2) < width / 5
