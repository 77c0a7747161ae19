"""What a pose is worth, and what is felt and shown there."""

import math

import numpy as np
import pytest
from scipy.stats import truncnorm

from vlmtom.mosaic.beliefs import Attitude
from vlmtom.mosaic.pcm.appraisal import (
    Likings,
    appraise,
    free_energy,
    likings,
    perceived_valence,
    shown,
    value,
)
from vlmtom.mosaic.pcm.field import Pose

UP = (0.0, 1.0)
AT_DARK = Pose((2, -1), UP)  # the dark box straight ahead


def divergence(mean):
    """The free energy by scipy's truncated normal distribution."""

    def shares(mean):
        edges = np.linspace(0, 1, 1001)
        found = np.diff(truncnorm.cdf(edges, -mean / 0.1, (1 - mean) / 0.1, mean, 0.1)) + 1e-5
        return found / found.sum()

    ideal = shares(0.95)
    return float(np.sum(shares(mean) * np.log2(shares(mean) / ideal)))


@pytest.mark.parametrize("mean", [0.0, 0.1, 0.377, 0.5, 0.8, 0.9501, 1.0])
def test_free_energy_is_the_divergence_from_the_ideal(mean):
    assert free_energy(mean) == pytest.approx(divergence(mean), abs=2e-3)


def test_the_ideal_costs_nothing():
    assert free_energy(0.95) == pytest.approx(0, abs=1e-9)


def test_free_energy_falls_as_value_rises():
    energies = [free_energy(i / 100) for i in range(96)]
    assert energies == sorted(energies, reverse=True)


def test_value_grows_with_size_times_liking():
    assert value(0.0, 1.0) == value(1.0, 0.5) == 0.5
    # 15 * 0.5 * 0.25 = 1.875
    assert value(0.5, 0.75) == pytest.approx(1 / (1 + math.exp(-1.875)))
    assert value(0.5, 0.25) == pytest.approx(1 - value(0.5, 0.75))


def test_a_liked_box_close_by_feels_good_and_a_disliked_one_bad():
    good = appraise(AT_DARK, (0, 4), Likings(0.5, dark=0.75, light=0.25))
    bad = appraise(AT_DARK, (0, 4), Likings(0.5, dark=0.25, light=0.75))
    assert good.felt > 0.4 and bad.felt < -0.4
    assert good.cost < bad.cost


def test_with_nothing_in_the_field_nothing_is_felt():
    back = Pose((0, 5), UP)
    assert appraise(back, (0, 0), Likings(0.9, 0.9, 0.1)).felt == 0


def test_a_disliked_other_costs_more_the_nearer_he_is():
    disliked = Likings(0.3, 0.75, 0.25)
    assert appraise(AT_DARK, (2, 1), disliked).cost > appraise(AT_DARK, (2, 4), disliked).cost
    liked = Likings(0.7, 0.75, 0.25)
    assert appraise(AT_DARK, (2, 1), liked).cost < appraise(AT_DARK, (2, 4), liked).cost


def test_the_will_moves_the_face_and_never_the_skin():
    # 0.8 will + 0.2 felt; half of what is felt leaks
    assert shown(0.5, -1) == (pytest.approx(-0.7), 0.25)
    assert shown(0.5, 0) == (pytest.approx(0.1), 0.25)
    assert shown(1, 1)[0] <= 1 and shown(-1, -1)[0] >= -1


def test_skin_and_face_are_read_by_their_shares():
    assert perceived_valence(-0.8, 0.4, 0.25) == pytest.approx(-0.5)
    assert perceived_valence(-0.8, 0.4, 1) == 0.4


def test_attitudes_are_appraised_to_a_hundredth():
    assert likings(Attitude(0.7049, 0.123, 0.877)) == Likings(0.7, 0.12, 0.88)
