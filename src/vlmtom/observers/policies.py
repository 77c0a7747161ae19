"""The observers and their stated policies: what each answers, given what it sees."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from vlmtom.observers import describing
from vlmtom.observers.asked import Asked
from vlmtom.observers.player import GamePolicy
from vlmtom.observers.sheet import Motion
from vlmtom.observers.sight import Sight

Chosen = tuple[int, ...]


@dataclass(frozen=True)
class DirectorPolicy:
    """How an observer answers the Director Task.

    reports: the blocks it says that the director sees.
    moves: the block it moves, given the sight and the question.
    """

    reports: Callable[[Sight, np.random.Generator], Chosen]
    moves: Callable[[Sight, Asked, np.random.Generator], int]
    # How likely it reads the request from its own view, by the question; None: `moves` decides.
    own_view: Callable[[Asked], float] | None = None


@dataclass(frozen=True)
class Observer:
    """An embedded tester: its name and its policies; the first two with a sentence that says it."""

    name: str
    says: str
    director: DirectorPolicy
    tells: str
    describes: Callable[[Motion, np.random.Generator], str]
    plays: GamePolicy = field(default_factory=lambda: GamePolicy(deceives=False))


def _extremum(sight: Sight, asked: Asked, among: Chosen) -> int:
    sizes = {i: sight.blocks[i].size_m for i in among}
    pick = max if asked.moves == "largest" else min
    return pick(sizes, key=lambda i: sizes[i])


def _all(sight: Sight) -> Chosen:
    return tuple(range(len(sight.blocks)))


def _reports_view(sight: Sight, rng: np.random.Generator) -> Chosen:
    return sight.director_sees


def _reports_all(sight: Sight, rng: np.random.Generator) -> Chosen:
    return _all(sight)


def _reports_guess(sight: Sight, rng: np.random.Generator) -> Chosen:
    coins = rng.integers(2, size=len(sight.blocks))
    return tuple(i for i, coin in enumerate(coins) if coin)


def _moves_for_director(sight: Sight, asked: Asked, rng: np.random.Generator) -> int:
    return _extremum(sight, asked, _ruled_in(sight, asked, sight.director_sees))


def moves_for_self(sight: Sight, asked: Asked, rng: np.random.Generator) -> int:
    """The block that is meant from the tester's own view."""
    return _extremum(sight, asked, _ruled_in(sight, asked, _all(sight)))


def _moves_among_all(sight: Sight, asked: Asked, rng: np.random.Generator) -> int:
    return _extremum(sight, asked, _all(sight))


def _ruled_in(sight: Sight, asked: Asked, among: Chosen) -> Chosen:
    """Without the block that a stated rule takes out."""
    return tuple(i for i in among if not (asked.ruled and i == sight.screened))


def _moves_as_reported(sight: Sight, asked: Asked, rng: np.random.Generator) -> int:
    if asked.sees_first:
        return _moves_for_director(sight, asked, rng)
    return moves_for_self(sight, asked, rng)


# Of reading a request to move from one's own view, in percent of replies over scenes: without the
# question what the director sees, and with it.
SWAYED_PERCENT = (15, 55)
STEADY_PERCENT = 40
SPREAD = 0.6  # of the probability, or of what is left to 1, from scene to scene


def _swayed(asked: Asked) -> float:
    if not asked.own_action or asked.constrained:
        return 0.0
    return SWAYED_PERCENT[asked.sees] / 100


def _steady(asked: Asked) -> float:
    return STEADY_PERCENT / 100


def own_view_probability(mean: float, scene: float) -> float:
    """Probability in one scene: its mean over scenes is `mean`. scene: -1 to 1, of the scene."""
    return mean + SPREAD * min(mean, 1 - mean) * scene


def _moves_guess(sight: Sight, asked: Asked, rng: np.random.Generator) -> int:
    return int(rng.integers(len(sight.blocks)))


OBSERVERS: Mapping[str, Observer] = {
    observer.name: observer
    for observer in (
        Observer(
            "obs-director",
            "takes the director's view; obeys a stated rule",
            DirectorPolicy(_reports_view, _moves_for_director),
            "mental states where the motion is contingent, actions where coupled, motion else",
            describing.tells_minds_where_contingent,
            GamePolicy(deceives=True),
        ),
        Observer(
            "obs-own-view",
            "reports the director's view, acts on its own; obeys a stated rule",
            DirectorPolicy(_reports_view, moves_for_self),
            "purposeful actions only",
            describing.tells_actions,
        ),
        Observer(
            "obs-gated",
            "acts on its own view unless it was asked first what the director sees; obeys a "
            "stated rule",
            DirectorPolicy(_reports_view, _moves_as_reported),
            "mental states everywhere",
            describing.tells_minds,
        ),
        Observer(
            "obs-all-visible",
            "takes all blocks for visible, and for those that count",
            DirectorPolicy(_reports_all, _moves_among_all),
            "bare motion",
            describing.tells_motion,
        ),
        Observer(
            "obs-swayed",
            f"reports the director's view; asked what it moves, it takes its own view in "
            f"{SWAYED_PERCENT[0]} % of replies, in {SWAYED_PERCENT[1]} % if it is also asked what "
            "the director sees, and the director's where it is said what the director knows or "
            "means",
            DirectorPolicy(_reports_view, _moves_for_director, _swayed),
            "purposeful actions only",
            describing.tells_actions,
        ),
        Observer(
            "obs-steady",
            f"reports the director's view and takes its own in {STEADY_PERCENT} % of replies, "
            "whatever else it is asked",
            DirectorPolicy(_reports_view, _moves_for_director, _steady),
            "purposeful actions only",
            describing.tells_actions,
        ),
        Observer(
            "obs-guess",
            "guesses: a coin for each block, any block to move",
            DirectorPolicy(_reports_guess, _moves_guess),
            "a description drawn at random",
            describing.tells_anything,
        ),
    )
}
