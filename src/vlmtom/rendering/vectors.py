"""Small vectors, elementwise: every pixel has to be the same on every machine.

BLAS, `einsum` and vectorised transcendental functions choose their order of operations by CPU;
numpy's + - * / and sqrt do not (IEEE 754 fixes each result). Angles go through `math` one at a
time and are rounded, so that a last-bit difference between C libraries disappears.
"""

import math
from collections.abc import Sequence

import numpy as np

Vector = tuple[float, float, float]
VectorLike = Sequence[float] | np.ndarray

UP = np.array((0.0, 0.0, 1.0))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scalar product over the last axis (3), summed in a fixed order."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product over the last axis (3)."""
    return np.stack(
        [
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ],
        axis=-1,
    )


def unit(v: VectorLike) -> np.ndarray:
    """Vectors (..., 3) scaled to length 1; a null vector stays null."""
    v = np.asarray(v, np.float64)
    return v / np.sqrt(dot(v, v) + 1e-30)[..., None]


def cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle in radians, on a grid of 1e-12."""
    return round(math.cos(angle), 12), round(math.sin(angle), 12)
