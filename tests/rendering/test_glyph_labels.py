"""Glyphs that cannot be taken for one another."""

from itertools import combinations

import numpy as np
import pytest

from vlmtom.rendering.labels import DISC_RADIUS, STROKES, glyph_mask, label_texture

ALPHABETS = ("ABCD", "0123456789")


def test_there_are_glyphs_for_the_letters_and_digits_in_use():
    assert set("".join(ALPHABETS)) <= set(STROKES)


def test_an_unknown_character_is_refused_by_name():
    with pytest.raises(ValueError, match=r"no glyph for 'É'; there are glyphs for 0123456789ABCD"):
        glyph_mask("É")


@pytest.mark.parametrize("char", sorted(STROKES))
def test_a_glyph_is_bold_and_stays_inside_the_disc(char):
    n = 256
    mask = glyph_mask(char, n)
    assert mask.shape == (n, n)
    assert mask.min() >= 0.0
    assert mask.max() == 1.0
    middle = (np.arange(n) + 0.5) / n - 0.5
    radius = np.sqrt(middle[None, :] ** 2 + middle[:, None] ** 2)
    assert mask[radius > DISC_RADIUS - 0.03].max() == 0.0
    assert 0.05 < mask.mean() < 0.2
    rows = np.nonzero(mask.max(axis=1) > 0.5)[0]
    assert (rows[-1] - rows[0] + 1) / n == pytest.approx(0.54, abs=0.02)


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_glyphs_of_one_alphabet_differ_in_a_quarter_of_their_ink(alphabet):
    # At 48 pixels a face, the smallest block's size in the picture.
    for a, b in combinations(alphabet, 2):
        one, other = glyph_mask(a, 48), glyph_mask(b, 48)
        common = np.minimum(one, other).sum() / np.maximum(one, other).sum()
        assert common < 0.75, f"{a} and {b} share {common:.2f} of their ink"


def test_a_label_is_dark_on_a_white_disc_on_the_blocks_colour():
    texture = label_texture("D", (25, 145, 50))
    assert tuple(texture[2, 2]) == (25, 145, 50)
    assert tuple(texture[128, 30]) == (255, 255, 255)
    ink = glyph_mask("D") == 1.0
    assert (texture[ink] == 20).all()
