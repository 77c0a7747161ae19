"""States of the treasure game that the tests of its pictures look at, and their hashes."""

import json

from vlmtom.mosaic.view import picture
from vlmtom.mosaic.world import Body, Cell, PublicState, Role, start, unit
from vlmtom.rendering.pixels import pixel_sha256


def state(
    subject: tuple[Cell, tuple[float, float]],
    participant: tuple[Cell, tuple[float, float]],
    facial: float = 0.0,
    physiological: float = 0.0,
) -> PublicState:
    """Both at a cell, looking somewhere; the valences are the subject's."""
    (cell, heading), (other, ahead) = subject, participant
    return PublicState(
        Body(cell, unit(heading), facial, physiological), Body(other, unit(ahead), 0.0, 0.0)
    )


NEAR = state(((0, 0), (0, 1)), ((0, 2), (0, -1)))
PINNED: dict[str, tuple[PublicState, Role, str]] = {
    "start, subject": (start(), "subject", "standard"),
    "start, participant": (start(), "participant", "standard"),
    "start, face": (start(), "participant", "face"),
    "glad": (state(((0, 0), (0, 1)), ((0, 2), (0, -1)), 1.0, 1.0), "participant", "standard"),
    "angry": (state(((0, 0), (1, 2)), ((1, 2), (-1, -2)), -0.6, -0.8), "participant", "face"),
    "from the side": (state(((1, 0), (2, 0)), ((4, 2), (-1, -1))), "participant", "standard"),
}


def fingerprint() -> dict[str, str]:
    """Pixel SHA-256 of the pinned pictures."""
    return {name: pixel_sha256(picture(*shown)) for name, shown in PINNED.items()}


if __name__ == "__main__":
    print(json.dumps(fingerprint()))
