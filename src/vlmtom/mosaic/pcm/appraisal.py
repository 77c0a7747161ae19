"""What a pose is worth to an agent, what it feels there, and what of that face and skin show.

Source: MOSAIC paper, appendix A (preference satisfaction as free energy in the field of
consciousness); numbers in docs/mosaic.md.
"""

import math
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from vlmtom.mosaic.beliefs import Attitude
from vlmtom.mosaic.pcm.field import AGENT_SIZE, BOX_SIZE, Pose, salience
from vlmtom.mosaic.world import BOXES, DARK, LIGHT, Cell

VALUE_GAIN = 15.0
SPREAD = 0.1  # of a perceived value
IDEAL = 0.95  # the value that is wanted of everything in the field
BINS = 1000
FLOOR = 1e-5  # in each bin, so that the divergence is finite
KNOTS = 500  # intervals of the table of free energies
VOLUNTARY = 0.8  # share of the will in the face; the rest is felt
LEAK = 0.5  # share of what is felt that the skin shows

_APPRAISALS = 1 << 15
_TWO_ROOT = math.sqrt(2)


class Likings(NamedTuple):
    """Preferences as they are appraised: an Attitude to a hundredth."""

    other: float
    dark: float
    light: float


class Appraisal(NamedTuple):
    """cost: free energy in bits, lower is better. felt: valence in [-1, 1]."""

    cost: float
    felt: float


def likings(attitude: Attitude) -> Likings:
    """An attitude to a hundredth, so that what is computed for one trial serves the next."""
    return Likings(round(attitude.other, 2), round(attitude.dark, 2), round(attitude.light, 2))


def value(size: float, liking: float) -> float:
    """Perceived value in (0, 1) of something liked so much (0 to 1) that stands so large."""
    return 1 / (1 + math.exp(-VALUE_GAIN * size * (liking - 0.5)))


def free_energy(perceived: float) -> float:
    """Divergence in bits of a perceived value, in [0, 1], from the ideal one; interpolated."""
    place = perceived * KNOTS
    knot = min(int(place), KNOTS - 1)
    table = _free_energies()
    return table[knot] + (place - knot) * (table[knot + 1] - table[knot])


@lru_cache(maxsize=1)
def _free_energies() -> tuple[float, ...]:
    ideal = _truncated_normal(IDEAL)
    return tuple(_divergence(_truncated_normal(i / KNOTS), ideal) for i in range(KNOTS + 1))


def _truncated_normal(mean: float) -> list[float]:
    """Shares of 1000 bins of a normal distribution on [0, 1]."""
    below = [math.erf((i / BINS - mean) / (SPREAD * _TWO_ROOT)) for i in range(BINS + 1)]
    whole = below[-1] - below[0]
    shares = [(after - before) / whole + FLOOR for before, after in pairwise(below)]
    total = sum(shares)
    return [share / total for share in shares]


def _divergence(shares: list[float], ideal: list[float]) -> float:
    return sum(p * math.log2(p / q) for p, q in zip(shares, ideal, strict=True))


@lru_cache(maxsize=_APPRAISALS)
def appraise(pose: Pose, other: Cell, liked: Likings) -> Appraisal:
    """What it is to stand in a pose with the other there: summed cost, and mean felt valence.

    felt: values about indifference, weighted by salience; 0 where nothing is in the field.
    """
    boxes = _boxes(pose, liked.dark, liked.light)
    who = _thing(salience(pose, other, AGENT_SIZE), liked.other)
    seen = boxes.size + who.size
    return Appraisal(boxes.cost + who.cost, (boxes.pull + who.pull) / seen if seen else 0.0)


class _Thing(NamedTuple):
    """cost: its free energy. pull: its value about indifference, from -1 to 1, times its size."""

    cost: float
    pull: float
    size: float


@lru_cache(maxsize=_APPRAISALS)
def _boxes(pose: Pose, dark: float, light: float) -> _Thing:
    """Both together: a sum of two is the same with sides swapped, to the last bit."""
    one = _thing(salience(pose, BOXES[DARK], BOX_SIZE), dark)
    other = _thing(salience(pose, BOXES[LIGHT], BOX_SIZE), light)
    return _Thing(one.cost + other.cost, one.pull + other.pull, one.size + other.size)


def _thing(size: float, liking: float) -> _Thing:
    perceived = value(size, liking)
    return _Thing(free_energy(perceived), 2 * (perceived - 0.5) * size, size)


def shown(felt: float, will: float) -> tuple[float, float]:
    """What face and skin show. will: the face that is put on, -1, 0 or 1; the skin has none."""
    return VOLUNTARY * will + (1 - VOLUNTARY) * felt, LEAK * felt


def perceived_valence(facial: float, physiological: float, sensitivity: float) -> float:
    """What is read from a face and a skin. sensitivity: share of the skin, 0 to 1."""
    return sensitivity * physiological + (1 - sensitivity) * facial
