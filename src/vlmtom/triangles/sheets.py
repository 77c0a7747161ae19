"""What an arm shows of a clip: sixteen frames in a sheet, in an order of its own, or one still.

An arm is one entry of ARMS, its name in the settings, and one function from a clip to a picture.
Source: cross-task paper, section 4.2 and Appendices F (reversed, keyframe) and K (plain).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

import cv2
import numpy as np

from vlmtom.rendering.labels import glyph_mask
from vlmtom.store.digests import seed_for
from vlmtom.triangles.sampling import SAMPLES, sample_indices

Fit = Literal["pad", "stretch"]
COLUMNS = 4
CELL_WIDTH, CELL_HEIGHT = 320, 240
BAR = 232  # grey of the letterbox
BADGE_PX = 26
BADGE_AT = 2  # pixels from the cell's upper left corner, both ways
BADGE_INK, BADGE_PAPER = 255, 40
IN_ORDER = tuple(range(1, SAMPLES + 1))


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


@dataclass(frozen=True)
class View:
    """What an arm shows of a clip.

    order: numbers (1 to 16) of the sampled frames in the order of the cells; None for a still.
    """

    picture: np.ndarray
    order: tuple[int, ...] | None


def numbered(clip: Clip, fit: Fit, seed: int) -> View:
    """Sixteen frames in order under badges 1 to 16."""
    return _sheet(clip, fit, IN_ORDER)


def plain(clip: Clip, fit: Fit, seed: int) -> View:
    """The numbered sheet without its badges."""
    return _sheet(clip, fit, IN_ORDER, badges=False)


def reversed_(clip: Clip, fit: Fit, seed: int) -> View:
    """The last frame first, under badges that read 1 to 16 all the same."""
    return _sheet(clip, fit, IN_ORDER[::-1])


def shuffled(clip: Clip, fit: Fit, seed: int) -> View:
    """The frames in an order drawn for this clip, under badges 1 to 16."""
    return _sheet(clip, fit, drawn_order(clip.name, seed))


def keyframe(clip: Clip, fit: Fit, seed: int) -> View:
    """The middle one of all frames (number N // 2 from 0) as it is: no sheet, cell or badge."""
    return View(np.ascontiguousarray(clip.frame(clip.count // 2)), None)


# fit: how a frame fills its cell; a still has none. seed: for an arm that draws.
ARMS: dict[str, Callable[[Clip, Fit, int], View]] = {
    "numbered": numbered,
    "plain": plain,
    "keyframe": keyframe,
    "reversed": reversed_,
    "shuffled": shuffled,
}
DRAWN_ARMS = ("shuffled",)  # their pictures depend on the run's seed


def drawn_order(clip: str, seed: int) -> tuple[int, ...]:
    """An order of the sixteen frames by clip and seed, neither as they were nor reversed."""
    rng = np.random.default_rng(seed_for(seed, "triangles", "shuffled", clip))
    while True:
        order = tuple(int(number) for number in rng.permutation(SAMPLES) + 1)
        if order not in (IN_ORDER, IN_ORDER[::-1]):
            return order


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
    total = np.zeros((height, width, 3), np.uint32)
    for row in range(down[0]):
        for column in range(across[0]):
            total += frame[row :: down[0], column :: across[0]]
    return ((2 * total + n) // (2 * n)).astype(np.uint8)


def laid_out(frames: Iterable[np.ndarray], rows: int, columns: int) -> np.ndarray:
    """Frames of one size (rows x columns of them) as the cells of one picture, row by row.

    Taken one after the other: of large frames no second copy is held.
    """
    picture: np.ndarray | None = None
    for place, frame in enumerate(frames):
        height, width = frame.shape[:2]
        if picture is None:
            picture = np.empty((rows * height, columns * width, 3), np.uint8)
        top, left = place // columns * height, place % columns * width
        picture[top : top + height, left : left + width] = frame
    if picture is None or place + 1 != rows * columns:
        raise ValueError(f"a grid of {rows} rows of {columns} takes as many frames as it has cells")
    return picture


def _sheet(clip: Clip, fit: Fit, order: Sequence[int], badges: bool = True) -> View:
    indices = sample_indices(clip.count)

    def cells() -> Iterator[np.ndarray]:
        for place, number in enumerate(order, 1):
            shown = cell(clip.frame(indices[number - 1]), fit)
            if badges:
                _stamp(shown, place)
            yield shown

    return View(laid_out(cells(), SAMPLES // COLUMNS, COLUMNS), tuple(order))


def _stamp(shown: np.ndarray, number: int) -> None:
    """A dark disc with the number in the upper left corner, in place."""
    disc, ink = _badge(number)
    place = slice(BADGE_AT, BADGE_AT + BADGE_PX)
    corner = shown[place, place].astype(np.float64)
    corner += disc[..., None] * (BADGE_PAPER - corner)
    corner += ink[..., None] * (BADGE_INK - corner)
    shown[place, place] = np.floor(corner + 0.5).astype(np.uint8)


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
