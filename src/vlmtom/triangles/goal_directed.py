"""The four goal-directed clips: two triangles whose moves are coupled, without waiting or peeping.

Every moment of these clips shows what the clip is, so their beats are stretches of the whole.
"""

from collections.abc import Callable, Sequence

import numpy as np

from vlmtom.triangles.motion import (
    along,
    angles,
    arc_lengths,
    course,
    facing,
    minimum_jerk,
    travelling,
    turned,
)
from vlmtom.triangles.stage import DT, DURATION_S, FRAMES, TIMES, Beat, Motion, Point

CHASE: tuple[Point, ...] = (
    (6.6, 2.0),
    (4.4, 1.5),
    (3.2, 2.9),
    (1.6, 3.2),
    (1.7, 6.2),
    (3.4, 7.5),
    (4.4, 5.6),
    (6.5, 4.6),
    (8.6, 4.4),
    (10.4, 2.6),
    (12.2, 2.3),
    (13.9, 2.6),
    (13.2, 4.6),
    (13.9, 6.6),
    (11.2, 6.7),
    (10.3, 5.4),
    (8.4, 4.6),
    (6.0, 3.6),
    (5.4, 1.6),
    (2.6, 1.6),
    (1.7, 4.0),
    (3.6, 4.9),
    (3.2, 7.4),
    (5.6, 7.4),
    (6.7, 5.6),
    (5.0, 4.4),
)
LEAD: tuple[Point, ...] = (
    (1.7, 5.0),
    (1.9, 7.2),
    (4.4, 7.4),
    (6.6, 6.4),
    (6.9, 4.9),
    (8.6, 4.5),
    (10.4, 2.9),
    (12.6, 2.3),
    (14.0, 4.2),
    (13.2, 6.5),
    (10.8, 6.7),
    (9.7, 5.0),
    (8.2, 4.4),
    (6.4, 3.4),
    (5.6, 1.7),
    (2.6, 1.7),
    (1.8, 4.0),
    (3.4, 6.0),
    (5.9, 6.6),
)


def _chasing(rng: np.random.Generator) -> Motion:
    line = course(_shifted(CHASE, 0.3, rng))
    lead_s = 1.9
    travelled = _uneven(line, lead_s, 0.28, rng)
    # The gap narrows and widens, but is never closed.
    gap_s = 1.28 + 0.22 * np.sin(2 * np.pi * TIMES / rng.uniform(5.3, 6.1) + rng.uniform(0, 6))
    small = along(line, travelled(TIMES + lead_s))
    big = _cut(along(line, travelled(TIMES + lead_s - gap_s)), 5)
    watches = turned(angles(small - big), 0.2)
    return Motion(big, small, watches, travelling(small), _throughout("big runs after small"))


def _leading(rng: np.random.Generator) -> Motion:
    line = course(_shifted(LEAD, 0.25, rng))
    gap_s = float(rng.uniform(1.42, 1.48))
    travelled = _uneven(line, gap_s, 0.1, rng)
    big = along(line, travelled(TIMES + gap_s))
    small = along(line, travelled(TIMES))
    return Motion(
        big, small, travelling(big), travelling(small), _throughout("small goes after big")
    )


def _dancing(rng: np.random.Generator) -> Motion:
    sweep_s = float(rng.uniform(4.4, 5.0))
    phase = TIMES / sweep_s + rng.uniform(0.1, 0.9)
    # To and fro about the common centre, with short, soft reversals.
    swing = np.abs(2 * (phase / 2 % 1) - 1)
    width = np.radians(rng.uniform(225, 250))
    angle = width * (0.35 * minimum_jerk(swing) + 0.65 * swing) + rng.uniform(0, 6.28)
    radius = 1.85 + 0.32 * np.sin(2 * np.pi * TIMES / rng.uniform(2.9, 3.3) + rng.uniform(0, 6))
    slow = rng.uniform(0, 6.28)
    centre = np.stack(
        [
            11.9 + 0.2 * np.sin(2 * np.pi * TIMES / 9.7 + slow),
            4.5 + 0.5 * np.sin(2 * np.pi * TIMES / 7.3 + slow),
        ],
        axis=1,
    )
    out = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    big, small = centre + out, centre - out
    return Motion(
        big, small, facing(big, small), facing(small, big), _throughout("both circle face to face")
    )


def _fighting(rng: np.random.Generator) -> Motion:
    half, spin = np.empty(FRAMES), np.empty(FRAMES)
    start, sign = -float(rng.uniform(0.0, 2.4)), 1.0
    while start < DURATION_S + 1:
        bout = float(rng.uniform(2.5, 2.9))
        now = (start <= TIMES) & (start + bout > TIMES)
        t = (TIMES[now] - start) / bout
        far, hit, back = 2.75, 0.72, 1.75
        rush = far + (hit - far) * minimum_jerk(t / 0.34)
        recoil = hit + (back - hit) * minimum_jerk((t - 0.34) / 0.16)
        retreat = back + (far - back) * minimum_jerk((t - 0.5) / 0.5)
        half[now] = np.where(t < 0.34, rush, np.where(t < 0.5, recoil, retreat))
        spin[now] = sign * rng.uniform(0.5, 0.75)
        start, sign = start + bout, sign * rng.choice([-1.0, 1.0, 1.0])
    angle = rng.uniform(-0.4, 0.4) + np.cumsum(_mean(spin, 13)) * DT
    a, b = rng.uniform(0, 6.28, 2)
    centre = np.stack(
        [
            4.2 + 0.25 * np.sin(2 * np.pi * TIMES / 6.1 + a),
            4.5 + 0.5 * np.sin(2 * np.pi * TIMES / 7.7 + b),
        ],
        axis=1,
    )
    out = half[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    big, small = centre - 0.92 * out, centre + 1.08 * out
    return Motion(
        big, small, facing(big, small), facing(small, big), _throughout("both clash and recoil")
    )


CLIPS: dict[str, Callable[[np.random.Generator], Motion]] = {
    "chasing": _chasing,
    "dancing": _dancing,
    "fighting": _fighting,
    "leading": _leading,
}


def perform(clip: str, rng: np.random.Generator) -> Motion:
    """A goal-directed clip with a course and timing of its own."""
    return CLIPS[clip](rng)


def _shifted(points: Sequence[Point], by: float, rng: np.random.Generator) -> list[Point]:
    """Points of a course, each moved a little; the way through the door stays."""
    return [
        (x, y) if 7.8 < x < 9.0 else (x + float(dx), y + float(dy))
        for (x, y), (dx, dy) in zip(points, rng.uniform(-by, by, (len(points), 2)), strict=True)
    ]


def _uneven(
    line: np.ndarray, lead_s: float, depth: float, rng: np.random.Generator
) -> Callable[[np.ndarray], np.ndarray]:
    """Length travelled by a time: the whole line in the clip and the lead, in bursts."""
    t = np.arange(0, DURATION_S + lead_s + DT, DT)
    a, b = rng.uniform(0, 6.28, 2)
    speed = 1 + depth * (
        0.6 * np.sin(2 * np.pi * t / rng.uniform(2.6, 3.1) + a)
        + 0.4 * np.sin(2 * np.pi * t / rng.uniform(1.5, 1.9) + b)
    )
    travelled = np.concatenate([[0.0], np.cumsum(speed)])[:-1]
    travelled *= arc_lengths(line)[-1] / travelled[-1]
    return lambda times: np.interp(times, t, travelled)


def _cut(points: np.ndarray, half: int) -> np.ndarray:
    """Corners cut, as by one who runs for where the other is."""
    return np.stack([_mean(points[:, 0], 2 * half + 1), _mean(points[:, 1], 2 * half + 1)], axis=1)


def _mean(values: np.ndarray, window: int) -> np.ndarray:
    padded = np.pad(values, window // 2, mode="edge")
    return np.convolve(padded, np.full(window, 1 / window), mode="valid")


def _throughout(name: str) -> tuple[Beat, ...]:
    return (Beat(name, 0.0, DURATION_S),)
