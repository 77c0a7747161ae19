"""The four random clips: each triangle moves by a rule of its own, without pause or regard.

Both share one space, as in the other clips, so that mere nearness says nothing. Speeds are
constant, periods unrelated, and each body turns slowly at a rate of its own.
"""

from collections.abc import Callable

import numpy as np

from vlmtom.triangles.motion import folded
from vlmtom.triangles.stage import DT, INSIDE, OUTSIDE, TIMES, Motion, Rectangle

Path = Callable[[Rectangle, float, np.random.Generator], np.ndarray]


def _billiard(room: Rectangle, speed: float, rng: np.random.Generator) -> np.ndarray:
    x0, y0, x1, y1 = room
    angle = np.radians(rng.choice([0, 90, 180, 270]) + rng.uniform(25, 65))
    x = rng.uniform(x0, x1) + speed * np.cos(angle) * TIMES
    y = rng.uniform(y0, y1) + speed * np.sin(angle) * TIMES
    return np.stack([folded(x, x0, x1), folded(y, y0, y1)], axis=1)


def _drifting(room: Rectangle, speed: float, rng: np.random.Generator) -> np.ndarray:
    x0, y0, x1, y1 = room
    a, b, c = rng.uniform(0, 6.28, 3)
    angle = (
        a
        + 1.1 * np.sin(2 * np.pi * TIMES / rng.uniform(8, 12) + b)
        + 0.5 * np.sin(2 * np.pi * TIMES / rng.uniform(4.5, 6.5) + c)
        + rng.uniform(-0.12, 0.12) * TIMES
    )
    x = rng.uniform(x0, x1) + np.cumsum(speed * np.cos(angle)) * DT
    y = rng.uniform(y0, y1) + np.cumsum(speed * np.sin(angle)) * DT
    return np.stack([folded(x, x0, x1), folded(y, y0, y1)], axis=1)


def _star(room: Rectangle, speed: float, rng: np.random.Generator) -> np.ndarray:
    """Out and back along the rays of a seven-pointed star, one ray after the other."""
    x0, y0, x1, y1 = room
    radius = rng.uniform(1.75, 2.15)
    centre = rng.uniform((x0 + radius, y0 + radius), (x1 - radius, y1 - radius))
    way = rng.uniform(0, 2 * radius) + speed * TIMES
    ray = np.floor(way / (2 * radius))
    angle = rng.uniform(0, 6.28) + ray * (2 * np.pi * rng.choice([2, 3, 4, 5]) / 7)
    out = folded(way, 0, radius)
    return centre + out[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _tennis(room: Rectangle, speed: float, rng: np.random.Generator) -> np.ndarray:
    """Across and back, again and again, slowly climbing or sinking."""
    x0, y0, x1, y1 = room
    x = folded(rng.uniform(x0, 2 * x1 - x0) + speed * TIMES, x0, x1)
    y = rng.uniform(y0, 2 * y1 - y0) + rng.choice([-1, 1]) * rng.uniform(0.25, 0.6) * TIMES
    return np.stack([x, folded(y, y0, y1)], axis=1)


# Two stars of one centre would overlap: one stands higher, and their rays reach into each other.
UPPER: Rectangle = (1.15, 1.15, 7.25, 5.5)
LOWER: Rectangle = (1.15, 3.5, 7.25, 7.85)

# clip: rule, rooms and speeds (units per second) of the big and of the small triangle
CLIPS: dict[str, tuple[Path, Rectangle, Rectangle, float, float]] = {
    "billiard": (_billiard, INSIDE, INSIDE, 2.1, 2.5),
    "drifting": (_drifting, INSIDE, INSIDE, 1.3, 1.5),
    "star": (_star, UPPER, LOWER, 1.9, 2.2),
    "tennis": (_tennis, OUTSIDE, OUTSIDE, 2.3, 2.9),
}


def perform(clip: str, rng: np.random.Generator) -> Motion:
    """A random clip: two draws of one rule that know nothing of each other."""
    rule, big_room, small_room, big_speed, small_speed = CLIPS[clip]
    big = rule(big_room, big_speed * rng.uniform(0.9, 1.1), rng)
    small = rule(small_room, small_speed * rng.uniform(0.9, 1.1), rng)
    return Motion(big, small, _spin(rng), _spin(rng))


def _spin(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(0, 6.28) + rng.choice([-1.0, 1.0]) * rng.uniform(0.25, 0.6) * TIMES
