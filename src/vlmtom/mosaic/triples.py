"""How an agent's beliefs, and what it sees, are written for a model: triples `who | what | value`.

Source: MOSAIC paper, appendices D.4 and H; order and number format in docs/mosaic.md.
"""

from collections.abc import Iterator
from fractions import Fraction

from vlmtom.mosaic.beliefs import Attitude, Beliefs
from vlmtom.mosaic.world import (
    BOXES,
    DARK,
    LIGHT,
    ROLES,
    Body,
    Cell,
    PublicState,
    Role,
    Target,
    opposite,
)
from vlmtom.stats.rounding import half_up

NAMES: dict[Role, str] = {"subject": "Marie", "participant": "Participant"}
BOX_NAMES = ("Dark brown box", "Light brown box")  # by number
PARTICIPANT_TOM = 0


def named(target: Target, role: Role) -> str:
    """What a role calls a target: the other by name, or a box."""
    if target == "other":
        return NAMES[opposite(role)]
    return BOX_NAMES[DARK if target == "dark" else LIGHT]


def triples(beliefs: Beliefs, state: PublicState, tom_triple: bool = True) -> list[str]:
    """The owner's beliefs at one moment, of Marie first, then of Participant, then where all is.

    Preferences are percentages from -100% to 100%, valences lie in [-1, 1]. Face and skin are
    written for the owner only: the other's are to be seen. tom_triple: also both orders of theory
    of mind, without which a model cannot know which one is imposed.
    """
    return [" | ".join(triple) for triple in _triples(beliefs, state, tom_triple)]


def _triples(
    beliefs: Beliefs, state: PublicState, tom_triple: bool
) -> Iterator[tuple[str, str, str]]:
    for role in ROLES:
        name, own = NAMES[role], role == beliefs.owner
        attitude = beliefs.own if own else beliefs.theirs
        for target, preference in _preferences(attitude):
            yield name, f"preference towards {named(target, role)}", f"{_percent(preference)}%"
        yield name, "felt emotion valence", number(beliefs.felt if own else beliefs.their_felt)
        if own:
            body = state.body(role)
            yield name, "facial emotion valence", number(body.facial)
            yield name, "physiological emotion valence", number(body.physiological)
        if tom_triple:
            order = beliefs.subject_tom if role == "subject" else PARTICIPANT_TOM
            yield name, "theory of mind order", str(order)
    for role in ROLES:
        body = state.body(role)
        yield NAMES[role], "position", _place(body.cell)
        yield NAMES[role], "orientation", _place(_before(body))
    for name, cell in zip(BOX_NAMES, BOXES, strict=True):
        yield name, "position", _place(cell)


def number(value: float | Fraction) -> str:
    """Two decimals, half up, without zeros at the end and without a negative zero."""
    # From the shortest decimal of a float: 0.145 is meant where it is written.
    exact = value if isinstance(value, Fraction) else Fraction(repr(float(value)))
    text = f"{half_up(exact, 2):f}"
    return text.rstrip("0").rstrip(".")


def _preferences(attitude: Attitude) -> tuple[tuple[Target, float], ...]:
    return (("other", attitude.other), ("dark", attitude.dark), ("light", attitude.light))


def _percent(preference: float) -> str:
    """A preference from 0 to 1 as a percentage from -100 to 100."""
    return number((2 * Fraction(repr(float(preference))) - 1) * 100)


def _before(body: Body) -> Cell:
    """The cell that a body looks at: one step on, each part of the heading rounded for itself."""
    x, y = body.cell
    return (x + round(body.heading[0]), y + round(body.heading[1]))


def _place(cell: Cell) -> str:
    return f"({cell[0]} {cell[1]})"
