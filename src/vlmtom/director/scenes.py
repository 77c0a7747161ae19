"""Which scenes an arm shows: the balanced design, the layouts, and what each eye sees of them.

Source: cross-task paper, section 3.1 and Appendix I (rotation of palette, of the letter-to-colour
binding, of the letter that carries the target, of polarity).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from vlmtom.director.prompts import POLARITIES, Polarity
from vlmtom.store.digests import seed_for
from vlmtom.tabletop.layout import SceneSpec, UnsolvableScene, draw_scene
from vlmtom.tabletop.scene import Scene
from vlmtom.tabletop.visibility import SceneFacts, inspect

LETTERS = ("A", "B", "C", "D")  # a scene of three blocks has the first three
PALETTES = (
    ("yellow", "red", "blue"),
    ("purple", "green", "orange"),
    ("red", "cyan", "green"),
)
# Of four blocks: a fourth colour beside each triple, from another part of the hue circle.
PALETTES_OF_FOUR = (
    ("yellow", "red", "blue", "green"),
    ("purple", "green", "orange", "cyan"),
    ("red", "cyan", "green", "purple"),
)


@dataclass(frozen=True)
class SceneDesign:
    """A scene before its layout: what stands where, and what the director will ask for."""

    name: str
    colors: tuple[str, ...]  # of the blocks A, B, C (and D), left to right for the tester
    size_ranks: tuple[int, ...]  # 0 is the smallest
    polarity: Polarity
    target: int  # the block that the director means when the hidden one is out of view
    hidden: int  # the extremum in the tester's own view


@dataclass(frozen=True)
class DirectorScene:
    """A scene as it is shown, with answers read from what each eye sees, not from the design."""

    name: str
    arm: str
    polarity: Polarity
    scene: Scene
    facts: SceneFacts
    person: bool = True  # the director is in the picture

    @property
    def visible(self) -> frozenset[int]:
        """Blocks that count: those that the director sees, or would see from her place."""
        return self.facts.visible

    @property
    def target(self) -> int:
        """The block that the director means: the extremum among those that she sees."""
        return self.facts.extremum(self.polarity, self.visible)

    @property
    def own_view(self) -> int:
        """The extremum in the tester's own view."""
        return self.facts.extremum(self.polarity, frozenset(range(len(self.facts.blocks))))

    @property
    def hidden(self) -> int | None:
        """The block that the director cannot see; None where she sees all."""
        return next(iter(self.facts.hidden), None)


@dataclass(frozen=True)
class ArmDesign:
    """How an arm makes its scenes. person: whether the director is in the picture."""

    designs: Callable[[np.random.Generator], list[SceneDesign]]  # twelve, balanced
    spec: Callable[[SceneDesign], SceneSpec]
    person: bool = True


def designs(arm: str, count: int, seed: int) -> list[SceneDesign]:
    """A balanced design; scenes are named Q01, Q02 and so on.

    Every twelve scenes hold each polarity six times and each palette four times, with different
    bindings of its colours to the letters. Of three blocks, each ordered pair (target letter,
    hidden letter) occurs once per polarity; of four, each letter is three times the hidden one
    and three times the target. The seed decides the order and which bindings. Arms of as many
    blocks have one design.
    """
    of_arm = ARMS[arm]
    rng = np.random.default_rng(seed_for(seed, "director", *_DESIGN_NAMES[of_arm.designs]))
    drawn: list[SceneDesign] = []
    while len(drawn) < count:
        drawn += of_arm.designs(rng)
    return [replace(design, name=f"Q{n:02d}") for n, design in enumerate(drawn[:count], 1)]


def scenes(arm: str, count: int, seed: int) -> list[DirectorScene]:
    """The scenes of an arm, laid out, inspected and checked.

    The layout seed leaves the arm out, so that a control arm shows the scenes of the canonical
    one where its geometry allows. Raises UnsolvableScene for a scene that no draw could satisfy.
    """
    return [_laid_out(arm, design, seed) for design in designs(arm, count, seed)]


def _partitioned(design: SceneDesign) -> SceneSpec:
    """The partition hides the tester's extremum from a director on the far side."""
    return SceneSpec(_letters(design), design.colors, design.size_ranks, design.hidden)


def _open(design: SceneDesign) -> SceneSpec:
    """Without the partition, both see every block."""
    return replace(_partitioned(design), hidden=None, partition=False)


def _from_this_side(design: SceneDesign) -> SceneSpec:
    """The partition stands, and the director sits on the tester's side, where it hides nothing."""
    return replace(_partitioned(design), director="near")


def _letters(design: SceneDesign) -> tuple[str, ...]:
    return LETTERS[: len(design.colors)]


def _twelve(rng: np.random.Generator) -> list[SceneDesign]:
    pairs = list(permutations(range(len(PALETTES[0])), 2))
    palettes = [PALETTES[i] for i in rng.permutation(len(PALETTES))]
    bindings = [_four_bindings(rng) for _ in PALETTES]
    uses = [0] * len(PALETTES)
    made = []
    for p, polarity in enumerate(POLARITIES):
        for number, (target, hidden) in enumerate(pairs):
            palette = (number + p) % len(PALETTES)
            binding = bindings[palette][uses[palette]]
            uses[palette] += 1
            made.append(
                SceneDesign(
                    name="",
                    colors=tuple(palettes[palette][i] for i in binding),
                    size_ranks=_size_ranks(polarity, target, hidden, _others(3, target, hidden)),
                    polarity=polarity,
                    target=target,
                    hidden=hidden,
                )
            )
    return [made[i] for i in rng.permutation(len(made))]


# A palette's four scenes have the targets 0, 1, 2, 3 in order. Place ^ turn is a Latin square, so
# that every letter meets every colour, and target ^ turn takes each value once, so that every
# colour is the target once; rotations would make it the same colour four times.
_TURNS = (0, 2, 3, 1)


def _twelve_of_four(rng: np.random.Generator) -> list[SceneDesign]:
    """Every ordered pair of target and hidden letter once: each letter is either three times.

    Six pairs ask for the largest, the six with the letters changed round for the smallest, so
    that within a polarity a letter is hidden once or twice. In each palette every colour is the
    target once.
    """
    pairs = list(permutations(range(4), 2))
    asks_largest = {(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 1)}
    palettes = [PALETTES_OF_FOUR[i] for i in rng.permutation(len(PALETTES_OF_FOUR))]
    starts = [rng.permutation(4) for _ in palettes]
    made = []
    for number, (target, hidden) in enumerate(pairs):
        palette, turn = number % len(palettes), number // len(palettes)
        polarity: Polarity = "largest" if (target, hidden) in asks_largest else "smallest"
        others = _others(4, target, hidden)
        if rng.integers(2):
            others.reverse()
        made.append(
            SceneDesign(
                name="",
                colors=tuple(
                    palettes[palette][starts[palette][place ^ _TURNS[turn]]] for place in range(4)
                ),
                size_ranks=_size_ranks(polarity, target, hidden, others),
                polarity=polarity,
                target=target,
                hidden=hidden,
            )
        )
    return [made[i] for i in rng.permutation(len(made))]


def _four_bindings(rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Three rotations, so that every letter meets every colour, and one further binding."""
    every = list(permutations(range(len(PALETTES[0]))))
    start = every[int(rng.integers(len(every)))]
    rotations = [start[i:] + start[:i] for i in range(len(start))]
    others = [binding for binding in every if binding not in rotations]
    return [*rotations, others[int(rng.integers(len(others)))]]


def _others(count: int, target: int, hidden: int) -> list[int]:
    return [i for i in range(count) if i not in (target, hidden)]


def _size_ranks(
    polarity: Polarity, target: int, hidden: int, others: Sequence[int]
) -> tuple[int, ...]:
    """Hidden is the extremum, the target comes next, the others follow in their order."""
    upwards = [*others, target, hidden]
    if polarity == "smallest":
        upwards.reverse()
    return tuple(upwards.index(i) for i in range(len(upwards)))


def _laid_out(arm: str, design: SceneDesign, seed: int) -> DirectorScene:
    rng = np.random.default_rng(seed_for(seed, "director", "layout", design.name))
    of_arm = ARMS[arm]
    scene = draw_scene(of_arm.spec(design), rng)
    shown = DirectorScene(design.name, arm, design.polarity, scene, inspect(scene), of_arm.person)
    problems = _problems(shown)
    if problems:
        raise UnsolvableScene(f"director/{arm}, {design.name}: {'; '.join(problems)}.")
    return shown


def _problems(shown: DirectorScene) -> list[str]:
    """Scene invariants beyond the layout's gates (what is hidden from whom, order of size)."""
    facts, problems = shown.facts, []
    if facts.size_order("tester") != facts.size_order():
        problems.append("the order of size is another one in the tester's view")
    if not shown.scene.expected_hidden():
        if shown.target != shown.own_view:
            problems.append("nobody's view is blocked, but the two answers differ")
        return problems
    if len(facts.hidden) != 1:
        problems.append(f"{len(facts.hidden)} blocks are hidden from the director, not one")
    elif shown.hidden != shown.own_view:
        problems.append("the hidden block is not the extremum in the tester's view")
    if shown.target == shown.own_view:
        problems.append("the answer is the same from both views")
    return problems


# An arm is one entry here, its name in settings.DIRECTOR_ARMS, and its prompts in prompts.py.
ARMS: dict[str, ArmDesign] = {
    "canonical": ArmDesign(_twelve, _partitioned),
    "no_occluder": ArmDesign(_twelve, _open),
    "same_side": ArmDesign(_twelve, _from_this_side),
    "four_block": ArmDesign(_twelve_of_four, _partitioned),
    "unasked": ArmDesign(_twelve, _partitioned),
    "rule": ArmDesign(_twelve, _partitioned, person=False),
    "reasoning": ArmDesign(_twelve, _partitioned),
}
_DESIGN_NAMES = {_twelve: ("design",), _twelve_of_four: ("design of four",)}
