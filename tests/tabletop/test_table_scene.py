"""What a scene shows: colours that keep their name, and a scene that makes sense."""

import numpy as np
import pytest

from vlmtom.rendering.raster import object_ids
from vlmtom.tabletop.layout import SceneSpec, draw_scene
from vlmtom.tabletop.scene import (
    DIRECTOR,
    FIRST_BLOCK,
    PALETTE,
    Block,
    Scene,
    meshes,
    picture,
    tester_camera,
)

# Hue in degrees: where a colour's name is beyond doubt, with gaps between neighbours.
HUE_WINDOWS = {
    "red": (348, 368),
    "orange": (20, 36),
    "yellow": (45, 60),
    "green": (110, 150),
    "cyan": (178, 192),
    "blue": (222, 242),
    "purple": (272, 292),
}
SATURATED = 70  # difference of the largest and the smallest channel


def hues(pixels):
    """Hue in degrees of (n, 3) RGB with some saturation."""
    rgb = pixels.astype(float)
    high, spread = rgb.max(axis=1), np.ptp(rgb, axis=1)
    r, g, b = rgb.T
    sector = np.select(
        [high == r, high == g], [(g - b) / spread, 2 + (b - r) / spread], 4 + (r - g) / spread
    )
    return sector * 60 % 360


@pytest.mark.parametrize("side", ["far", "near"])
@pytest.mark.parametrize(
    "colors",
    [
        ("yellow", "red", "blue"),
        ("blue", "yellow", "red"),
        ("purple", "green", "orange"),
        ("orange", "purple", "green"),
        ("red", "cyan", "green"),
        ("cyan", "green", "red"),
    ],
)
def test_a_block_keeps_its_colours_name(colors, side):
    spec = SceneSpec(tuple("ABC"), colors, (2, 0, 1), 0, director=side)
    scene = draw_scene(spec, np.random.default_rng(3))
    image = picture(scene)
    ids, _ = object_ids(meshes(scene), tester_camera())
    for i, color in enumerate(colors):
        # A pixel on an outline mixes two objects, so those are left out.
        own = ids == FIRST_BLOCK + i
        inner = own.copy()
        for axis in (0, 1):
            inner &= np.roll(own, 1, axis) & np.roll(own, -1, axis)
        pixels = image[inner].astype(int)
        pixels = pixels[np.ptp(pixels, axis=1) > SATURATED]
        assert len(pixels) > 0.35 * inner.sum()
        low, high = HUE_WINDOWS[color]
        hue = hues(pixels)
        hue = np.where(hue < high - 360, hue + 360, hue)
        # The rim of the white disc shifts a few pixels of orange.
        assert ((hue >= low) & (hue <= high)).mean() > 0.99, color


def test_nothing_but_a_block_has_a_hue_of_the_palette():
    scene = Scene((Block("A", "red", 0.13, 0.0, -0.1),), 0, True)
    image, (ids, _) = picture(scene), object_ids(meshes(scene), tester_camera())
    inner = ids > 0
    for axis in (0, 1):
        inner &= (ids == np.roll(ids, 1, axis)) & (ids == np.roll(ids, -1, axis))
    others = image[inner & (ids != FIRST_BLOCK)].astype(int)
    vivid = others[np.ptp(others, axis=1) > 100]
    # What is left is the director's mouth.
    assert len(vivid) < 300


@pytest.mark.parametrize("side", ["far", "near"])
def test_the_picture_is_the_size_that_was_asked_for_and_shows_the_director(side):
    blocks = (Block("A", "red", 0.25, -0.44, -0.1), Block("B", "blue", 0.13, 0.0, -0.1))
    scene = Scene(blocks, 0, True, side)
    assert picture(scene, 320, 240).shape == (240, 320, 3)
    ids, _ = object_ids(meshes(scene), tester_camera(512, 384))
    columns = np.nonzero((ids == DIRECTOR).any(axis=0))[0]
    # Far: behind the table, in the middle. Near: at the left edge.
    assert abs(columns.mean() - 256) < 8 if side == "far" else columns.max() < 110


def test_a_scene_that_makes_no_sense_is_refused():
    block = Block("A", "red", 0.2, 0.0, -0.1)
    with pytest.raises(ValueError, match="hidden_index is missing"):
        Scene((block,), None, True)
    with pytest.raises(ValueError, match="hidden_index 3, but 1 blocks"):
        Scene((block,), 3, True)
    with pytest.raises(ValueError, match="sits 'far' or 'near', not 'left'"):
        Scene((block,), 0, True, "left")
    with pytest.raises(ValueError, match="no colour 'mauve'; the palette has yellow, red"):
        Scene((Block("A", "mauve", 0.2, 0.0, 0.0),), None, False)


def test_the_palette_has_the_colours_of_the_papers():
    assert set(PALETTE) == {"yellow", "red", "blue", "purple", "green", "orange", "cyan"}
