"""What stands on the table, and the picture of it.

Axes in metres: x to the tester's right, y away from the tester, z up; the table top is z = 0.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from vlmtom.rendering.camera import Camera
from vlmtom.rendering.figure import Look, person
from vlmtom.rendering.meshes import Mesh, box, quad
from vlmtom.rendering.raster import render
from vlmtom.rendering.shading import Lighting
from vlmtom.rendering.vectors import Vector

Side = Literal["far", "near"]

# Chosen so that a lit or shaded face keeps its colour's name. sRGB.
PALETTE: dict[str, tuple[int, int, int]] = {
    "yellow": (250, 215, 20),
    "red": (222, 28, 36),
    "blue": (25, 60, 220),
    "purple": (130, 42, 170),
    "green": (25, 145, 50),
    "orange": (255, 128, 10),
    "cyan": (0, 215, 230),
}

# Object ids in the id buffers; block i is FIRST_BLOCK + i.
FIRST_BLOCK = 1
PARTITION = 10
DIRECTOR = 11
TABLE = 20
ROOM = 30

FLOOR_Z = -0.75
TABLE_SIZE = (1.70, 1.20)
TABLE_TOP_THICKNESS = 0.045
# Nothing but a block has a hue of the palette.
WOOD, LEG_WOOD = (196, 160, 118), (150, 118, 82)
WALL, FLOOR = (226, 224, 218), (150, 152, 156)
PARTITION_GREY, FOOT_GREY = (128, 131, 138), (98, 101, 108)

PARTITION_THICKNESS = 0.018
PARTITION_GAP = 0.07  # between the block's back and the panel
PARTITION_FOOT = (0.030, 0.075, 0.014)  # wider than the panel by, depth, height
MARGIN_SIDE = 0.030  # beyond the block's outline as the director would see it
MARGIN_TOP = 0.045
MARGIN_BLOCK = 0.045  # at least this much wider than the block on each side

DIRECTOR_EYE: dict[Side, Vector] = {"far": (0.0, 1.02, 0.52), "near": (-0.57, -1.02, 0.89)}
DIRECTOR_LOOKS_AT: Vector = (0.0, 0.0, 0.08)


@dataclass(frozen=True)
class Block:
    label: str  # one character
    color: str  # a name of PALETTE
    size_m: float  # side of the cube
    x_m: float  # middle of the base
    y_m: float


@dataclass(frozen=True)
class Scene:
    """A table as it stands. Blocks are listed from the tester's left to right.

    hidden_index: the block that the partition stands behind, seen from the tester; it hides the
    block from a director on the far side. None, or partition False: there is no partition.
    """

    blocks: tuple[Block, ...]
    hidden_index: int | None
    partition: bool
    director: Side = "far"

    def __post_init__(self) -> None:
        if self.director not in DIRECTOR_EYE:
            raise ValueError(f"the director sits 'far' or 'near', not {self.director!r}")
        if self.hidden_index is not None and not 0 <= self.hidden_index < len(self.blocks):
            raise ValueError(f"hidden_index {self.hidden_index}, but {len(self.blocks)} blocks")
        if self.partition and self.hidden_index is None:
            raise ValueError("a partition stands behind a block: hidden_index is missing")
        for block in self.blocks:
            if block.color not in PALETTE:
                known = ", ".join(PALETTE)
                raise ValueError(f"no colour {block.color!r}; the palette has {known}")

    def expected_hidden(self) -> frozenset[int]:
        """Which blocks the director must not see, going by how the scene was made."""
        if self.partition and self.director == "far" and self.hidden_index is not None:
            return frozenset({self.hidden_index})
        return frozenset()


@dataclass(frozen=True)
class Panel:
    x0: float
    x1: float
    y: float  # near face
    height: float


def partition_panel(block: Block) -> Panel:
    """The panel that covers a block from the far director's eye, with a margin.

    It is never narrower than the block and its margin, so that it reads as a screen from the
    tester's side too.
    """
    eye = DIRECTOR_EYE["far"]
    half = block.size_m / 2
    y = block.y_m + half + PARTITION_GAP
    xs, zs = [], []
    for dx in (-half, half):
        for dy in (-half, half):
            # Where the line from the eye through a corner of the block meets the panel.
            share = (y - eye[1]) / (block.y_m + dy - eye[1])
            xs.append(eye[0] + share * (block.x_m + dx - eye[0]))
            zs += [eye[2] + share * (z - eye[2]) for z in (0.0, block.size_m)]
    return Panel(
        x0=min(min(xs) - MARGIN_SIDE, block.x_m - half - MARGIN_BLOCK),
        x1=max(max(xs) + MARGIN_SIDE, block.x_m + half + MARGIN_BLOCK),
        y=y,
        height=max(zs) + MARGIN_TOP,
    )


def _partition(panel: Panel) -> list[Mesh]:
    x, y = (panel.x0 + panel.x1) / 2, panel.y + PARTITION_THICKNESS / 2
    width = panel.x1 - panel.x0
    wider, depth, thickness = PARTITION_FOOT
    size = (width, PARTITION_THICKNESS, panel.height)
    return box("partition", PARTITION, (x, y, 0.0), size, PARTITION_GREY) + box(
        "partition foot", PARTITION, (x, y, 0.0), (width + wider, depth, thickness), FOOT_GREY
    )


@lru_cache(maxsize=1)
def _table() -> tuple[Mesh, ...]:
    width, depth = TABLE_SIZE
    parts = box(
        "table", TABLE, (0, 0, -TABLE_TOP_THICKNESS), (width, depth, TABLE_TOP_THICKNESS), WOOD
    )
    for x in (-0.76, 0.76):
        for y in (-0.51, 0.51):
            leg = (0.07, 0.07, -FLOOR_Z - TABLE_TOP_THICKNESS)
            parts += box("table leg", TABLE, (x, y, FLOOR_Z), leg, LEG_WOOD)
    return tuple(parts)


@lru_cache(maxsize=1)
def _room() -> tuple[Mesh, ...]:
    x, near, far, top = 4.0, -3.0, 2.6, 3.0
    wall = ((-x, far, FLOOR_Z), (x, far, FLOOR_Z), (x, far, top), (-x, far, top))
    floor = ((-x, near, FLOOR_Z), (x, near, FLOOR_Z), (x, far, FLOOR_Z), (-x, far, FLOOR_Z))
    return (
        quad("wall", ROOM, wall, WALL, casts_shadow=False),
        quad("floor", ROOM, floor, FLOOR, casts_shadow=False),
    )


@lru_cache(maxsize=2)
def _director(side: Side) -> tuple[Mesh, ...]:
    """The figure, whose eyes look at the middle of the table."""
    eye = DIRECTOR_EYE[side]
    dx, dy = DIRECTOR_LOOKS_AT[0] - eye[0], DIRECTOR_LOOKS_AT[1] - eye[1]
    heading = round(math.atan2(dy, dx), 12)
    look = Look(valence=0.12, head_pitch=0.16, eyes_down=0.8)
    if side == "far":
        hands = ((0.20, 0.54, 0.045), (-0.20, 0.54, 0.045))
        return tuple(person(DIRECTOR, eye, heading, FLOOR_Z, look, hands=hands))
    # Her shadow would darken the nearest block and blur its colour.
    return tuple(person(DIRECTOR, eye, heading, FLOOR_Z, look, arms=False, casts_shadow=False))


def block_meshes(scene: Scene, index: int) -> list[Mesh]:
    block = scene.blocks[index]
    return box(
        f"block {block.label}",
        FIRST_BLOCK + index,
        (block.x_m, block.y_m, 0.0),
        (block.size_m, block.size_m, block.size_m),
        PALETTE[block.color],
        label=block.label,
    )


def partition_meshes(scene: Scene) -> list[Mesh]:
    if not scene.partition or scene.hidden_index is None:
        return []
    return _partition(partition_panel(scene.blocks[scene.hidden_index]))


def meshes(scene: Scene, figure: bool = True) -> list[Mesh]:
    """Everything in the room; without `figure`, all but the director."""
    parts = [*_room(), *_table()]
    for i in range(len(scene.blocks)):
        parts += block_meshes(scene, i)
    parts += partition_meshes(scene)
    return parts + (list(_director(scene.director)) if figure else [])


def tester_camera(width: int = 1024, height: int = 768) -> Camera:
    """The picture's camera: a long lens, so that nearer blocks do not look much larger."""
    return Camera((0.0, -2.65, 1.55), (0.0, 0.20, 0.13), 30.5, width, height)


tester_camera.__test__ = False  # pytest would take the name for a test's


def director_camera(
    side: Side = "far",
    width: int = 480,
    height: int = 360,
    shift_x: float = 0.0,
    shift_z: float = 0.0,
) -> Camera:
    """A camera at the director's eye, moved by the shifts (metres)."""
    x, y, z = DIRECTOR_EYE[side]
    return Camera((x + shift_x, y, z + shift_z), DIRECTOR_LOOKS_AT, 78.0, width, height)


def picture(scene: Scene, width: int = 1024, height: int = 768, person: bool = True) -> np.ndarray:
    """What the tester is shown: (height, width, 3) uint8 sRGB; without `person`, no director."""
    return render(meshes(scene, figure=person), tester_camera(width, height), Lighting())
