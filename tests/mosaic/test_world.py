"""The board: names of directions, moves, and the box at the end."""

import math

import pytest

from vlmtom.mosaic.world import (
    BOXES,
    DIRECTIONS,
    OCTANTS,
    START,
    Action,
    act,
    certainty,
    choice,
    direction_of,
    is_free,
    nearer_sideways,
    octant,
    start,
    step_of,
    unit,
)


def moved(role, direction, state=None, frame="heading"):
    return act(state or start(), role, Action("move", direction), frame)


@pytest.mark.parametrize(
    ("role", "direction", "cell"),
    [
        ("participant", "left forward", (1, 3)),  # the paper's example, appendix H.2
        ("subject", "right forward", (1, -3)),  # and H.1: it leads to the dark box at (2, 0)
        ("subject", "forward", (0, -3)),
        ("participant", "forward", (0, 3)),
        ("subject", "backward", (0, -5)),
    ],
)
def test_directions_are_named_from_where_a_body_faces(role, direction, cell):
    acted = moved(role, direction)
    assert (acted.state.body(role).cell, acted.blocked) == (cell, False)
    assert acted.state.body(role).heading == START[role][1]  # a move turns nobody


def test_every_name_goes_another_way_and_comes_back_to_its_name():
    for heading in OCTANTS:
        facing = unit(heading)
        steps = [step_of(name, facing) for name in DIRECTIONS]
        assert len(set(steps)) == 8
        assert steps[0] == heading
        assert [direction_of(step, facing) for step in steps] == list(DIRECTIONS)


@pytest.mark.parametrize("degrees", [22, -22, 0, 10])
def test_a_heading_between_two_directions_is_the_nearer_one(degrees):
    angle = math.radians(degrees)
    assert octant((math.sin(angle), math.cos(angle))) == 0
    angle = math.radians(90 + degrees)
    assert octant((math.sin(angle), math.cos(angle))) == 2


def test_an_illegal_move_uses_the_round_and_leaves_the_body():
    state = start()
    for _ in range(1):
        state = moved("subject", "backward", state).state  # (0, -5): the edge
    off = moved("subject", "backward", state)
    assert (off.blocked, off.state.subject.cell) == (True, (0, -5))
    for direction, role, steps in (("forward", "subject", 7),):
        state = start()
        cells = []
        for _ in range(steps):
            acted = moved(role, direction, state)
            state = acted.state
            cells.append((acted.blocked, state.subject.cell[1]))
    # From -4 seven steps up reach 3, the cell before the participant at 4; the eighth is blocked.
    assert cells[-1] == (False, 3)
    assert moved("subject", "forward", state).blocked
    assert not is_free(BOXES[0], (0, 4))
    assert not is_free((6, 0), (0, 4))


def test_a_rotation_looks_straight_at_its_target():
    turned = act(start(), "subject", Action("rotate", "dark")).state.subject
    # From (0, -4) the dark box at (2, 0) lies at (2, 4), of length sqrt(20).
    assert turned.heading == pytest.approx((2 / math.sqrt(20), 4 / math.sqrt(20)))
    back = act(start(), "subject", Action("rotate", "other")).state.subject
    assert back.heading == (0.0, 1.0)


def test_in_the_home_frame_a_move_turns_the_body_to_its_home():
    turned = act(start(), "subject", Action("rotate", "light"), "home").state
    after = moved("subject", "left", turned, "home").state.subject
    assert (after.cell, after.heading) == ((-1, -4), (0.0, 1.0))


def test_a_face_and_a_skin_are_shown_and_what_is_felt_is_not():
    action = Action("stay idle", None, facial=-0.4, physiological=0.2, felt=0.9)
    body = act(start(), "participant", action).state.participant
    assert (body.facial, body.physiological) == (-0.4, 0.2)
    assert not hasattr(body, "felt")


@pytest.mark.parametrize(
    ("cell", "box"), [((1, 3), 0), ((-1, 3), 1), ((0, 4), -1), ((5, -5), 0), ((-3, 0), 1)]
)
def test_the_nearer_box_opens_and_neither_from_the_middle_line(cell, box):
    assert choice(cell) == box


def test_certainty_is_the_start_value_of_the_specification():
    # d = (2, 4): cos = 4/sqrt(20) = .894, ecc = .0528, 2 exp(-.528) / (1 + .8 * 4) = .281
    assert certainty((0, -4), (0.0, 1.0), (2, 0)) == pytest.approx(0.2809, abs=5e-5)
    # Turned to it from there: ecc 0, 2 / (1 + .8 * 4.472) = .437
    assert certainty((0, -4), unit((2, 4)), (2, 0)) == pytest.approx(0.4369, abs=5e-5)


@pytest.mark.parametrize(
    ("before", "after", "box"),
    [
        ((0, -4), (1, -3), 0),
        ((0, 0), (-1, 0), 1),
        ((0, -4), (0, -3), None),
        ((3, 0), (4, 0), None),  # away from both
        ((3, -1), (2, -1), None),  # nearer to both
        ((2, -1), (1, -1), 1),
    ],
)
def test_a_move_goes_towards_one_box_or_to_none(before, after, box):
    assert nearer_sideways(before, after) == box
