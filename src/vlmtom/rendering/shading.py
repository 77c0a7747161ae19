"""What colour a seen point has: one distant lamp with a soft shadow, and light from all around."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Color, Mesh
from vlmtom.rendering.vectors import UP, Vector, cross, dot, unit
from vlmtom.rendering.zbuffer import Buffer, Triangles, rasterise, triangles

f32 = np.float32

LAMP_DISTANCE_M = 8.0
FARTHEST_M = 20.0  # from the lamp; beyond it nothing throws a shadow
LINEAR_STEPS = 4096


@dataclass(frozen=True)
class ShadowMap:
    """The part of the world in which shadows are thrown."""

    center: Vector = (0.0, 0.1, 0.1)
    half_extent_m: float = 1.35
    resolution: int = 1024
    softness_texels: float = 1.7  # between neighbouring taps
    taps: int = 1  # (2 taps + 1) squared samples
    bias_m: float = 0.006  # keeps a surface from shading itself


@dataclass(frozen=True)
class Lighting:
    towards_lamp: Vector = (-0.50, -0.80, 1.15)
    ambient: float = 0.56  # share of the light that comes from all around
    lamp_gain: float = 1.12
    sky: float = 0.20  # how much of the ambient light depends on facing upwards
    shadow: ShadowMap | None = field(default_factory=ShadowMap)
    background: Color = (0, 0, 0)  # where there is no mesh


def _linear(byte: int) -> float:
    s = byte / 255
    return s / 12.92 if s <= 0.04045 else math.pow((s + 0.055) / 1.055, 2.4)


def _srgb_byte(linear: float) -> int:
    s = 12.92 * linear if linear <= 0.0031308 else 1.055 * math.pow(linear, 1 / 2.4) - 0.055
    return math.floor(s * 255 + 0.5)


# IEC 61966-2-1 as tables, built with scalar `math.pow` and rounded: numpy's power is vectorised
# differently on different CPUs.
LINEAR = np.array([round(_linear(c), 7) for c in range(256)], f32)
SRGB = np.array([_srgb_byte(i / LINEAR_STEPS) for i in range(LINEAR_STEPS + 1)], np.uint8)


@dataclass(frozen=True)
class _Lamp:
    """The lamp's own depth picture and how to look up a point in it."""

    depth: np.ndarray  # (n * n,) float32, metres from the lamp's plane
    right: np.ndarray
    up: np.ndarray
    away: np.ndarray  # unit vector along the light
    eye: np.ndarray
    texels_per_m: float
    shadow: ShadowMap

    def lit(self, x: np.ndarray, y: np.ndarray, distance: np.ndarray) -> np.ndarray:
        """Share of the taps that the lamp reaches; x, y in texels, distance in metres."""
        n, taps = self.shadow.resolution, self.shadow.taps
        steps = [f32(i * self.shadow.softness_texels) for i in range(-taps, taps + 1)]
        limit = f32(n - 1)
        # Clipped before the conversion: an integer out of range differs between machines.
        columns = [np.clip(x + step, f32(0), limit).astype(np.int32) for step in steps]
        count = np.zeros(x.shape, f32)
        for step in steps:
            row = np.clip(y + step, f32(0), limit).astype(np.int32) * n
            for column in columns:
                count += self.depth[row + column] > distance
        return count * f32(1 / (len(steps) * len(steps)))


def _lamp(meshes: Sequence[Mesh], lighting: Lighting, shadow: ShadowMap) -> _Lamp:
    towards = unit(lighting.towards_lamp)
    right = unit(cross(UP, towards))
    up = cross(towards, right)
    eye = np.asarray(shadow.center, np.float64) + towards * LAMP_DISTANCE_M
    n = shadow.resolution
    scale = n / 2 / shadow.half_extent_m
    offset = triangles([m for m in meshes if m.casts_shadow]).corners - eye
    screen = np.stack([dot(offset, right) * scale + n / 2, n / 2 - dot(offset, up) * scale], -1)
    buffer = rasterise(screen, FARTHEST_M - dot(offset, -towards), n, n)
    depth = np.where(buffer.triangle >= 0, f32(FARTHEST_M) - buffer.nearness, f32(1e9))
    # Points outside the map are looked up at its edge; they are lit.
    depth[0], depth[-1], depth[:, 0], depth[:, -1] = (f32(1e9),) * 4
    return _Lamp(depth.astype(f32).reshape(-1), right, up, -towards, eye, scale, shadow)


class Shader:
    """Colours the seen pixels, some rows at a time."""

    def __init__(
        self,
        meshes: Sequence[Mesh],
        camera: Camera,
        lighting: Lighting,
        buffer: Buffer,
        inverse_distance: np.ndarray,
        seen: Triangles,
    ) -> None:
        self.camera, self.lighting, self.buffer = camera, lighting, buffer
        # Divided by distance an attribute is affine in the picture.
        slopes = buffer.gradients.of(seen.attributes * inverse_distance[..., None])
        self.slopes = tuple(np.ascontiguousarray(s.T.astype(f32)) for s in slopes)
        self.mesh = seen.mesh.astype(np.int32)
        self.colors = LINEAR[np.array([m.color for m in meshes], np.int64).reshape(-1, 3)]
        self.textures = {
            k: LINEAR[m.texture] for k, m in enumerate(meshes) if m.texture is not None
        }
        shadow = lighting.shadow
        self.lamp = _lamp(meshes, lighting, shadow) if shadow is not None else None

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Linear light (stop - start, width, 3) float32 of some rows."""
        width = self.camera.width
        owner = self.buffer.triangle[start:stop].reshape(-1)
        empty = owner < 0
        x = np.tile((np.arange(width) + 0.5).astype(f32), stop - start)
        y = np.repeat((np.arange(start, stop) + 0.5).astype(f32), width)
        if empty.all():
            image = np.zeros((len(owner), 3), f32)
        else:
            # Empty pixels are shaded as some triangle and painted over.
            owner = np.maximum(owner, 0)
            inverse = np.where(empty, f32(1), self.buffer.nearness[start:stop].reshape(-1))
            distance = f32(1) / inverse
            image = self._albedo(owner, x, y, distance)
            image *= self._light(owner, x, y, distance)[:, None]
        if empty.any():
            image[empty] = LINEAR[np.array(self.lighting.background)]
        return image.reshape(stop - start, width, 3)

    def _attribute(
        self, i: int, owner: np.ndarray, x: np.ndarray, y: np.ndarray, distance: np.ndarray
    ) -> np.ndarray:
        dx, dy, constant = (s[i] for s in self.slopes)
        return (dx[owner] * x + dy[owner] * y + constant[owner]) * distance

    def _light(
        self, owner: np.ndarray, x: np.ndarray, y: np.ndarray, distance: np.ndarray
    ) -> np.ndarray:
        nx, ny, nz = (self._attribute(i, owner, x, y, distance) for i in range(3))
        shrink = f32(1) / np.sqrt(nx * nx + ny * ny + nz * nz + f32(1e-20))
        lx, ly, lz = (f32(v) for v in unit(self.lighting.towards_lamp))
        lamp = np.maximum((nx * lx + ny * ly + nz * lz) * shrink, f32(0))
        if self.lamp is not None:
            lamp *= self._lamp_reaches(x, y, distance)
        light = self.lighting
        around = f32(1 - light.sky) + f32(light.sky) * nz * shrink
        return f32(light.ambient) * around + f32((1 - light.ambient) * light.lamp_gain) * lamp

    def _lamp_reaches(self, x: np.ndarray, y: np.ndarray, distance: np.ndarray) -> np.ndarray:
        camera, lamp = self.camera, self.lamp
        right, up, forward = camera.basis()
        scale = f32(1 / camera.focal_px)
        side = (x - f32(camera.width / 2)) * distance * scale
        above = (f32(camera.height / 2) - y) * distance * scale
        offset = np.asarray(camera.eye, np.float64) - lamp.eye

        def along(axis: np.ndarray) -> np.ndarray:
            """The seen point's coordinate along an axis of the lamp, metres."""
            a, b, c, d = (f32(dot(v, axis)) for v in (offset, right, up, forward))
            return a + side * b + above * c + distance * d

        middle, per_m = f32(lamp.shadow.resolution / 2), f32(lamp.texels_per_m)
        return lamp.lit(
            along(lamp.right) * per_m + middle,
            middle - along(lamp.up) * per_m,
            along(lamp.away) - f32(lamp.shadow.bias_m),
        )

    def _albedo(
        self, owner: np.ndarray, x: np.ndarray, y: np.ndarray, distance: np.ndarray
    ) -> np.ndarray:
        """Linear surface colour (p, 3), from the mesh's colour or its texture."""
        mesh = self.mesh[owner]
        albedo = self.colors[mesh]
        present = np.bincount(mesh, minlength=len(self.colors))
        for k, texture in self.textures.items():
            if not present[k]:
                continue
            where = np.nonzero(mesh == k)[0]
            u, v = (
                self._attribute(i, owner[where], x[where], y[where], distance[where])
                for i in (3, 4)
            )
            albedo[where] = _sample(texture, u, v)
        return albedo


def _sample(texture: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Bilinear samples (p, 3) of a linear texture (h, w, 3); v upwards."""
    height, width = texture.shape[:2]
    x = np.clip(u * f32(width) - f32(0.5), f32(0), f32(width - 1.001))
    y = np.clip((f32(1) - v) * f32(height) - f32(0.5), f32(0), f32(height - 1.001))
    column, row = x.astype(np.int32), y.astype(np.int32)
    fx, fy = (x - column.astype(f32))[:, None], (y - row.astype(f32))[:, None]
    upper = texture[row, column] * (f32(1) - fx) + texture[row, column + 1] * fx
    lower = texture[row + 1, column] * (f32(1) - fx) + texture[row + 1, column + 1] * fx
    return upper * (f32(1) - fy) + lower * fy


def to_srgb(linear: np.ndarray) -> np.ndarray:
    """Linear light as sRGB bytes."""
    steps = np.clip(linear, f32(0), f32(1)) * f32(LINEAR_STEPS) + f32(0.5)
    return SRGB[steps.astype(np.int32)]
