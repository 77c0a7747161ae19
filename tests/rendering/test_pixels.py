"""PNG files without an image library: another decoder reads the same pixels."""

import struct

import numpy as np
import pytest

from vlmtom.rendering.images import decode_image
from vlmtom.rendering.pixels import pixel_sha256, plain_png


@pytest.mark.parametrize("shape", [(1, 1, 3), (7, 5, 3), (480, 720, 3)])
def test_a_plain_png_holds_the_pixels_it_was_made_of(shape):
    rgb = np.random.default_rng(3).integers(0, 256, shape, np.uint8)
    for level in (1, 9):
        assert (decode_image(plain_png(rgb, level)) == rgb).all()


def test_a_plain_png_declares_its_size_and_eight_bit_rgb():
    data = plain_png(np.zeros((7, 5, 3), np.uint8))
    # After the signature and the chunk's length and name: width, height, depth 8, colour type 2.
    assert struct.unpack(">II2B", data[16:26]) == (5, 7, 8, 2)


def test_part_of_a_picture_is_hashed_and_written_as_if_it_were_whole():
    whole = np.random.default_rng(4).integers(0, 256, (20, 30, 3), np.uint8)
    part = whole[3:9, 4:20]
    assert pixel_sha256(part) == pixel_sha256(part.copy())
    assert (decode_image(plain_png(part)) == part).all()


@pytest.mark.parametrize("shape", [(4, 4), (4, 4, 4)])
def test_what_is_no_rgb_picture_is_refused(shape):
    with pytest.raises(ValueError, match=r"\(height, width, 3\) uint8"):
        plain_png(np.zeros(shape, np.uint8))
    with pytest.raises(ValueError, match="float64"):
        pixel_sha256(np.zeros((4, 4, 3)))
