"""An observer that sees the same motion describes it the same, however the clip is shown."""

import base64
import subprocess

import cv2
import imageio_ffmpeg
import numpy as np
import pytest

from vlmtom.observers import OBSERVERS, answer
from vlmtom.observers.asked import Shows, read_question
from vlmtom.observers.describing import account
from vlmtom.observers.sheet import (
    STILL,
    Layout,
    NoTriangles,
    track,
    watch,
    watch_film,
    watch_in_a_row,
)
from vlmtom.rendering.images import encode_png
from vlmtom.settings import REPRESENTATION_ARMS, RepresentationArm
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.layouts import REPRESENTATIONS
from vlmtom.triangles.prompts import GRID
from vlmtom.triangles.representations import build
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import cell, laid_out

MANNER = {"ToM": "contingent", "GD": "coupled", "Random": "independent"}
# All but the one whose 59 million pixels take seconds; the default run shows it.
QUICK = tuple(name for name in REPRESENTATION_ARMS if name != "grid_8x8_fullres")
CLIPS = ("coaxing", "chasing", "billiard")


@pytest.fixture(scope="module")
def built():
    arms = {name: RepresentationArm() for name in QUICK}
    return build(arms)


def message(built, shown, name):
    """The parts of a message as the calls send them: pictures, film, text."""
    parts = [
        {"type": "image_url", "image_url": {"url": uri("image/png", built.pictures[digest].png)}}
        for digest in shown.pictures[name]
    ]
    if name == "native_video":
        film = uri("video/mp4", built.films[shown.film])
        parts.append({"type": "video_url", "video_url": {"url": film}})
    return [*parts, {"type": "text", "text": REPRESENTATIONS[name].prompt}]


def uri(media, content):
    return f"data:{media};base64,{base64.b64encode(content).decode()}"


def said(observer, parts, seed=1):
    body = {"model": observer, "messages": [{"role": "user", "content": parts}], "seed": seed}
    return answer(body)["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    "observer", sorted(set(OBSERVERS) - {"obs-guess", "obs-swayed", "obs-steady"})
)
def test_every_observer_says_the_same_in_every_representation(built, observer):
    assert [shown.script.clip for shown in built.clips] == list(CLIPS)
    told = {
        shown.script.clip: {said(observer, message(built, shown, name)) for name in QUICK}
        for shown in built.clips
    }
    assert all(len(texts) == 1 for texts in told.values()), told
    # obs-director and obs-own-view tell three manners apart, the others tell one.
    apart = 3 if observer in ("obs-director", "obs-own-view") else 1
    assert len(set().union(*told.values())) == apart
    assert not any("made out" in text for texts in told.values() for text in texts)


@pytest.mark.parametrize(("rows", "columns"), [(4, 8), (8, 8)])
def test_the_account_of_every_shipped_clip_is_that_of_its_sheet(rows, columns):
    for clip in scripts():
        shown = SyntheticClip(shipped_tracks(clip))

        def grid(rows, columns, shown=shown):
            indices = sample_indices(shown.count, rows * columns)
            frames = (cell(shown.frame(index), "pad") for index in indices)
            return track(laid_out(frames, rows, columns), Layout(rows, columns))

        sheet = account(grid(4, 4))
        assert sheet.manner == MANNER[scripts()[clip].condition]
        assert account(grid(rows, columns)) == sheet, clip


def test_positions_at_the_moments_are_those_of_the_tracks():
    tracks = shipped_tracks("chasing")
    shown = SyntheticClip(tracks)
    # Moments lie at 487 i / 15 frames, between the frames that a sequence of 64 shows.
    moments = 487 * np.arange(16) / 15
    expected = [np.interp(moments, np.arange(488), tracks.big.position[:, axis]) for axis in (0, 1)]
    pngs = [encode_png(shown.frame(index)) for index in sample_indices(488, 64)]
    seen = watch_in_a_row(pngs)
    assert seen.big.shape == seen.small.shape == (16, 2)
    # a centroid lies .18 radii (.01 widths) behind the circumcentre
    assert np.abs(seen.big - np.transpose(expected)).max() < 0.02


def test_a_film_is_seen_at_the_frames_that_sixteen_pictures_show(built):
    shown = built.clips[1]
    film = watch_film(built.films[shown.film])
    pictures = watch_in_a_row([built.pictures[d].png for d in shown.pictures["frames_16"]])
    assert np.array_equal(film.big, pictures.big) and np.array_equal(film.small, pictures.small)


def test_a_film_whose_header_claims_other_frames_is_seen_by_those_it_has(tmp_path, built):
    """An edit list hides the first half: what is decoded decides, not what is claimed."""
    whole, cut = tmp_path / "whole.mp4", tmp_path / "cut.mp4"
    whole.write_bytes(built.films[built.clips[1].film])
    ffmpeg = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-ss", "9.76", "-i", whole]
    subprocess.run([*ffmpeg, "-c", "copy", cut], check=True)
    opened = cv2.VideoCapture(str(cut))
    frames = []
    while True:
        ok, bgr = opened.read()
        if not ok:
            break
        frames.append(bgr[..., ::-1].copy())
    opened.release()
    seen = watch_film(cut.read_bytes())
    pngs = [encode_png(frames[index]) for index in sample_indices(len(frames))]
    assert np.array_equal(seen.big, watch_in_a_row(pngs).big)


def test_what_is_shown_is_read_in_the_prompts_words():
    shows = {name: read_question(one.prompt).shows for name, one in REPRESENTATIONS.items()}
    assert shows["native_video"] == Shows("film")
    assert shows["frames_64"] == Shows("sequence", 1, 64)
    assert shows["grid_4x8"] == Shows("grid", 4, 8)
    assert shows["grid_8x8"] == shows["grid_8x8_fullres"] == Shows("grid", 8, 8)
    assert shows["grid_4x4"] == Shows("grid", 4, 4)  # of no stated shape: as wide as high
    other = GRID.replace("sixteen", "twenty-four").replace("triangles.", "triangles, in %s.")
    assert read_question(other % "three rows of eight").shows == Shows("grid", 3, 8)
    for words in ("three rows of nine", "many rows of eight"):
        assert read_question(other % words).shows is None
    assert read_question(GRID.replace("sixteen", "several")).shows is None


def test_a_message_that_shows_something_else_than_it_says_is_not_made_out(built):
    shown = built.clips[0]
    fewer = message(built, shown, "frames_16")[1:]
    assert said("obs-director", fewer) == "The picture cannot be made out."
    no_film = message(built, shown, "grid_4x4")[:1] + message(built, shown, "native_video")[1:]
    assert said("obs-director", no_film) == "The picture cannot be made out."
    no_picture = message(built, shown, "native_video")[:1] + message(built, shown, "grid_4x4")[1:]
    assert said("obs-director", no_picture) == "The picture cannot be made out."
    assert said("obs-director", message(built, shown, "grid_4x4")[1:]) == "There is no picture."
    unknown = GRID.replace("sixteen", "several")
    parts = [*message(built, shown, "grid_4x4")[:1], {"type": "text", "text": unknown}]
    assert said("obs-director", parts) == "The question is not understood."


def test_damaged_and_empty_films_are_not_made_out():
    for content in (b"no film at all", b""):
        with pytest.raises(NoTriangles):
            watch_film(content)
    with pytest.raises(NoTriangles):
        watch(encode_png(np.full((90, 160, 3), 255, np.uint8)), STILL)
