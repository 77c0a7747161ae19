"""What an onlooker takes a gaze and a valence to say about the boxes: mind reading of order 0.

It trusts what it sees: a thing that is looked at is liked, unless the face above the gaze is
unhappy (the reading that Eq. 6 of the MOSAIC paper scores a signal by). It knows nothing of why a
face is made.
"""

import math
from dataclasses import replace
from functools import lru_cache

from vlmtom.mosaic.beliefs import Attitude
from vlmtom.mosaic.pcm.field import Pose, acuity
from vlmtom.mosaic.world import BOXES, DARK, LIGHT

GAIN = 1.5  # log odds that one look can add
WELCOME = 0.05  # valence that a gaze has by itself
CLEAR = 0.3  # valence above which a face speaks; the cube mutes what is below
CERTAIN = 3.0  # log odds beyond which nobody goes


@lru_cache(maxsize=1 << 16)
def evidence(looker: Pose, valence: float) -> float:
    """Log odds that a look with a valence adds for the dark box against the light one."""
    mood = math.tanh(((valence + WELCOME) / CLEAR) ** 3)
    return GAIN * mood * (acuity(looker, BOXES[DARK]) - acuity(looker, BOXES[LIGHT]))


def log_odds(attitude: Attitude) -> float:
    """Of the dark box being the liked one, at most 3 either way."""
    if attitude.dark <= 0 or attitude.light <= 0:
        return CERTAIN * ((attitude.dark > 0) - (attitude.light > 0))
    # A difference of logarithms, not that of a ratio: with sides swapped it is its exact negative.
    return bounded(math.log(attitude.dark) - math.log(attitude.light))


def bounded(odds: float) -> float:
    """Log odds within what anybody holds for certain."""
    return max(-CERTAIN, min(CERTAIN, odds))


def probability(odds: float) -> float:
    """Of log odds."""
    return 1 / (1 + math.exp(-odds))


def shifted(attitude: Attitude, added: float) -> Attitude:
    """An attitude with log odds added for the dark box."""
    odds = bounded(log_odds(attitude) + added)
    return replace(attitude, dark=probability(odds), light=probability(-odds))
