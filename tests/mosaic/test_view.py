"""What an agent of the treasure game sees, and that it sees nothing else."""

import inspect
import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy._core import _multiarray_umath as numpy_core

from tests.mosaic.views import NEAR, PINNED, fingerprint, state
from tests.rendering.test_pixel_determinism import FORBIDDEN
from vlmtom.mosaic import view, view_paint, view_people, view_room
from vlmtom.mosaic.agent import Moment
from vlmtom.mosaic.view import NoPicture, camera, picture, state_of
from vlmtom.mosaic.world import CELL_CM, PublicState, Role, start
from vlmtom.rendering.pixels import pixel_sha256

ROOT = Path(__file__).parents[2]
EYE_M, HEAD_M = 1.6, 0.25  # nothing of a head, hair included, is farther from the eyes' middle
SHOULDER_M = 1.40  # no part of a face or of hair that valence changes is below


def pixel_of(shown: PublicState, role: Role, x: float, y: float, z: float) -> tuple[int, int]:
    """Row and column where a point is seen; x, y in cells, z in metres."""
    at = np.array((x * CELL_CM / 100, y * CELL_CM / 100, z))
    column, row = camera(shown.body(role)).pixels(at)
    return int(row), int(column)


def brown(rgb: np.ndarray) -> np.ndarray:
    """Where a pixel is of a box's hue: clearly more red than blue."""
    red, blue = rgb[..., 0].astype(int), rgb[..., 2].astype(int)
    return red - blue > 30


def changed(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns in which two pictures differ."""
    return np.nonzero((a != b).any(axis=-1))


def head_window(shown: PublicState, role: Role) -> tuple[int, int, int, int]:
    """Rows and columns around the other's head: first and last."""
    x, y = shown.other(role).cell
    row, column = pixel_of(shown, role, x, y, EYE_M)
    ax, ay = shown.body(role).cell
    radius = HEAD_M / (np.hypot(x - ax, y - ay) * CELL_CM / 100 - HEAD_M) * 343
    chin = pixel_of(shown, role, x, y, SHOULDER_M)[0]
    return int(row - radius), chin, int(column - radius), int(column + radius)


def test_a_picture_is_720_by_480_of_whole_colours():
    seen = picture(start(), "subject")
    assert seen.shape == (480, 720, 3)
    assert seen.dtype == np.uint8


class Poisoned:
    """Beliefs that nobody may read."""

    def __getattribute__(self, name: str):
        raise AssertionError(f"a picture was made from beliefs: {name}")


def test_a_picture_is_made_from_the_public_state_alone():
    parameters = inspect.signature(picture).parameters
    assert [p.annotation for p in parameters.values()] == [PublicState, Role, str]
    moment = Moment(start(), Poisoned(), 1)
    first = picture(moment.state, "participant")
    assert (first == picture(start(), "participant")).all()


def test_no_module_of_the_view_knows_beliefs_or_conditions():
    # Where the reward is, is written in beliefs only; what is not imported cannot be read.
    program = "import sys, vlmtom.mosaic.view\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "vlmtom.mosaic.world" in loaded
    assert not {"vlmtom.mosaic.beliefs", "vlmtom.mosaic.conditions"} & loaded
    assert not {"cv2", "pandas", "scipy", "matplotlib", "pyarrow"} & loaded


def test_boxes_differ_in_nothing_but_their_colour():
    seen = view._boxes()
    dark, light = (thing.solid for thing in seen)
    # 4 cells of 0.8 m apart: moved by 3.2 m one box is the other.
    assert np.abs(dark.vertices - light.vertices - (3.2, 0, 0)).max() < 1e-9
    assert (dark.faces == light.faces).all()
    assert (dark.colors < light.colors).all()


def test_the_room_is_the_same_to_the_left_and_to_the_right():
    right = picture(state(((1, 1), (0, 1)), ((2, 4), (0, -1))), "subject").astype(int)
    left = picture(state(((-1, 1), (0, 1)), ((-2, 4), (0, -1))), "subject").astype(int)
    apart = np.abs(right - left[:, ::-1])
    # Rounding moves the middle of an edge by a sample at most.
    assert np.count_nonzero(apart.max(axis=-1) > 8) < 400
    assert apart.mean() < 0.1


@pytest.mark.parametrize("value", [-1.0, 1.0])
@pytest.mark.parametrize("channel", ["facial", "physiological"])
def test_a_valence_changes_pixels_of_the_others_head_alone(channel, value):
    calm = picture(NEAR, "participant")
    shown = state(((0, 0), (0, 1)), ((0, 2), (0, -1)), **{channel: value})
    rows, columns = changed(calm, picture(shown, "participant"))
    top, bottom, left, right = head_window(NEAR, "participant")
    assert len(rows) > (50 if channel == "facial" else 500)
    assert top <= rows.min()
    assert rows.max() <= bottom
    assert left <= columns.min()
    assert columns.max() <= right


@pytest.mark.parametrize("channel", ["facial", "physiological"])
def test_a_valence_is_shown_in_degrees(channel):
    def seen(value: float) -> np.ndarray:
        shown = state(((0, 0), (0, 1)), ((0, 2), (0, -1)), **{channel: value})
        return picture(shown, "participant").astype(int)

    pictures = [seen(value / 10) for value in range(-10, 11, 2)]
    steps = [int(np.abs(a - b).sum()) for a, b in pairwise(pictures)]
    assert min(steps) > 0
    # No step is a jump: each of ten is less than a third of the way.
    assert max(steps) < sum(steps) / 3


def test_a_blush_is_redder_and_pallor_lighter():
    def skin(value: float) -> np.ndarray:
        shown = state(((0, 0), (0, 1)), ((0, 2), (0, -1)), physiological=value)
        row, column = pixel_of(shown, "participant", 0, 0, 1.545)
        cheek = picture(shown, "participant")[row - 1 : row + 2, column + 5 : column + 8]
        return cheek.reshape(-1, 3).mean(axis=0)

    pale, calm, red = skin(-1.0), skin(0.0), skin(1.0)
    assert red[0] - red[1] > calm[0] - calm[1] + 20
    assert pale.sum() > calm.sum() + 60


def test_the_viewers_own_face_is_not_in_its_picture():
    glad = state(((0, 0), (0, 1)), ((0, 2), (0, -1)), 1.0, 1.0)
    assert (picture(glad, "subject") == picture(NEAR, "subject")).all()


def test_front_back_and_side_of_the_other_are_told_apart_and_eyes_are_in_front():
    def eyes(heading: tuple[float, float]) -> int:
        shown = state(((0, 0), heading), ((0, 2), (0, -1)))
        top, bottom, left, right = head_window(shown, "participant")
        head = picture(shown, "participant")[top:bottom, left:right].astype(int)
        # Only the white of an eye is as bright and as grey as that on a head.
        return int(np.count_nonzero((head.min(-1) > 226) & (np.ptp(head, axis=-1) < 8)))

    front, left, right, back = (eyes(h) for h in ((0, 1), (-1, 0), (1, 0), (0, -1)))
    assert back == 0
    assert 0 < left < front
    assert 0 < right < front
    views = [
        picture(state(((0, 0), h), ((0, 2), (0, -1))), "participant")
        for h in ((0, 1), (1, 1), (1, 0), (0, -1), (-1, 0))
    ]
    assert len({pixel_sha256(v) for v in views}) == 5


def test_both_boxes_are_in_view_from_two_cells_before_their_line():
    shown = state(((0, -2), (0, 1)), ((0, 4), (0, -1)))
    seen = picture(shown, "subject")
    dark = seen[pixel_of(shown, "subject", 2, 0, 0.45)].astype(int)
    light = seen[pixel_of(shown, "subject", -2, 0, 0.45)].astype(int)
    assert dark.max() < 110
    assert light.max() > 180
    for colour in (dark, light):
        assert colour[0] > colour[1] > colour[2]


def test_the_far_box_is_out_of_view_beside_the_near_one():
    # From (2, -1) the light box is atan(4 / 1) = 76 degrees off, beyond 46 of the picture.
    shown = state(((2, -1), (0, 1)), ((-4, -4), (0, 1)))
    seen = picture(shown, "subject")
    assert brown(seen).any()
    assert seen[brown(seen)].max() < 120


def test_a_box_at_ones_feet_is_still_in_the_picture():
    shown = state(((1, 0), (1, 0)), ((-4, -4), (0, 1)))
    seen = picture(shown, "subject")
    assert np.count_nonzero(brown(seen)) > 3000


def test_what_is_nearer_hides_what_is_farther():
    # A box before a person: his feet are behind it. A person before a box: her legs hide it.
    behind = state(((2, -3), (0, 1)), ((2, 1), (0, -1)))
    shoe = picture(behind, "subject")[pixel_of(behind, "subject", 2.1, 1, 0.04)].astype(int)
    assert shoe[0] - shoe[2] > 25
    before = state(((2, 3), (0, -1)), ((2, 2), (0, 1)))
    hidden = picture(before, "subject")
    row, column = pixel_of(before, "subject", 2, 2, 1.0)
    shirt = hidden[row, column].astype(int)
    assert shirt[0] > 180 > 60 > shirt[2]
    alone = picture(state(((2, 3), (0, -1)), ((-4, 4), (0, 1))), "subject")
    dark = np.array((92, 54, 28))
    of_the_box = [
        np.count_nonzero(np.abs(v.astype(int) - dark).max(axis=-1) < 24) for v in (hidden, alone)
    ]
    assert of_the_box[0] < of_the_box[1] / 2


def test_the_near_box_hides_part_of_the_far_one_where_it_stands_before_it():
    # Both boxes as seen from the floor: the eye of the game is above and sees over the near one.
    eye = view.Camera((4.0, 0.0, 0.3), (0.0, 0.0, 0.3), 40.0, 240, 160)
    both = view._drawn(eye, view._boxes())
    near = view._drawn(eye, view._boxes()[:1])
    assert (both[80, 120] == near[80, 120]).all()
    turned = view._drawn(view.Camera((-4.0, 0, 0.3), (0, 0, 0.3), 40.0, 240, 160), view._boxes())
    assert turned[80, 120].max() > near[80, 120].max() + 60


def test_blank_is_one_grey_of_the_same_size():
    seen = picture(start(), "subject", "blank")
    assert seen.shape == (480, 720, 3)
    assert np.ptp(seen) == 0


def test_no_picture_is_made_in_the_arm_none_nor_in_one_unheard_of():
    with pytest.raises(NoPicture, match="nobody is shown a picture"):
        picture(start(), "subject", "none")
    with pytest.raises(ValueError, match="no arm 'faces'; there are standard"):
        picture(start(), "subject", "faces")


def test_the_face_arm_differs_from_standard_in_the_corner_alone():
    standard, face = (picture(NEAR, "participant", arm) for arm in ("standard", "face"))
    rows, columns = changed(standard, face)
    side = 160 + 2 * 6
    assert rows.max() < side
    assert columns.min() >= 720 - side
    glad = picture(state(((0, 0), (0, 1)), ((0, 2), (0, -1)), 0.5, 0.0), "participant", "face")
    close = (slice(6, 166), slice(720 - 166, 720 - 6))
    assert (glad[close] != face[close]).any()


def test_the_close_up_does_not_tell_where_the_other_stands_or_looks():
    away = state(((-3, 1), (0, -1)), ((0, 2), (0, -1)))
    corner = (slice(0, 172), slice(720 - 172, 720))
    assert (
        picture(away, "participant", "face")[corner] == picture(NEAR, "participant", "face")[corner]
    ).all()


def test_a_valence_beyond_its_range_is_drawn_as_the_end_of_it():
    far = state(((0, 0), (0, 1)), ((0, 2), (0, -1)), 3.0, -3.0)
    end = state(((0, 0), (0, 1)), ((0, 2), (0, -1)), 1.0, -1.0)
    for arm in ("standard", "face"):
        assert (picture(far, "participant", arm) == picture(end, "participant", arm)).all()


def test_every_cell_and_heading_can_be_seen_from():
    # Near-plane cuts, things behind the eye, walls at its back: nothing may fail or wrap around.
    for x in (-5, -1, 2, 5):
        for y in (-5, 1, 5):
            for heading in ((0, 1), (1, 1), (-0.3, -0.95), (-1, 0)):
                seen = picture(state(((x, y), heading), ((1, -1), (0, 1))), "subject")
                # No pixel is left undrawn: nothing in the room is black.
                assert seen.max(axis=-1).min() > 8


def test_a_state_comes_back_from_its_rows():
    shown = state(((1, 2), (0.6, 0.8)), ((-3, 4), (0, -1)), -0.25, 0.5)
    rows = [
        {
            "role": role,
            "x": shown.body(role).cell[0],
            "y": shown.body(role).cell[1],
            "hx": shown.body(role).heading[0],
            "hy": shown.body(role).heading[1],
            "facial": shown.body(role).facial,
            "physiological": shown.body(role).physiological,
        }
        for role in ("participant", "subject")
    ]
    assert state_of(rows) == shown
    with pytest.raises(ValueError, match="a row of each role"):
        state_of(rows[:1])


def test_the_pictures_are_those_that_were_pinned():
    golden = json.loads((ROOT / "tests/data/golden/mosaic_views.json").read_text())
    assert fingerprint() == golden["pixels"]
    assert set(golden["pixels"]) == set(PINNED)


def test_the_pictures_do_not_depend_on_cpu_features():
    features = [f for f in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__[f]]
    done = subprocess.run(
        [sys.executable, "-m", "tests.mosaic.views"],
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(features)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == fingerprint()


@pytest.mark.parametrize("module", [view, view_paint, view_people, view_room])
def test_the_view_uses_no_operation_that_a_cpu_may_reorder(module):
    for number, line in enumerate(Path(module.__file__).read_text().splitlines(), 1):
        code = re.sub(r'"[^"]*"', '""', line.split("#")[0])
        assert not FORBIDDEN.search(code), f"{module.__name__} line {number}: {line.strip()}"
