"""How a triangle moves: minimum-jerk moves, smooth courses, headings that turn like a body."""

from collections.abc import Sequence

import numpy as np

from vlmtom.triangles.stage import DT, FRAMES, Point

TURNING_LAG_S = 0.13  # how fast a body turns to where it looks
MOVING = 0.35  # units per second above which a body looks where it goes


def minimum_jerk(u: np.ndarray) -> np.ndarray:
    """Share of the way after share u of the time: starts and ends at rest."""
    u = np.clip(u, 0.0, 1.0)
    return u * u * u * (10 - 15 * u + 6 * u * u)


def course(points: Sequence[Point], per_leg: int = 40) -> np.ndarray:
    """A smooth line through points (Catmull-Rom), or the straight one through two."""
    p = np.asarray(points, np.float64)
    if len(p) == 2:
        u = np.linspace(0, 1, per_leg + 1)[:, None]
        return p[0] + u * (p[1] - p[0])
    p = np.vstack([2 * p[0] - p[1], p, 2 * p[-1] - p[-2]])
    u = np.linspace(0, 1, per_leg, endpoint=False)[:, None]
    legs = []
    for a, b, c, d in zip(p, p[1:], p[2:], p[3:], strict=False):
        m, n = (c - a) / 2, (d - b) / 2
        legs.append(
            b + u * m + u * u * (3 * (c - b) - 2 * m - n) + u * u * u * (2 * (b - c) + m + n)
        )
    return np.vstack([*legs, p[-2:-1]])


def arc_lengths(line: np.ndarray) -> np.ndarray:
    """Length of a line up to each of its points."""
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])


def along(line: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Points of a line at these lengths from its start; its ends beyond them."""
    at = arc_lengths(line)
    return np.stack(
        [np.interp(lengths, at, line[:, 0]), np.interp(lengths, at, line[:, 1])], axis=1
    )


def velocity(points: np.ndarray) -> np.ndarray:
    """(frames, 2) units per second."""
    return np.gradient(points, DT, axis=0)


def angles(vectors: np.ndarray) -> np.ndarray:
    """Direction of each vector in radians."""
    return np.arctan2(vectors[:, 1], vectors[:, 0])


def turned(target: np.ndarray, lag_s: float = TURNING_LAG_S) -> np.ndarray:
    """Headings that follow a target direction the shorter way round, with a lag."""
    heading = np.empty(FRAMES)
    now = float(target[0])
    for i, goal in enumerate(target):
        now += ((goal - now + np.pi) % (2 * np.pi) - np.pi) * min(1.0, DT / lag_s)
        heading[i] = now
    return heading


def travelling(points: np.ndarray) -> np.ndarray:
    """Headings of a body that looks where it goes."""
    return turned(angles(velocity(points)))


def facing(points: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Headings of a body that looks at another."""
    return turned(angles(other - points))


def folded(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """A line reflected at two walls: a triangle wave between low and high."""
    span = high - low
    phase = (values - low) % (2 * span)
    return low + np.where(phase > span, 2 * span - phase, phase)
