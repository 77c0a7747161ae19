"""A simple person: body, arms, head, face; seated at a table or standing."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vlmtom.rendering.meshes import Axes, Color, Mesh, ellipsoid, lathe, tube
from vlmtom.rendering.vectors import UP, VectorLike, cos_sin, cross, unit

EYE_WHITE = (250, 250, 250)
PUPIL = (25, 25, 30)
LIPS = (160, 62, 60)
SHOES = (45, 40, 40)


@dataclass(frozen=True)
class Look:
    """What a person wears and which face they make. Angles in radians."""

    shirt: Color = (66, 68, 74)
    trousers: Color = (60, 64, 78)
    skin: Color = (224, 172, 130)
    hair: Color = (70, 45, 30)
    head_radius_m: float = 0.115
    valence: float = 0.0  # -1 frown to 1 smile
    head_yaw: float = 0.0  # to the person's left, against the body
    head_pitch: float = 0.0  # downwards
    eyes_down: float = 0.0  # 0 straight ahead, 1 pupils at the lower lid


def person(
    object_id: int,
    eye: VectorLike,
    heading: float,
    floor_z: float,
    look: Look,
    *,
    hands: tuple[VectorLike, VectorLike] | None = None,
    arms: bool = True,
    standing: bool = False,
    casts_shadow: bool = True,
) -> list[Mesh]:
    """A person whose eyes (their midpoint) are at `eye`, metres.

    heading: where the body points, radians against the x axis. hands: left and right hand
    positions; hanging down where None. A person who is not standing ends at the hips.
    """
    eye = np.asarray(eye, np.float64)
    head = _head_axes(heading + look.head_yaw, look.head_pitch)
    radius = look.head_radius_m
    # The eyes sit on the front of the head, a little above its middle.
    center = eye - head[1] * (radius * 0.93) - head[2] * (radius * 0.10)
    parts = _body(object_id, center, heading, floor_z, look, standing, casts_shadow)
    if arms:
        parts += _arms(object_id, center, heading, look, hands, casts_shadow)
    return parts + _head(object_id, center, head, look, casts_shadow)


def _head_axes(yaw: float, pitch: float) -> Axes:
    """Right, forward and up of a head that is turned, then bowed."""
    c, s = cos_sin(yaw)
    ahead = np.array((c, s, 0.0))
    cp, sp = cos_sin(pitch)
    forward = ahead * cp - UP * sp
    right = np.array((s, -c, 0.0))
    return right, forward, cross(right, forward)


def _forward_left(heading: float) -> tuple[np.ndarray, np.ndarray]:
    c, s = cos_sin(heading)
    return np.array((c, s, 0.0)), np.array((-s, c, 0.0))


def _body(
    object_id: int,
    head_center: np.ndarray,
    heading: float,
    floor_z: float,
    look: Look,
    standing: bool,
    casts_shadow: bool,
) -> list[Mesh]:
    forward, left = _forward_left(heading)
    radius = look.head_radius_m
    x, y, z = (float(v) for v in head_center)
    top = z - 1.62 * radius
    hip = max(floor_z, top - 0.62)
    profile = [
        (hip, 0.165, 0.115),
        (hip + 0.16, 0.160, 0.110),
        (top - 0.24, 0.185, 0.120),
        (top - 0.12, 0.205, 0.118),
        (top - 0.05, 0.190, 0.105),
        (top - 0.01, 0.130, 0.085),
        (top + 0.015, radius * 0.49, radius * 0.49),
    ]
    yaw = heading - math.pi / 2
    parts = [
        lathe("body", object_id, (x, y), profile, look.shirt, yaw=yaw, casts_shadow=casts_shadow)
    ]
    parts += tube(
        "neck",
        object_id,
        (x, y, top),
        (x, y, z - radius * 0.6),
        radius * 0.50,
        radius * 0.48,
        look.skin,
        round_ends=False,
        casts_shadow=casts_shadow,
    )
    if standing:
        for side in (1, -1):
            upper = np.array((x, y, hip + 0.02)) + left * (side * 0.085)
            foot = np.array((x, y, floor_z + 0.06)) + left * (side * 0.10)
            parts += tube(
                "leg",
                object_id,
                upper,
                foot,
                0.088,
                0.055,
                look.trousers,
                casts_shadow=casts_shadow,
            )
            parts.append(
                ellipsoid(
                    "shoe",
                    object_id,
                    foot + forward * 0.05 - UP * 0.02,
                    (0.055, 0.12, 0.045),
                    SHOES,
                    axes=(cross(forward, UP), forward, UP),
                    columns=16,
                    rows=8,
                    casts_shadow=casts_shadow,
                )
            )
    return parts


def _arms(
    object_id: int,
    head_center: np.ndarray,
    heading: float,
    look: Look,
    hands: tuple[VectorLike, VectorLike] | None,
    casts_shadow: bool,
) -> list[Mesh]:
    forward, left = _forward_left(heading)
    parts = []
    for i, side in enumerate((1, -1)):
        shoulder = head_center - UP * (1.62 * look.head_radius_m + 0.07) + left * (side * 0.20)
        if hands is None:
            elbow = shoulder + left * (side * 0.04) - UP * 0.27
            hand = elbow + forward * 0.05 - UP * 0.26
        else:
            hand = np.asarray(hands[i], np.float64)
            # The elbow hangs below and outside the straight line from shoulder to hand.
            elbow = (shoulder + hand) * 0.5 - UP * 0.08 + left * (side * 0.06)
        parts += tube(
            "arm", object_id, shoulder, elbow, 0.060, 0.050, look.shirt, casts_shadow=casts_shadow
        )
        parts += tube(
            "arm", object_id, elbow, hand, 0.048, 0.036, look.shirt, casts_shadow=casts_shadow
        )
        reach = unit(hand - elbow)
        parts.append(
            ellipsoid(
                "hand",
                object_id,
                hand + reach * 0.05,
                (0.042, 0.042, 0.042),
                look.skin,
                columns=14,
                rows=8,
                casts_shadow=casts_shadow,
            )
        )
    return parts


def _head(
    object_id: int, center: np.ndarray, axes: Axes, look: Look, casts_shadow: bool
) -> list[Mesh]:
    radius = look.head_radius_m
    forward = axes[1]

    def part(name: str, offset: VectorLike, radii: VectorLike, color: Color, **shape) -> Mesh:
        """An ellipsoid of the head; offset and radii in head radii (right, forward, up)."""
        at = center + sum_of(axes, np.asarray(offset, np.float64) * radius)
        sized = np.asarray(radii, np.float64) * radius
        return ellipsoid(
            name, object_id, at, sized, color, axes=axes, casts_shadow=casts_shadow, **shape
        )

    parts = [
        part("head", (0, 0, 0), (0.88, 0.95, 1.18), look.skin, columns=32, rows=20),
        part(
            "hair",
            (0, -0.13, 0.17),
            (0.95, 0.98, 1.12),
            look.hair,
            columns=40,
            rows=18,
            stop=math.pi * 0.5,
        ),
        part("hair", (0, -0.26, 0.08), (0.92, 0.80, 1.12), look.hair, columns=40, rows=20),
    ]
    for side in (1, -1):
        x, y, z = _on_face(-side * 0.33, 0.10)
        parts.append(part("eye", (x, y - 0.06, z), (0.19, 0.12, 0.15), EYE_WHITE, columns=16))
        pupil = (x, y + 0.03, z - 0.08 * look.eyes_down)
        parts.append(part("eye", pupil, (0.085, 0.06, 0.095), PUPIL, columns=12, rows=10))
        frown = min(look.valence, 0.0)
        inner, outer = (
            _on_face(-side * 0.17, 0.35 + 0.13 * frown),
            _on_face(-side * 0.50, 0.29 - 0.10 * frown),
        )
        parts += _stroke("brow", object_id, center, axes, radius, inner, outer, 0.045, look.hair)
    nose = center + sum_of(axes, np.array(_on_face(0, 0.08)) * radius)
    tip = center + sum_of(axes, np.array(_on_face(0, -0.18)) * radius) + forward * radius * 0.12
    parts += tube(
        "nose",
        object_id,
        nose,
        tip,
        radius * 0.06,
        radius * 0.11,
        look.skin,
        columns=10,
        casts_shadow=casts_shadow,
    )
    lips = []
    for i in range(9):
        t = (i - 4) / 4
        lips.append(_on_face(t * 0.36, -0.54 + 0.30 * look.valence * (t * t - 0.35), 0.02))
    for a, b in pairwise(lips):
        parts += _stroke("mouth", object_id, center, axes, radius, a, b, 0.045, LIPS)
    return parts


def sum_of(axes: Axes, amounts: np.ndarray) -> np.ndarray:
    """The vector with these amounts (3,) along the axes."""
    return axes[0] * amounts[0] + axes[1] * amounts[1] + axes[2] * amounts[2]


def _on_face(right: float, up: float, lift: float = 0.0) -> tuple[float, float, float]:
    """A point on the front of the head, in head radii (right, forward, up)."""
    inside = 1 - (right / 0.88) * (right / 0.88) - (up / 1.18) * (up / 1.18)
    return right, 0.95 * math.sqrt(max(inside, 0.02)) + lift, up


def _stroke(
    name: str,
    object_id: int,
    center: np.ndarray,
    axes: Axes,
    radius: float,
    start: VectorLike,
    end: VectorLike,
    half_width: float,
    color: Color,
) -> list[Mesh]:
    """A thin bar on the face; points and half width in head radii. It casts no shadow."""
    a, b = (center + sum_of(axes, np.asarray(p) * radius) for p in (start, end))
    width = half_width * radius
    return tube(name, object_id, a, b, width, width, color, columns=6, casts_shadow=False)
