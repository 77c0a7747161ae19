"""The scene sets: which block is hidden, which digits the blocks carry, and what each eye sees.

Source: report-before-action paper, section 3 and Appendix B. Digits are drawn apart from the rest,
without replacement and independently of size, so that the same scene can carry other digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vlmtom.palette import PALETTE_COLORS
from vlmtom.store.digests import seed_for
from vlmtom.tabletop.layout import SceneSpec, draw_scene
from vlmtom.tabletop.scene import Scene
from vlmtom.tabletop.visibility import SceneFacts, inspect

SETS = ("main", "rotated", "rearranged")
DIGITS = range(1, 10)
BLOCKS = {"main": (3, 4), "rotated": (3,), "rearranged": (3, 4)}
# Rows that reach farther than the Director Task's: from the director's eye, a nearer block can look
# larger than the largest. Such scenes are flagged, and kept.
ROWS_MM = (-240, 200)


@dataclass(frozen=True)
class ActionScene:
    """A scene of a set, with answers from what the eyes see. Blocks from the tester's left."""

    name: str
    scene_set: str
    scene: Scene
    facts: SceneFacts

    @property
    def digits(self) -> tuple[int, ...]:
        """The blocks' labels."""
        return tuple(int(block.label) for block in self.scene.blocks)

    @property
    def visible(self) -> tuple[int, ...]:
        """Positions of the blocks that the director sees, by the id buffer."""
        return tuple(sorted(self.facts.visible))

    @property
    def hidden(self) -> int:
        """Position of the block that the director cannot see."""
        (hidden,) = self.facts.hidden
        return hidden

    @property
    def director_view(self) -> int:
        """Position of the largest block that the director sees: what she means."""
        return self.facts.extremum("largest", self.facts.visible)

    @property
    def hidden_has_largest_digit(self) -> bool:
        """Whether choosing by digit would choose the hidden block."""
        return self.digits[self.hidden] == max(self.digits)

    @property
    def smaller_visible_has_larger_digit(self) -> bool:
        """Whether a visible block smaller than the director-view block has a larger digit."""
        meant = self.digits[self.director_view]
        return any(self.digits[i] > meant for i in self.visible)

    @property
    def misleading_size(self) -> bool:
        """Whether another visible block looks largest from the director's eye."""
        px = self.facts.apparent_px("director")
        return max(self.visible, key=lambda i: px[i]) != self.director_view


def scenes(scene_set: str, count: int, seed: int) -> list[ActionScene]:
    """The scenes of a set, R001 and so on, laid out, inspected and checked.

    main and rearranged show the same tables; their digits are drawn apart. Raises UnsolvableScene
    for a scene that no draw could satisfy.
    """
    return [
        with_digits(scene, drawn_digits(scene_set, scene.name, len(scene.scene.blocks), seed))
        for scene in _laid_out(scene_set, count, seed)
    ]


def drawn_digits(scene_set: str, name: str, blocks: int, seed: int) -> tuple[int, ...]:
    """Digits of a scene, 1 to 9, each once, whatever the sizes."""
    rng = np.random.default_rng(seed_for(seed, "report_action", "digits", scene_set, name))
    return tuple(int(digit) for digit in rng.permutation(DIGITS)[:blocks])


def with_digits(scene: ActionScene, digits: Sequence[int]) -> ActionScene:
    """The same table with other digits on its blocks; all else stays, to the pixel."""
    blocks = tuple(
        replace(block, label=str(digit))
        for block, digit in zip(scene.scene.blocks, digits, strict=True)
    )
    shown = replace(scene.scene, blocks=blocks)
    facts = replace(
        scene.facts,
        blocks=tuple(
            replace(fact, label=str(digit))
            for fact, digit in zip(scene.facts.blocks, digits, strict=True)
        ),
    )
    return replace(scene, scene=shown, facts=facts)


def _laid_out(scene_set: str, count: int, seed: int) -> list[ActionScene]:
    # Tables do not depend on whether their digits are drawn a second time.
    table = "main" if scene_set == "rearranged" else scene_set
    rng = np.random.default_rng(seed_for(seed, "report_action", table))
    made = []
    for number, spec in enumerate(_specs(table, count, rng), 1):
        name = f"R{number:03d}"
        layout = np.random.default_rng(seed_for(seed, "report_action", table, name))
        scene = draw_scene(spec, layout, same_size_order=False)
        made.append(ActionScene(name, scene_set, scene, inspect(scene)))
    return made


def _specs(table: str, count: int, rng: np.random.Generator) -> list[SceneSpec]:
    """As many scenes of three blocks as of four in main; hidden ranks in turn in rotated."""
    sizes = [BLOCKS[table][i % len(BLOCKS[table])] for i in range(count)]
    ranks = [(2 - i % 3) if table == "rotated" else size - 1 for i, size in enumerate(sizes)]
    return [_spec(sizes[i], ranks[i], rng) for i in rng.permutation(count)]


def _spec(blocks: int, hidden_rank: int, rng: np.random.Generator) -> SceneSpec:
    order = tuple(int(rank) for rank in rng.permutation(blocks))
    colors = tuple(PALETTE_COLORS[i] for i in rng.permutation(len(PALETTE_COLORS))[:blocks])
    labels = tuple(str(digit) for digit in range(1, blocks + 1))  # until digits are drawn
    return SceneSpec(labels, colors, order, order.index(hidden_rank), rows_mm=ROWS_MM)
