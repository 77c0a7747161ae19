"""How a thing is drawn into a picture: smooth edges, one lamp, and no sample computed in vain.

A triangle is cut into the spans of samples that it covers, row by row, and the nearest of all
samples at a place is kept. Only elementwise + - * / and comparisons, integer gathers and a maximum,
which is the same in any order: the same pixels on every machine.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Mesh
from vlmtom.rendering.shading import LINEAR, to_srgb
from vlmtom.rendering.vectors import cross, dot, unit
from vlmtom.rendering.zbuffer import Triangles, clip_near

f32 = np.float32

# Samples along a pixel's side, by the pixels of a thing's window: small things need more.
SAMPLES = ((12_000, 4), (20_000, 3))
FEWEST_SAMPLES = 2
AMBIENT, LAMP, SKY = 0.70, 0.42, 0.16  # light from all around and from the lamp; share from above


@dataclass(frozen=True, eq=False)
class Solid:
    """A thing as triangles that run counter-clockwise seen from outside."""

    vertices: np.ndarray  # (n, 3) float64, metres
    normals: np.ndarray  # (n, 3) unit vectors
    colors: np.ndarray  # (n, 3) linear light
    faces: np.ndarray  # (m, 3) int64, rows of vertices

    def placed(self, x: float, y: float, heading: tuple[float, float]) -> "Solid":
        """A solid that looks along +y, turned to a heading and moved."""
        hx, hy = heading

        def turned(v: np.ndarray) -> np.ndarray:
            return np.stack([v[:, 0] * hy + v[:, 1] * hx, v[:, 1] * hy - v[:, 0] * hx, v[:, 2]], 1)

        vertices = turned(self.vertices) + np.array((x, y, 0.0))
        return Solid(vertices, turned(self.normals), self.colors, self.faces)


def joined(solids: Sequence[Solid]) -> Solid:
    """Several solids as one."""
    starts = np.cumsum([0] + [len(solid.vertices) for solid in solids[:-1]])
    faces = [solid.faces + start for solid, start in zip(solids, starts, strict=True)]
    return Solid(
        np.concatenate([solid.vertices for solid in solids]),
        np.concatenate([solid.normals for solid in solids]),
        np.concatenate([solid.colors for solid in solids]),
        np.concatenate(faces),
    )


def solid(meshes: Sequence[Mesh], colors: np.ndarray | None = None) -> Solid:
    """Meshes as one solid; textures are not drawn.

    colors: sRGB (n, 3) of the vertices of a single mesh, in place of its own.
    """
    parts = []
    for mesh in meshes:
        vertices, faces, normals = mesh.vertices, mesh.faces, mesh.normals
        if normals is None:  # flat: each triangle has its corners to itself
            corners = vertices[faces]
            flat = unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
            vertices, normals = corners.reshape(-1, 3), np.repeat(flat, 3, axis=0)
            faces = np.arange(len(vertices)).reshape(-1, 3)
        own = np.broadcast_to(np.array(mesh.color), (len(vertices), 3))
        linear = LINEAR[own if colors is None else colors].astype(np.float64)
        parts.append(Solid(vertices, normals, linear, faces))
    return joined(parts)


def paint(canvas: np.ndarray, eye: Camera, thing: Solid) -> None:
    """Draws a solid over what is on the canvas (h, w, 3) uint8 already."""
    screen, nearness, colors = _projected(thing, eye)
    if not len(screen):
        return
    points = screen.reshape(-1, 2)
    left, top = (max(0, math.floor(v)) for v in (points[:, 0].min(), points[:, 1].min()))
    right = min(eye.width, math.ceil(points[:, 0].max()))
    bottom = min(eye.height, math.ceil(points[:, 1].max()))
    if right <= left or bottom <= top:
        return
    width, height = right - left, bottom - top
    ss = next((n for most, n in SAMPLES if width * height <= most), FEWEST_SAMPLES)
    fine = (screen - (left, top)) * ss
    light, covered = _samples(fine, nearness, colors, width * ss, height * ss)
    color, share = np.zeros((height, width, 3), f32), np.zeros((height, width), f32)
    for j in range(ss):
        for i in range(ss):
            color += light[j::ss, i::ss]
            share += covered[j::ss, i::ss]
    scale = f32(1 / (ss * ss))
    window = canvas[top:bottom, left:right]
    where = share > 0
    bare = (f32(1) - share[where] * scale)[:, None]
    window[where] = to_srgb(color[where] * scale + LINEAR[window[where]] * bare)


def _projected(thing: Solid, eye: Camera) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What faces the eye: places in the picture (t, 3, 2), nearness (t, 3), light (t, 3, 3)."""
    corners = thing.vertices[thing.faces]
    outward = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = dot(outward, corners[:, 0] - np.asarray(eye.eye, np.float64)) < 0
    # The lamp is over the viewer's own shoulder, so that neither side of the room is lit more.
    _, _, forward = eye.basis()
    towards = unit((-0.75 * float(forward[0]), -0.75 * float(forward[1]), 1.0))
    lamp = np.maximum(dot(thing.normals, towards), 0.0)
    light = AMBIENT * (1 - SKY + SKY * thing.normals[:, 2]) + LAMP * lamp
    lit = thing.colors * light[:, None]
    faces = thing.faces[facing]
    seen = Triangles(eye.view(corners[facing]), lit[faces], np.zeros(len(faces), np.int64))
    seen = clip_near(seen)
    return eye.screen(seen.corners), 1 / seen.corners[..., 2], seen.attributes


def _samples(
    screen: np.ndarray, nearness: np.ndarray, colors: np.ndarray, width: int, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest triangle's light at the middle of each sample (h, w, 3), and where one is (h, w).

    On a shared edge, and between equally near triangles, the order of the triangles decides.
    """
    ax, ay = screen[:, 0, 0], screen[:, 0, 1]
    ux, uy = screen[:, 1, 0] - ax, screen[:, 1, 1] - ay
    vx, vy = screen[:, 2, 0] - ax, screen[:, 2, 1] - ay
    area = ux * vy - vx * uy
    keep = np.abs(area) > 1e-9
    area = np.where(keep, area, 1.0)
    # Weights of the second and third corner, then of the first: w = dx * x + (dy * y + constant).
    dx = np.stack([vy / area, -uy / area], 1)
    dy = np.stack([-vx / area, ux / area], 1)
    constant = -(dx * ax[:, None] + dy * ay[:, None])
    rows = screen[..., 1]
    low, high = np.minimum(np.minimum(rows[:, 0], rows[:, 1]), rows[:, 2]), rows.max(axis=1)
    first = np.clip(np.ceil(low - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.floor(high - 0.5), -1, height - 1).astype(np.int64)
    count = np.where(keep, np.maximum(last - first + 1, 0), 0)
    owner = np.repeat(np.arange(len(screen)), count)
    row = first[owner] + _ranks(count)
    start, stop = _span(dx, dy, constant, owner, row + 0.5, width)
    count = np.maximum(stop - start + 1, 0)
    owner = np.repeat(owner, count)
    x = np.repeat(start, count) + _ranks(count)
    y = np.repeat(row, count)
    place = y * width + x
    value = _affine(nearness, dx, dy, constant)
    depth = _at(value, owner, x, y)
    near = np.zeros(height * width, f32)
    np.maximum.at(near, place, depth)
    won = depth == near[place]
    triangle = np.full(height * width, -1, np.int32)
    triangle[place[won]] = owner[won]
    at = np.nonzero(triangle >= 0)[0]
    owner, y, x = triangle[at], at // width, at % width
    light = np.zeros((height * width, 3), f32)
    for channel in range(3):
        light[at, channel] = _at(_affine(colors[..., channel], dx, dy, constant), owner, x, y)
    covered = (triangle >= 0).astype(f32)
    return light.reshape(height, width, 3), covered.reshape(height, width)


def _ranks(count: np.ndarray) -> np.ndarray:
    """0, 1, ... within each of some groups that stand one after the other."""
    ends = np.cumsum(count)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - count, count)


def _span(
    dx: np.ndarray,
    dy: np.ndarray,
    constant: np.ndarray,
    owner: np.ndarray,
    y: np.ndarray,
    width: int,
) -> tuple[np.ndarray, np.ndarray]:
    """First and last sample of a triangle in a row: all three weights are at least 0 there."""
    start, stop = np.zeros(len(owner)), np.full(len(owner), width - 1.0)
    third = (-dx[:, 0] - dx[:, 1], -dy[:, 0] - dy[:, 1], 1 - constant[:, 0] - constant[:, 1])
    weights = [(dx[:, i], dy[:, i], constant[:, i]) for i in (0, 1)] + [third]
    for across, down, fixed in weights:
        slope = across[owner]
        rest = down[owner] * y + fixed[owner]
        bound = -rest / np.where(slope == 0, 1.0, slope) - 0.5
        bound = np.clip(bound, -1.0, width + 1.0)  # an integer out of range differs by machine
        start = np.where(slope > 0, np.maximum(start, np.ceil(bound)), start)
        stop = np.where(slope < 0, np.minimum(stop, np.floor(bound)), stop)
        stop = np.where((slope == 0) & (rest < 0), -1.0, stop)
    return start.astype(np.int64), stop.astype(np.int64)


def _affine(
    values: np.ndarray, dx: np.ndarray, dy: np.ndarray, constant: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Slopes in x and y and the constant of what has these values (t, 3) at the corners."""
    second, third = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]

    def mix(weight: np.ndarray) -> np.ndarray:
        return second * weight[:, 0] + third * weight[:, 1]

    return mix(dx), mix(dy), values[:, 0] + mix(constant)


def _at(
    plane: tuple[np.ndarray, np.ndarray, np.ndarray],
    owner: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
) -> np.ndarray:
    """A quantity at the middle of samples, float32."""
    across, down, fixed = plane
    # Whole numbers up to 4,000 and a half are exact in single precision.
    middle = fixed + 0.5 * (across + down)
    a, b, c = (v.astype(f32)[owner] for v in (across, down, middle))
    return a * x.astype(f32) + (b * y.astype(f32) + c)
