"""What each observer tells of a clip follows from its stated policy and the sheet's pixels."""

import base64
import json
import secrets
from fractions import Fraction

import numpy as np
import pytest

from vlmtom.judging import prompt, read_rubric
from vlmtom.observers import OBSERVERS, answer
from vlmtom.observers.describing import account
from vlmtom.observers.rubric_judges import JUDGES, judge_reply
from vlmtom.observers.sheet import NoTriangles, track, watch
from vlmtom.rendering.images import encode_png
from vlmtom.triangles.animate import animate, shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.prompts import PROMPTS
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import ARMS

MANNER = {"ToM": "contingent", "GD": "coupled", "Random": "independent"}
DESCRIBING = sorted(set(OBSERVERS) - {"obs-guess"})


def sheet(tracks, fit="pad"):
    return ARMS["numbered"](SyntheticClip(tracks), fit, 0)


def said(observer, png, seed=1):
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    parts = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": PROMPTS["numbered"]},
    ]
    body = {"model": observer, "messages": [{"role": "user", "content": parts}], "seed": seed}
    return answer(body)["choices"][0]["message"]["content"]


@pytest.fixture(scope="module")
def shipped():
    return {clip: encode_png(sheet(shipped_tracks(clip))) for clip in scripts()}


@pytest.mark.parametrize("clip", list(scripts()))
@pytest.mark.parametrize("fit", ["pad", "stretch"])
def test_the_manner_of_every_shipped_clip_is_seen(clip, fit):
    assert (
        account(track(sheet(shipped_tracks(clip), fit))).manner == MANNER[scripts()[clip].condition]
    )


def test_the_kinds_of_coupling_are_told_apart():
    seen = {clip: account(track(sheet(shipped_tracks(clip)))) for clip in scripts()}
    assert seen["chasing"].follows and seen["leading"].follows
    assert not seen["dancing"].follows and seen["dancing"].steady
    assert not seen["fighting"].follows and not seen["fighting"].steady


def test_positions_are_those_of_the_tracks():
    tracks = shipped_tracks("chasing")
    seen = track(sheet(tracks))
    at = np.array([round(i * (len(tracks.big.position) - 1) / 15) for i in range(16)])
    # a frame of 16:9 is 180 of a cell's 240 pixels high, with bars of 30 above and below
    assert np.abs(seen.big[:, 0] - tracks.big.position[at, 0]).max() < 0.02
    assert np.abs(seen.big[:, 1] - 30 / 320 - tracks.big.position[at, 1]).max() < 0.02


def profile(pngs):
    """Mean (Intent, Approp) of each observer in each condition over clips and judges."""
    rubric = read_rubric()
    scores = {}
    for observer in DESCRIBING:
        for clip, png in pngs.items():
            script = scripts()[clip]
            row = {
                "blind_id": "0123456789abcdef",
                "condition": script.condition,
                "script": script.script,
                "description": said(observer, png),
            }
            for judge in JUDGES:
                verdict = json.loads(judge_reply(judge, prompt("blinded", rubric, row)))
                key = (observer, script.condition)
                scores.setdefault(key, []).append((verdict["intent"], verdict["approp"]))
    return {
        key: tuple(Fraction(sum(pair[i] for pair in pairs), len(pairs)) for i in (0, 1))
        for key, pairs in scores.items()
    }


# What docs/observers.md states. Of goal-directed clips the judges differ on two.
EXPECTED = {
    ("obs-director", "ToM"): (5, 2),
    ("obs-director", "GD"): (Fraction(32, 12), Fraction(34, 12)),
    ("obs-director", "Random"): (0, 3),
    ("obs-own-view", "ToM"): (3, 1),
    ("obs-own-view", "GD"): (Fraction(32, 12), Fraction(34, 12)),
    ("obs-own-view", "Random"): (0, 3),
    ("obs-gated", "ToM"): (5, 2),
    ("obs-gated", "GD"): (5, 1),
    ("obs-gated", "Random"): (5, 1),
    ("obs-all-visible", "ToM"): (0, 1),
    ("obs-all-visible", "GD"): (0, 1),
    ("obs-all-visible", "Random"): (0, 3),
}


def test_each_profile_is_the_stated_one(shipped):
    assert profile(shipped) == EXPECTED


@pytest.mark.slow
def test_the_profiles_hold_on_clips_of_seeds_that_no_one_looked_at():
    for _ in range(3):
        seed = secrets.randbelow(2**31)
        pngs = {clip: encode_png(sheet(animate(clip, seed))) for clip in scripts()}
        assert profile(pngs) == EXPECTED, f"clips of seed {seed}"


def test_a_guess_follows_the_seed(shipped):
    told = [said("obs-guess", shipped["star"], seed) for seed in range(40)]
    assert told == [said("obs-guess", shipped["star"], seed) for seed in range(40)]
    assert len(set(told)) > 4


def test_a_picture_without_triangles_is_said_so():
    blank = np.full((960, 1280, 3), 255, np.uint8)
    assert said("obs-director", encode_png(blank)) == "The picture cannot be made out."
    with pytest.raises(NoTriangles):
        watch(b"no picture")
    with pytest.raises(NoTriangles):
        track(blank)
