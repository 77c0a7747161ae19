"""What an onlooker of order 0 takes from a gaze and a valence."""

import math

import pytest

from vlmtom.mosaic.beliefs import Attitude
from vlmtom.mosaic.pcm.field import Pose, acuity
from vlmtom.mosaic.pcm.reader import evidence, log_odds, probability, shifted

UP = (0.0, 1.0)
AT_DARK, AT_LIGHT = Pose((2, -1), UP), Pose((-2, -1), UP)


def test_a_smile_at_a_box_speaks_for_it_and_a_scowl_against_it():
    # (0.25 + 0.05) / 0.3 = 1; the light box is off by 90 degrees less atan(1 / 4)
    apart = 1 - math.exp(-10 / math.pi * (math.pi / 2 - math.atan(0.25)))
    assert acuity(AT_DARK, (2, 0)) - acuity(AT_DARK, (-2, 0)) == pytest.approx(apart, abs=0.01)
    angle = math.atan2(4, 1)
    expected = 1.5 * math.tanh(1) * (1 - math.exp(-10 / math.pi * angle))
    assert evidence(AT_DARK, 0.25) == pytest.approx(expected)
    assert evidence(AT_DARK, -0.35) == pytest.approx(-expected)


def test_a_gaze_without_a_face_speaks_faintly_for_what_it_is_at():
    assert 0 < evidence(AT_DARK, 0.0) < 0.05 * evidence(AT_DARK, 0.8)


def test_sides_are_exact_opposites():
    for valence in (-0.6, -0.05, 0.0, 0.13, 0.9):
        assert evidence(AT_DARK, valence) == -evidence(AT_LIGHT, valence)
    assert log_odds(Attitude(dark=0.63, light=0.37)) == -log_odds(Attitude(dark=0.37, light=0.63))


def test_evidence_adds_up_in_log_odds():
    before = Attitude(0.6, dark=0.25, light=0.75)
    after = shifted(before, 1.0)
    assert after.dark == pytest.approx(1 / (1 + 3 * math.exp(-1)))  # odds 1 : 3, times e
    assert after.dark + after.light == pytest.approx(1)
    assert after.other == 0.6


def test_nobody_is_more_certain_than_three():
    assert log_odds(Attitude(dark=1.0, light=0.0)) == 3
    assert log_odds(Attitude(dark=0.0, light=1.0)) == -3
    assert log_odds(Attitude(dark=0.0, light=0.0)) == 0
    assert shifted(Attitude(dark=0.95, light=0.05), 10.0).dark == probability(3.0)
