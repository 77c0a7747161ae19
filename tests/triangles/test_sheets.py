"""A sheet shows sixteen frames in order, legibly, with the same pixels everywhere."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy._core import _multiarray_umath as numpy_core

from vlmtom.settings import TRIANGLES_ARMS
from vlmtom.triangles.animate import shipped_tracks
from vlmtom.triangles.drawing import BLUE, RED, SyntheticClip
from vlmtom.triangles.prompts import PROMPTS, every_prompt
from vlmtom.triangles.sampling import sample_indices
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import ARMS, BAR, cell, numbered, shrunk
from vlmtom.triangles.stage import QUANTA

SNAPSHOTS = Path(__file__).parents[1] / "data" / "prompts"
# A condition, a mind, a purpose or an action that a clip is about.
LEADING_WORDS = """
    want wish think thought know believe feel feeling emotion mind mental try trick fool chase
    pursue flee follow lead dance fight attack hide tease mock coax seduce surprise charm help
    hinder friend enemy mother child parent intention intend purpose goal aim play game social
    interact interaction character characters agent person people animal random purposeful
    relationship story why because reason persuade shy afraid happy angry alive toward together
"""


@pytest.fixture(scope="module")
def clip():
    return SyntheticClip(shipped_tracks("coaxing"))


def test_sixteen_indices_are_even_and_reach_both_ends():
    # i * 487 / 15 rounded half up: 32.47, 64.93, 97.4, ...
    assert sample_indices(488)[:4] == [0, 32, 65, 97]
    assert sample_indices(16) == list(range(16))
    assert sample_indices(46)[:4] == [0, 3, 6, 9]  # 45/15 = 3
    assert sample_indices(24)[:4] == [0, 2, 3, 5]  # 23/15 = 1.53: 1.53, 3.07, 4.6
    for count in (16, 17, 250, 488, 489, 100_003):
        found = sample_indices(count)
        assert len(set(found)) == 16 and found[0] == 0 and found[-1] == count - 1
        exact = np.arange(16) * (count - 1) / 15
        assert np.abs(np.array(found) - exact).max() <= 0.5
    with pytest.raises(ValueError, match="15 frames"):
        sample_indices(15)


def test_every_index_is_the_nearest_one():
    # i * (count - 1) / 15 is never a half (15 is odd), so there is one nearest.
    for count in range(16, 400):
        assert sample_indices(count) == [int(i * (count - 1) / 15 + 0.5) for i in range(16)]


def test_the_cells_hold_the_sampled_frames_row_by_row(clip):
    sheet = numbered(clip, "pad", 0).picture
    assert sheet.shape == (960, 1280, 3)
    for place, index in enumerate(sample_indices(clip.count)):
        top, left = place // 4 * 240, place % 4 * 320
        found = sheet[top : top + 240, left : left + 320]
        frame = clip.frame(index)
        expected = cv2.resize(frame, (320, 180), interpolation=cv2.INTER_AREA).astype(int)
        assert np.abs(found[30:210].astype(int) - expected).max() <= 1
        assert (found[:30, 40:] == BAR).all() and (found[210:] == BAR).all()


def test_badges_are_sixteen_different_ones_and_cover_no_motion(clip):
    sheet = numbered(clip, "pad", 0).picture
    corners = [
        sheet[r : r + 30, c : c + 30].tobytes()
        for r in range(0, 960, 240)
        for c in range(0, 1280, 320)
    ]
    assert len(set(corners)) == 16  # the letterbox's bar is 30 pixels high, a badge 28
    squeezed = numbered(clip, "stretch", 0).picture
    assert squeezed.shape == (960, 1280, 3)
    assert (squeezed[6:10, 60:300] == 255).all()  # no bars: the frame itself, inside its border


def test_a_frame_shows_two_triangles_where_the_tracks_are(clip):
    for index in (0, 200, 487):
        frame = clip.frame(index)
        for color, track in ((RED, clip.tracks.big), (BLUE, clip.tracks.small)):
            ys, xs = np.nonzero((frame == color).all(axis=2))
            x, y = track.x[index] / QUANTA * 80, track.y[index] / QUANTA * 80
            # The centroid of this triangle lies 0.18 radii behind its circumcentre.
            assert abs(xs.mean() - x) < 20 and abs(ys.mean() - y) < 20
            assert frame[int(y), int(x)].tolist() == list(color)


def test_a_heading_is_readable_in_a_cell(clip):
    """From colours alone: the corner farthest from the centroid is the tip."""
    for index in sample_indices(clip.count):
        small = cell(clip.frame(index), "pad").astype(int)
        for track, of_color in (
            (clip.tracks.big, small[..., 0] - small[..., 2] > 60),
            (clip.tracks.small, small[..., 2] - small[..., 0] > 60),
        ):
            ys, xs = np.nonzero(of_color)
            dx, dy = xs - xs.mean(), ys - ys.mean()
            far = np.argmax(dx * dx + dy * dy)
            error = np.arctan2(dy[far], dx[far]) - track.radians[index]
            assert abs((error + np.pi) % (2 * np.pi) - np.pi) < np.radians(15), index
        big_px, small_px = ((small[..., a] - small[..., b] > 60).sum() for a, b in ((0, 2), (2, 0)))
        assert big_px > 1.8 * small_px > 150


def test_shrinking_by_whole_factors_is_the_rounded_mean():
    frame = np.zeros((4, 4, 3), np.uint8)
    frame[0, 0] = 2  # the mean of four pixels is 0.5: half up
    assert shrunk(frame, 2, 2)[0, 0].tolist() == [1, 1, 1]
    assert shrunk(frame, 2, 2)[1, 1].tolist() == [0, 0, 0]
    assert shrunk(np.full((90, 161, 3), 7, np.uint8), 320, 179).shape == (179, 320, 3)


def test_a_tall_frame_gets_bars_at_its_sides():
    found = cell(np.zeros((160, 90, 3), np.uint8), "pad")
    assert (found[:, :92] == BAR).all() and (found[:, 95:225] == 0).all()
    assert (cell(np.zeros((160, 90, 3), np.uint8), "stretch") == 0).all()


def test_sheets_do_not_depend_on_cpu_features():
    features = [f for f in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__[f]]
    full = _fingerprint()
    reduced = _fingerprint(
        NPY_DISABLE_CPU_FEATURES=" ".join(features),
        OPENCV_CPU_DISABLE="AVX512-SKX,AVX2,FP16,FMA3,AVX,SSE4.2,SSE4.1",
    )
    assert len(full) == 2 and reduced == full


def test_the_arms_of_the_settings_are_those_that_can_be_shown_and_asked():
    assert tuple(ARMS) == tuple(PROMPTS) == TRIANGLES_ARMS


def test_every_prompt_is_the_committed_bytes():
    """Prompts are instruments: a change must be seen here and accepted with `vlmtom lock`."""
    texts = {name.replace("/", "."): text for name, text in every_prompt().items()}
    assert {path.stem for path in SNAPSHOTS.glob("triangles.*.txt")} == set(texts)
    for name, text in texts.items():
        assert (SNAPSHOTS / f"{name}.txt").read_bytes() == text.encode(), name


def test_no_prompt_hints_at_what_a_clip_is_about():
    for name, text in every_prompt().items():
        words = set(re.findall(r"[a-z]+", text.lower()))
        leading = LEADING_WORDS.split()
        stems = {w for word in leading for w in (word, f"{word}s", f"{word}d", f"{word}ed")}
        stems |= {f"{word.rstrip('e')}ing" for word in leading}
        assert not words & stems, (name, words & stems)
        assert not words & {clip.lower() for clip in scripts()}, name
        assert not re.search(r"\b(tom|gd|step by step|explain)\b", text, re.IGNORECASE), name


def _fingerprint(**environment: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "fingerprint.py")],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
