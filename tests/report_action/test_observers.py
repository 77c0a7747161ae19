"""What the observers do in report_action follows from their policies, whatever the scenes."""

import base64
import json
from itertools import pairwise

import numpy as np
import pytest

from vlmtom.observers import answer
from vlmtom.observers.policies import STEADY_PERCENT, SWAYED_PERCENT, own_view_probability
from vlmtom.rendering.images import encode_png
from vlmtom.report_action.prompts import REQUESTS, condition, turns
from vlmtom.report_action.scenes import scenes
from vlmtom.stats.paired import Answer, counted, paired_effect
from vlmtom.tabletop.scene import picture

NEVER = ("obs-director",)
ALWAYS = ("obs-own-view", "obs-all-visible")


@pytest.fixture(scope="module")
def shown():
    """Scenes of a seed that no run uses, with their pictures."""
    return [(s, encode_png(picture(s.scene, 800, 600))) for s in scenes("main", 6, 90210)]


def conversation(name, scene, png, slug, seed):
    """The choice, and the report if there is one, in as many turns as are asked."""
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}}
    messages, found = [], {}
    asked = turns(condition(slug), [scene.digits[i] for i in scene.visible])
    for number, text in enumerate(asked):
        content = [{"type": "text", "text": text}, *([] if number else [image])]
        messages.append({"role": "user", "content": content})
        body = {"model": name, "seed": seed, "messages": messages}
        said = answer(body)["choices"][0]["message"]["content"]
        messages.append({"role": "assistant", "content": said})
        found |= json.loads(said)
    return found


def choices(name, shown, slug, seeds=(1,)):
    for scene, png in shown:
        coded = base64.b64encode(png).decode()
        for seed in seeds:
            yield scene, conversation(name, scene, coded, slug, seed)


@pytest.mark.parametrize("name", NEVER + ALWAYS)
@pytest.mark.parametrize("report", ["none", "visibility", "first_turn", "after", "count", "stated"])
def test_an_observer_without_a_part_for_chance_chooses_by_its_view_alone(name, report, shown):
    for scene, said in choices(name, shown, f"move-{report}"):
        meant = scene.hidden if name in ALWAYS else scene.director_view
        assert said["choice"] == scene.digits[meant]
        if report in ("visibility", "first_turn", "after"):
            seen = range(len(scene.digits)) if name == "obs-all-visible" else scene.visible
            assert said["visible"] == [scene.digits[i] for i in seen]
        if report == "count":
            assert said["count"] == len(scene.digits)


@pytest.mark.parametrize(
    ("slug", "percent"),
    [
        ("move-none", SWAYED_PERCENT[0]),
        ("move-count", SWAYED_PERCENT[0]),
        ("move-visibility", SWAYED_PERCENT[1]),
        ("move-first_turn", SWAYED_PERCENT[1]),
        ("will-visibility", SWAYED_PERCENT[1]),
        ("mean-visibility", 0),
        ("want-visibility", 0),
        ("move-visibility-both", 0),
    ],
)
def test_obs_swayed_takes_its_own_view_as_often_as_it_says(slug, percent, shown):
    said = [(scene, found) for scene, found in choices("obs-swayed", shown, slug, range(60))]
    share = np.mean([found["choice"] == scene.digits[scene.hidden] for scene, found in said])
    # Six scenes of a random effect each, and 360 replies: wide, but far from any other case.
    assert abs(share - percent / 100) < (0.15 if percent else 1e-9)


@pytest.mark.parametrize("request_", REQUESTS)
def test_obs_steady_ignores_what_it_is_asked_besides(request_, shown):
    shares = [
        np.mean(
            [
                found["choice"] == scene.digits[scene.hidden]
                for scene, found in choices("obs-steady", shown, f"{request_}-{report}", range(40))
            ]
        )
        for report in ("none", "visibility")
    ]
    assert max(abs(share - STEADY_PERCENT / 100) for share in shares) < 0.2
    assert abs(np.subtract(*shares)) < 0.15


def test_the_mean_over_scenes_is_the_stated_probability():
    effect = np.linspace(-1, 1, 2001)
    for percent in (*SWAYED_PERCENT, STEADY_PERCENT, 0, 100):
        found = own_view_probability(percent / 100, effect)
        assert found.min() >= 0 and found.max() <= 1
        assert np.mean(found) == pytest.approx(percent / 100, abs=1e-9)
    assert all(a < b for a, b in pairwise(own_view_probability(0.4, effect)))


def marked(rgb, run):
    """The same scene as another picture: one pixel in the corner says which run it is of.

    The part of a scene in what an observer does hangs on its picture.
    """
    other = rgb.copy()
    other[0, 0] = (run, 255 - run, 7)
    return encode_png(other)


@pytest.mark.slow
def test_over_20_runs_the_interval_covers_what_the_observers_do():
    """Real scenes, real prompts and the observers' own replies: about a minute and a half."""
    laid_out = [(s, picture(s.scene, 800, 600)) for s in scenes("main", 60, 4711)]
    covered = unchanged = 0
    difference = (SWAYED_PERCENT[1] - SWAYED_PERCENT[0]) / 100
    for run in range(20):
        of_run = [(scene, marked(rgb, run)) for scene, rgb in laid_out]
        for name in ("obs-swayed", "obs-steady"):
            answers = [
                Answer(scene.name, number, said["choice"] == scene.digits[scene.hidden])
                for number, slug in enumerate(("move-none", "move-visibility"))
                for scene, said in choices(name, of_run, slug, range(5 * run, 5 * run + 5))
            ]
            found = paired_effect(counted(answers))
            if name == "obs-swayed":
                covered += found.lo <= difference <= found.hi
            else:
                unchanged += found.lo <= 0 <= found.hi
    print(f"covered {covered} of 20, no change {unchanged} of 20")
    assert covered >= 17
    assert unchanged >= 17
