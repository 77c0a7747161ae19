"""What there is in the game, what an action does to it, and which box it ends at.

A board of 11 x 11 cells, x to the right and y up, both agents in one frame. Boxes and bodies stand
in the middle of cells; a heading is a unit vector. Source: MOSAIC paper, sections 3.1, D.4 and H.2;
sizes in docs/mosaic.md.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

Role = Literal["subject", "participant"]
Target = Literal["other", "dark", "light"]
Frame = Literal["heading", "home"]
Cell = tuple[int, int]
Heading = tuple[float, float]

ROLES: tuple[Role, ...] = ("subject", "participant")
BOXES: tuple[Cell, Cell] = ((2, 0), (-2, 0))  # 0: dark brown, 1: light brown
DARK, LIGHT = 0, 1
NEITHER = -1
LIMIT = 5  # cells from the middle to the edge
ROUNDS = 10
VERBAL_ROUNDS = (3, 6, 9)
CELL_CM = 80
START: dict[Role, tuple[Cell, Heading]] = {
    "subject": ((0, -4), (0.0, 1.0)),
    "participant": ((0, 4), (0.0, -1.0)),
}

# The eight steps, clockwise from +y, and what they are called from a heading of +y.
OCTANTS: tuple[Cell, ...] = (
    *((0, 1), (1, 1), (1, 0), (1, -1)),
    *((0, -1), (-1, -1), (-1, 0), (-1, 1)),
)
DIRECTIONS = (
    *("forward", "right forward", "right", "right backward"),
    *("backward", "left backward", "left", "left forward"),
)


@dataclass(frozen=True)
class Body:
    """What of an agent is there to be seen.

    facial, physiological: valences in [-1, 1] that face and skin show.
    """

    cell: Cell
    heading: Heading
    facial: float = 0.0
    physiological: float = 0.0


@dataclass(frozen=True)
class PublicState:
    """All that either agent could see: both bodies. The boxes never change, and show nothing."""

    subject: Body
    participant: Body

    def body(self, role: Role) -> Body:
        """The body of one role."""
        return self.subject if role == "subject" else self.participant

    def other(self, role: Role) -> Body:
        """The body that a role sees before it."""
        return self.body(opposite(role))

    def with_body(self, role: Role, body: Body) -> "PublicState":
        """The state with one body replaced."""
        if role == "subject":
            return replace(self, subject=body)
        return replace(self, participant=body)


@dataclass(frozen=True)
class Action:
    """What an agent does in a round.

    direction: of a move, one of DIRECTIONS; of a rotation, its Target; null where it stays.
    facial, physiological: shown from now on; felt: its own, shown to nobody. All in [-1, 1].
    """

    kind: Literal["move", "rotate", "stay idle"]
    direction: str | None = None
    facial: float = 0.0
    physiological: float = 0.0
    felt: float = 0.0


@dataclass(frozen=True)
class Acted:
    """The state after an action. blocked: the move was illegal, so that the body stayed."""

    state: PublicState
    blocked: bool


def opposite(role: Role) -> Role:
    """The other role."""
    return "participant" if role == "subject" else "subject"


def start() -> PublicState:
    """Both agents at their places, facing each other."""
    return PublicState(*(Body(*START[role]) for role in ROLES))


def frame_heading(role: Role, heading: Heading, frame: Frame) -> Heading:
    """The heading that the names of directions are read from."""
    return heading if frame == "heading" else START[role][1]


def octant(heading: Heading) -> int:
    """The nearest of the eight directions, clockwise from +y."""
    # Half an octant is never met exactly but by float error, so rounding cannot tip either way.
    return round(math.atan2(heading[0], heading[1]) / (math.pi / 4)) % 8


def step_of(direction: str, heading: Heading) -> Cell:
    """The step on the board that a named direction is, from a heading."""
    return OCTANTS[(octant(heading) + DIRECTIONS.index(direction)) % 8]


def direction_of(step: Cell, heading: Heading) -> str:
    """The name that a step on the board has, from a heading."""
    return DIRECTIONS[(OCTANTS.index(step) - octant(heading)) % 8]


def is_free(cell: Cell, other: Cell) -> bool:
    """Whether a body may stand there: on the board, on no box, not on the other."""
    return max(map(abs, cell)) <= LIMIT and cell != other and cell not in BOXES


def target_cell(target: str, other: Cell) -> Cell:
    """Where a Target is. Raises KeyError for anything else."""
    return {"other": other, "dark": BOXES[DARK], "light": BOXES[LIGHT]}[target]


def unit(vector: tuple[float, float]) -> Heading:
    """The unit vector along a vector that is not null."""
    length = math.hypot(*vector)
    return (vector[0] / length, vector[1] / length)


def act(state: PublicState, role: Role, action: Action, frame: Frame = "heading") -> Acted:
    """What an action makes of the state.

    A move does not turn the body, but that in the home frame it turns it to its home. A move off
    the board, onto a box or onto the other leaves the body where it is; the round is used.
    """
    body, other = state.body(role), state.other(role).cell
    cell, heading, blocked = body.cell, body.heading, False
    if action.kind == "move":
        heading = frame_heading(role, heading, frame)
        dx, dy = step_of(action.direction, heading)
        wanted = (cell[0] + dx, cell[1] + dy)
        blocked = not is_free(wanted, other)
        cell = cell if blocked else wanted
    elif action.kind == "rotate":
        x, y = target_cell(action.direction, other)
        heading = unit((x - cell[0], y - cell[1]))
    after = Body(cell, heading, action.facial, action.physiological)
    return Acted(state.with_body(role, after), blocked)


def choice(cell: Cell) -> int:
    """The box that opens for a participant who ends there: 0, 1, or -1 where both are as near.

    By squared Euclidean distance on the board.
    """
    dark, light = (((cell[0] - x) ** 2 + (cell[1] - y) ** 2) for x, y in BOXES)
    return NEITHER if dark == light else DARK if dark < light else LIGHT


def certainty(cell: Cell, heading: Heading, target: Cell) -> float:
    """The g of Eq. 6: how surely a gaze from a cell along a heading is at a target, in (0, 1].

    It falls with the angle off the gaze and, beyond 1.25 cells, with the distance along it.
    """
    dx, dy = target[0] - cell[0], target[1] - cell[1]
    distance = math.hypot(dx, dy)
    if distance == 0:
        return 1.0
    along = dx * heading[0] + dy * heading[1]
    eccentricity = (1 - along / distance) / 2
    return 2 * math.exp(-10 * eccentricity) / (1 + max(1.0, 0.8 * abs(along)))


def nearer_sideways(before: Cell, after: Cell) -> int | None:
    """The box that a move brings a body nearer to in x; null where it does not go sideways."""
    if after[0] == before[0]:
        return None
    nearer = [abs(after[0] - x) < abs(before[0] - x) for x, _ in BOXES]
    return None if nearer[0] == nearer[1] else nearer.index(True)
