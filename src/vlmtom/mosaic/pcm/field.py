"""How large each thing stands in an agent's field of consciousness, and how clearly it is seen.

The field is a projective frame around a pose: depth is squeezed, so that what is near looms.
Source: MOSAIC paper, appendix A (salience follows projective size, not distance); the constants
are fitted on the appraisals that the authors published of their agent (docs/mosaic.md).
"""

import math
from functools import lru_cache
from typing import NamedTuple

from vlmtom.mosaic import world
from vlmtom.mosaic.world import Cell, Heading

DEPTH_GAIN = 0.8  # per cell: the one free entry of the homography
DISPERSION = 0.625  # cells of the projected field
BOX_SIZE, AGENT_SIZE = 1.13, 2.60  # fourth root of the volume that fills the field
BEHIND = -0.3  # cells of depth at which a thing is out of the field
SHARPNESS = 10 / math.pi  # per radian off the gaze

_POSES = 1 << 16  # entries of a cache over pairs of poses: all of a trial, and of most


class Pose(NamedTuple):
    """Where a body stands and where it looks."""

    cell: Cell
    heading: Heading


def egocentric(pose: Pose, target: Cell) -> tuple[float, float]:
    """Where a target is from a pose: to the right, and in depth along the gaze, in cells."""
    (x, y), (hx, hy) = pose
    dx, dy = target[0] - x, target[1] - y
    return dx * hy - dy * hx, dx * hx + dy * hy


def projected(lateral: float, depth: float) -> tuple[float, float]:
    """The point that the homography (x, z, 1) -> (x, z, 1 + gain z) makes of a point before one."""
    shrink = 1 + DEPTH_GAIN * depth
    return lateral / shrink, depth / shrink


@lru_cache(maxsize=_POSES)
def salience(pose: Pose, target: Cell, size: float) -> float:
    """How much of the field a thing takes, in [0, 1]; 0 behind.

    Its apparent size, at most 1 (volumes shrink with the fourth power of 1 + gain z, sizes with the
    first), under a Gaussian window around the middle of the field.
    """
    lateral, depth = egocentric(pose, target)
    if depth < BEHIND:
        return 0.0
    depth = max(depth, 0.0)
    x, z = projected(lateral, depth)
    apparent = min(1.0, size / (1 + DEPTH_GAIN * depth))
    return apparent * math.exp(-(x * x + z * z) / (2 * DISPERSION**2))


@lru_cache(maxsize=_POSES)
def acuity(pose: Pose, target: Cell) -> float:
    """How much a gaze is at a target, whatever the distance: 1 straight at it, falling by angle."""
    lateral, depth = egocentric(pose, target)
    # The angle by both parts: an arc cosine loses it just where the gaze is straight at something.
    return math.exp(-SHARPNESS * abs(math.atan2(lateral, depth)))


@lru_cache(maxsize=_POSES)
def unseen(pose: Pose, target: Cell) -> float:
    """What of a target a gaze leaves uncertain, in [0, 1): one less the certainty of Eq. 6."""
    return 1 - world.certainty(pose.cell, pose.heading, target)
