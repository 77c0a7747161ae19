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
from vlmtom.observers.sheet import STILL, Motion, NoTriangles, track, watch
from vlmtom.rendering.images import encode_png
from vlmtom.triangles.animate import animate, shipped_tracks
from vlmtom.triangles.drawing import SyntheticClip
from vlmtom.triangles.prompts import PROMPTS
from vlmtom.triangles.scripts import scripts
from vlmtom.triangles.sheets import ARMS, drawn_order

MANNER = {"ToM": "contingent", "GD": "coupled", "Random": "independent"}
# Two more are asked nothing but report_action.
DESCRIBING = sorted(set(OBSERVERS) - {"obs-guess", "obs-swayed", "obs-steady"})


SEED = 2026  # of the default run, which draws the shuffled orders


def sheet(tracks, fit="pad", arm="numbered"):
    return ARMS[arm](SyntheticClip(tracks), fit, SEED).picture


def said(observer, png, seed=1, arm="numbered"):
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    parts = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": PROMPTS[arm]},
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


@pytest.fixture(scope="module")
def motions(shipped):
    return {clip: watch(png) for clip, png in shipped.items()}


def profile(pngs, arm="numbered"):
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
                "description": said(observer, png, arm=arm),
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


def of_arm(arm):
    return {clip: encode_png(sheet(shipped_tracks(clip), arm=arm)) for clip in scripts()}


@pytest.mark.parametrize("arm", ["plain", "reversed"])
def test_without_badges_or_backwards_every_description_is_the_same(shipped, arm):
    """Rests, and moves that go together, are the same from the last frame to the first."""
    pngs = of_arm(arm)
    for observer in DESCRIBING:
        for clip in scripts():
            assert said(observer, pngs[clip], arm=arm) == said(observer, shipped[clip])


# A frame taken by itself has no motion to tell: only the over-attributer goes beyond it, and a
# description that says nothing of what happens is no answer (Appropriateness 0).
STILL_PROFILE = {
    (observer, condition): EXPECTED["obs-gated", condition] if observer == "obs-gated" else (0, 0)
    for observer in DESCRIBING
    for condition in MANNER
}


def test_of_a_still_only_the_over_attributer_tells_more_than_where_things_are():
    assert profile(of_arm("keyframe"), "keyframe") == STILL_PROFILE


def test_a_still_is_one_frame_with_the_triangles_where_the_tracks_are():
    for clip in scripts():
        tracks = shipped_tracks(clip)
        seen = track(sheet(tracks, arm="keyframe"), STILL)
        assert seen.big.shape == seen.small.shape == (1, 2)
        # Frame 244 of 488; a centroid lies .18 radii (.01 widths) behind the circumcentre.
        assert np.abs(seen.big[0] - tracks.big.position[244]).max() < 0.02
        assert np.abs(seen.small[0] - tracks.small.position[244]).max() < 0.02


# Without their turns two ToM clips look like one that follows the other (Intent 3), two like motion
# (0); neither is what they show (Appropriateness 1). The others stay what they are.
SHUFFLED_PROFILE = EXPECTED | {
    ("obs-director", "ToM"): (Fraction(3, 2), 1),
    ("obs-own-view", "ToM"): (Fraction(3, 2), 1),
}


def test_shuffled_frames_show_no_turns_but_what_goes_together_still_does():
    assert profile(of_arm("shuffled"), "shuffled") == SHUFFLED_PROFILE


def test_shuffling_takes_turns_away_whatever_the_draw_and_leaves_coupling(motions):
    """Turns are in the order of frames; that two are near each other is in each frame."""
    draws = 300
    for clip, motion in motions.items():
        manners = []
        for seed in range(draws):
            order = np.array(drawn_order(clip, seed)) - 1
            manners.append(account(Motion(motion.big[order], motion.small[order])).manner)
        condition = scripts()[clip].condition
        if condition == "ToM":
            assert manners.count("contingent") < draws / 10, clip
        elif condition == "GD":
            assert manners.count("coupled") > draws * 0.98, clip


def test_the_motion_describer_and_the_over_attributer_heed_no_order(shipped):
    pngs = of_arm("shuffled")
    for observer in ("obs-all-visible", "obs-gated"):
        for clip in scripts():
            assert said(observer, pngs[clip], arm="shuffled") == said(observer, shipped[clip])


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
