"""What a block's label looks like: a bold dark glyph on a white disc.

The glyphs are strokes of our own, so that no font file and no text routine of an image library
decides their shape. A glyph lives in a box of cap height 1, x to the right, y upwards.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from vlmtom.rendering.vectors import cos_sin

Point = tuple[float, float]
Stroke = list[Point]  # a polyline

TEXTURE_PX = 256
DISC_RADIUS = 0.40  # of the face's side
GLYPH_HEIGHT = 0.54  # of the face's side, strokes included
HALF_STROKE = 0.10  # of the cap height
INK = (20, 20, 20)
PAPER = (255, 255, 255)


def _arc(center: Point, radii: Point, start_deg: float, stop_deg: float) -> Stroke:
    """An elliptical arc as a polyline with a corner every 10 degrees or less."""
    steps = max(2, math.ceil(abs(stop_deg - start_deg) / 10))
    points = []
    for i in range(steps + 1):
        c, s = cos_sin(math.radians(start_deg + (stop_deg - start_deg) * i / steps))
        points.append((center[0] + radii[0] * c, center[1] + radii[1] * s))
    return points


_SIX = [
    _arc((0.34, 0.31), (0.33, 0.31), 0, 360),
    _arc((0.61, 0.34), (0.60, 0.65), 180, 97),
]

STROKES: dict[str, list[Stroke]] = {
    "A": [[(0, 0), (0.40, 1), (0.80, 0)], [(0.14, 0.33), (0.66, 0.33)]],
    "B": [
        [(0, 0), (0, 1), (0.36, 1), *_arc((0.36, 0.76), (0.24, 0.24), 90, -90), (0, 0.52)],
        [(0, 0.52), (0.40, 0.52), *_arc((0.40, 0.26), (0.27, 0.26), 90, -90), (0, 0)],
    ],
    "C": [_arc((0.44, 0.5), (0.44, 0.5), 48, 312)],
    "D": [[(0, 0), (0, 1), (0.26, 1), *_arc((0.26, 0.5), (0.46, 0.5), 90, -90), (0, 0)]],
    "0": [_arc((0.32, 0.5), (0.32, 0.5), 0, 360)],
    "1": [[(0.04, 0.76), (0.34, 1), (0.34, 0)], [(0.04, 0), (0.64, 0)]],
    "2": [[*_arc((0.33, 0.69), (0.32, 0.31), 160, -38), (0, 0), (0.68, 0)]],
    "3": [
        _arc((0.30, 0.76), (0.28, 0.24), 145, -90),
        _arc((0.30, 0.26), (0.33, 0.26), 90, -145),
    ],
    "4": [[(0.52, 0), (0.52, 1), (0, 0.29), (0.74, 0.29)]],
    "5": [[(0.62, 1), (0.10, 1), (0.06, 0.53), *_arc((0.31, 0.32), (0.33, 0.32), 139, -148)]],
    "6": _SIX,
    "7": [[(0, 1), (0.66, 1), (0.22, 0)]],
    "8": [
        _arc((0.34, 0.76), (0.27, 0.24), 0, 360),
        _arc((0.34, 0.26), (0.34, 0.26), 0, 360),
    ],
    "9": [[(0.68 - x, 1 - y) for x, y in stroke] for stroke in _SIX],
}


def _distance(x: np.ndarray, y: np.ndarray, a: Point, b: Point) -> np.ndarray:
    """Distance of each grid point to the segment from a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length2 = max(dx * dx + dy * dy, 1e-12)
    along = np.clip(((x - a[0]) * dx + (y - a[1]) * dy) / length2, 0.0, 1.0)
    off_x, off_y = x - a[0] - along * dx, y - a[1] - along * dy
    return np.sqrt(off_x * off_x + off_y * off_y)


@lru_cache(maxsize=256)
def glyph_mask(char: str, n: int = TEXTURE_PX) -> np.ndarray:
    """Share of ink in each pixel of a square face of n pixels: (n, n) float32 in [0, 1].

    Row 0 is the upper edge; the glyph is centred and GLYPH_HEIGHT tall. Read-only (it is shared).
    Raises ValueError for a character without a glyph.
    """
    if char not in STROKES:
        raise ValueError(f"no glyph for {char!r}; there are glyphs for {''.join(sorted(STROKES))}")
    strokes = STROKES[char]
    width = max(x for stroke in strokes for x, _ in stroke)
    scale = (1 + 2 * HALF_STROKE) / GLYPH_HEIGHT  # from face sides to cap heights
    middle = (np.arange(n) + 0.5) / n - 0.5
    x = (middle * scale + width / 2)[None, :]
    y = (0.5 - middle * scale)[:, None]
    nearest = np.full((n, n), np.inf)
    for stroke in strokes:
        for a, b in pairwise(stroke):
            nearest = np.minimum(nearest, _distance(x, y, a, b))
    mask = np.clip((HALF_STROKE - nearest) * (n / scale) + 0.5, 0.0, 1.0).astype(np.float32)
    mask.setflags(write=False)
    return mask


@lru_cache(maxsize=256)
def label_texture(char: str, color: tuple[int, int, int], n: int = TEXTURE_PX) -> np.ndarray:
    """A face of that sRGB colour with the label on it: (n, n, 3) uint8, row 0 up. Read-only."""
    middle = (np.arange(n) + 0.5) / n - 0.5
    radius = np.sqrt(middle[None, :] * middle[None, :] + middle[:, None] * middle[:, None])
    disc = np.clip((DISC_RADIUS - radius) * n + 0.5, 0.0, 1.0)
    face = _blend(_blend(np.ones((n, n, 1)) * color, disc, PAPER), glyph_mask(char, n), INK)
    texture = np.floor(face + 0.5).astype(np.uint8)
    texture.setflags(write=False)
    return texture


def _blend(under: np.ndarray, share: np.ndarray, over: Sequence[int]) -> np.ndarray:
    return under + share[..., None].astype(np.float64) * (np.asarray(over, np.float64) - under)
