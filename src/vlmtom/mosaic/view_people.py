"""What the two agents look like: a woman in blue and a man in orange, their faces and their skin.

A person stands on the origin and looks along +y; metres, z up. All but the head's skin, mouth and
brows is the same in every picture of a role.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from vlmtom.mosaic.view_paint import Solid, joined, solid
from vlmtom.mosaic.world import Role
from vlmtom.rendering.meshes import Color, Mesh, ellipsoid, lathe, tube
from vlmtom.rendering.vectors import VectorLike, cos_sin, unit

EYE_M = 1.6  # height of everybody's eyes
HEAD_M = 0.125  # unit of the head's measures
HEAD_SHAPE = (0.88, 0.95, 1.18)  # half axes: right, forward, up
CENTER = (0.0, 0.0, EYE_M - 0.10 * HEAD_M)  # the eyes are a little above the head's middle
STEPS = 100  # valences are drawn on a grid of hundredths, as they are written

EYE_WHITE: Color = (250, 250, 250)
PUPIL: Color = (22, 22, 28)
HAIR_TILT_DEG, HAIR_RIM_DEG, HAIR_THICKNESS = 24, 78, 1.03
SHOES: Color = (48, 43, 42)
SKIN: Color = (224, 176, 140)
PALE: Color = (240, 226, 210)
FLUSHED: Color = (226, 164, 136)
BLUSH: Color = (216, 70, 72)
LIPS: Color = (150, 52, 54)
PALE_LIPS: Color = (168, 112, 108)


@dataclass(frozen=True)
class Wear:
    """What tells the two roles apart."""

    top: Color
    legs: Color
    hair: Color
    brow: Color
    shoulder_m: float
    long_hair: bool
    tunic: bool


WEAR: dict[Role, Wear] = {
    "subject": Wear((0, 114, 178), (52, 56, 74), (94, 54, 30), (62, 38, 24), 0.185, True, True),
    "participant": Wear(
        (213, 94, 0), (66, 68, 74), (52, 40, 34), (44, 34, 30), 0.215, False, False
    ),
}


def person(role: Role, facial: float, physiological: float) -> Solid:
    """A role's person. facial, physiological: valences in [-1, 1], which change the head alone."""
    return _person(role, *(_step(v) for v in (facial, physiological)))


def _step(valence: float) -> int:
    return max(-STEPS, min(STEPS, round(valence * STEPS)))


@lru_cache(maxsize=256)
def _person(role: Role, facial: int, physiological: int) -> Solid:
    return joined((_figure(role), *_face(role, facial / STEPS, physiological / STEPS)))


@lru_cache(maxsize=2)
def _figure(role: Role) -> Solid:
    """All that is the same in every picture."""
    wear = WEAR[role]
    return solid([*_limbs(wear), _torso(wear), *_hair(wear), *_eyes()])


def _limbs(wear: Wear) -> Iterable[Mesh]:
    for side in (1, -1):
        hip, ankle = (side * 0.085, 0.0, 0.86), (side * 0.095, 0.0, 0.07)
        yield from tube("leg", 1, hip, ankle, 0.080, 0.052, wear.legs, columns=12)
        foot = (side * 0.095, 0.05, 0.045)
        yield ellipsoid("shoe", 1, foot, (0.052, 0.125, 0.045), SHOES, columns=12, rows=8)
        shoulder = (side * (wear.shoulder_m - 0.025), 0.0, 1.320)
        elbow = (side * (wear.shoulder_m + 0.045), 0.0, 1.06)
        hand = (side * (wear.shoulder_m + 0.045), 0.07, 0.82)
        yield from tube("arm", 1, shoulder, elbow, 0.058, 0.047, wear.top, columns=12)
        yield from tube("arm", 1, elbow, hand, 0.046, 0.034, wear.top, columns=12)
        end = (hand[0], hand[1] + 0.015, hand[2] - 0.045)
        yield ellipsoid("hand", 1, end, (0.036, 0.042, 0.055), SKIN, columns=12, rows=8)
    yield from tube(
        "neck", 1, (0, 0, 1.36), (0, 0, 1.52), 0.062, 0.058, SKIN, columns=14, round_ends=False
    )


def _torso(wear: Wear) -> Mesh:
    wide = wear.shoulder_m
    hem = [(0.66, 0.215, 0.165)] if wear.tunic else [(0.79, 0.182, 0.126)]
    waist = 0.135 if wear.tunic else 0.160
    profile = [
        *hem,
        (0.90, 0.176, 0.122),
        (1.06, waist, 0.105),
        (1.20, wide - 0.030, 0.122),
        (1.31, wide - 0.002, 0.115),
        (1.37, wide - 0.030, 0.100),
        (1.405, 0.120, 0.085),
        (1.425, 0.062, 0.062),
    ]
    return lathe("torso", 1, (0.0, 0.0), profile, wear.top, columns=24)


def _part(name: str, offset: VectorLike, radii: VectorLike, color: Color, **shape) -> Mesh:
    """An ellipsoid of the head; offset and radii in HEAD_M (right, forward, up)."""
    at = np.asarray(CENTER) + np.asarray(offset, np.float64) * HEAD_M
    return ellipsoid(name, 1, at, np.asarray(radii, np.float64) * HEAD_M, color, **shape)


def _hair(wear: Wear) -> Iterable[Mesh]:
    yield _cap(wear.hair)
    if not wear.long_hair:
        yield _part("hair", (0, -0.22, 0.10), (0.91, 0.80, 1.06), wear.hair, columns=28)
        return
    yield _part("hair", (0, -0.30, -0.12), (1.05, 0.80, 1.38), wear.hair, columns=28)
    for side in (1, -1):
        yield _part(
            "hair", (side * 0.80, -0.22, -0.72), (0.24, 0.42, 0.98), wear.hair, columns=14, rows=10
        )
    yield _part("hair", (0, -0.52, -1.02), (0.88, 0.42, 0.92), wear.hair, columns=20, rows=12)


def _cap(color: Color) -> Mesh:
    """Hair close to the head, tilted back; its rim is the hairline."""
    c, s = cos_sin(math.radians(HAIR_TILT_DEG))
    axes = (np.array((1.0, 0, 0)), np.array((0, c, s)), np.array((0, -s, c)))
    rim = math.radians(HAIR_RIM_DEG)
    ball = ellipsoid(
        "hair", 1, (0, 0, 0), (1, 1, 1), color, axes=axes, columns=40, rows=16, stop=rim
    )
    shape = np.asarray(HEAD_SHAPE)
    vertices = ball.vertices * (shape * (HAIR_THICKNESS * HEAD_M)) + np.asarray(CENTER)
    return replace(ball, vertices=vertices, normals=unit(ball.vertices / shape))


def _eyes() -> Iterable[Mesh]:
    for side in (1, -1):
        x, y, z = _on_face(side * 0.34, 0.10)
        yield _part("eye", (x, y - 0.06, z), (0.20, 0.12, 0.15), EYE_WHITE, columns=14, rows=10)
        yield _part("eye", (x, y + 0.03, z), (0.085, 0.06, 0.10), PUPIL, columns=10, rows=8)


def _face(role: Role, v: float, p: float) -> tuple[Solid, Solid]:
    """Nose, ears, mouth and brows, and the skin; v: facial, p: physiological valence."""
    skin = _part("skin", (0, 0, 0), HEAD_SHAPE, SKIN, columns=40, rows=24)
    tint = _mixed(SKIN, PALE if p < 0 else FLUSHED, abs(p))
    parts = []
    for side in (1, -1):
        ear = (side * 0.87, -0.12, 0.0)
        parts.append(_part("ear", ear, (0.10, 0.17, 0.24), tint, columns=10, rows=8))
        # Anger draws the inner ends down and together, joy lifts the whole brow.
        inner = _on_face(side * (0.18 + 0.04 * min(v, 0)), 0.40 + (0.19 if v < 0 else 0.08) * v)
        middle = _on_face(side * 0.36, 0.43 + (0.03 if v < 0 else 0.10) * v)
        outer = _on_face(side * 0.53, 0.37 - (0.10 if v < 0 else -0.06) * v)
        parts += _line((inner, middle, outer), 0.042, WEAR[role].brow)
    bridge = np.asarray(_on_face(0, 0.06))
    tip = np.asarray(_on_face(0, -0.18, 0.13))
    ends = (np.asarray(CENTER) + point * HEAD_M for point in (bridge, tip))
    parts += tube("nose", 1, *ends, 0.06 * HEAD_M, 0.105 * HEAD_M, tint, columns=10)
    curve = [
        _on_face(t * 0.36, -0.55 + 0.31 * v * (t * t - 0.40), 0.015)
        for t in (i / 4 - 1 for i in range(9))
    ]
    parts += _line(curve, 0.048, _mixed(LIPS, PALE_LIPS, max(-p, 0.0)))
    return solid(parts), solid([skin], _complexion(skin, tint, max(p, 0.0)))


def _complexion(skin: Mesh, tint: Color, blush: float) -> np.ndarray:
    """Colours (sRGB) of the skin's vertices (n, 3): blushing cheeks on a tint."""
    right, forward, up = ((skin.vertices - CENTER) / (np.asarray(HEAD_SHAPE) * HEAD_M)).T
    colors = np.empty((len(right), 3))
    colors[:] = tint
    for side in (1, -1):
        dx, dy = (right - side * 0.52) / 0.46, (up + 0.20) / 0.32
        near = np.where(forward > 0, np.maximum(1 - (dx * dx + dy * dy), 0.0), 0.0)
        weight = (0.75 * blush) * (near * (2 - near))
        colors += weight[:, None] * (np.asarray(BLUSH, np.float64) - colors)
    return np.floor(colors + 0.5).astype(np.int64)


def _mixed(a: Color, b: Color, share: float) -> Color:
    return tuple(math.floor(x + (y - x) * share + 0.5) for x, y in zip(a, b, strict=True))


def _on_face(right: float, up: float, lift: float = 0.0) -> tuple[float, float, float]:
    """A point on the front of the head, in HEAD_M (right, forward, up)."""
    wide, deep, high = HEAD_SHAPE
    inside = 1 - (right / wide) * (right / wide) - (up / high) * (up / high)
    return right, deep * math.sqrt(max(inside, 0.02)) + lift, up


def _line(points: Sequence[VectorLike], half_width: float, color: Color) -> list[Mesh]:
    """A bent bar on the face; points and half width in HEAD_M."""
    placed = [np.asarray(CENTER) + np.asarray(point) * HEAD_M for point in points]
    width, parts = half_width * HEAD_M, []
    for start, end in pairwise(placed):
        parts += tube("line", 1, start, end, width, width, color, columns=6)
    return parts
