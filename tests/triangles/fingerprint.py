"""Prints hashes of sheets; run in processes with different CPU features."""

import json

from vlmtom.rendering.images import pixel_sha256
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.sheets import numbered

print(
    json.dumps(
        {
            f"{clip} {fit}": pixel_sha256(
                numbered(SyntheticClip(shipped_tracks(clip)), fit, 0).picture
            )
            for clip in ("coaxing",)
            for fit in ("pad", "stretch")
        }
    )
)
