"""An independent ray caster sees the same objects in the same pixels."""

import numpy as np
import pytest

from vlmtom.rendering.raster import object_ids
from vlmtom.tabletop.layout import SceneSpec, draw_scene
from vlmtom.tabletop.scene import FIRST_BLOCK, director_camera, meshes, tester_camera
from vlmtom.tabletop.visibility import inspect

rtcore_scene = pytest.importorskip("embreex.rtcore_scene")
mesh_construction = pytest.importorskip("embreex.mesh_construction")

COLORS = ("yellow", "red", "blue", "green")
SPECS = [
    SceneSpec(tuple("ABC"), COLORS[:3], (2, 0, 1), 0),
    SceneSpec(tuple("ABC"), COLORS[:3], (1, 2, 0), 1),
    SceneSpec(tuple("ABC"), COLORS[:3], (1, 2, 0), 2),
    SceneSpec(tuple("ABC"), COLORS[:3], (0, 1, 2), 1),
    SceneSpec(tuple("ABC"), COLORS[:3], (0, 2, 1), 1, partition=False),
    SceneSpec(tuple("ABC"), COLORS[:3], (2, 0, 1), 0, director="near"),
    SceneSpec(tuple("ABCD"), COLORS, (0, 2, 1, 3), 0),
    SceneSpec(tuple("ABCD"), COLORS, (1, 3, 0, 2), 1),
    SceneSpec(tuple("1234"), COLORS, (3, 0, 1, 2), 1),
]


def embree_ids(parts, camera):
    """Object ids (height, width) by casting a ray through the middle of each pixel."""
    corners = np.concatenate([m.vertices[m.faces] for m in parts])
    owner = np.concatenate([np.full(len(m.faces), m.object_id) for m in parts])
    x = (np.arange(camera.width) + 0.5 - camera.width / 2) / camera.focal_px
    y = (camera.height / 2 - np.arange(camera.height) - 0.5) / camera.focal_px
    right, up, forward = camera.basis()
    rays = (forward + x[None, :, None] * right + y[:, None, None] * up).reshape(-1, 3)
    # The rasteriser draws outer faces only; so the ray caster is given only those.
    edge = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = ((corners[:, 0] - camera.eye) * edge).sum(axis=1) < 0
    scene = rtcore_scene.EmbreeScene()
    mesh_construction.TriangleMesh(scene, corners[facing].astype(np.float32))
    origins = np.tile(np.array(camera.eye, np.float32), (len(rays), 1))
    hit = scene.run(origins, rays.astype(np.float32))
    ids = np.where(hit >= 0, owner[facing][hit], 0)
    return ids.reshape(camera.height, camera.width)


def test_embree_and_the_rasteriser_see_the_same_objects():
    differing = total = 0
    for i, spec in enumerate(SPECS):
        scene = draw_scene(spec, np.random.default_rng(i))
        for camera, figure in (
            (director_camera(spec.director), False),
            (tester_camera(512, 384), True),
        ):
            parts = meshes(scene, figure=figure)
            ours, theirs = object_ids(parts, camera)[0], embree_ids(parts, camera)
            differing += int((ours != theirs).sum())
            total += ours.size
            if not figure:
                seen = {k for k in range(len(scene.blocks)) if (theirs == FIRST_BLOCK + k).any()}
                assert seen == inspect(scene).visible, spec
    assert differing / total < 1e-4, f"{differing} of {total} pixels differ"
