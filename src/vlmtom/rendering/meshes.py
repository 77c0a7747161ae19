"""The shapes that scenes are made of, as triangles.

Right-handed axes in metres, z up. Triangles run counter-clockwise seen from outside; the
rasteriser leaves out those that it sees from behind.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vlmtom.rendering.labels import label_texture
from vlmtom.rendering.vectors import UP, VectorLike, cos_sin, cross, unit

Color = tuple[int, int, int]  # sRGB, 0 to 255
Axes = tuple[np.ndarray, np.ndarray, np.ndarray]  # right-handed unit vectors


@dataclass(frozen=True, eq=False)
class Mesh:
    name: str
    object_id: int  # > 0; shared by all meshes of one object
    vertices: np.ndarray  # (n, 3) float64, metres
    faces: np.ndarray  # (m, 3) int64, rows of vertices
    color: Color
    normals: np.ndarray | None = None  # (n, 3) unit vectors; None shades each triangle flat
    uv: np.ndarray | None = None  # (n, 2) in [0, 1], (0, 0) = lower left of the texture
    texture: np.ndarray | None = None  # (h, w, 3) uint8 sRGB, row 0 up
    casts_shadow: bool = True


def upright_axes(yaw: float = 0.0) -> Axes:
    """The world's axes turned about z by `yaw` radians."""
    c, s = cos_sin(yaw)
    return np.array((c, s, 0.0)), np.array((-s, c, 0.0)), UP


def quad(
    name: str,
    object_id: int,
    corners: Sequence[VectorLike],
    color: Color,
    texture: np.ndarray | None = None,
    casts_shadow: bool = True,
) -> Mesh:
    """A flat four-sided face; the first corner is the texture's lower left."""
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64) if texture is not None else None
    return Mesh(
        name,
        object_id,
        np.array(corners, np.float64),
        np.array([[0, 1, 2], [0, 2, 3]]),
        color,
        uv=uv,
        texture=texture,
        casts_shadow=casts_shadow,
    )


def box(
    name: str,
    object_id: int,
    foot: VectorLike,
    size: VectorLike,
    color: Color,
    label: str | None = None,
    casts_shadow: bool = True,
) -> list[Mesh]:
    """A box that stands on `foot` (the middle of its base), sides along the axes.

    A label goes on the near (-y) and the top face, to be read from -y.
    """
    x0, x1 = foot[0] - size[0] / 2, foot[0] + size[0] / 2
    y0, y1 = foot[1] - size[1] / 2, foot[1] + size[1] / 2
    z0, z1 = foot[2], foot[2] + size[2]
    a, b, c, d = (x0, y0, z0), (x1, y0, z0), (x1, y1, z0), (x0, y1, z0)
    e, f, g, h = (x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)
    texture = label_texture(label, color) if label is not None else None
    labelled = [(a, b, f, e), (e, f, g, h)]
    plain = [(b, c, g, f), (c, d, h, g), (d, a, e, h), (d, c, b, a)]
    return [quad(name, object_id, q, color, texture, casts_shadow) for q in labelled] + [
        quad(name, object_id, q, color, None, casts_shadow) for q in plain
    ]


@lru_cache(maxsize=64)
def _unit_sphere(
    columns: int, rows: int, start: float, stop: float
) -> tuple[np.ndarray, np.ndarray]:
    """Directions (n, 3) and faces of a sphere between two angles from the pole, radians."""
    around = [cos_sin(2 * math.pi * i / columns) for i in range(columns + 1)]
    directions = []
    for j in range(rows + 1):
        height, ring = cos_sin(start + (stop - start) * j / rows)
        directions += [(ring * c, ring * s, height) for c, s in around]
    faces = []
    for j in range(rows):
        for i in range(columns):
            a = j * (columns + 1) + i
            d = a + columns + 1
            # At a pole one of the two triangles of a patch has no area.
            if j > 0 or start > 0:
                faces.append((a, d, a + 1))
            if j < rows - 1 or stop < math.pi:
                faces.append((a + 1, d, d + 1))
    return np.array(directions), np.array(faces)


def _turned(local: np.ndarray, axes: Axes) -> np.ndarray:
    return local[:, :1] * axes[0] + local[:, 1:2] * axes[1] + local[:, 2:] * axes[2]


def ellipsoid(
    name: str,
    object_id: int,
    center: VectorLike,
    radii: VectorLike,
    color: Color,
    *,
    axes: Axes | None = None,
    columns: int = 28,
    rows: int = 16,
    start: float = 0.0,
    stop: float = math.pi,
    casts_shadow: bool = True,
) -> Mesh:
    """An ellipsoid, or the part of it between two angles from its third axis (radians)."""
    directions, faces = _unit_sphere(columns, rows, start, stop)
    axes = axes or upright_axes()
    radii = np.asarray(radii, np.float64)
    return Mesh(
        name,
        object_id,
        np.asarray(center, np.float64) + _turned(directions * radii, axes),
        faces,
        color,
        normals=unit(_turned(directions / radii, axes)),
        casts_shadow=casts_shadow,
    )


@lru_cache(maxsize=64)
def _ring(columns: int) -> np.ndarray:
    """Points (columns + 1, 2) around the unit circle; the last repeats the first."""
    return np.array([cos_sin(2 * math.pi * i / columns) for i in range(columns + 1)])


@lru_cache(maxsize=64)
def _strip_faces(rings: int, columns: int) -> np.ndarray:
    """Faces between stacked rings of `columns` + 1 vertices each, bottom ring first."""
    faces = []
    for j in range(rings - 1):
        for i in range(columns):
            a = j * (columns + 1) + i
            d = a + columns + 1
            faces += [(a, a + 1, d), (a + 1, d + 1, d)]
    return np.array(faces)


def tube(
    name: str,
    object_id: int,
    start: VectorLike,
    end: VectorLike,
    start_radius: float,
    end_radius: float,
    color: Color,
    *,
    columns: int = 20,
    round_ends: bool = True,
    casts_shadow: bool = True,
) -> list[Mesh]:
    """A round bar between two points, closed by half-sunk spheres where `round_ends`."""
    start, end = np.asarray(start, np.float64), np.asarray(end, np.float64)
    along = unit(end - start)
    # Any direction that is surely not parallel to the bar will do.
    aside = np.array((0.3, 0.1, 0.9) if abs(along[2]) < 0.9 else (1.0, 0.0, 0.0))
    first = unit(cross(along, aside))
    second = cross(along, first)
    ring = _ring(columns)
    outward = ring[:, :1] * first + ring[:, 1:] * second
    bar = Mesh(
        name,
        object_id,
        np.concatenate([start + start_radius * outward, end + end_radius * outward]),
        _strip_faces(2, columns),
        color,
        normals=np.concatenate([outward, outward]),
        casts_shadow=casts_shadow,
    )
    if not round_ends:
        return [bar]
    caps = max(8, columns * 3 // 4)
    return [bar] + [
        ellipsoid(
            name,
            object_id,
            center,
            (radius, radius, radius),
            color,
            columns=caps,
            rows=caps // 2,
            casts_shadow=casts_shadow,
        )
        for center, radius in ((start, start_radius), (end, end_radius))
    ]


def lathe(
    name: str,
    object_id: int,
    axis_xy: tuple[float, float],
    profile: Sequence[tuple[float, float, float]],
    color: Color,
    *,
    yaw: float = 0.0,
    columns: int = 28,
    casts_shadow: bool = True,
) -> Mesh:
    """An upright body of elliptical cross-sections, open at both ends.

    profile: (z, radius along the turned x axis, radius along the turned y axis), bottom first.
    """
    axes = upright_axes(yaw)
    ring = _ring(columns)
    vertices, normals = [], []
    for j, (z, rx, ry) in enumerate(profile):
        below, above = profile[max(j - 1, 0)], profile[min(j + 1, len(profile) - 1)]
        widening = ((above[1] + above[2]) - (below[1] + below[2])) / 2
        slope = -widening / max(above[0] - below[0], 1e-6)
        flat = np.zeros((columns + 1, 1))
        vertices.append(_turned(np.concatenate([ring * (rx, ry), flat], 1), axes) + UP * z)
        outward = unit(np.concatenate([ring / (rx, ry), flat], 1))
        normals.append(unit(_turned(outward, axes) + UP * slope))
    return Mesh(
        name,
        object_id,
        np.concatenate(vertices) + np.array((axis_xy[0], axis_xy[1], 0.0)),
        _strip_faces(len(profile), columns),
        color,
        normals=np.concatenate(normals),
        casts_shadow=casts_shadow,
    )
