"""What each observer answers follows from its policy, from pixels and words alone."""

import ast
import base64
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vlmtom.observers
from vlmtom.director.prompts import POLARITIES, asked, prompt
from vlmtom.director.scenes import scenes
from vlmtom.observers import OBSERVERS, answer
from vlmtom.observers.asked import read_question
from vlmtom.observers.sight import Unreadable, look, see
from vlmtom.rendering.images import encode_png
from vlmtom.settings import DIRECTOR_ARMS, OBSERVER_CODE
from vlmtom.tabletop.scene import Block, Scene, picture

FORBIDDEN = {"tabletop", "director", "triangles", "report_action", "judging", "mosaic", "stats"}


def body(observer, text, png, seed=1):
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    parts = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": text}]
    return {"model": observer, "messages": [{"role": "user", "content": parts}], "seed": seed}


def said(observer, text, png, seed=1):
    return answer(body(observer, text, png, seed))["choices"][0]["message"]["content"]


@pytest.fixture(scope="module")
def shown():
    scene = scenes("canonical", 1, seed=77)[0]
    return scene, encode_png(picture(scene.scene))


def named(scene, indices):
    blocks = scene.scene.blocks
    return ", ".join(f"{blocks[i].label} ({blocks[i].color})" for i in sorted(indices))


def test_observers_import_nothing_that_makes_scenes_or_scores():
    folder = Path(vlmtom.observers.__file__).parent
    imported = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
            elif isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
    rooms = {name.split(".")[1] for name in imported if name.startswith("vlmtom.")}
    assert "observers" in rooms
    assert not rooms & FORBIDDEN


def test_an_observers_code_digest_covers_all_that_it_runs():
    code = (
        "import sys, vlmtom.observers; "
        "print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('vlmtom.')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    package = Path(vlmtom.observers.__file__).parents[1]
    for file in run.stdout.split():
        place = Path(file).relative_to(package).as_posix()
        assert any(place == covered or place.startswith(covered + "/") for covered in OBSERVER_CODE)


def test_each_policy_gives_the_answers_that_it_states(shown):
    scene, png = shown
    every = range(3)
    a = prompt("a", scene.polarity)
    b = prompt("b", scene.polarity)
    c = prompt("c", scene.polarity)
    sees, all_blocks = named(scene, scene.visible), named(scene, every)
    target, own = named(scene, [scene.target]), named(scene, [scene.own_view])
    expected = {
        "obs-director": (sees, target, sees, target),
        "obs-own-view": (sees, own, sees, own),
        "obs-gated": (sees, own, sees, target),
        "obs-all-visible": (all_blocks, own, all_blocks, own),
    }
    for observer, (on_a, on_b, on_q1, on_q2) in expected.items():
        assert said(observer, a, png) == f"Answer: {on_a}"
        assert said(observer, b, png) == f"Answer: {on_b}"
        assert said(observer, c, png) == f"Q1: {on_q1}\nQ2: {on_q2}"


def test_guesses_follow_the_seed_and_cover_all_answers(shown):
    _, png = shown
    text = prompt("b", "largest")
    replies = [said("obs-guess", text, png, seed) for seed in range(60)]
    assert replies == [said("obs-guess", text, png, seed) for seed in range(60)]
    assert len(set(replies)) == 3
    sets = {said("obs-guess", prompt("a", "largest"), png, seed) for seed in range(120)}
    assert len(sets) == 8  # every subset of three blocks
    assert "Answer: none" in sets


def test_every_prompt_is_understood():
    forms = {"c": ("1", "2"), "cQ2": ("2",)}
    for arm in DIRECTOR_ARMS:
        for polarity in POLARITIES:
            for sub_prompt in asked(arm):
                read = read_question(prompt(sub_prompt, polarity, arm))
                assert read.sees == (sub_prompt in ("a", "c"))
                assert read.moves == (None if sub_prompt == "a" else polarity)
                assert read.sees_first == (sub_prompt == "c")
                assert read.numbered == forms.get(sub_prompt, ())
                assert read.ruled == (arm == "rule")


def test_what_cannot_be_seen_is_said_not_guessed(shown):
    text = prompt("b", "largest")
    assert said("obs-director", text, b"no picture") == "The picture cannot be made out."
    blank = encode_png(np.full((768, 1024, 3), 200, np.uint8))
    assert said("obs-director", text, blank) == "The picture cannot be made out."
    assert said("obs-director", "Hello?", shown[1]) == "The question is not understood."
    request = {"model": "obs-director", "messages": [{"role": "user", "content": text}]}
    assert answer(request)["choices"][0]["message"]["content"] == "There is no picture."
    with pytest.raises(Unreadable):
        look(b"")
    with pytest.raises(KeyError, match="no observer 'obs-x'"):
        answer({"model": "obs-x", "messages": []})


def test_a_reply_is_that_of_a_model_without_usage(shown):
    reply = answer(body("obs-director@abc", prompt("a", "largest"), shown[1]))
    assert reply["model"] == "obs-director@abc"
    assert reply["object"] == "chat.completion"
    assert reply["choices"][0]["finish_reason"] == "stop"
    assert "usage" not in reply
    assert set(OBSERVERS) == {
        "obs-director",
        "obs-own-view",
        "obs-gated",
        "obs-all-visible",
        "obs-guess",
        "obs-swayed",
        "obs-steady",
    }


BLOCKS = (
    Block("A", "yellow", 0.185, -0.44, -0.08),
    Block("B", "red", 0.25, 0.0, -0.08),
    Block("C", "blue", 0.13, 0.44, -0.08),
)


def test_without_a_partition_nothing_is_screened():
    sight = see(picture(Scene(BLOCKS, None, partition=False)))
    assert sight.screened is None
    assert sight.director_sees == (0, 1, 2)
    assert [block.size_m for block in sight.blocks] == pytest.approx([0.185, 0.25, 0.13], abs=0.01)


def test_a_director_on_the_testers_side_sees_past_the_partition():
    sight = see(picture(Scene(BLOCKS, 1, partition=True, director="near")))
    assert sight.screened == 1
    assert not sight.director_far
    assert sight.director_sees == (0, 1, 2)
