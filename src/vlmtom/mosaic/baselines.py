"""Agents that show what chance, silence and habit score: they look at nothing and model nobody.

Source: the specification's reading of the MOSAIC paper, section 4.1 (a model that always goes one
way reaches a positional bias of 1 and a sensitivity of -1 without any social signal).
"""

import numpy as np

from vlmtom.mosaic.agent import Decision, Heard, Moment, NoCalls, Utterance
from vlmtom.mosaic.pcm.speech import STATEMENTS, asked, told
from vlmtom.mosaic.world import DIRECTIONS, Action, Role

ACTIONS: tuple[tuple[str, str | None], ...] = (
    *(("move", direction) for direction in DIRECTIONS),
    *(("rotate", target) for target in ("other", "dark", "light")),
    ("stay idle", None),
)


class _Deaf(NoCalls):
    """Says nothing, and takes nothing from what it hears."""

    async def speak(self, moment: Moment) -> Utterance:
        """Silence."""
        return Utterance("")

    async def listen(self, moment: Moment) -> Heard:
        """Nothing changes."""
        return Heard()


class Silent(_Deaf):
    """Stays where it is, with no face."""

    async def act(self, moment: Moment) -> Decision:
        """Idle."""
        return Decision(Action("stay idle"))


class Fixed(_Deaf):
    """Always goes the same way, with no face. direction: one of DIRECTIONS, else ValueError."""

    def __init__(self, direction: str) -> None:
        super().__init__()
        if direction not in DIRECTIONS:
            raise ValueError(
                f"no direction {direction!r}; there are {', '.join(map(repr, DIRECTIONS))}"
            )
        self._action = Action("move", direction)

    async def act(self, moment: Moment) -> Decision:
        """One step, also where it is blocked."""
        return Decision(self._action)


class Random(_Deaf):
    """Any action of the grammar as likely as any other, blocked moves too, with any face.

    Valences of face, skin and feeling are uniform in [-1, 1], independent of each other. What it
    says is one of the three questions or statements of the templates, as likely each.
    """

    def __init__(self, role: Role, rng: np.random.Generator) -> None:
        super().__init__()
        self._role, self._rng = role, rng

    async def act(self, moment: Moment) -> Decision:
        """A draw."""
        kind, direction = ACTIONS[self._rng.integers(len(ACTIONS))]
        face, skin, felt = (float(valence) for valence in self._rng.uniform(-1, 1, size=3))
        return Decision(Action(kind, direction, face, skin, felt))

    async def speak(self, moment: Moment) -> Utterance:
        """A draw."""
        box = STATEMENTS[self._rng.integers(len(STATEMENTS))]
        return Utterance(told(box) if self._role == "subject" else asked(box))
