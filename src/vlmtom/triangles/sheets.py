"""What an arm shows of a clip: sixteen frames in a four-by-four sheet, with badges or otherwise.

An arm is one entry of ARMS, its name in the settings, and one function from a clip to a picture.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, Protocol

import cv2
import numpy as np

from vlmtom.rendering.labels import glyph_mask
from vlmtom.triangles.sampling import SAMPLES, sample_indices

Fit = Literal["pad", "stretch"]
COLUMNS = 4
CELL_WIDTH, CELL_HEIGHT = 320, 240
BAR = 232  # grey of the letterbox
BADGE_PX = 26
BADGE_INK, BADGE_PAPER = 255, 40


class Clip(Protocol):
    """A clip whose frames can be asked for by index."""

    name: str
    source: str
    count: int  # frames drawn or decoded
    n_header: int | None
    fps: float
    size: tuple[int, int]  # width, height
    orientation_deg: int

    def frame(self, index: int) -> np.ndarray:
        """(height, width, 3) uint8 RGB."""
        ...

    def time_s(self, index: int) -> float:
        """Time of a frame from the first."""
        ...


def numbered(clip: Clip, fit: Fit, seed: int) -> np.ndarray:
    """Sixteen frames in order under badges 1 to 16."""
    return _grid([clip.frame(i) for i in sample_indices(clip.count)], fit, badges=True)


# Later arms (plain, reversed, keyframe, shuffled) are one function and one entry each. seed: for
# an arm that draws.
ARMS: dict[str, Callable[[Clip, Fit, int], np.ndarray]] = {"numbered": numbered}


def cell(frame: np.ndarray, fit: Fit) -> np.ndarray:
    """A frame as a cell of 320x240: inside grey bars (pad), or squeezed (stretch)."""
    if fit == "stretch":
        return shrunk(frame, CELL_WIDTH, CELL_HEIGHT)
    height, width = frame.shape[:2]
    wide = min(CELL_WIDTH, max(1, (2 * width * CELL_HEIGHT + height) // (2 * height)))
    high = min(CELL_HEIGHT, max(1, (2 * height * CELL_WIDTH + width) // (2 * width)))
    out = np.full((CELL_HEIGHT, CELL_WIDTH, 3), BAR, np.uint8)
    top, left = (CELL_HEIGHT - high) // 2, (CELL_WIDTH - wide) // 2
    out[top : top + high, left : left + wide] = shrunk(frame, wide, high)
    return out


def shrunk(frame: np.ndarray, width: int, height: int) -> np.ndarray:
    """A frame at another size. By whole factors it is the mean of blocks, in whole numbers."""
    down, across = divmod(frame.shape[0], height), divmod(frame.shape[1], width)
    if down[1] or across[1]:
        return cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
    n = down[0] * across[0]
    blocks = frame.reshape(height, down[0], width, across[0], 3).astype(np.int64)
    return ((2 * blocks.sum(axis=(1, 3)) + n) // (2 * n)).astype(np.uint8)


def _grid(frames: list[np.ndarray], fit: Fit, badges: bool) -> np.ndarray:
    rows = SAMPLES // COLUMNS
    sheet = np.empty((rows * CELL_HEIGHT, COLUMNS * CELL_WIDTH, 3), np.uint8)
    for number, frame in enumerate(frames):
        top, left = number // COLUMNS * CELL_HEIGHT, number % COLUMNS * CELL_WIDTH
        shown = cell(frame, fit)
        if badges:
            _stamp(shown, number + 1)
        sheet[top : top + CELL_HEIGHT, left : left + CELL_WIDTH] = shown
    return sheet


def _stamp(shown: np.ndarray, number: int) -> None:
    """A dark disc with the number in the upper left corner, in place."""
    disc, ink = _badge(number)
    corner = shown[2 : 2 + BADGE_PX, 2 : 2 + BADGE_PX].astype(np.float64)
    corner += disc[..., None] * (BADGE_PAPER - corner)
    corner += ink[..., None] * (BADGE_INK - corner)
    shown[2 : 2 + BADGE_PX, 2 : 2 + BADGE_PX] = np.floor(corner + 0.5).astype(np.uint8)


@lru_cache(maxsize=SAMPLES)
def _badge(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of disc and of ink in each pixel of a badge."""
    middle = np.arange(BADGE_PX) + 0.5 - BADGE_PX / 2
    radius = np.sqrt(middle[:, None] * middle[:, None] + middle[None, :] * middle[None, :])
    disc = np.clip(BADGE_PX / 2 - radius, 0.0, 1.0)
    ink = np.zeros((BADGE_PX, BADGE_PX))
    text = str(number)
    # A glyph is 0.54 of its face tall.
    mask = {char: glyph_mask(char, BADGE_PX).astype(np.float64) for char in text}
    for place, char in enumerate(text):
        shift = 0 if len(text) == 1 else (-5, 5)[place]
        ink = np.maximum(ink, np.roll(mask[char], shift, axis=1))
    return disc, np.minimum(ink, disc)
