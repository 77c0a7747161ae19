"""What one agent believes: whom and what it likes, what it takes the other to like, what is felt.

Preferences are held as in the paper's reference agent, from 0 (aversion) over 0.5 (none) to 1, and
written as percentages from -100 to 100. Source: MOSAIC paper, appendices D.4 and H.
"""

from dataclasses import dataclass, replace
from typing import Literal

from vlmtom.mosaic.conditions import Condition
from vlmtom.mosaic.world import DARK, PublicState, Role, opposite

Entity = Literal["other", "dark", "light"]
ENTITIES: tuple[Entity, ...] = ("other", "dark", "light")

INDIFFERENT = 0.5


@dataclass(frozen=True)
class Stance:
    """Where the subject's own preferences start, each in [0, 1]; the participant has none.

    liked, disliked: for the participant, in the cooperative and the competitive mode. The defaults
    are +50 %, -50 %, +40 % and -40 % as the paper writes them.
    """

    reward: float = 0.75
    empty: float = 0.25
    liked: float = 0.7
    disliked: float = 0.3


@dataclass(frozen=True)
class Attitude:
    """Preferences of one agent towards the other and both boxes, each in [0, 1]."""

    other: float = INDIFFERENT
    dark: float = INDIFFERENT
    light: float = INDIFFERENT

    def normalised(self) -> "Attitude":
        """With the pair of boxes summing to 1; two zeros are no preference."""
        total = self.dark + self.light
        if total <= 0:
            return replace(self, dark=INDIFFERENT, light=INDIFFERENT)
        return replace(self, dark=self.dark / total, light=self.light / total)

    def moved(self, entity: Entity, towards: float, weight: float) -> "Attitude":
        """One preference moved by a share of the way to 0 or 1; boxes are normalised again."""
        before = getattr(self, entity)
        return replace(self, **{entity: before + weight * (towards - before)}).normalised()


@dataclass(frozen=True)
class Beliefs:
    """One agent's beliefs at one moment.

    own: its own preferences. theirs: what it takes the other's to be; it never knows them.
    felt: its own valence. their_felt: the other's as it reads it from face and skin, both in
    [-1, 1]. subject_tom: the order of theory of mind that is imposed on the subject.
    """

    owner: Role
    own: Attitude
    theirs: Attitude = Attitude()
    felt: float = 0.0
    their_felt: float = 0.0
    subject_tom: int = 0

    def perceiving(self, state: PublicState, sensitivity: float) -> "Beliefs":
        """With the other's valence read anew. sensitivity: share of the skin against the face."""
        other = state.other(self.owner)
        felt = sensitivity * other.physiological + (1 - sensitivity) * other.facial
        return replace(self, their_felt=felt)


def initial(role: Role, condition: Condition, reward: int, stance: Stance = Stance()) -> Beliefs:
    """What a role believes before the first round. reward: 0 or 1; only the subject has it."""
    if role == "participant":
        return Beliefs(role, Attitude(), subject_tom=condition.tom)
    dark, light = stance.reward, stance.empty
    if reward != DARK:
        dark, light = light, dark
    other = stance.liked if condition.mode == "coop" else stance.disliked
    return Beliefs(role, Attitude(other, dark, light), subject_tom=condition.tom)


@dataclass(frozen=True)
class Update:
    """A preference that an utterance moved. whose: the agent's row in the listener's beliefs.

    towards: 1 for more positive, 0 for more negative.
    """

    whose: Role
    entity: Entity
    towards: float


def heard(beliefs: Beliefs, updates: tuple[Update, ...], weight: float) -> Beliefs:
    """Beliefs after an utterance. weight: the share of the way that each update goes.

    Nobody is persuaded about its own liking of itself, and the subject's own preferences are its
    role's: neither is moved.
    """
    for update in updates:
        if update.whose == opposite(beliefs.owner):
            theirs = beliefs.theirs.moved(update.entity, update.towards, weight)
            beliefs = replace(beliefs, theirs=theirs)
        elif beliefs.owner == "participant":
            beliefs = replace(beliefs, own=beliefs.own.moved(update.entity, update.towards, weight))
    return beliefs
