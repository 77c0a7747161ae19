"""Where a picture is taken from: a pinhole camera."""

import math
from dataclasses import dataclass, replace

import numpy as np

from vlmtom.rendering.vectors import Vector, cross, dot, unit


@dataclass(frozen=True)
class Camera:
    eye: Vector  # metres
    look: Vector  # the point in the middle of the picture, metres
    vertical_fov_deg: float
    width: int  # pixels
    height: int
    up: Vector = (0.0, 0.0, 1.0)

    def basis(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit vectors to the right, upwards and forwards."""
        forward = unit(np.subtract(self.look, self.eye))
        right = unit(cross(forward, np.asarray(self.up, np.float64)))
        return right, cross(right, forward), forward

    @property
    def focal_px(self) -> float:
        half_angle = math.radians(self.vertical_fov_deg) / 2
        return round(self.height / 2 / math.tan(half_angle), 9)

    def resized(self, width: int, height: int) -> "Camera":
        return replace(self, width=width, height=height)

    def view(self, points: np.ndarray) -> np.ndarray:
        """World points (..., 3) as (right, up, distance along the axis), metres."""
        offset = points - np.asarray(self.eye, np.float64)
        return np.stack([dot(offset, axis) for axis in self.basis()], axis=-1)

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """World points (..., 3) in front of the camera as picture coordinates (..., 2).

        x to the right, y downwards; the middle of the top left pixel is (0.5, 0.5).
        """
        return self.screen(self.view(np.asarray(points, np.float64)))

    def screen(self, view: np.ndarray) -> np.ndarray:
        """As `pixels`, from points that `view` returned (distance > 0)."""
        scale = self.focal_px / view[..., 2]
        x = view[..., 0] * scale + self.width / 2
        y = self.height / 2 - view[..., 1] * scale
        return np.stack([x, y], axis=-1)
