"""Metrics of a trial: the hand-checked logs, and each decision by itself."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest

from vlmtom.mosaic import metrics
from vlmtom.mosaic.conditions import BY_SLUG, condition_of
from vlmtom.mosaic.metrics import displayed, gaze_signal, majority, score, trajectory_signal
from vlmtom.mosaic.world import BOXES, START, Body, certainty, unit
from vlmtom.store.schemas.mosaic import MOSAIC_TRIALS

GOLDEN = Path(__file__).parents[1] / "data" / "mosaic_metrics_golden.csv"
AHEAD = START["subject"][1]
START_CELL = START["subject"][0]


def golden():
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def bodies(log):
    return [Body((x, y), unit((hx, hy)), facial) for x, y, hx, hy, facial in json.loads(log)]


def of_text(value):
    return None if value == "none" else int(value)


@pytest.mark.parametrize("row", golden(), ids=lambda row: row["case"])
def test_every_intermediate_of_the_hand_checked_logs_is_met(row):
    found = score(
        bodies(row["log"]),
        (int(row["final_x"]), int(row["final_y"])),
        int(row["reward"]),
        condition_of(row["mode"], int(row["tom"])),
    )
    assert (found.opened, found.score) == (int(row["c"]), int(row["p"]))
    assert condition_of(row["mode"], int(row["tom"])).predicted == int(row["y_c"])
    assert found.conforms == (row["tocs"] == "1")
    assert (found.opened == -1) == (row["ur"] == "1")
    assert " ".join(map(str, found.gaze)) == row["s_g"]
    assert " ".join(map(str, found.trajectory)) == row["s_tr"]
    assert (found.b_gaze, found.b_traj) == (of_text(row["b_g"]), of_text(row["b_tr"]))
    assert (found.a_gaze, found.a_traj) == (int(row["a_g"]), int(row["a_tr"]))
    assert (found.sens_gaze, found.sens_traj) == (int(row["sens_g"]), int(row["sens_tr"]))
    assert found.sensitivity == Fraction(row["S"])
    assert found.expressive == Fraction(row["FES"])


def test_the_threshold_lies_between_a_start_facing_ahead_and_one_turned_to_a_box():
    # From (0,-4) a box is at distance sqrt(20), 4 along the gaze ahead: eccentricity
    # (1 - 4/sqrt 20)/2 = 0.0528, g = 2 e^-0.528 / (1 + 3.2) = 0.281. Turned to it: eccentricity 0
    # and sqrt(20) along, g = 2 / (1 + 3.578) = 0.437.
    ahead = certainty(START_CELL, AHEAD, BOXES[0])
    turned = certainty(START_CELL, unit((2, 4)), BOXES[0])
    assert (round(ahead, 3), round(turned, 3)) == (0.281, 0.437)
    assert ahead < metrics.THRESHOLD < turned
    assert gaze_signal(Body(START_CELL, AHEAD)) == -1
    assert gaze_signal(Body(START_CELL, unit((2, 4)))) == 0
    assert gaze_signal(Body(START_CELL, unit((2, 4))), threshold=0.44) == -1


def test_a_negative_face_points_to_the_other_box_from_the_deadband_on():
    def turned(facial):
        return gaze_signal(Body(START_CELL, unit((-2, 4)), facial))

    assert [turned(v) for v in (0.5, 0.0, -0.049, -0.05, -0.5)] == [1, 1, 1, 0, 0]
    assert gaze_signal(Body(START_CELL, unit((-2, 4)), -0.3), deadband=0.4) == 1


def test_a_valence_that_is_the_deadband_but_for_a_float_error_is_displayed():
    assert 0.35 - 0.30 < 0.05
    assert displayed(0.35 - 0.30) == 0.35 - 0.30
    assert displayed(0.049) == 0.0


def test_sideways_distance_alone_makes_a_trajectory():
    assert [trajectory_signal((x, y)) for x, y in ((1, -4), (5, 5), (-1, 0), (0, 3))] == [
        *(0, 0, 1, -1)
    ]


def test_rounds_without_a_signal_do_not_vote():
    assert majority([-1] * 9 + [1]) == 1
    assert majority([0, 1, -1]) is None
    assert majority([-1, -1]) is None


def test_no_choice_is_no_sensitivity_but_alignment_is_scored():
    shown = [Body((2, -1), AHEAD)] * 10
    found = score(shown, (0, 1), 0, BY_SLUG["comp-tom1"])
    assert (found.opened, found.score, found.conforms) == (-1, 0, False)
    assert (found.sens_traj, found.sensitivity, found.a_traj) == (0, 0, 1)


def test_the_same_trial_conforms_where_deception_is_predicted_and_nowhere_else():
    shown = [Body((2, -1), AHEAD)] * 10
    conforming = [c.slug for c in BY_SLUG.values() if score(shown, (-1, 2), 0, c).conforms]
    assert conforming == ["comp-tom1"]


def test_the_columns_are_those_of_the_declared_table():
    found = score([Body((2, -1), AHEAD, 0.2)] * 10, (1, 1), 0, BY_SLUG["coop-tom0"]).columns()
    assert found.keys() < set(MOSAIC_TRIALS.names)
    assert found["sensitivity"] == 1.0 and found["expressive"] == 1.0


def test_a_trial_without_a_round_or_with_a_third_box_is_refused():
    with pytest.raises(ValueError, match="rounds"):
        score([], (0, 0), 0, BY_SLUG["coop-tom0"])
    with pytest.raises(ValueError, match="reward"):
        score([Body((2, -1), AHEAD)], (0, 0), 2, BY_SLUG["coop-tom0"])
