"""Each promise a scene makes is checked in pixels, and each breach is put into words."""

from dataclasses import replace

import pytest

from vlmtom.tabletop import visibility
from vlmtom.tabletop.scene import Block, Scene
from vlmtom.tabletop.visibility import Gates, inspect, violations

A = Block("A", "yellow", 0.25, -0.44, -0.08)
B = Block("B", "red", 0.13, 0.0, -0.05)
C = Block("C", "blue", 0.185, 0.44, -0.11)
GOOD = Scene((A, B, C), 0, True)


def reasons(scene, **options):
    return violations(scene, inspect(scene), **options)


def test_a_good_scene_has_no_violations_and_hides_one_block():
    facts = inspect(GOOD)
    assert violations(GOOD, facts) == []
    assert facts.hidden == {0}
    assert facts.visible == {1, 2}
    assert facts.partition_before == 0
    assert facts.size_order() == facts.size_order("tester") == facts.size_order("director")
    assert facts.extremum("largest", frozenset({0, 1, 2})) == 0
    assert facts.extremum("largest", facts.visible) == 2
    assert facts.extremum("smallest", facts.visible) == 1


@pytest.mark.parametrize("hidden", [0, 1, 2])
def test_without_a_partition_the_director_sees_all_blocks(hidden):
    facts = inspect(replace(GOOD, hidden_index=hidden, partition=False))
    assert facts.hidden == frozenset()
    assert facts.partition_px == 0
    assert facts.partition_before is None


def test_from_the_testers_side_the_partition_hides_nothing():
    scene = replace(GOOD, director="near")
    assert reasons(scene) == []
    assert inspect(scene).hidden == frozenset()
    assert inspect(scene).partition_before == 0


def test_facts_come_from_pixels_not_from_what_the_scene_says(monkeypatch):
    # The partition is built for another block than the one the scene names.
    other = visibility.meshes(replace(GOOD, hidden_index=2))
    monkeypatch.setattr(visibility, "meshes", lambda scene: other)
    facts = inspect.__wrapped__(GOOD)
    assert facts.hidden == {2}
    found = violations(GOOD, facts)
    assert any("block A (yellow) must be hidden from the director, but 1.000" in r for r in found)
    assert any("block C (blue) must be visible to the director, but only 0.000" in r for r in found)
    assert any("the partition stands behind block C (blue), not the block" in r for r in found)


def test_a_partition_that_also_covers_a_neighbour_is_named():
    # The neighbour stands farther back, inside the cone that the panel shades.
    scene = Scene((A, replace(B, x_m=-0.22, y_m=-0.35), C), 0, True)
    found = reasons(scene)
    assert any(
        r.startswith("block B (red) must be visible to the director, but only") for r in found
    )


def test_a_block_that_stands_before_another_is_named():
    scene = Scene((A, replace(B, x_m=-0.40, y_m=-0.40), C), 2, True)
    found = reasons(scene)
    assert any("of block A (yellow) is visible to the tester (at least 0.999)" in r for r in found)


def test_sizes_too_close_for_the_tester_are_named():
    scene = Scene((A, B, replace(C, size_m=0.245)), 1, True)
    found = reasons(scene)
    assert any("in area for the tester (at least 1.2)" in r for r in found)


def test_sizes_too_close_for_the_director_are_named():
    # For her the smaller block is the nearer one.
    scene = Scene((replace(A, size_m=0.205, y_m=-0.14), B, replace(C, y_m=0.0)), 1, True)
    found = reasons(scene)
    assert any("in area for the director (at least 1.1)" in r for r in found)


def test_a_misleading_order_of_size_is_named_or_kept_on_request():
    scene = Scene((replace(A, size_m=0.205, y_m=-0.25), B, replace(C, y_m=0.10)), 1, True)
    facts = inspect(scene)
    assert facts.misleading()
    assert facts.size_order("tester") == facts.size_order()
    assert "the order of size is another one from the director's eye" in violations(scene, facts)
    kept = violations(scene, facts, Gates(neighbor_ratio_tester=1.0), same_size_order=False)
    assert kept == []


def test_a_block_outside_the_directors_field_of_view_is_named():
    scene = Scene((A, B, replace(C, x_m=2.5, y_m=0.9)), 0, True)
    assert any(
        "block C (blue) is outside the director's field of view" in r for r in reasons(scene)
    )


def test_a_partition_that_cannot_be_made_out_is_named():
    facts = inspect(GOOD)
    assert violations(GOOD, replace(facts, partition_before=None)) == [
        "the partition is not visible in the tester's picture"
    ]
    cases = {
        "of the partition is visible to the tester (at least 0.3)": {"partition_alone_px": 10**6},
        "of the pixels of the block before it (at least 0.5)": {
            "partition_px": 500,
            "partition_alone_px": 600,
        },
        "of the visible partition is behind its block (at least 0.6)": {"partition_behind": 0.5},
        "of the visible partition is behind another block (at most 0.05)": {
            "partition_elsewhere": 0.2
        },
    }
    for text, change in cases.items():
        (reason,) = violations(GOOD, replace(facts, **change))
        assert reason.endswith(text)


def test_a_director_who_is_not_in_the_picture_is_named():
    (reason,) = violations(GOOD, replace(inspect(GOOD), figure_px=3))
    assert reason == "only 3 pixels of the director are in the tester's picture (at least 2000)"


def test_a_choice_among_no_blocks_is_refused():
    with pytest.raises(ValueError, match="no block to choose from"):
        inspect(GOOD).extremum("largest", frozenset())
