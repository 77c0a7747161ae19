"""How the observers describe an animation: what its motion is like, and each one's way to tell.

Three manners are told apart from sixteen moments: *contingent*, one rests while the other
moves, in turns; *coupled*, both move and their moves go together; *independent*, neither. Of a
still the motion is *unseen*.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vlmtom.observers.sheet import REST, Motion

Manner = Literal["contingent", "coupled", "independent", "unseen"]

# Shares and correlations between the manners; shipped and fresh clips keep well clear of them.
RESTS_FROM = 0.28
COUPLED_FROM = 0.43
STEADY_BELOW = 0.17  # relative spread of the distance: two that dance keep theirs


@dataclass(frozen=True)
class Account:
    """What the motion is like.

    follows: for coupled motion, whether one goes where the other goes (else they move against or
    round each other). steady: whether they keep their distance.
    """

    manner: Manner
    follows: bool
    steady: bool


def account(motion: Motion) -> Account:
    """The manner of a motion, from its sixteen moments; unseen from a single one."""
    big, small = motion.steps
    if not len(big):
        return Account("unseen", follows=False, steady=False)
    rests = (np.hypot(*big.T) < REST) | (np.hypot(*small.T) < REST)
    coupling = max(
        (
            _correlation(big, small),
            _correlation(big[1:], small[:-1]),
            _correlation(big[:-1], small[1:]),
        ),
        key=abs,
    )
    if float(rests.mean()) >= RESTS_FROM:
        manner: Manner = "contingent"
    elif abs(coupling) >= COUPLED_FROM:
        manner = "coupled"
    else:
        manner = "independent"
    distance = np.hypot(*(motion.big - motion.small).T)
    steady = float(distance.std()) < STEADY_BELOW * float(distance.mean())
    return Account(manner, follows=coupling > 0, steady=steady)


def tells_minds_where_contingent(motion: Motion, rng: np.random.Generator) -> str:
    """Mental states where the motion is contingent, actions where coupled, motion else.

    Where no motion is seen: where the triangles are.
    """
    seen = account(motion)
    return _MINDS if seen.manner == "contingent" else _acts_or_motion(seen)


def tells_actions(motion: Motion, rng: np.random.Generator) -> str:
    """Purposeful actions wherever the moves have to do with each other, and never a mind.

    Where no motion is seen: where the triangles are.
    """
    seen = account(motion)
    return _TURNS if seen.manner == "contingent" else _acts_or_motion(seen)


def tells_minds(motion: Motion, rng: np.random.Generator) -> str:
    """Mental states whatever the motion, and where none is seen: over-attribution."""
    return _MINDS


def tells_motion(motion: Motion, rng: np.random.Generator) -> str:
    """Bare motion, whatever it is like; where none is seen, where the triangles are."""
    return _WHERE if account(motion).manner == "unseen" else _MERE_MOTION


def tells_anything(motion: Motion, rng: np.random.Generator) -> str:
    """A description drawn at random."""
    return _ANYTHING[int(rng.integers(len(_ANYTHING)))]


def _acts_or_motion(seen: Account) -> str:
    if seen.manner == "coupled":
        return _acts(seen)
    return _WHERE if seen.manner == "unseen" else _MERE_MOTION


def _acts(seen: Account) -> str:
    if seen.follows:
        return _FOLLOWING
    return _DANCING if seen.steady else _FIGHTING


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Cosine of two series of displacements, -1 to 1; 0 where one of them does not move."""
    size = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / size if size else 0.0


_MINDS = (
    "The big triangle wants the small one to do something and tries to persuade it. The small one "
    "hesitates, because it is shy and does not trust the big one, and looks what it will do. "
    "At last the big one has won it over."
)
_TURNS = (
    "One triangle goes up to the other and waits for it. The other comes nearer and goes back "
    "again, and the first follows it. They take turns in moving."
)
_FOLLOWING = (
    "One triangle goes ahead and the other chases it and follows it wherever it goes, all over "
    "the area."
)
_DANCING = "The two triangles dance together. They face each other and circle round each other."
_FIGHTING = "The two triangles fight. They rush at each other, hit each other and bounce back."
_MERE_MOTION = (
    "The two triangles move about at an even speed, each on its own path, without any purpose. "
    "They have nothing to do with each other."
)
_WHERE = (
    "The picture has a big red triangle and a small blue triangle in it, in an area with a frame. "
    "It is one moment, without a before and an after."
)
_ANYTHING = (
    _MINDS,
    _TURNS,
    _FOLLOWING,
    _DANCING,
    _FIGHTING,
    _MERE_MOTION,
    "The small triangle is looking for a way out.",
    "Two shapes are shown in several places.",
)
