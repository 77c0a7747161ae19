"""Scenes are drawn from a generator and redrawn until they hold."""

from itertools import permutations

import numpy as np
import pytest

from vlmtom.tabletop.layout import SceneSpec, UnsolvableScene, draw_scene, propose
from vlmtom.tabletop.visibility import Gates, inspect, violations

COLORS = ("yellow", "red", "blue", "green")


def spec(ranks, hidden, **options):
    k = len(ranks)
    return SceneSpec(tuple("ABCD"[:k]), COLORS[:k], tuple(ranks), hidden, **options)


@pytest.mark.parametrize("ranks", list(permutations(range(3))))
@pytest.mark.parametrize("director", ["far", "near"])
def test_every_arrangement_of_three_can_be_drawn(ranks, director):
    for hidden in range(3):
        wanted = spec(ranks, hidden, director=director)
        scene = draw_scene(wanted, np.random.default_rng(5))
        facts = inspect(scene)
        assert violations(scene, facts) == []
        assert facts.hidden == ({hidden} if director == "far" else set())
        assert facts.size_order() == tuple(np.argsort(ranks))


@pytest.mark.parametrize("hidden", range(4))
def test_four_blocks_can_be_drawn_with_any_position_hidden(hidden):
    for target_rank in (0, 3):
        ranks = [r for r in range(4) if r != target_rank]
        ranks.insert(hidden, target_rank)
        scene = draw_scene(spec(ranks, hidden), np.random.default_rng(hidden))
        assert inspect(scene).hidden == {hidden}


def test_the_generator_alone_decides():
    wanted = spec((2, 0, 1), 0)
    first = draw_scene(wanted, np.random.default_rng(8))
    assert draw_scene(wanted, np.random.default_rng(8)) == first
    assert draw_scene(wanted, np.random.default_rng(9)) != first


def test_positions_do_not_depend_on_what_is_hidden():
    # The same generator gives the arms of one scene the same table.
    far, near = spec((2, 0, 1), 0), spec((2, 0, 1), 0, director="near")
    one, other = propose(far, np.random.default_rng(1)), propose(near, np.random.default_rng(1))
    assert one.blocks == other.blocks


def test_a_scene_that_cannot_be_drawn_says_why():
    with pytest.raises(UnsolvableScene) as error:
        draw_scene(spec((2, 0, 1), 0), np.random.default_rng(0), Gates(neighbor_ratio_tester=99))
    text = str(error.value)
    assert "no valid scene in 40 draws" in text
    assert "in area for the tester (at least 99)" in text
    assert text.endswith("Change the spec or the gates.")


def test_a_spec_that_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="3 or 4 blocks, not 2"):
        spec((0, 1), 0)
    with pytest.raises(ValueError, match="ranks 0 to 2"):
        spec((0, 0, 1), 0)
    with pytest.raises(ValueError, match="must differ"):
        SceneSpec(("A", "A", "B"), COLORS[:3], (0, 1, 2), 0)
