"""Which scenes an arm shows: the balanced design, the layouts, and what each eye sees of them.

Source: cross-task paper, section 3.1 and Appendix I (rotation of palette, of the letter-to-colour
binding, of the letter that carries the target, of polarity).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from vlmtom.director.prompts import POLARITIES, Polarity
from vlmtom.store.digests import seed_for
from vlmtom.tabletop.layout import SceneSpec, UnsolvableScene, draw_scene
from vlmtom.tabletop.scene import Scene
from vlmtom.tabletop.visibility import SceneFacts, inspect

LETTERS = ("A", "B", "C")
PALETTES = (
    ("yellow", "red", "blue"),
    ("purple", "green", "orange"),
    ("red", "cyan", "green"),
)


@dataclass(frozen=True)
class SceneDesign:
    """A scene before its layout: what stands where, and what the director will ask for."""

    name: str
    colors: tuple[str, ...]  # of the blocks A, B, C, left to right for the tester
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

    @property
    def visible(self) -> frozenset[int]:
        """Blocks that the director sees."""
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


def designs(count: int, seed: int) -> list[SceneDesign]:
    """A balanced design; scenes are named Q01, Q02 and so on.

    Every twelve scenes hold each polarity six times, each ordered pair (target letter, hidden
    letter) once per polarity, each palette four times with four different bindings of its colours
    to the letters. The seed decides the order and which bindings.
    """
    rng = np.random.default_rng(seed_for(seed, "director", "design"))
    drawn: list[SceneDesign] = []
    while len(drawn) < count:
        drawn += _twelve(rng)
    return [
        SceneDesign(f"Q{number:02d}", d.colors, d.size_ranks, d.polarity, d.target, d.hidden)
        for number, d in enumerate(drawn[:count], 1)
    ]


def scenes(arm: str, count: int, seed: int) -> list[DirectorScene]:
    """The scenes of an arm, laid out, inspected and checked.

    The layout seed leaves the arm out, so that a control arm shows the scenes of the canonical
    one where its geometry allows. Raises UnsolvableScene for a scene that no draw could satisfy.
    """
    return [_laid_out(arm, design, seed) for design in designs(count, seed)]


def _canonical(design: SceneDesign) -> SceneSpec:
    """The partition hides the tester's extremum from a director on the far side."""
    return SceneSpec(LETTERS, design.colors, design.size_ranks, design.hidden)


# An arm is one entry here, its name in settings.DIRECTOR_ARMS, and one function that turns a
# design into what stands on the table.
ARMS: dict[str, Callable[[SceneDesign], SceneSpec]] = {"canonical": _canonical}


def _twelve(rng: np.random.Generator) -> list[SceneDesign]:
    pairs = list(permutations(range(len(LETTERS)), 2))
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
                    size_ranks=_size_ranks(polarity, target, hidden),
                    polarity=polarity,
                    target=target,
                    hidden=hidden,
                )
            )
    return [made[i] for i in rng.permutation(len(made))]


def _four_bindings(rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Three rotations, so that every letter meets every colour, and one further binding."""
    every = list(permutations(range(len(LETTERS))))
    start = every[int(rng.integers(len(every)))]
    rotations = [start[i:] + start[:i] for i in range(len(start))]
    others = [binding for binding in every if binding not in rotations]
    return [*rotations, others[int(rng.integers(len(others)))]]


def _size_ranks(polarity: Polarity, target: int, hidden: int) -> tuple[int, ...]:
    """Hidden is the extremum, the target comes next, the remaining block is at the other end."""
    remaining = next(i for i in range(len(LETTERS)) if i not in (target, hidden))
    upwards = [remaining, target, hidden]
    if polarity == "smallest":
        upwards.reverse()
    return tuple(upwards.index(i) for i in range(len(LETTERS)))


def _laid_out(arm: str, design: SceneDesign, seed: int) -> DirectorScene:
    rng = np.random.default_rng(seed_for(seed, "director", "layout", design.name))
    scene = draw_scene(ARMS[arm](design), rng)
    shown = DirectorScene(design.name, arm, design.polarity, scene, inspect(scene))
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
