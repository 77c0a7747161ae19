"""Scene sets: their design, their digits, and that what each eye sees is what the keys say."""

from collections import Counter

import numpy as np
import pytest

from tests.rendering.test_against_embree import embree_ids
from vlmtom.report_action import stimuli
from vlmtom.report_action.listing import scene_rows
from vlmtom.report_action.scenes import ActionScene, scenes, with_digits
from vlmtom.stats.published import read_published
from vlmtom.tabletop.scene import FIRST_BLOCK, Block, Scene, director_camera, meshes, picture
from vlmtom.tabletop.visibility import inspect, violations

SEED = 2026
PUBLISHED = read_published()["reportaction_numbers"]


@pytest.fixture(scope="module")
def main():
    return scenes("main", 24, SEED)


@pytest.fixture(scope="module")
def rotated():
    return scenes("rotated", 16, SEED)


def counts(of):
    """As the table counts a set, from its keys."""

    class Batch:
        conditions = ("move-visibility", "move-none")  # a scene has a key in each
        sets = (of[0].scene_set,)

    made = stimuli.Stimuli({of[0].scene_set: of}, {})
    rows = scene_rows(stimuli.key_rows(made, {"question": Batch}), PUBLISHED)
    return {row["what"]: row["n"] for row in rows}


def test_the_table_counts_of_a_set_what_its_scenes_are(main, rotated):
    for of in (main, rotated):
        found = counts(of)
        assert found["scenes"] == found["three_blocks"] + found["four_blocks"] == len(of)
        sizes = [[block.size_m for block in scene.scene.blocks] for scene in of]
        hidden = [size[scene.hidden] for size, scene in zip(sizes, of, strict=True)]
        ranks = [(h == min(s), h == max(s)) for h, s in zip(hidden, sizes, strict=True)]
        assert found["hidden_smallest"] == ranks.count((True, False))
        assert found["hidden_middle"] == ranks.count((False, False))
        assert found["hidden_largest"] == ranks.count((False, True))
        for flag in (
            *("hidden_has_largest_digit", "smaller_visible_has_larger_digit"),
            "misleading_size",
        ):
            assert found[flag] == sum(getattr(scene, flag) for scene in of)


def test_in_main_the_hidden_block_is_the_largest_and_half_the_scenes_have_four(main):
    found = counts(main)
    assert (found["three_blocks"], found["four_blocks"]) == (12, 12)
    assert found["hidden_largest"] == found["scenes"] == 24
    for scene in main:
        assert scene.facts.extremum("largest", frozenset(range(len(scene.digits)))) == scene.hidden
        assert scene.director_view != scene.hidden
        assert len(set(scene.digits)) == len(scene.digits)
        assert set(scene.digits) <= set(range(1, 10))


def test_in_rotated_each_rank_is_hidden_in_turn(rotated):
    found = counts(rotated)
    assert (found["hidden_largest"], found["hidden_middle"], found["hidden_smallest"]) == (6, 5, 5)
    assert found["three_blocks"] == 16


def test_160_rotated_scenes_are_54_53_and_53():
    """Of the design alone: laying out 160 scenes takes long."""
    from vlmtom.report_action.scenes import _specs

    drawn = _specs("rotated", 160, np.random.default_rng(1))
    ranks = Counter(spec.size_ranks[spec.hidden] for spec in drawn)
    assert (ranks[2], ranks[1], ranks[0]) == (54, 53, 53)


def test_digits_are_drawn_apart_and_back_again_the_scene_is_the_same_to_the_pixel(main):
    other = scenes("rearranged", 24, SEED)
    assert [s.name for s in other] == [s.name for s in main]
    changed = [a.digits != b.digits for a, b in zip(main, other, strict=True)]
    assert sum(changed) >= 22
    for before, after in list(zip(main, other, strict=True))[:3]:
        assert after.facts.hidden == before.facts.hidden
        back = with_digits(after, before.digits)
        assert back.scene == before.scene
        first, second = (picture(s.scene, 200, 150) for s in (before, back))
        assert np.array_equal(first, second)
        assert not np.array_equal(first, picture(after.scene, 200, 150))


def test_digits_say_nothing_of_size():
    """Over many scenes the largest block has the largest digit as often as chance has it."""
    from vlmtom.report_action.scenes import drawn_digits

    first = [
        np.argmax(drawn_digits("main", f"R{n:03d}", 3, seed)) == 0
        for seed in range(20)
        for n in range(160)
    ]
    assert abs(np.mean(first) - 1 / 3) < 0.03


def test_flags_are_what_their_names_say(main, rotated):
    for scene in (*main, *rotated):
        digits, visible = scene.digits, scene.visible
        meant = digits[scene.director_view]
        assert scene.hidden_has_largest_digit == (max(digits) == digits[scene.hidden])
        assert scene.smaller_visible_has_larger_digit == any(digits[i] > meant for i in visible)
        px = scene.facts.apparent_px("director")
        looks = max(visible, key=lambda i: px[i])
        assert scene.misleading_size == (looks != scene.director_view)


def test_a_scene_whose_sizes_mislead_the_director_is_flagged_and_kept():
    blocks = (
        Block("2", "red", 0.205, -0.56, -0.24),
        Block("4", "green", 0.155, -0.17, 0.20),
        Block("1", "yellow", 0.11, 0.17, -0.10),
        Block("7", "blue", 0.265, 0.56, -0.20),
    )
    scene = Scene(blocks, 3, True)
    facts = inspect(scene)
    assert violations(scene, facts, same_size_order=False) == []
    assert any("order of size" in reason for reason in violations(scene, facts))
    found = ActionScene("R001", "main", scene, facts)
    assert (found.hidden, found.director_view) == (3, 0)
    assert found.misleading_size


SOME = scenes("main", 3, 41) + scenes("rotated", 2, 41)


@pytest.mark.parametrize("scene", SOME, ids=lambda s: f"{s.scene_set}-{s.name}")
def test_rays_from_the_directors_eye_find_the_same_blocks_hidden(scene):
    camera = director_camera()
    on_table = meshes(scene.scene, figure=False)
    seen = set(np.unique(embree_ids(on_table, camera)))
    visible = {i for i in range(len(scene.digits)) if FIRST_BLOCK + i in seen}
    assert visible == set(scene.visible)


def test_items_hold_no_answer_and_keys_hold_them_all(main):
    class Batch:
        conditions = ("move-visibility", "move-stated", "move-first_turn")
        sets = ("main",)

    some = {"main": main[:3]}
    pictures = {
        "main": {s.name: stimuli.Picture(f"{i:064d}", b"", 8, 6) for i, s in enumerate(main[:3])}
    }
    made = stimuli.Stimuli(some, pictures)
    items = stimuli.item_rows(made, {"question": Batch}, 5)
    keys = {row["item_id"]: row for row in stimuli.key_rows(made, {"question": Batch})}
    assert len(items) == len(keys) == 9
    for item in items:
        key = keys[item["item_id"]]
        assert item["trials"] == 5
        assert sorted([*key["visible"], key["hidden"]]) == sorted(key["labels"])
        texts = [turn["text"] for turn in item["turns"]]
        if item["arm"] == "move-stated":
            assert all(str(digit) in texts[0] for digit in key["visible"])
            assert str(key["hidden"]) not in texts[0]
        else:
            assert not any(character.isdigit() for text in texts for character in text)
        assert [len(turn["pictures"]) for turn in item["turns"]] == [1] + [0] * (len(texts) - 1)
