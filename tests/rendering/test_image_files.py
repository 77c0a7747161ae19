"""Hashes, PNG files and contact sheets."""

import hashlib

import cv2
import numpy as np
import pytest

from vlmtom.rendering import images
from vlmtom.rendering.images import PngMismatch, contact_sheet, encode_png, pixel_sha256

PICTURE = np.random.default_rng(0).integers(0, 256, (12, 20, 3)).astype(np.uint8)


def test_the_pixel_hash_covers_shape_and_bytes():
    expected = hashlib.sha256(b"12x20x3:" + PICTURE.tobytes()).hexdigest()
    assert pixel_sha256(PICTURE) == expected
    assert pixel_sha256(PICTURE.reshape(20, 12, 3)) != expected


def test_a_view_hashes_like_its_copy():
    view = PICTURE[:, ::2]
    assert pixel_sha256(view) == pixel_sha256(view.copy())


def test_something_else_than_a_picture_is_refused():
    with pytest.raises(ValueError, match=r"\(height, width, 3\) uint8, not \(3, 3\) float64"):
        pixel_sha256(np.zeros((3, 3)))


def test_a_png_holds_the_pixels():
    assert np.array_equal(images.decode_image(encode_png(PICTURE)), PICTURE)


def test_a_png_that_decodes_to_other_pixels_is_not_handed_out(monkeypatch):
    wrong = PICTURE[..., ::-1].copy()
    wrong[0, 0, 0] ^= 1
    monkeypatch.setattr(cv2, "imdecode", lambda data, flags: wrong)
    with pytest.raises(PngMismatch, match=r"decodes to other pixels; OpenCV .* not usable"):
        encode_png(PICTURE)


def test_bytes_that_are_no_image_are_named_as_such():
    with pytest.raises(ValueError, match=r"not an image that OpenCV can read \(5 bytes\)"):
        images.decode_image(b"hello")


def test_a_contact_sheet_has_a_row_for_every_so_many_pictures():
    sheet = contact_sheet([PICTURE] * 5, [str(i) for i in range(5)], columns=2, cell_width=40)
    # Cells 40 wide and 24 + 22 caption high, 4 apart: 2 columns, 3 rows.
    assert sheet.shape == (3 * (24 + 22 + 4) + 4, 2 * 44 + 4, 3)
    assert sheet.dtype == np.uint8


def test_a_contact_sheet_needs_a_caption_for_each_picture():
    with pytest.raises(ValueError, match="2 pictures but 1 captions"):
        contact_sheet([PICTURE, PICTURE], ["one"])
    with pytest.raises(ValueError, match="at least one picture"):
        contact_sheet([])
