"""What the tester and the director can really see of a scene, and whether that is as it must be.

Everything is counted in object-id buffers, from the eyes concerned. The generator's own idea of
which block it has hidden is not read; `violations` compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Mesh
from vlmtom.rendering.raster import object_ids
from vlmtom.tabletop.scene import (
    DIRECTOR,
    FIRST_BLOCK,
    PARTITION,
    TABLE,
    Scene,
    director_camera,
    meshes,
    tester_camera,
)

View = Literal["tester", "director"]

# The director may lean: her eye, and 5 cm to either side, up and down. (x, z) in metres.
EYE_SHIFTS_M = ((0.0, 0.0), (-0.05, 0.0), (0.05, 0.0), (0.0, 0.05), (0.0, -0.05))
DIRECTOR_PX = (480, 360)
TESTER_PX = (512, 384)
# Partition pixels in a block's columns, or within this share of its width beside them, stand
# "behind" that block in the picture.
BESIDE = 1 / 3


@dataclass(frozen=True)
class Gates:
    """What a scene must satisfy. Fractions are of the pixels that a block has when alone."""

    visible_far: float = 0.97  # from every one of the eye positions
    visible_near: float = 0.75  # on the tester's side blocks stand in front of one another
    visible_tester: float = 0.999
    neighbor_ratio_tester: float = 1.2  # apparent area, from one size to the next
    neighbor_ratio_director: float = 1.1  # over the blocks that she can see
    partition_visible: float = 0.30  # of the pixels of the partition alone
    partition_to_block: float = 0.50  # visible partition pixels to pixels of the block before it
    partition_behind: float = 0.60  # share of its visible pixels behind that block
    partition_elsewhere: float = 0.05  # largest share in the columns of any other block
    figure_px: int = 2000  # of the director in the tester's buffer


GATES = Gates()


@dataclass(frozen=True)
class BlockFacts:
    label: str
    color: str
    size_m: float
    seen_min: float  # by the director, fraction, worst eye position
    seen_max: float  # best eye position; 0 is hidden
    director_px: int  # from the middle eye position
    director_alone_px: int
    tester_px: int
    tester_alone_px: int

    @property
    def tester_seen(self) -> float:
        return _fraction(self.tester_px, self.tester_alone_px)


@dataclass(frozen=True)
class SceneFacts:
    """Counts in buffers of DIRECTOR_PX and TESTER_PX; blocks from the tester's left to right."""

    blocks: tuple[BlockFacts, ...]
    partition_px: int  # from the tester's camera
    partition_alone_px: int
    partition_before: int | None  # the block that stands in front of it in the tester's picture
    partition_behind: float  # share of its visible pixels behind that block
    partition_elsewhere: float  # largest share in the columns of another block
    figure_px: int  # of the director, from the tester's camera

    @property
    def hidden(self) -> frozenset[int]:
        """Blocks of which the director sees nothing from any eye position."""
        return frozenset(i for i, b in enumerate(self.blocks) if b.seen_max == 0)

    @property
    def visible(self) -> frozenset[int]:
        """Blocks of which the director sees anything."""
        return frozenset(range(len(self.blocks))) - self.hidden

    def apparent_px(self, view: View) -> tuple[int, ...]:
        """Apparent sizes: pixels of each block alone, so that a hidden one has a size too."""
        if view == "tester":
            return tuple(b.tester_alone_px for b in self.blocks)
        return tuple(b.director_alone_px for b in self.blocks)

    def size_order(self, view: View | None = None) -> tuple[int, ...]:
        """Block positions from smallest to largest, in metres or as they appear in a view."""
        sizes = [b.size_m for b in self.blocks] if view is None else self.apparent_px(view)
        return tuple(sorted(range(len(sizes)), key=lambda i: sizes[i]))

    def extremum(self, polarity: Literal["smallest", "largest"], among: frozenset[int]) -> int:
        """The smallest or largest (metres) of some blocks."""
        if not among:
            raise ValueError("no block to choose from")
        order = [i for i in self.size_order() if i in among]
        return order[0] if polarity == "smallest" else order[-1]

    def smallest_ratio(self, view: View, among: frozenset[int] | None = None) -> float:
        """Smallest apparent area ratio of size neighbours; below 1 a larger block looks smaller.

        Infinite for fewer than two blocks, 0 where a block does not appear at all.
        """
        px = self.apparent_px(view)
        order = [i for i in self.size_order() if among is None or i in among]
        ratios = [_fraction(px[b], px[a]) for a, b in pairwise(order)]
        return min(ratios, default=float("inf"))

    def misleading(self) -> bool:
        """Whether the blocks look to be in another order of size from the director's eye."""
        return self.size_order("director") != self.size_order()


def _fraction(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _counts(ids: np.ndarray) -> np.ndarray:
    return np.bincount(ids.reshape(-1), minlength=TABLE + 1)


def _alone(parts: dict[int, list[Mesh]], object_id: int, camera: Camera) -> int:
    """Pixels of an object with nothing else in the room."""
    return int((object_ids(parts[object_id], camera)[0] == object_id).sum())


@lru_cache(maxsize=128)
def inspect(scene: Scene) -> SceneFacts:
    """Counts what each eye sees of a scene."""
    everything = meshes(scene)
    parts: dict[int, list[Mesh]] = {}
    for mesh in everything:
        parts.setdefault(mesh.object_id, []).append(mesh)
    block_ids = range(FIRST_BLOCK, FIRST_BLOCK + len(scene.blocks))
    seen, middle, middle_alone = _director_view(scene, parts, block_ids)

    camera = tester_camera(*TESTER_PX)
    ids, _ = object_ids(everything, camera)
    counts = _counts(ids)
    before, behind, elsewhere = _partition_place(ids, block_ids)
    return SceneFacts(
        blocks=tuple(
            BlockFacts(
                label=block.label,
                color=block.color,
                size_m=block.size_m,
                seen_min=min(fractions[i] for fractions in seen),
                seen_max=max(fractions[i] for fractions in seen),
                director_px=middle[i],
                director_alone_px=middle_alone[i],
                tester_px=int(counts[block_ids[i]]),
                tester_alone_px=_alone(parts, block_ids[i], camera),
            )
            for i, block in enumerate(scene.blocks)
        ),
        partition_px=int(counts[PARTITION]),
        partition_alone_px=_alone(parts, PARTITION, camera) if PARTITION in parts else 0,
        partition_before=before,
        partition_behind=behind,
        partition_elsewhere=elsewhere,
        figure_px=int(counts[DIRECTOR]),
    )


def _director_view(
    scene: Scene, parts: dict[int, list[Mesh]], block_ids: Sequence[int]
) -> tuple[list[list[float]], list[int], list[int]]:
    """Seen fractions per eye position and block; pixels in the scene and alone from the middle."""
    # Her own body is not in front of her eyes, and nothing is behind the table's objects.
    on_table = [m for k in (*block_ids, PARTITION, TABLE) for m in parts.get(k, [])]
    width, height = DIRECTOR_PX
    seen, middle, middle_alone = [], [], []
    for shift_x, shift_z in EYE_SHIFTS_M:
        camera = director_camera(scene.director, width, height, shift_x, shift_z)
        counts = _counts(object_ids(on_table, camera)[0])
        px = [int(counts[k]) for k in block_ids]
        alone = [_alone(parts, k, camera) for k in block_ids]
        seen.append([_fraction(a, b) for a, b in zip(px, alone, strict=True)])
        if (shift_x, shift_z) == (0.0, 0.0):
            middle, middle_alone = px, alone
    return seen, middle, middle_alone


def _partition_place(ids: np.ndarray, block_ids: Sequence[int]) -> tuple[int | None, float, float]:
    """Behind which block the partition stands in a picture, going by its pixels alone.

    Returns the block, the share of partition pixels behind it, and the largest share in the
    columns of another block. (None, 0, 0) where no partition is seen.
    """
    partition = (ids == PARTITION).sum(axis=0)
    total = int(partition.sum())
    if total == 0:
        return None, 0.0, 0.0
    shares, strict = [], []
    for k in block_ids:
        columns = np.nonzero((ids == k).any(axis=0))[0]
        if not len(columns):
            shares.append(0.0)
            strict.append(0.0)
            continue
        first, last = int(columns[0]), int(columns[-1]) + 1
        beside = int((last - first) * BESIDE)
        shares.append(int(partition[max(0, first - beside) : last + beside].sum()) / total)
        strict.append(int(partition[first:last].sum()) / total)
    before = max(range(len(shares)), key=lambda i: (strict[i], shares[i]))
    elsewhere = max((s for i, s in enumerate(strict) if i != before), default=0.0)
    return before, shares[before], elsewhere


def violations(
    scene: Scene,
    facts: SceneFacts,
    gates: Gates = GATES,
    same_size_order: bool = True,
) -> list[str]:
    """Why a scene may not be shown, in words; empty if it may.

    same_size_order: also require that the director would see the blocks in the same order of
    size, neighbours clearly apart. Where a misleading order is to be flagged and kept, leave it
    out and read `SceneFacts.misleading`.
    """
    reasons = _hiding(scene, facts, gates)
    reasons += _sizes(facts, gates, same_size_order)
    if scene.partition:
        reasons += _partition(scene, facts, gates)
    if facts.figure_px < gates.figure_px:
        reasons.append(
            f"only {facts.figure_px} pixels of the director are in the tester's picture "
            f"(at least {gates.figure_px})"
        )
    return reasons


def _name(facts: SceneFacts, index: int) -> str:
    block = facts.blocks[index]
    return f"block {block.label} ({block.color})"


def _hiding(scene: Scene, facts: SceneFacts, gates: Gates) -> list[str]:
    reasons = []
    must_hide = scene.expected_hidden()
    least = gates.visible_far if scene.director == "far" else gates.visible_near
    for i, block in enumerate(facts.blocks):
        name = _name(facts, i)
        if block.director_alone_px == 0:
            reasons.append(f"{name} is outside the director's field of view")
        elif i in must_hide and block.seen_max > 0:
            reasons.append(
                f"{name} must be hidden from the director, but {block.seen_max:.3f} of it is "
                "visible to her from one of the eye positions"
            )
        elif i not in must_hide and block.seen_min < least:
            reasons.append(
                f"{name} must be visible to the director, but only {block.seen_min:.3f} of it "
                f"is from one of the eye positions (at least {least})"
            )
        if block.tester_seen < gates.visible_tester:
            reasons.append(
                f"only {block.tester_seen:.4f} of {name} is visible to the tester "
                f"(at least {gates.visible_tester})"
            )
    return reasons


def _sizes(facts: SceneFacts, gates: Gates, same_size_order: bool) -> list[str]:
    reasons = []
    ratio = facts.smallest_ratio("tester")
    if ratio < gates.neighbor_ratio_tester:
        reasons.append(
            f"two blocks next in size differ by {ratio:.3f} in area for the tester "
            f"(at least {gates.neighbor_ratio_tester})"
        )
    if not same_size_order:
        return reasons
    if facts.misleading():
        reasons.append("the order of size is another one from the director's eye")
    ratio = facts.smallest_ratio("director", facts.visible)
    if ratio < gates.neighbor_ratio_director:
        reasons.append(
            f"two blocks next in size differ by {ratio:.3f} in area for the director "
            f"(at least {gates.neighbor_ratio_director})"
        )
    return reasons


def _partition(scene: Scene, facts: SceneFacts, gates: Gates) -> list[str]:
    if facts.partition_before is None:
        return ["the partition is not visible in the tester's picture"]
    if facts.partition_before != scene.hidden_index:
        return [
            f"in the tester's picture the partition stands behind "
            f"{_name(facts, facts.partition_before)}, not the block it belongs to"
        ]
    reasons = []
    seen = _fraction(facts.partition_px, facts.partition_alone_px)
    if seen < gates.partition_visible:
        reasons.append(
            f"only {seen:.3f} of the partition is visible to the tester "
            f"(at least {gates.partition_visible})"
        )
    size = _fraction(facts.partition_px, facts.blocks[facts.partition_before].tester_px)
    if size < gates.partition_to_block:
        reasons.append(
            f"the visible partition has {size:.3f} of the pixels of the block before it "
            f"(at least {gates.partition_to_block})"
        )
    if facts.partition_behind < gates.partition_behind:
        reasons.append(
            f"only {facts.partition_behind:.3f} of the visible partition is behind its block "
            f"(at least {gates.partition_behind})"
        )
    if facts.partition_elsewhere > gates.partition_elsewhere:
        reasons.append(
            f"{facts.partition_elsewhere:.3f} of the visible partition is behind another block "
            f"(at most {gates.partition_elsewhere})"
        )
    return reasons
