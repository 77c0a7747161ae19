"""How large things stand in the field of consciousness, and how clearly they are seen."""

import math

import numpy as np
import pytest

from vlmtom.mosaic.pcm.field import (
    AGENT_SIZE,
    BOX_SIZE,
    DEPTH_GAIN,
    Pose,
    acuity,
    egocentric,
    projected,
    salience,
    unseen,
)
from vlmtom.mosaic.world import START

UP, RIGHT = (0.0, 1.0), (1.0, 0.0)


def test_right_and_depth_are_read_from_the_heading():
    assert egocentric(Pose((1, 1), UP), (3, 2)) == (2, 1)
    assert egocentric(Pose((1, 1), RIGHT), (3, 2)) == (-1, 2)  # what is above is to the left


def test_the_projection_is_the_homography_of_the_field():
    matrix = np.eye(4)
    matrix[3, 2] = DEPTH_GAIN
    for lateral, depth in ((0.0, 0.0), (1.5, 2.0), (-3.0, 4.5)):
        x, _, z, w = matrix @ [lateral, 0.0, depth, 1.0]
        assert projected(lateral, depth) == pytest.approx((x / w, z / w), rel=1e-15)


def test_salience_of_a_box_two_cells_ahead():
    # size 1.13 / 2.6 = 0.43462; point 2 / 2.6 = 0.76923; window exp(-0.59172 / 0.78125) = 0.46890
    expected = 1.13 / 2.6 * math.exp(-((2 / 2.6) ** 2) / (2 * 0.625**2))
    assert salience(Pose((0, 0), UP), (0, 2), BOX_SIZE) == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(0.2038, abs=5e-5)


def test_near_things_loom_and_no_thing_fills_more_than_the_field():
    here = Pose((0, 0), UP)
    sizes = [salience(here, (0, y), AGENT_SIZE) for y in range(1, 6)]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) <= 1


def test_what_is_behind_is_not_in_the_field_and_what_is_beside_is():
    assert salience(Pose((0, 0), UP), (0, -1), BOX_SIZE) == 0
    assert salience(Pose((0, 0), UP), (1, 0), BOX_SIZE) > 0


def test_what_is_a_little_behind_stands_as_if_beside():
    # 0.2 behind: no depth, so its own size (at most 1), and 0.9798 to the right
    across = math.sqrt(1 - 0.2**2)
    found = salience(Pose((0, 0), (-0.2, across)), (1, 0), BOX_SIZE)
    assert found == pytest.approx(math.exp(-(across**2) / (2 * 0.625**2)))


def test_acuity_falls_by_angle_alone():
    here = Pose((0, 0), UP)
    assert acuity(here, (0, 1)) == acuity(here, (0, 5)) == 1
    assert acuity(here, (3, 0)) == pytest.approx(math.exp(-5))  # 10 / pi times a quarter turn
    assert acuity(here, (-3, 0)) == acuity(here, (3, 0))
    assert acuity(here, (0, -2)) == pytest.approx(math.exp(-10))


def test_the_other_at_the_start_leaves_what_eq_6_leaves_uncertain():
    # straight ahead at 8 cells: g = 2 / (1 + 6.4)
    assert unseen(Pose(*START["subject"]), START["participant"][0]) == pytest.approx(1 - 2 / 7.4)
