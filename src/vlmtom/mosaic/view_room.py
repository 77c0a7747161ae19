"""The room that the game is played in, as an agent's eye sees it: floor, walls and ceiling.

Seen along its own ray each plane of the room has a nearness (1 / distance) that is affine in the
picture, and the nearest plane is what is seen. So the whole room is some sums of rows and columns,
with edges that are smooth without supersampling. Room and light are the same to the left and to the
right, so that nothing but their colour tells the boxes apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vlmtom.mosaic.world import CELL_CM
from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Color

f32 = np.float32

CELL_M = CELL_CM / 100
HALF_M = 5.2  # from the middle to a wall: the board and 0.8 m around it
HEIGHT_M = 3.0
SKIRTING_M = 0.10
CEILING: Color = (236, 236, 232)
ALONG: Color = (203, 211, 214)  # the walls behind the agents at their start
ASIDE: Color = (188, 197, 201)  # the walls to their sides
SKIRTING: Color = (128, 124, 118)
TILES: tuple[Color, Color] = ((171, 171, 166), (153, 153, 149))  # one a cell


@dataclass(frozen=True)
class Plane:
    """Nearness (1/m along the camera's axis) of a plane: dx * x + (dy * y + constant)."""

    dx: float
    dy: float
    constant: float

    def at(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Nearness at picture coordinates x (w,) and y (h, 1)."""
        return f32(self.dx) * x + (f32(self.dy) * y + f32(self.constant))

    def before(self, other: "Plane", x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Share of each pixel in which this plane is nearer than another, 0 to 1."""
        dx, dy = self.dx - other.dx, self.dy - other.dy
        width = max(abs(dx) + abs(dy), 1e-12)  # of the edge, in nearness across one pixel
        constant = (self.constant - other.constant) / width + 0.5
        share = Plane(dx / width, dy / width, constant).at(x, y)
        return np.clip(share, f32(0), f32(1), out=share)


@dataclass(frozen=True)
class Shadow:
    """Where something stands: the floor below it is darker up to `radius_m` from its middle."""

    x: float
    y: float
    radius_m: float
    depth: float = 0.42  # share of the light that is taken in the middle


def _plane(camera: Camera, normal: Sequence[float], distance: float) -> Plane:
    """The plane of all points p with normal . p = distance, metres; seen from the side of 0."""
    right, up, forward = camera.basis()
    f = camera.focal_px
    along = [sum(float(axis[i]) * normal[i] for i in range(3)) for axis in (right, up, forward)]
    gap = distance - sum(camera.eye[i] * normal[i] for i in range(3))
    dx, dy = along[0] / f / gap, -along[1] / f / gap
    constant = along[2] / gap - dx * camera.width / 2 - dy * camera.height / 2
    return Plane(round(dx, 12), round(dy, 12), round(constant, 12))


def room(camera: Camera, shadows: Sequence[Shadow] = ()) -> np.ndarray:
    """(height, width, 3) uint8 sRGB; the camera stands in the room and is not rolled."""
    width, height = camera.width, camera.height
    x = (np.arange(width) + 0.5).astype(f32)
    y = (np.arange(height) + 0.5).astype(f32)[:, None]
    walls = [
        (_plane(camera, normal, HALF_M), color)
        for normal, color in (
            ((1, 0, 0), ASIDE),
            ((-1, 0, 0), ASIDE),
            ((0, 1, 0), ALONG),
            ((0, -1, 0), ALONG),
        )
    ]
    corners = np.array((0, width), f32), np.array((0, height), f32)[:, None]
    walls = [(plane, color) for plane, color in walls if (plane.at(*corners) > 0).any()]
    planes = [plane for plane, _ in walls]
    shade = _shades(walls, x, y)
    ceiling = _within(_plane(camera, (0, 0, 1), HEIGHT_M), planes, x, y)
    skirting = _within(_plane(camera, (0, 0, -1), -SKIRTING_M), planes, x, y)
    below = _plane(camera, (0, 0, -1), 0.0)
    floor = _within(below, planes, x, y)
    tile, light = _floor(camera, below, floor, x, shadows)
    picture = np.empty((height, width, 3), np.uint8)
    for channel in range(3):
        value = f32(ASIDE[channel]) + f32(ALONG[channel] - ASIDE[channel]) * shade
        value += ceiling * (f32(CEILING[channel]) - value)
        value += skirting * (f32(SKIRTING[channel]) - value)
        ground = f32(TILES[0][channel]) + f32(TILES[1][channel] - TILES[0][channel]) * tile
        rows = value[-len(tile) :] if len(tile) else value[:0]
        rows += floor[-len(tile) :] * (ground * light - rows) if len(tile) else 0
        picture[..., channel] = value + f32(0.5)
    return picture


def _shades(walls: Sequence[tuple[Plane, Color]], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How much of each pixel's wall is one along, 0 to 1 (h, w)."""
    shade = np.zeros((len(y), len(x)), f32)
    for i, (plane, color) in enumerate(walls):
        value = f32(color == ALONG)
        others = [other for other, _ in walls[:i]]
        if others:
            shade += _within(plane, others, x, y) * (value - shade)
        else:
            shade += value
    return shade


def _within(plane: Plane, others: Sequence[Plane], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Share of each pixel in which a plane is nearer than all others (h, w)."""
    share = plane.before(others[0], x, y)
    for other in others[1:]:
        np.minimum(share, plane.before(other, x, y), out=share)
    return share


def _floor(
    camera: Camera,
    below: Plane,
    seen: np.ndarray,
    x: np.ndarray,
    shadows: Sequence[Shadow],
) -> tuple[np.ndarray, np.ndarray]:
    """The floor's tile (0 to 1, filtered over the pixel) and its light, of the rows that show it.

    The rows are the lowest of the picture: the floor is below the horizon.
    """
    rows = int(np.count_nonzero(seen.any(axis=1)))
    y = (np.arange(camera.height - rows, camera.height) + 0.5).astype(f32)[:, None]
    nearness = f32(below.dy) * y + f32(below.constant)  # no roll: one distance a row
    distance = f32(1) / nearness
    f = camera.focal_px
    right, up, forward = camera.basis()
    sideways = (x - f32(camera.width / 2)) * f32(1 / f)
    upwards = (f32(camera.height / 2) - y) * f32(1 / f)
    place, filtered = [], []
    for i in (0, 1):
        ahead = distance * (f32(forward[i]) + f32(up[i]) * upwards)  # (rows, 1)
        offset = ahead + (distance * f32(right[i])) * sideways
        place.append(offset + f32(camera.eye[i]))
        # How far the point on the floor moves from one pixel to the next.
        across = np.abs(distance * f32(right[i] / f))
        down = np.abs(distance * f32(-up[i] / f) - offset * (f32(below.dy) * distance))
        filtered.append(_wave(place[i] * f32(1 / CELL_M), (across + down) * f32(1 / CELL_M)))
    tile = f32(0.5) - f32(0.5) * filtered[0] * filtered[1]
    light = np.ones_like(tile)
    for shadow in shadows:
        _darken(light, camera, shadow, place[0], place[1])
    return tile, light


def _wave(cells: np.ndarray, width: np.ndarray) -> np.ndarray:
    """A wave that is 1 and -1 in turns, a cell each, averaged over a width around each place.

    Cells are centred on whole numbers.
    """
    half = width * f32(0.5)

    def integral(at: np.ndarray) -> np.ndarray:
        turn = (at + f32(0.5)) * f32(0.5)
        return np.abs(turn - np.floor(turn) - f32(0.5))

    return f32(2) * (integral(cells - half) - integral(cells + half)) / width


def _darken(
    light: np.ndarray, camera: Camera, shadow: Shadow, x: np.ndarray, y: np.ndarray
) -> None:
    """Takes a shadow's share off `light` (rows, w), whose places on the floor are x and y."""
    r = shadow.radius_m
    ring = np.array([(shadow.x + a, shadow.y + b, 0.0) for a in (-r, r) for b in (-r, r)])
    view = camera.view(ring)
    if float(view[:, 2].max()) < r:
        return
    if float(view[:, 2].min()) > 0.2:
        columns, lines = camera.screen(view)[:, 0], camera.screen(view)[:, 1]
        first = camera.height - len(light)
        top, bottom = (max(0, int(v) - first) for v in (lines.min(), lines.max() + 1))
        left, end = (max(0, int(v)) for v in (columns.min(), columns.max() + 1))
        window = slice(top, bottom), slice(left, end)
    else:
        window = slice(None), slice(None)
    dx, dy = x[window] - f32(shadow.x), y[window] - f32(shadow.y)
    within = np.maximum(f32(1) - (dx * dx + dy * dy) * f32(1 / (r * r)), f32(0))
    light[window] *= f32(1) - f32(shadow.depth) * within
