"""What an agent sees: a picture from its eyes, made from nothing but the public state.

A pinhole 1.6 m above the viewer's cell, along its heading and 20 degrees down, so that boxes at
its feet are in the picture. Only elementwise arithmetic that no CPU reorders, and scalar sines on a
grid: the pixels are the same on every machine. Source: MOSAIC paper, appendices D and E.4; sizes
in docs/mosaic.md.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vlmtom.mosaic.view_paint import Solid, paint, solid
from vlmtom.mosaic.view_people import EYE_M, person
from vlmtom.mosaic.view_room import CELL_M, Shadow, room
from vlmtom.mosaic.world import BOXES, Body, Heading, PublicState, Role, opposite
from vlmtom.rendering.camera import Camera
from vlmtom.rendering.meshes import Color, box
from vlmtom.rendering.vectors import cos_sin

ARMS = ("standard", "blank", "face", "none")
WIDTH, HEIGHT = 720, 480
VERTICAL_FOV_DEG = 70.0
PITCH_DEG = 20.0  # downwards
BLANK: Color = (128, 128, 128)
INSET_PX, INSET_BORDER_PX = 160, 6
INSET_BORDER: Color = (40, 40, 40)
INSET_GROUND: Color = (203, 211, 214)

BOX_M = 0.45  # width, depth and height
BOX_COLORS: tuple[Color, Color] = ((92, 54, 28), (214, 170, 115))
BOX_SHADOW_M, PERSON_SHADOW_M = 0.42, 0.34


@dataclass(frozen=True)
class Thing:
    """Something that stands on the floor."""

    solid: Solid
    x: float  # metres
    y: float
    shadow_m: float


class NoPicture(ValueError):
    """An arm in which nobody is shown a picture."""


def picture(state: PublicState, role: Role, arm: str = "standard") -> np.ndarray:
    """What a role sees of a state: (480, 720, 3) uint8 sRGB.

    arm: standard; blank, a uniform grey; face, standard with the other's face close up in the top
    right corner. Raises NoPicture for the arm none, ValueError for any other.
    """
    if arm not in ARMS:
        raise ValueError(f"no arm {arm!r}; there are {', '.join(ARMS)}")
    if arm == "none":
        raise NoPicture("in the arm none nobody is shown a picture")
    if arm == "blank":
        return np.full((HEIGHT, WIDTH, 3), BLANK, np.uint8)
    seen = _first_person(state, role)
    if arm == "face":
        other = state.other(role)
        side = INSET_PX + 2 * INSET_BORDER_PX
        seen[:side, -side:] = INSET_BORDER
        inside = slice(INSET_BORDER_PX, INSET_BORDER_PX + INSET_PX)
        seen[inside, WIDTH - side :][:, inside] = close_up(
            opposite(role), _hundredths(other.facial), _hundredths(other.physiological)
        )
    return seen


def state_of(rows: Iterable[Mapping[str, object]]) -> PublicState:
    """The public state after a round, from its two rows of MOSAIC_STEPS.

    Raises ValueError unless there is one row of each role.
    """
    by_role = {str(row["role"]): row for row in rows}
    if set(by_role) != {"subject", "participant"}:
        raise ValueError(f"a state needs a row of each role, not of {sorted(by_role)}")
    return PublicState(*(_body(by_role[role]) for role in ("subject", "participant")))


def _body(row: Mapping[str, object]) -> Body:
    return Body(
        (int(row["x"]), int(row["y"])),
        (float(row["hx"]), float(row["hy"])),
        float(row["facial"]),
        float(row["physiological"]),
    )


def camera(body: Body) -> Camera:
    """The eye of an agent."""
    (x, y), (hx, hy) = _metres(body.cell), _on_grid(body.heading)
    down, sink = cos_sin(math.radians(PITCH_DEG))
    look = (x + hx * down, y + hy * down, EYE_M - sink)
    return Camera((x, y, EYE_M), look, VERTICAL_FOV_DEG, WIDTH, HEIGHT)


def in_view(state: PublicState, role: Role) -> bool:
    """Whether a role has the middle between the other's eyes in its picture."""
    eye = camera(state.body(role))
    face = eye.view(np.array((*_metres(state.other(role).cell), EYE_M)))
    if face[2] <= 0:
        return False
    x, y = eye.screen(face)
    return bool(0 <= x < WIDTH and 0 <= y < HEIGHT)


def _first_person(state: PublicState, role: Role) -> np.ndarray:
    eye = camera(state.body(role))
    things = [*_boxes(), _standing(opposite(role), state.other(role))]
    return _drawn(eye, things)


def _drawn(eye: Camera, things: Sequence[Thing]) -> np.ndarray:
    """The room with things in it, the farthest first: none of them is within another."""
    seen = room(eye, [Shadow(thing.x, thing.y, thing.shadow_m) for thing in things])

    def away(thing: Thing) -> float:
        dx, dy = thing.x - eye.eye[0], thing.y - eye.eye[1]
        return dx * dx + dy * dy

    for thing in sorted(things, key=away, reverse=True):
        paint(seen, eye, thing.solid)
    return seen


@lru_cache(maxsize=1)
def _boxes() -> tuple[Thing, ...]:
    return tuple(
        Thing(_chest(_metres(cell), color), *_metres(cell), BOX_SHADOW_M)
        for cell, color in zip(BOXES, BOX_COLORS, strict=True)
    )


def _chest(at: tuple[float, float], color: Color) -> Solid:
    """A closed box with a lid; both boxes differ in nothing but their colour."""
    lid, seam = 0.11, 0.012
    darker = tuple(c * 7 // 10 for c in color)
    inner = BOX_M - 0.03
    shapes = (
        (0.0, (inner, inner, BOX_M - lid - seam), color),
        (BOX_M - lid - seam, (inner, inner, seam), darker),
        (BOX_M - lid, (BOX_M, BOX_M, lid), color),
    )
    return solid([m for z, size, c in shapes for m in box("box", 1, (*at, z), size, c)])


def _standing(role: Role, body: Body) -> Thing:
    x, y = _metres(body.cell)
    shown = person(role, body.facial, body.physiological)
    return Thing(shown.placed(x, y, _on_grid(body.heading)), x, y, PERSON_SHADOW_M)


@lru_cache(maxsize=256)
def close_up(role: Role, facial: int, physiological: int) -> np.ndarray:
    """The face of a role from the front, (160, 160, 3) uint8 sRGB; valences in hundredths."""
    eye = Camera((0.0, 0.85, EYE_M), (0.0, 0.0, EYE_M - 0.02), 26.0, INSET_PX, INSET_PX)
    canvas = np.full((INSET_PX, INSET_PX, 3), INSET_GROUND, np.uint8)
    paint(canvas, eye, person(role, facial / 100, physiological / 100))
    canvas.flags.writeable = False
    return canvas


def _metres(cell: tuple[int, int]) -> tuple[float, float]:
    return round(cell[0] * CELL_M, 9), round(cell[1] * CELL_M, 9)


def _on_grid(heading: Heading) -> Heading:
    return round(heading[0], 9), round(heading[1], 9)


def _hundredths(valence: float) -> int:
    return round(max(-1.0, min(1.0, valence)) * 100)
