"""The film of one trial: its frames decode to what was drawn, in the same bytes in every run."""

from itertools import pairwise

import cv2
import numpy as np
import pytest

from tests.publish.mosaic_rows import shown
from vlmtom.mosaic.view import picture
from vlmtom.mosaic.world import ROLES
from vlmtom.publish import mosaic_film
from vlmtom.publish.mosaic_film import HEIGHT, WIDTH, film, frames


@pytest.fixture(scope="module")
def drawn():
    return list(frames(shown()))


@pytest.fixture(scope="module")
def clip():
    return film(shown())


def decoded(content, tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(content)
    video, found = cv2.VideoCapture(str(path)), []
    try:
        while (read := video.read())[0]:
            found.append(read[1][..., ::-1])
        return video.get(cv2.CAP_PROP_FPS), found
    finally:
        video.release()


def test_the_film_decodes_to_the_frames_that_were_drawn(drawn, clip, tmp_path):
    fps, found = decoded(clip, tmp_path)
    assert fps == mosaic_film.FPS
    assert found[0].shape == (HEIGHT, WIDTH, 3)
    # 20 actions of 3 frames, 6 utterances of 9, and 6 frames at either end.
    assert len(found) == len(drawn) == 20 * 3 + 6 * 9 + 2 * 6
    assert all((a == b).all() for a, b in zip(found, drawn, strict=True))


def test_the_film_is_the_same_file_in_every_run(clip):
    assert film(shown()) == clip


def test_both_views_are_those_of_the_state(drawn):
    # The last action is round 10's: nothing changes after it.
    state = shown().state(10)
    for number, role in enumerate(ROLES):
        view = drawn[-1][number * 240 : (number + 1) * 240, 480:]
        whole = picture(state, role).astype(int)
        small = (whole[::2, ::2] + whole[::2, 1::2] + whole[1::2, ::2] + whole[1::2, 1::2]) / 4
        assert np.abs(view[3:-3, 3:-3] - small[3:-3, 3:-3]).max() <= 0.5


def test_the_board_moves_from_frame_to_frame_and_stands_while_somebody_speaks(drawn):
    boards = [frame[:480, :480] for frame in drawn]
    moving = boards[5:9]  # the start, then Marie's first step in thirds
    assert all((a != b).any() for a, b in pairwise(moving))
    # After 6 + 3 rounds of 6 frames: the question of round 3.
    word = 6 + 3 * 6
    assert all((board == boards[word]).all() for board in boards[word : word + 18])
    strips = [frame[480:] for frame in drawn]
    assert (strips[word] != strips[word + 9]).any()
    assert (strips[word] == strips[word + 8]).all()


def test_a_turn_goes_the_shorter_way_round():
    def body(x, y):
        return mosaic_film.Body((0, 0), (x, y))

    # From 170 to -170 degrees by 180, not by 0.
    c, s = -0.984807753012, 0.173648177667
    half = mosaic_film._between(body(c, s), body(c, -s), 0.5)
    assert half.heading == pytest.approx((-1.0, 0.0), abs=1e-9)


def test_a_trial_that_was_lost_is_shown_as_far_as_it_was_played():
    short = shown(rounds=2, status="missing")
    short.steps.pop()  # the participant's reply of round 2 is missing
    # 6 frames of the start, 3 actions of 3 frames; no end.
    assert len(list(frames(short))) == 6 + 3 * 3


def test_hostile_words_change_nothing_but_the_caption():
    words = ((3, r"$\frac{1}{$ \u202e" + "W" * 10_000, "\x00\u202e你 " * 3_000),)
    calm = shown(rounds=3, words=((3, "a", "b"),))
    for a, b in zip(frames(calm), frames(shown(rounds=3, words=words)), strict=True):
        assert (a[:480] == b[:480]).all()
        # The margin at the right of the caption stays white.
        assert b[480:, -6:].min() == 255


def test_each_action_is_told_in_words():
    def told(role="subject", **row):
        of = {"unreadable": False, "blocked": False, "action": "stay idle", "direction": None}
        return mosaic_film._action(role, of | row)

    assert told() == "Marie stays"
    assert told(action="move", direction="left forward") == "Marie moves left forward"
    assert told(action="move", direction="left", blocked=True) == "Marie cannot move left"
    assert told("participant", action="rotate", direction="other") == "Participant turns to Marie"
    assert told(action="rotate", direction="dark") == "Marie turns to the dark box"
    assert told(unreadable=True) == "Marie stays, as no reply could be read"
