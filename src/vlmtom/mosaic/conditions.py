"""The four conditions of the game: interaction mode by order of theory of mind.

Source: MOSAIC paper, section 3.2 and Eq. 2.
"""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["coop", "comp"]


@dataclass(frozen=True)
class Condition:
    """One cell of mode x ToM order."""

    slug: str  # in paths
    label: str  # in tables
    mode: Mode
    tom: int  # order of theory of mind that is imposed on the subject

    @property
    def predicted(self) -> int:
        """The y of Eq. 2: +1 where the reward should be found, -1 where the empty box should."""
        return -1 if (self.mode, self.tom) == ("comp", 1) else 1


CONDITIONS = (
    Condition("coop-tom0", "Coop-ToM0", "coop", 0),
    Condition("coop-tom1", "Coop-ToM1", "coop", 1),
    Condition("comp-tom0", "Comp-ToM0", "comp", 0),
    Condition("comp-tom1", "Comp-ToM1", "comp", 1),
)
BY_SLUG = {condition.slug: condition for condition in CONDITIONS}


def condition_of(mode: str, tom: int) -> Condition:
    """The condition of a mode (coop or comp) and an order (0 or 1).

    Raises KeyError for any other.
    """
    return BY_SLUG[f"{mode}-tom{tom}"]
