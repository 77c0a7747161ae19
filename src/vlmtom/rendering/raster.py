"""Pictures, object ids and depths of meshes seen by a camera."""

from collections.abc import Sequence

import numpy as np

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Mesh
from vlmtom.rendering.shading import Lighting, Shader, to_srgb
from vlmtom.rendering.zbuffer import project, rasterise

BAND_ROWS = 32  # rows of the picture shaded together; keeps the working set small


def render(
    meshes: Sequence[Mesh],
    camera: Camera,
    lighting: Lighting | None = None,
    supersampling: int = 2,
) -> np.ndarray:
    """The picture: (height, width, 3) uint8 sRGB, the same bytes on every machine.

    supersampling: samples along each side of a pixel, averaged in linear light.
    """
    if supersampling < 1:
        raise ValueError(f"supersampling must be 1 or more, not {supersampling}")
    lighting = lighting or Lighting()
    ss = supersampling
    fine = camera.resized(camera.width * ss, camera.height * ss)
    screen, inverse_distance, seen = project(meshes, fine)
    buffer = rasterise(screen, inverse_distance, fine.width, fine.height)
    shader = Shader(meshes, fine, lighting, buffer, inverse_distance, seen)
    picture = np.empty((camera.height, camera.width, 3), np.uint8)
    for top in range(0, camera.height, BAND_ROWS):
        bottom = min(top + BAND_ROWS, camera.height)
        light = shader.rows(top * ss, bottom * ss)
        total = light[::ss, ::ss].copy()
        for j in range(ss):
            for i in range(ss):
                if i or j:
                    total += light[j::ss, i::ss]
        picture[top:bottom] = to_srgb(total * np.float32(1 / (ss * ss)))
    return picture


def object_ids(meshes: Sequence[Mesh], camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """What is seen at the middle of each pixel, and how far away.

    Returns object ids (height, width) int32, 0 where nothing is, and distances along the
    camera's axis (height, width) float64 in metres, infinite where nothing is.
    """
    screen, inverse_distance, seen = project(meshes, camera)
    buffer = rasterise(screen, inverse_distance, camera.width, camera.height)
    nothing = buffer.triangle < 0
    # The last entry is the id of "nothing": index -1 finds it.
    owner = np.array([meshes[k].object_id for k in seen.mesh] + [0], np.int32)
    nearness = np.where(nothing, 1.0, buffer.nearness.astype(np.float64))
    return owner[buffer.triangle], np.where(nothing, np.inf, 1 / nearness)
