"""The film for people holds the drawn frames exactly, in the same bytes every time."""

import cv2
import numpy as np
import pytest

from vlmtom.triangles import film as encoder
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.film import FilmError, encode


def frames(count):
    clip = SyntheticClip(shipped_tracks("fighting"))
    return [clip.frame(index) for index in range(count)]


def test_a_film_decodes_to_the_frames_that_were_drawn(tmp_path):
    clip = SyntheticClip(shipped_tracks("surprising"))
    path = tmp_path / "film.mp4"
    path.write_bytes(encode((clip.frame(i) for i in range(clip.count)), 1280, 720, 25))
    film = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    for index in range(clip.count):
        ok, bgr = film.read()
        assert ok and np.array_equal(bgr[..., ::-1], clip.frame(index)), index
    assert not film.read()[0]
    assert film.get(cv2.CAP_PROP_FPS) == 25
    film.release()


def test_two_runs_give_the_same_bytes():
    shown = frames(40)
    assert encode(shown, 1280, 720, 25) == encode(shown, 1280, 720, 25)


def test_an_odd_size_is_refused_not_rescaled():
    with pytest.raises(FilmError, match=r"63x47 pixels: H\.264 needs an even width and height"):
        encode([np.zeros((47, 63, 3), np.uint8)], 63, 47, 25)


def test_a_frame_of_another_shape_is_refused():
    with pytest.raises(FilmError, match=r"frame 1 is \(64, 64, 4\) uint8"):
        encode([np.zeros((64, 64, 3), np.uint8), np.zeros((64, 64, 4), np.uint8)], 64, 64, 25)


def test_what_the_encoder_complains_of_is_raised(monkeypatch):
    command = encoder._command
    monkeypatch.setattr(
        encoder,
        "_command",
        lambda *given: ["bogus" if a == "libx264rgb" else a for a in command(*given)],
    )
    with pytest.raises(FilmError, match="bogus"):
        encode([np.zeros((64, 64, 3), np.uint8)], 64, 64, 25)


def test_a_film_without_a_frame_is_an_error():
    with pytest.raises(FilmError):
        encode([], 64, 64, 25)
