"""Which triangle is seen in which pixel.

Only elementwise + - * / and comparisons, integer gathers and stable sorting: the buffers are the
same, bit for bit, on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Mesh
from vlmtom.rendering.vectors import cross, dot, unit

NEAR_M = 0.05  # nothing closer to the eye than this is drawn
# Triangles up to these sizes (pixels) are drawn together, as stacks of n x n candidate pixels.
BATCH_SIZES = (4, 8, 16, 32, 64)
BATCH_PIXELS = 400_000


@dataclass(frozen=True)
class Triangles:
    """Corners with what is interpolated between them."""

    corners: np.ndarray  # (t, 3 corners, 3) float64
    attributes: np.ndarray  # (t, 3 corners, k) float64; of meshes: normal x, y, z and texture u, v
    mesh: np.ndarray  # (t,) int64, position in the list of meshes

    def only(self, keep: np.ndarray) -> "Triangles":
        return Triangles(self.corners[keep], self.attributes[keep], self.mesh[keep])


@dataclass(frozen=True)
class Gradients:
    """Barycentric weights of the second and third corner: w = dx * x + (dy * y + constant)."""

    dx: np.ndarray  # (t, 2) per pixel
    dy: np.ndarray  # (t, 2)
    constant: np.ndarray  # (t, 2)

    def of(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Slopes (t, k) in x and y and constants of quantities given at the corners (t, 3, k)."""
        first, second = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]

        def mix(weight: np.ndarray) -> np.ndarray:
            return first * weight[:, :1] + second * weight[:, 1:]

        return mix(self.dx), mix(self.dy), values[:, 0] + mix(self.constant)


@dataclass(frozen=True)
class Buffer:
    nearness: np.ndarray  # (h, w) float32, larger is nearer, 0 where nothing is
    triangle: np.ndarray  # (h, w) int32, -1 where nothing is
    gradients: Gradients


def triangles(meshes: Sequence[Mesh]) -> Triangles:
    """All triangles of the meshes, in order."""
    corners, attributes, index = [], [], []
    for k, mesh in enumerate(meshes):
        points = mesh.vertices[mesh.faces]
        if mesh.normals is not None:
            normals = mesh.normals[mesh.faces]
        else:
            flat = unit(cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
            normals = np.repeat(flat[:, None], 3, axis=1)
        uv = mesh.uv[mesh.faces] if mesh.uv is not None else np.zeros((len(points), 3, 2))
        corners.append(points)
        attributes.append(np.concatenate([normals, uv], axis=-1))
        index.append(np.full(len(points), k))
    if not corners:
        return Triangles(np.zeros((0, 3, 3)), np.zeros((0, 3, 5)), np.zeros(0, np.int64))
    return Triangles(np.concatenate(corners), np.concatenate(attributes), np.concatenate(index))


def project(meshes: Sequence[Mesh], camera: Camera) -> tuple[np.ndarray, np.ndarray, Triangles]:
    """What may be seen of the meshes.

    Returns picture coordinates (t, 3, 2), inverse distances (t, 3; 1/m, affine in the picture)
    and the triangles in the camera's coordinates: those that face the eye, cut at NEAR_M.
    """
    world = triangles(meshes)
    normal = cross(
        world.corners[:, 1] - world.corners[:, 0], world.corners[:, 2] - world.corners[:, 0]
    )
    facing = dot(normal, world.corners[:, 0] - np.asarray(camera.eye, np.float64)) < 0
    seen = world.only(facing)
    seen = clip_near(Triangles(camera.view(seen.corners), seen.attributes, seen.mesh))
    return camera.screen(seen.corners), 1 / seen.corners[..., 2], seen


def clip_near(seen: Triangles) -> Triangles:
    """The parts of the triangles beyond NEAR_M (Sutherland and Hodgman); few are cut."""
    beyond = seen.corners[..., 2] >= NEAR_M
    whole = beyond[:, 0] & beyond[:, 1] & beyond[:, 2]
    cut = ~whole & (beyond[:, 0] | beyond[:, 1] | beyond[:, 2])
    kept = seen.only(whole)
    corners, attributes, mesh = [kept.corners], [kept.attributes], [kept.mesh]
    for t in np.nonzero(cut)[0]:
        points = np.concatenate([seen.corners[t], seen.attributes[t]], axis=-1)
        outline = []
        for i in range(3):
            a, b = points[i], points[(i + 1) % 3]
            if a[2] >= NEAR_M:
                outline.append(a)
            if (a[2] >= NEAR_M) != (b[2] >= NEAR_M):
                outline.append(a + (b - a) * ((NEAR_M - a[2]) / (b[2] - a[2])))
        for i in range(1, len(outline) - 1):
            piece = np.array([[outline[0], outline[i], outline[i + 1]]])
            corners.append(piece[..., :3])
            attributes.append(piece[..., 3:])
            mesh.append(seen.mesh[t : t + 1])
    return Triangles(np.concatenate(corners), np.concatenate(attributes), np.concatenate(mesh))


def rasterise(screen: np.ndarray, nearness: np.ndarray, width: int, height: int) -> Buffer:
    """The nearest triangle at the middle of each pixel.

    screen: corners (t, 3, 2) in picture coordinates; nearness: (t, 3) > 0, affine in the picture.
    On a shared edge, and between equally near triangles, the order of the triangles decides.
    """
    gradients, drawable = _gradients(screen)
    low = np.floor(np.minimum(np.minimum(screen[:, 0], screen[:, 1]), screen[:, 2]))
    high = np.ceil(np.maximum(np.maximum(screen[:, 0], screen[:, 1]), screen[:, 2]))
    x0, x1 = (np.clip(v[:, 0], 0, width).astype(np.int64) for v in (low, high))
    y0, y1 = (np.clip(v[:, 1], 0, height).astype(np.int64) for v in (low, high))
    todo = drawable & (x1 > x0) & (y1 > y0)
    extent = np.maximum(x1 - x0, y1 - y0)
    plane = tuple(v[:, 0] for v in gradients.of(nearness[..., None]))
    near = np.zeros(height * width, np.float32)
    triangle = np.full(height * width, -1, np.int32)
    for n in BATCH_SIZES:
        selected = np.nonzero(todo & (extent <= n))[0]
        todo[selected] = False
        step = max(1, BATCH_PIXELS // (n * n))
        for s in range(0, len(selected), step):
            batch = selected[s : s + step]
            _draw_batch(near, triangle, batch, n, x0, y0, (width, height), gradients, plane)
    near, triangle = near.reshape(height, width), triangle.reshape(height, width)
    for t in np.nonzero(todo)[0]:
        window = slice(y0[t], y1[t]), slice(x0[t], x1[t])
        _draw_large(near[window], triangle[window], int(t), x0[t], y0[t], gradients, plane)
    return Buffer(near, triangle, gradients)


def _gradients(screen: np.ndarray) -> tuple[Gradients, np.ndarray]:
    """Barycentric gradients, and which triangles have an area."""
    ax, ay = screen[:, 0, 0], screen[:, 0, 1]
    ux, uy = screen[:, 1, 0] - ax, screen[:, 1, 1] - ay
    vx, vy = screen[:, 2, 0] - ax, screen[:, 2, 1] - ay
    area = ux * vy - vx * uy
    drawable = np.abs(area) > 1e-9
    area = np.where(drawable, area, 1.0)
    dx = np.stack([vy / area, -uy / area], axis=1)
    dy = np.stack([-vx / area, ux / area], axis=1)
    return Gradients(dx, dy, -(dx * ax[:, None] + dy * ay[:, None])), drawable


def _draw_batch(
    near: np.ndarray,
    triangle: np.ndarray,
    batch: np.ndarray,
    n: int,
    x0: np.ndarray,
    y0: np.ndarray,
    size: tuple[int, int],
    gradients: Gradients,
    plane: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Draws small triangles into the flat buffers `near` and `triangle` (pixels of all rows)."""
    width, height = size
    columns = (x0[batch, None] + np.arange(n))[:, None, :]
    rows = (y0[batch, None] + np.arange(n))[:, :, None]
    x, y = columns + 0.5, rows + 0.5

    def affine(dx: np.ndarray, dy: np.ndarray, constant: np.ndarray) -> np.ndarray:
        a, b, c = (v[batch][:, None, None] for v in (dx, dy, constant))
        return a * x + (b * y + c)

    w1, w2 = (
        affine(gradients.dx[:, i], gradients.dy[:, i], gradients.constant[:, i]) for i in (0, 1)
    )
    inside = (w1 >= 0) & (w2 >= 0) & (w1 + w2 <= 1) & (columns < width) & (rows < height)
    if not inside.any():
        return
    value = affine(*plane)[inside].astype(np.float32)
    pixel = np.broadcast_to(rows * width + columns, inside.shape)[inside]
    owner = np.broadcast_to(batch[:, None, None], inside.shape)[inside]
    nearer = value > near[pixel]
    value, pixel, owner = value[nearer], pixel[nearer], owner[nearer]
    # Where a pixel occurs more than once the last assignment stays: the nearest.
    order = np.argsort(value, kind="stable")
    near[pixel[order]] = value[order]
    triangle[pixel[order]] = owner[order]


def _draw_large(
    near: np.ndarray,
    triangle: np.ndarray,
    t: int,
    left: int,
    upper: int,
    gradients: Gradients,
    plane: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Draws one triangle into views of the buffers whose first pixel is (left, upper)."""
    x = np.arange(near.shape[1]) + (left + 0.5)
    y = (np.arange(near.shape[0]) + (upper + 0.5))[:, None]
    w1, w2 = (
        gradients.dx[t, i] * x + (gradients.dy[t, i] * y + gradients.constant[t, i]) for i in (0, 1)
    )
    value = (plane[0][t] * x + (plane[1][t] * y + plane[2][t])).astype(np.float32)
    seen = (w1 >= 0) & (w2 >= 0) & (w1 + w2 <= 1) & (value > near)
    np.copyto(near, value, where=seen)
    np.copyto(triangle, t, where=seen)
