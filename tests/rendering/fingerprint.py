"""Prints hashes of canonical pictures; run in processes with different CPU features."""

import hashlib
import json

import numpy as np

from vlmtom.rendering.images import pixel_sha256
from vlmtom.rendering.raster import object_ids
from vlmtom.tabletop.scene import Block, Scene, director_camera, meshes, picture, tester_camera

THREE = Scene(
    (
        Block("A", "yellow", 0.25, -0.44, -0.081),
        Block("B", "red", 0.13, 0.005, -0.052),
        Block("C", "blue", 0.185, 0.431, -0.117),
    ),
    0,
    True,
)
FOUR = Scene(
    (
        Block("7", "purple", 0.155, -0.56, -0.131),
        Block("2", "green", 0.11, -0.187, -0.064),
        Block("9", "orange", 0.265, 0.193, -0.02),
        Block("4", "cyan", 0.205, 0.551, -0.118),
    ),
    1,
    True,
)
NEAR = Scene(THREE.blocks, 2, True, "near")


def fingerprint() -> dict[str, str]:
    hashes = {}
    for name, scene in (("three", THREE), ("four", FOUR), ("near", NEAR)):
        hashes[f"{name} picture"] = pixel_sha256(picture(scene))
        for eye, camera in (
            ("director", director_camera(scene.director)),
            ("tester", tester_camera(640, 480)),
        ):
            # From her own eye the director would see the inside of her head.
            parts = meshes(scene, figure=eye == "tester")
            for kind, buffer in zip(("ids", "depth"), object_ids(parts, camera), strict=True):
                data = np.ascontiguousarray(buffer).tobytes()
                hashes[f"{name} {eye} {kind}"] = hashlib.sha256(data).hexdigest()
    return hashes


if __name__ == "__main__":
    print(json.dumps(fingerprint()))
